//! The host that a URL or another address names.

/// The port where the host is this machine itself: each is another place to speak to.
fn local_port(host: &str, scheme: &str) -> Option<u16> {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !name.is_empty() && !host.ends_with(']') => (name, port.parse().ok()?),
        _ => (host, if scheme == "https" { 443 } else { 80 }),
    };
    let local = matches!(name, "localhost" | "[::1]" | "0.0.0.0") || name.ends_with(".localhost");
    (local || name.parse::<core::net::Ipv4Addr>().is_ok_and(|it| it.is_loopback())).then_some(port)
}

/// The host of a URL, of `user@host:path` or of `host:port`; `*` where it is not known.
pub(crate) fn host_of(text: &str) -> String {
    let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |it| it.1);
    if let Some(port) = local_port(host, scheme) {
        return format!("127.0.0.1:{port}");
    }
    let host =
        if host.starts_with('[') { host.trim_start_matches('[').split(']').next() } else { host.split(':').next() };
    let host = host.unwrap_or_default();
    let port = host.chars().all(|c| c.is_ascii_digit());
    let plain = !port && host.chars().all(|c| c.is_ascii_alphanumeric() || ".-_:".contains(c));
    if plain { host.to_lowercase() } else { "*".to_owned() }
}
