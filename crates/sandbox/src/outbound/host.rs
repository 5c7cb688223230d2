//! How a host can be written. Whatever a system library might read as an address is read as one here.

use std::net::{IpAddr, Ipv4Addr};

/// Names, with all names beneath them, that never mean a public host.
const LOCAL: [&str; 14] = [
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "private",
    "lan",
    "home",
    "corp",
    "home.arpa",
    "onion",
    "test",
    "invalid",
    "ip6-localhost",
];
/// The longest name that can be resolved.
const LONGEST: usize = 253;

/// The address that `host` is, in any notation: dotted with one to four parts, decimal, octal or hexadecimal, and IPv6
/// with or without brackets. A zone is dropped: it exists on link-local addresses alone.
pub fn literal(host: &str) -> Option<IpAddr> {
    let bare = host.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(host);
    if bare.contains(':') {
        return bare.split('%').next()?.parse().ok().map(IpAddr::V6);
    }
    aton(bare.strip_suffix('.').unwrap_or(bare)).map(IpAddr::V4)
}

/// What `inet_aton` reads: the last part fills the bytes that are left.
fn aton(text: &str) -> Option<Ipv4Addr> {
    let parts: Vec<u64> = text.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = parts.split_last()?;
    if first.len() > 3 || first.iter().any(|it| *it > 255) {
        return None;
    }
    let left = 32 - 8 * first.len();
    if *last >> left != 0 {
        return None;
    }
    let high = first.iter().enumerate().map(|(at, it)| it << (24 - 8 * at)).sum::<u64>();
    u32::try_from(high | last).ok().map(Ipv4Addr::from)
}

fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X'] => return Some(0),
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    // `from_str_radix` reads a sign, which no address has.
    if !digits.bytes().all(|it| it.is_ascii_alphanumeric()) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

/// What keeps `host` from being the name of a host.
pub(super) fn form(host: &str) -> Result<(), &'static str> {
    let name = host.strip_suffix('.').unwrap_or(host);
    if name.is_empty() {
        return Err("it is empty");
    }
    if name.len() > LONGEST {
        return Err("it is too long");
    }
    if !name.is_ascii() {
        return Err("write it in its ASCII form, `xn--…`");
    }
    if !name.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_' | b'.')) {
        return Err("it has characters that no host name has");
    }
    if name.split('.').any(|it| it.is_empty() || it.len() > 63) {
        return Err("a part of it is empty or too long");
    }
    // Libraries disagree on what `1.2.3.4.5` or `0x7f.1.foo.09` is; no public name ends in a number.
    let last = name.rsplit('.').next().unwrap_or(name);
    if last.bytes().all(|it| it.is_ascii_digit()) || number(last).is_some() {
        return Err("it looks like an address and is none");
    }
    Ok(())
}

/// True for names that mean this machine or its network whatever they resolve to.
pub(super) fn is_local(host: &str) -> bool {
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    LOCAL.iter().any(|it| name.strip_suffix(it).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}
