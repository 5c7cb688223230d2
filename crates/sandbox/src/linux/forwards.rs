//! The ways out of a network namespace: listeners that live inside, and who accepts at them outside. One is the proxy's,
//! the others each stand for a port of this machine that was consented to.
//!
//! Commands of one conversation share their network, and yet each only passes its own port forwards: these have ports that nobody
//! else may take, and the broker of a command connects it to no others.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use tokio::io::unix::AsyncFd;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use super::plan::{Forward, PORTS};
use super::shared_network::SharedNetwork;
use super::sys;
use crate::proxy::Proxy;
use crate::streams::watched;

/// Port forwards of one command: as many as one message carries.
const MOST: usize = sys::MOST_FDS;

/// Port forwards that are open; they close when this is dropped.
#[derive(Debug)]
pub(crate) struct Forwards {
    forwards: Vec<Forward>,
    shared_network: Option<Arc<SharedNetwork>>,
    proxy: Proxy,
    task: JoinHandle<()>,
}

impl Forwards {
    /// Takes ports, one for the proxy and one for each port of this machine in `targets`, and begins to serve them. Answers
    /// also with the end that the helper sends the listeners to.
    pub(super) fn open(
        targets: &[u16],
        shared_network: Option<Arc<SharedNetwork>>,
        proxy: Proxy,
    ) -> io::Result<(Forwards, OwnedFd)> {
        let count = targets.len() + 1;
        if count > MOST {
            return Err(io::Error::other(format!("at most {} ports of this machine can be opened", MOST - 1)));
        }
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let ours = watched(ours)?;
        let ports = match &shared_network {
            Some(shared_network) => {
                shared_network.take_ports(count).ok_or_else(|| io::Error::other("all doors are open already"))?
            }
            None => PORTS.take(count).collect(),
        };
        let targets = std::iter::once(None).chain(targets.iter().copied().map(Some));
        let forwards: Vec<Forward> =
            ports.into_iter().zip(targets).map(|(port, target)| Forward { port, target }).collect();
        let task = tokio::spawn(serve(ours, forwards.clone(), proxy.clone()));
        Ok((Forwards { forwards, shared_network, proxy, task }, theirs.into()))
    }

    /// Where they are.
    pub(super) fn listed(&self) -> &[Forward] {
        &self.forwards
    }

    /// Whom the command asked for in vain, in words.
    pub(super) fn refused_hosts(&self) -> Option<String> {
        let all = Some(self.proxy.refused()).filter(|it| !it.is_empty())?;
        let each = all.iter().take(MOST).map(|it| format!("{}:{} {}", it.host, it.port, it.why));
        Some(format!("[refused by the sandbox: {}]", each.collect::<Vec<_>>().join(", ")))
    }
}

impl Drop for Forwards {
    fn drop(&mut self) {
        self.task.abort();
        if let Some(shared_network) = &self.shared_network {
            self.forwards.iter().for_each(|it| shared_network.give_back(it.port));
        }
    }
}

/// Waits for the listeners, and accepts at each until all have failed.
async fn serve(socket: AsyncFd<UnixStream>, forwards: Vec<Forward>, proxy: Proxy) {
    // Without a listener the command has no network, which is what it is told by its own attempts.
    let Ok(listeners) = listeners(&socket).await else { return };
    let mut open = JoinSet::new();
    for (forward, listener) in forwards.into_iter().zip(listeners) {
        let proxy = proxy.clone();
        open.spawn(async move {
            match forward.target {
                None => drop(proxy.serve(listener).await),
                Some(port) => relay(&listener, port).await,
            }
        });
    }
    while open.join_next().await.is_some() {}
}

/// Carries whatever comes to `listener` to `port` of this machine, until the listener fails.
async fn relay(listener: &TcpListener, port: u16) {
    let mut open = JoinSet::new();
    while let Ok((mut inside, _)) = listener.accept().await {
        open.spawn(async move {
            let outside = match TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await {
                Err(_) => TcpStream::connect((Ipv6Addr::LOCALHOST, port)).await,
                reached => reached,
            };
            // Nobody listens there: the connection ends, which is all that can be told.
            let Ok(mut outside) = outside else { return };
            let _ = tokio::io::copy_bidirectional(&mut inside, &mut outside).await;
        });
        while open.try_join_next().is_some() {}
    }
}

async fn listeners(socket: &AsyncFd<UnixStream>) -> io::Result<Vec<TcpListener>> {
    loop {
        let mut ready = socket.readable().await?;
        let come = ready.try_io(|socket| sys::receive(socket.get_ref()));
        let Ok(come) = come else { continue };
        let listener = |fd: OwnedFd| {
            let listener = std::net::TcpListener::from(fd);
            listener.set_nonblocking(true)?;
            TcpListener::from_std(listener)
        };
        return come?.into_iter().map(listener).collect();
    }
}
