//! The door of a process that may speak to some hosts: an HTTP proxy outside of its network namespace.
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

use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper_util::rt::{TokioIo, TokioTimer};
use ox_protocol::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::outbound::{self, OutboundError};
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
pub struct Turned {
    /// The host as it was asked for.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Why, as a sentence's end: "is not among the allowed hosts".
    pub why: String,
    /// How often.
    pub times: u32,
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
    room: Semaphore,
    dial: Dial,
    turned: Mutex<Vec<Turned>>,
}

impl Proxy {
    /// A proxy to `hosts`: `example.com`, `*.example.com` (every name beneath, not itself), either with `:port`; ports 80
    /// and 443 otherwise. Fails on an entry that it cannot read: a rule that is not understood must not be dropped.
    pub fn new(hosts: &[String]) -> Result<Proxy, BadHost> {
        let dial: Dial = Arc::new(|host, port| Box::pin(async move { outbound::connect(&host, port).await }));
        Ok(Proxy::build(Hosts::parse(hosts)?, Limits::default(), dial))
    }

    fn build(hosts: Hosts, limits: Limits, dial: Dial) -> Proxy {
        let room = Semaphore::new(limits.connections);
        Proxy { shared: Arc::new(Shared { hosts, limits, room, dial, turned: Mutex::default() }) }
    }

    /// Serves a unix socket until it fails. Dropping the future ends all its connections.
    pub async fn serve_unix(&self, listener: UnixListener) -> io::Error {
        self.serve(|| async { listener.accept().await.map(|(stream, _)| stream) }).await
    }

    /// Serves a TCP socket, which may have been bound in another network namespace, until it fails. Dropping the future
    /// ends all its connections.
    pub async fn serve_tcp(&self, listener: TcpListener) -> io::Error {
        self.serve(|| async { listener.accept().await.map(|(stream, _)| stream) }).await
    }

    async fn serve<S, F>(&self, accept: impl Fn() -> F) -> io::Error
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        F: Future<Output = io::Result<S>>,
    {
        let mut open = JoinSet::new();
        loop {
            let room = self.shared.room.acquire().await.expect("the semaphore is never closed");
            match accept().await {
                Ok(stream) => {
                    room.forget();
                    let proxy = self.clone();
                    open.spawn(async move {
                        let _room = Room(&proxy.shared.room);
                        proxy.speak(stream).await;
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
        let answer = hyper::service::service_fn(|request| relay::answer(self, request, tunnel.clone()));
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
    pub fn refused(&self) -> Vec<Turned> {
        self.shared.turned.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
    async fn reach(&self, host: &str, port: u16) -> Result<TcpStream, Closed> {
        if let Err(why) = self.shared.hosts.admit(host, port) {
            self.turn_away(host, port, &why);
            return Err(Closed::Refused(why));
        }
        match (self.shared.dial)(host.trim_matches(['[', ']']).to_owned(), port).await {
            Ok(stream) => Ok(stream),
            Err(OutboundError::Refused(refused)) => {
                let why = refused.why.to_string();
                self.turn_away(host, port, &why);
                Err(Closed::Refused(why))
            }
            Err(error) => Err(Closed::Unreachable(error.to_string())),
        }
    }

    fn turn_away(&self, host: &str, port: u16, why: &str) {
        let mut turned = self.shared.turned.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = turned.iter_mut().find(|it| it.host == host && it.port == port) {
            known.times = known.times.saturating_add(1);
        } else if turned.len() < REMEMBERED {
            turned.push(Turned { host: host.to_owned(), port, why: why.to_owned(), times: 1 });
        }
    }
}

/// Why a host was not reached.
enum Closed {
    /// The rules forbid it.
    Refused(String),
    /// It did not answer.
    Unreachable(String),
}

/// The place of one connection, given back when the connection ends.
struct Room<'a>(&'a Semaphore);

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.0.add_permits(1);
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
