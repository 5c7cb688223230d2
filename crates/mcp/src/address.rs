//! Which addresses a server may have. Nothing is asked for it.

use url::Url;

/// An address that a server may have: encrypted, or on this machine.
pub(crate) fn address(url: &str) -> Result<Url, String> {
    let address = Url::parse(url).map_err(|error| format!("`{url}` is no address: {error}"))?;
    let here = matches!(address.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    match address.scheme() {
        "https" => Ok(address),
        "http" if here => Ok(address),
        "http" => Err(format!("`{url}` is not encrypted; use its `https` address")),
        other => Err(format!("`{other}` is not spoken here; an address begins with `https`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_encrypted_or_here() {
        for good in ["https://a.org/mcp", "http://localhost:3/mcp", "http://127.0.0.1:3", "http://[::1]:3"] {
            assert!(address(good).is_ok(), "{good}");
        }
        for bad in ["http://a.org/mcp", "http://localhost.a.org", "file:///etc/passwd", "x"] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }
}
