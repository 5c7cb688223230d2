//! The way into the network that the commands of a conversation share: what listens there is reached at this machine's
//! loopback, at the same port where that is free.
//!
//! A helper that has entered the network connects inside and hands the sockets over; it runs no code of a command.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::net::{Ipv4Addr, Ipv6Addr, TcpStream as Socket};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::unix::AsyncFd;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::MissedTickBehavior;

use super::message::INWARD_CALL;
use super::plan::PORTS;
use super::{helper_program, shared_network, sys};
use crate::streams::watched;

/// How often it is looked for ports that somebody listens at, and how many are forwarded at most.
const LOOK: Duration = Duration::from_millis(500);
const MOST: usize = 16;
/// The state of a socket that listens, in the kernel's tables (proc_net_tcp(5)).
const LISTENS: &str = "0A";

/// Ports that somebody listens at inside, each with the port of this machine that reaches it.
pub type Ports = BTreeMap<u16, u16>;

/// The forwards into one network; they close when this is dropped.
#[derive(Debug)]
pub struct Inward {
    ports: watch::Receiver<Ports>,
    task: AbortHandle,
}

impl Inward {
    /// Forwards into the network of the conversation whose folder is `scratch`, while there is one. To be called on a runtime.
    pub fn open(scratch: &Path) -> io::Result<Inward> {
        let network = shared_network::of(scratch).ok_or_else(|| io::Error::other("no network of its own"))?;
        let (ours, theirs) = UnixStream::pair()?;
        let mut helper = tokio::process::Command::from(helper_program::command(INWARD_CALL, theirs)?);
        let mut helper = helper.kill_on_drop(true).spawn()?;
        sys::send(&ours, &network.namespaces().iter().map(AsFd::as_fd).collect::<Vec<_>>())?;
        ours.set_nonblocking(true)?;
        let inside = Arc::new(Inside(Mutex::new(watched(ours)?)));
        let (sent, ports) = watch::channel(Ports::new());
        let task = tokio::spawn(async move {
            // Without the helper nothing is reached, which whoever connects sees.
            let _ = follow(&inside, &sent).await;
            sent.send_replace(Ports::new());
            drop((inside, helper.wait().await, network));
        });
        Ok(Inward { ports, task: task.abort_handle() })
    }

    /// The ports that somebody listens at now, and those of later.
    pub fn ports(&self) -> watch::Receiver<Ports> {
        self.ports.clone()
    }
}

impl Drop for Inward {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The end that the helper is asked over, by one at a time.
struct Inside(Mutex<AsyncFd<UnixStream>>);

impl Inside {
    /// What the helper sends next.
    async fn received(socket: &AsyncFd<UnixStream>) -> io::Result<Vec<OwnedFd>> {
        loop {
            let mut ready = socket.readable().await?;
            if let Ok(come) = ready.try_io(|it| sys::receive(it.get_ref())) {
                return come;
            }
        }
    }

    /// A connection to a port inside.
    async fn connect(&self, port: u16) -> io::Result<TcpStream> {
        let socket = self.0.lock().await;
        socket.get_ref().write_all(&port.to_be_bytes())?;
        let come = Inside::received(&socket).await?.into_iter().next();
        let stream = Socket::from(come.ok_or(io::ErrorKind::ConnectionRefused)?);
        stream.set_nonblocking(true)?;
        TcpStream::from_std(stream)
    }
}

/// Opens a forward for each port that somebody begins to listen at, and closes it when nobody does.
async fn follow(inside: &Arc<Inside>, sent: &watch::Sender<Ports>) -> io::Result<()> {
    let tables = Inside::received(&*inside.0.lock().await).await?;
    let mut tables: Vec<File> = tables.into_iter().map(File::from).collect();
    let mut open: BTreeMap<u16, (u16, JoinSet<()>)> = BTreeMap::new();
    let mut ticks = tokio::time::interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let listening = listening(&mut tables)?;
        open.retain(|port, _| listening.contains(port));
        for port in listening.into_iter().take(MOST) {
            if !open.contains_key(&port)
                && let Ok(listener) = bound(port).await
            {
                let (outside, mut task) = (listener.local_addr()?.port(), JoinSet::new());
                task.spawn(relay(listener, inside.clone(), port));
                open.insert(port, (outside, task));
            }
        }
        let ports: Ports = open.iter().map(|(port, (outside, _))| (*port, *outside)).collect();
        sent.send_if_modified(|it| std::mem::replace(it, ports) != *it);
    }
}

/// A listener at this port, at any other where it is taken.
async fn bound(port: u16) -> io::Result<TcpListener> {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
        Err(_) => TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await,
        bound => bound,
    }
}

/// Carries whatever comes to `listener` to a port inside.
async fn relay(listener: TcpListener, inside: Arc<Inside>, port: u16) {
    let mut open = JoinSet::new();
    while let Ok((mut outer, _)) = listener.accept().await {
        let inside = inside.clone();
        open.spawn(async move {
            let Ok(mut inner) = inside.connect(port).await else { return };
            let _ = tokio::io::copy_bidirectional(&mut outer, &mut inner).await;
        });
        while open.try_join_next().is_some() {}
    }
}

/// The ports of the tables that somebody listens at, without those that lead out.
fn listening(tables: &mut [File]) -> io::Result<BTreeSet<u16>> {
    let mut ports = BTreeSet::new();
    for table in tables {
        let mut text = String::new();
        table.rewind()?;
        table.read_to_string(&mut text)?;
        ports.extend(text.lines().skip(1).filter_map(port));
    }
    ports.retain(|it| !PORTS.contains(it));
    Ok(ports)
}

/// The port of a row, where its socket listens.
fn port(row: &str) -> Option<u16> {
    let mut fields = row.split_whitespace();
    let local = fields.nth(1)?;
    let state = fields.nth(1)?;
    let (_, port) = local.rsplit_once(':')?;
    u16::from_str_radix(port, 16).ok().filter(|_| state == LISTENS)
}

/// The helper's part: enters the network, hands the tables of its sockets over, then a connection for each port that comes,
/// until nobody asks.
pub(super) fn serve(mut socket: &UnixStream) -> io::Result<()> {
    shared_network::enter(&sys::receive(socket)?)?;
    let tables = ["/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"].map(File::open);
    let tables = tables.into_iter().collect::<io::Result<Vec<_>>>()?;
    sys::send(socket, &tables.iter().map(AsFd::as_fd).collect::<Vec<_>>())?;
    let mut port = [0; 2];
    while socket.read_exact(&mut port).is_ok() {
        let port = u16::from_be_bytes(port);
        let stream =
            Socket::connect((Ipv4Addr::LOCALHOST, port)).or_else(|_| Socket::connect((Ipv6Addr::LOCALHOST, port)));
        sys::send(socket, &stream.iter().map(AsFd::as_fd).collect::<Vec<_>>())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::port;

    #[test]
    fn a_row_that_listens_has_a_port() {
        let row = |local: &str, state: &str| {
            format!("   0: {local} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000 0 0 1 1 0 100 0 0 10 0")
        };
        assert_eq!(port(&row("0100007F:1F90", "0A")), Some(8080));
        assert_eq!(port(&row("00000000000000000000000001000000:0BB8", "0A")), Some(3000));
        assert_eq!(port(&row("0100007F:1F90", "01")), None, "a connection is no listener");
        assert_eq!(port("  sl  local_address"), None);
    }
}
