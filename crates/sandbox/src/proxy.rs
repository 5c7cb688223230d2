//! The way out of a process that may speak to some hosts: an HTTP proxy outside of its network namespace.
//!
//! Inside there is no network but a loopback address that leads here. What is asked for counts: the host of `CONNECT`, or of
//! the absolute address of a plain request. A host that is not on the list is refused before its name is resolved, so that
//! nothing leaks through name servers, and an allowed one is reached only at public addresses ([`crate::outbound`]).
//! An empty list allows nothing.
//!
//! What this does **not** promise: it never looks into a tunnel. Through `CONNECT` to an allowed host a process may send
//! what it likes to that host, and a host that serves other names behind the same address (domain fronting) serves them.

mod hosts;
mod relay;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper_util::rt::{TokioIo, TokioTimer};
use ox_protocol::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::outbound::{self, OutboundError};
use relay::ReachError;

pub use hosts::{BadHost, Hosts, local_port};

/// What one proxy lets through at once, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once; further ones wait.
    pub connections: usize,
    /// Bytes of a request's head.
    pub head: usize,
    /// How long a request's head may take to arrive.
    pub patience: Duration,
    /// How long a tunnel may be silent.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        let (patience, idle) = (Duration::from_secs(30), Duration::from_secs(600));
        Limits { connections: 64, head: 32 << 10, patience, idle }
    }
}

/// Hosts that are remembered as refused; a process that tries more is not worth more of our memory.
const REMEMBERED: usize = 100;

/// A host that was asked for and refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedHost {
    /// The host as it was asked for.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Why, as a sentence's end: "is not among the allowed hosts".
    pub why: String,
}

/// Opens a connection to a host and port.
type Dial = Arc<dyn Fn(String, u16) -> BoxFuture<'static, Result<TcpStream, OutboundError>> + Send + Sync>;

/// Lets processes through to the hosts of one list. Clones share their log and limits.
#[derive(Clone)]
pub struct Proxy {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxy").field("hosts", &self.shared.hosts).finish_non_exhaustive()
    }
}

struct Shared {
    hosts: Hosts,
    limits: Limits,
    connections: Arc<Semaphore>,
    dial: Dial,
    refused_hosts: Mutex<Vec<RefusedHost>>,
}

impl Proxy {
    /// A proxy to `hosts`: `example.com`, `*.example.com` (every name beneath, not itself), either with `:port`; ports 80
    /// and 443 otherwise. Fails on an entry that it cannot read: a rule that is not understood must not be dropped.
    pub fn new(hosts: &[String]) -> Result<Proxy, BadHost> {
        let dial: Dial = Arc::new(|host, port| Box::pin(async move { outbound::connect(&host, port).await }));
        Ok(Proxy::build(Hosts::parse(hosts)?, Limits::default(), dial))
    }

    fn build(hosts: Hosts, limits: Limits, dial: Dial) -> Proxy {
        let connections = Arc::new(Semaphore::new(limits.connections));
        Proxy { shared: Arc::new(Shared { hosts, limits, connections, dial, refused_hosts: Mutex::default() }) }
    }

    /// Serves a socket, which may have been bound in another network namespace, until it fails. Dropping the future ends
    /// all its connections.
    pub async fn serve(&self, listener: TcpListener) -> io::Error {
        let mut open = JoinSet::new();
        loop {
            let permit = self.shared.connections.clone().acquire_owned();
            let permit = permit.await.expect("the semaphore is never closed");
            match listener.accept().await {
                Ok((stream, _)) => {
                    let proxy = self.clone();
                    open.spawn(async move {
                        proxy.speak(stream).await;
                        drop(permit);
                    });
                }
                // A connection that was given up, or a lack of descriptors that passes.
                Err(error) if is_passing(&error) => tokio::time::sleep(Duration::from_millis(10)).await,
                Err(error) => return error,
            }
            while open.try_join_next().is_some() {}
        }
    }

    /// Speaks with one process over `stream` until either side ends.
    pub async fn speak<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(&self, stream: S) {
        let tunnel = relay::Slot::default();
        let answer = hyper::service::service_fn(|request| {
            let reach = |host: String, port| async move { self.reach(&host, port).await };
            relay::answer(reach, request, tunnel.clone())
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.shared.limits.patience)
            .max_buf_size(self.shared.limits.head.max(8 << 10))
            .serve_connection(TokioIo::new(stream), answer)
            .with_upgrades();
        // A connection that breaks is the process's own affair.
        let _ = connection.await;
        let asked = tunnel.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(tunnel) = asked {
            tunnel.carry(self.shared.limits.idle).await;
        }
    }

    /// The hosts that were asked for and refused, in the order in which they first were, at most a hundred.
    pub fn refused(&self) -> Vec<RefusedHost> {
        self.shared.refused_hosts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The variables that send programs to this proxy when it is reached at `port` of the loopback address.
    pub fn environment(port: u16) -> Vec<(String, String)> {
        let address = format!("http://127.0.0.1:{port}");
        let proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
        let set = |name: &str| [(name.to_owned(), address.clone()), (name.to_ascii_lowercase(), address.clone())];
        let direct = ["NO_PROXY", "no_proxy"].map(|name| (name.to_owned(), "localhost,127.0.0.1,::1".to_owned()));
        proxies.iter().flat_map(|name| set(name)).chain(direct).collect()
    }

    /// Connects to a host of the list. The error is the end of a sentence about the host, and says whether the rules are
    /// its cause.
    async fn reach(&self, host: &str, port: u16) -> Result<TcpStream, ReachError> {
        if let Err(why) = self.shared.hosts.admit(host, port) {
            self.note_refusal(host, port, &why);
            return Err(ReachError::Refused(why));
        }
        match (self.shared.dial)(host.trim_matches(['[', ']']).to_owned(), port).await {
            Ok(stream) => Ok(stream),
            Err(OutboundError::Refused(refused)) => {
                let why = refused.why.to_string();
                self.note_refusal(host, port, &why);
                Err(ReachError::Refused(why))
            }
            Err(error) => Err(ReachError::Unreachable(error.to_string())),
        }
    }

    fn note_refusal(&self, host: &str, port: u16, why: &str) {
        let mut refused_hosts = self.shared.refused_hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = refused_hosts.iter().any(|it| it.host == host && it.port == port);
        if !is_known && refused_hosts.len() < REMEMBERED {
            refused_hosts.push(RefusedHost { host: host.to_owned(), port, why: why.to_owned() });
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    use rustix::io::Errno;
    let full = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
        || error.raw_os_error().is_some_and(|it| full.iter().any(|errno| errno.raw_os_error() == it))
}

#[cfg(test)]
mod tests;
