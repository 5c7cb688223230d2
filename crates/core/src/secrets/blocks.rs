//! Secrets that stand in a larger form: key blocks, addresses with a password, bearer headers, addresses that are secret
//! themselves.

use std::ops::Range;

use super::looks::{distinct, is_placeholder, is_random};

/// No key is longer, in bytes.
const KEY: usize = 16 << 10;
/// No name and password in an address are longer.
const LOGIN: usize = 512;

/// Addresses whose path is the secret.
pub(super) const WEBHOOKS: [&str; 6] = [
    "hooks.slack.com/services/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "webhook.office.com/webhookb2/",
    "hooks.zapier.com/hooks/catch/",
    "api.telegram.org/bot",
];

/// What stands between the first and the last line of the private key whose first line begins at `start`, and up to
/// where that was looked for. A key that was cut off ends where its lines end.
pub(super) fn private_key(text: &str, start: usize) -> (usize, Option<Range<usize>>) {
    let head = &text[start..floor(text, start + 80)];
    let Some((name, _)) = head["-----BEGIN ".len()..].split_once("-----") else { return (start, None) };
    if !name.to_ascii_uppercase().contains("PRIVATE KEY") {
        return (start, None);
    }
    let body = start + "-----BEGIN ".len() + name.len() + "-----".len();
    let window = &text[body..floor(text, body + KEY)];
    let end = match window.find("-----END ") {
        Some(end) => end,
        None => window.find(|it: char| !is_key_text(it)).unwrap_or(window.len()),
    };
    let found = &window[..end];
    let key = found.bytes().filter(u8::is_ascii_alphanumeric).count();
    // The words of a program that looks for such blocks are none.
    let is_key =
        key >= 32 && distinct(found) > 16 && !is_code(found) && !found.to_ascii_lowercase().contains("example");
    (body + end, is_key.then(|| body..body + found.trim_end().len()))
}

fn is_key_text(it: char) -> bool {
    it.is_ascii_alphanumeric() || "+/=\\- \r\n\t:,\"'".contains(it)
}

fn is_code(text: &str) -> bool {
    ["(", "{", ";", "..."].iter().any(|it| text.contains(it))
}

/// The password of `scheme://name:password@host`, whose `://` is at `sign`.
pub(super) fn password_in_address(text: &str, sign: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let before = sign.start.checked_sub(1).map(|it| bytes[it])?;
    if !before.is_ascii_alphanumeric() {
        return None;
    }
    let window = &bytes[sign.end..bytes.len().min(sign.end + LOGIN)];
    let stop = |it: &u8| it.is_ascii_whitespace() || b"/\"'`<>\\()[]{}|^".contains(it);
    let login = &window[..window.iter().position(stop).unwrap_or(window.len())];
    let at = login.iter().rposition(|it| *it == b'@')?;
    let (start, end) = match login[..at].iter().position(|it| *it == b':') {
        Some(colon) => (sign.end + colon + 1, sign.end + at),
        // A token alone takes the place of the name.
        None if is_random(text.get(sign.end..sign.end + at)?) && at >= 20 => (sign.end, sign.end + at),
        None => return None,
    };
    let (name, password) = (text.get(sign.end..start)?.trim_end_matches(':'), text.get(start..end)?);
    let weak = [
        "pass", "pw", "pwd", "root", "postgres", "guest", "mysql", "redis", "mongo", "rabbitmq", "minio", "bar", "baz",
    ];
    let is_weak = password == name || weak.contains(&password) || password.len() < 4;
    let masked = is_placeholder(password) && !password.starts_with(['$', '#', '!', '*', '&', '@']);
    let variable =
        password.starts_with('$') && password[1..].bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    (!is_weak && !masked && !variable && !password.starts_with("%s")).then_some(start..end)
}

/// What follows `bearer `.
pub(super) fn bearer(text: &str, sign: Range<usize>) -> Option<Range<usize>> {
    let rest = &text.as_bytes()[sign.end..];
    let is_part = |it: &u8| it.is_ascii_alphanumeric() || b"-._~+/=".contains(it);
    let length = rest.iter().take(4096).take_while(|it| is_part(it)).count();
    let token = text[sign.end..sign.end + length].trim_end_matches('.');
    (length >= 16 && is_random(token)).then(|| sign.end..sign.end + token.len())
}

/// The path that follows the address of a webhook.
pub(super) fn webhook(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = &text.as_bytes()[start..];
    let length = rest.iter().take(400).take_while(|it| it.is_ascii_alphanumeric() || b"-_/@:".contains(it)).count();
    let path = &text[start..start + length];
    let has_digits = path.bytes().filter(u8::is_ascii_digit).count() >= 2;
    (length >= 20 && has_digits && !path.contains("XXXX") && distinct(path) > 8).then_some(start..start + length)
}

/// The last place for a cut that is not behind `at`.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}
