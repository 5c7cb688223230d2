//! The guard of what leaves this machine: connections go to public addresses only.
//!
//! Every address that a name resolves to is looked at, not only the first, and the connection goes to an address that was
//! looked at: a name cannot be resolved a second time to something else. Nothing here ever connects to this machine, to
//! its network, to a cloud's metadata service, or to an IPv4 address written as IPv6.

mod address;
mod host;

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

pub use address::{AddressKind, kind};
pub use host::literal;

/// How long a name may take to resolve.
pub const RESOLVE: Duration = Duration::from_secs(10);
/// How long one address may take to answer.
pub const CONNECT: Duration = Duration::from_secs(10);
/// Addresses of one name that are tried.
const TRIED: usize = 4;

/// A host that may not be spoken to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{host}` {why}; only public hosts can be reached from here")]
pub struct Refused {
    /// The host as it was named.
    pub host: String,
    /// What is wrong with it.
    pub why: RefusalReason,
}

/// Why a host may not be spoken to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefusalReason {
    /// It is not the name of a host.
    Form(&'static str),
    /// The name belongs to this machine or its network whatever it resolves to.
    Name,
    /// It is, or resolves to, an address that is not public.
    Address(IpAddr, AddressKind),
    /// It resolves to nothing.
    Nowhere,
}

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutboundError {
    /// The guard refused it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The name could not be resolved.
    #[error("`{host}` could not be resolved: {reason}")]
    Resolve {
        /// The host.
        host: String,
        /// The system's words.
        reason: String,
    },
    /// No address answered.
    #[error("`{host}` could not be connected to on port {port}: {reason}")]
    Connect {
        /// The host.
        host: String,
        /// The port.
        port: u16,
        /// The system's words about the last address tried.
        reason: String,
    },
}

/// Refuses `host` when it, or any of the `addresses` that it resolved to, is not public. A name without addresses is
/// refused, an address in any notation needs none.
pub fn check(host: &str, addresses: &[IpAddr]) -> Result<(), Refused> {
    check_name(host)?;
    let refused = |why| Refused { host: host.to_owned(), why };
    if literal(host).is_none() && addresses.is_empty() {
        return Err(refused(RefusalReason::Nowhere));
    }
    let bad = addresses.iter().map(|it| (*it, kind(*it))).find(|(_, kind)| *kind != AddressKind::Public);
    bad.map_or(Ok(()), |(address, kind)| Err(refused(RefusalReason::Address(address, kind))))
}

/// The part of [`check`] that needs no resolution: the form of the name, names that are local by definition, and addresses
/// in every notation that system libraries read.
pub fn check_name(host: &str) -> Result<(), Refused> {
    let refused = |why| Err(Refused { host: host.to_owned(), why });
    if let Some(address) = literal(host) {
        let kind = kind(address);
        return if kind == AddressKind::Public { Ok(()) } else { refused(RefusalReason::Address(address, kind)) };
    }
    if let Err(why) = host::form(host) {
        return refused(RefusalReason::Form(why));
    }
    if host::is_local(host) { refused(RefusalReason::Name) } else { Ok(()) }
}

/// Resolves `host` and checks what came. The addresses are the ones to connect to; resolving again would undo the check.
pub async fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, OutboundError> {
    check_name(host)?;
    if let Some(address) = literal(host) {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let failed = |reason: String| OutboundError::Resolve { host: host.to_owned(), reason };
    let found = match timeout(RESOLVE, tokio::net::lookup_host((host, port))).await {
        Ok(found) => found.map_err(|it| failed(it.to_string()))?,
        Err(_) => return Err(failed(format!("no answer within {} s", RESOLVE.as_secs()))),
    };
    let found: Vec<SocketAddr> = found.collect();
    check(host, &found.iter().map(SocketAddr::ip).collect::<Vec<_>>())?;
    Ok(found)
}

/// Connects to a public host: resolved, checked, and then to exactly the addresses that were checked.
pub async fn connect(host: &str, port: u16) -> Result<TcpStream, OutboundError> {
    let mut reason = String::new();
    for address in resolve(host, port).await?.into_iter().take(TRIED) {
        match timeout(CONNECT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => reason = error.to_string(),
            Err(_) => reason = format!("no answer within {} s", CONNECT.as_secs()),
        }
    }
    Err(OutboundError::Connect { host: host.to_owned(), port, reason })
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefusalReason::Form(what) => write!(f, "is not a host name ({what})"),
            RefusalReason::Name => write!(f, "names this machine or its network"),
            RefusalReason::Address(address, kind) => write!(f, "is at {address}, {kind}"),
            RefusalReason::Nowhere => write!(f, "has no address"),
        }
    }
}

#[cfg(test)]
mod tests;
