//! The list of hosts that may be spoken to. What is not on it is refused; an entry that cannot be read is an error.

use std::net::IpAddr;

use crate::outbound::{check_name, literal};

/// Ports of an entry that names none.
const PORTS: [u16; 2] = [80, 443];

/// An entry of a list of hosts that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{entry}` is not a host that can be allowed: {why}; write `example.com`, `*.example.com` or `example.com:8443`"
)]
pub struct BadHost {
    /// The entry.
    pub entry: String,
    /// What is wrong with it.
    pub why: String,
}

/// Which hosts, on which ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    name: Name,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Any,
    Exactly(String),
    Beneath(String),
    Address(IpAddr),
}

impl Hosts {
    /// Reads a list of `example.com`, `*.example.com` and `*`, each with `:port` if other ports than 80 and 443 are meant.
    pub fn parse(entries: &[String]) -> Result<Hosts, BadHost> {
        entries.iter().map(|it| entry(it)).collect::<Result<_, _>>().map(Hosts)
    }

    /// Whether `host` may be spoken to on `port`; otherwise why not, as the end of a sentence about the host.
    pub fn admit(&self, host: &str, port: u16) -> Result<(), String> {
        let host = plain(host);
        let address = literal(&host);
        let mut named = self.0.iter().filter(|it| it.name.is(&host, address)).peekable();
        if named.peek().is_none() {
            return Err("is not among the allowed hosts".to_owned());
        }
        match named.any(|it| it.port.map_or(PORTS.contains(&port), |own| own == port)) {
            true => Ok(()),
            false => Err(format!("is allowed, but not on port {port}")),
        }
    }
}

/// The port where an entry names one of this machine itself, such as `127.0.0.1:8080` or `localhost:8080`. No proxy leads
/// there: such a port is opened by itself.
pub fn local_port(entry: &str) -> Option<u16> {
    let (host, port) = entry.rsplit_once(':')?;
    let host = plain(host);
    let loopback = |it: IpAddr| it.is_loopback() || it.is_unspecified();
    let local = host == "localhost" || host.ends_with(".localhost") || literal(&host).is_some_and(loopback);
    port.parse().ok().filter(|it| local && *it != 0)
}

impl Name {
    fn is(&self, host: &str, address: Option<IpAddr>) -> bool {
        match self {
            Name::Any => true,
            // A number is never matched as a name: `1.example` is beneath nothing, `127.1` is an address.
            Name::Address(own) => address == Some(*own),
            Name::Exactly(own) => address.is_none() && host == own,
            Name::Beneath(own) => {
                let rest = host.strip_suffix(own.as_str()).and_then(|it| it.strip_suffix('.'));
                address.is_none() && rest.is_some_and(|it| !it.is_empty())
            }
        }
    }
}

fn entry(text: &str) -> Result<Entry, BadHost> {
    let bad = |why: &str| BadHost { entry: text.to_owned(), why: why.to_owned() };
    let (host, port) = match text.rsplit_once(':') {
        // The colons of an address without brackets are its own.
        Some((host, _)) if host.contains(':') && !host.ends_with(']') => (text, None),
        Some((host, port)) => {
            let port = port.parse().ok().filter(|it| *it != 0);
            (host, Some(port.ok_or_else(|| bad("the port is no number from 1 to 65535"))?))
        }
        None => (text, None),
    };
    if host == "*" {
        return Ok(Entry { name: Name::Any, port });
    }
    let (beneath, bare) = host.strip_prefix("*.").map_or((false, host), |it| (true, it));
    let bare = plain(bare);
    check_name(&bare).map_err(|it| bad(&format!("it {}", it.why)))?;
    let name = match (literal(&bare), beneath) {
        (Some(_), true) => return Err(bad("nothing is beneath an address")),
        (Some(address), false) => Name::Address(address),
        (None, true) => Name::Beneath(bare),
        (None, false) => Name::Exactly(bare),
    };
    Ok(Entry { name, port })
}

/// Lower case, without the dot that ends a full name.
fn plain(host: &str) -> String {
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(list: &[&str]) -> Result<Hosts, BadHost> {
        Hosts::parse(&list.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn who_is_let_through() {
        let list = ["crates.io", "*.Example.com", "registry.test-x.org:8443", "8.8.8.8", "[2606:4700::1]:853"];
        let list = hosts(&list).unwrap();
        let table = [
            ("crates.io", 443, true),
            ("CRATES.io.", 80, true),
            ("crates.io", 22, false),
            ("static.crates.io", 443, false),
            ("xcrates.io", 443, false),
            ("crates.io.evil.com", 443, false),
            ("a.example.com", 443, true),
            ("a.b.EXAMPLE.com", 443, true),
            ("example.com", 443, false),
            (".example.com", 443, false),
            ("evilexample.com", 443, false),
            ("registry.test-x.org", 8443, true),
            ("registry.test-x.org", 443, false),
            ("8.8.8.8", 443, true),
            ("0x08080808", 443, true),
            ("8.8.4.4", 443, false),
            ("[2606:4700::1]", 853, true),
            ("[2606:4700::2]", 853, false),
            ("", 443, false),
        ];
        for (host, port, expected) in table {
            assert_eq!(list.admit(host, port).is_ok(), expected, "{host}:{port}");
        }
        assert_eq!(list.admit("crates.io", 22), Err("is allowed, but not on port 22".to_owned()));
        assert!(hosts(&[]).unwrap().admit("example.com", 443).is_err(), "an empty list denies all");
        assert!(hosts(&["*"]).unwrap().admit("example.com", 443).is_ok());
    }

    #[test]
    fn ports_of_this_machine_are_distinguished() {
        let local = ["127.0.0.1:8104", "localhost:80", "[::1]:5173", "app.localhost:3000", "0.0.0.0:1"];
        assert_eq!(local.map(local_port), [Some(8104), Some(80), Some(5173), Some(3000), Some(1)]);
        for entry in ["127.0.0.1", "localhost", "localhost:0", "localhost:x", "example.com:80", "10.0.0.1:80", "::1"] {
            assert_eq!(local_port(entry), None, "{entry}");
        }
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        let table = [
            "",
            "*.",
            "a.*.com",
            "*com",
            "https://a.com",
            "a.com:0",
            "a.com:x",
            "*.8.8.8.8",
            "10.0.0.1",
            "localhost:80",
        ];
        for entry in table {
            let error = hosts(&["fine.com", entry]).unwrap_err();
            assert_eq!(error.entry, entry, "{error}");
        }
    }
}
