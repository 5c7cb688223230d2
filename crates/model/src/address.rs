//! What an address says by its text alone: whose password it holds, and whether it is this machine.

/// The user with the password, where an address names one, and the host with its port.
pub(crate) fn authority(url: &str) -> (Option<&str>, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host))
}

/// True where the address is this machine.
pub(crate) fn is_loopback(url: &str) -> bool {
    let (_, authority) = authority(url);
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_addresses() {
        for url in [
            "http://127.0.0.1:11434/v1",
            "http://localhost/v1",
            "http://[::1]:80/",
            "https://localhost:1",
            "http://me:word@127.0.0.1:8080/v1",
        ] {
            assert!(is_loopback(url), "{url}");
        }
        for url in [
            "https://api.openai.com/v1",
            "http://10.0.0.1",
            "http://localhost.example.org",
            "http://localhost:1@example.org/v1",
        ] {
            assert!(!is_loopback(url), "{url}");
        }
    }
}
