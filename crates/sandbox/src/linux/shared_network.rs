//! The network that the commands of one conversation share: namespaces that no process need be in. They live as long as
//! somebody holds them, which is Ox alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::thread::{UnshareFlags, move_into_link_name_space};

use super::message::NETWORK_CALL;
use super::plan::PORTS;
use super::{helper_program, namespaces, sys};

/// One such network.
#[derive(Debug)]
pub(crate) struct SharedNetwork {
    /// The network's namespace, and that of its user where it has one.
    namespaces: Vec<OwnedFd>,
    /// Ports of port forwards that are open.
    forwards: Mutex<BTreeSet<u16>>,
}

/// By the folder of the conversation.
static NETWORKS: Mutex<BTreeMap<PathBuf, Arc<SharedNetwork>>> = Mutex::new(BTreeMap::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The network of the conversation whose folder is `scratch`, made where there is none yet. None where none can be made: each
/// command then has a network of its own.
pub(super) fn of(scratch: &Path) -> Option<Arc<SharedNetwork>> {
    let mut networks = lock(&NETWORKS);
    if let Some(shared_network) = networks.get(scratch) {
        return Some(shared_network.clone());
    }
    let shared_network = Arc::new(SharedNetwork::open().ok()?);
    networks.insert(scratch.to_path_buf(), shared_network.clone());
    Some(shared_network)
}

/// Forgets the network; it ends with its last command.
pub(crate) fn leave(scratch: &Path) {
    lock(&NETWORKS).remove(scratch);
}

impl SharedNetwork {
    fn open() -> io::Result<SharedNetwork> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut child = helper_program::command(NETWORK_CALL, theirs)?.spawn()?;
        let come = sys::receive(ours);
        child.wait()?;
        let namespaces = come?;
        if namespaces.is_empty() {
            return Err(io::Error::other("no network of its own"));
        }
        Ok(SharedNetwork { namespaces, forwards: Mutex::default() })
    }

    /// The namespaces, the network's first.
    pub(super) fn namespaces(&self) -> &[OwnedFd] {
        &self.namespaces
    }

    /// Ports that no other port forward of this network has, held until they are given back. None where there are not so many.
    pub(super) fn take_ports(&self, count: usize) -> Option<Vec<u16>> {
        let mut forwards = lock(&self.forwards);
        let free: Vec<u16> = PORTS.filter(|it| !forwards.contains(it)).take(count).collect();
        (free.len() == count).then(|| {
            forwards.extend(&free);
            free
        })
    }

    /// Gives a port back.
    pub(super) fn give_back(&self, port: u16) {
        lock(&self.forwards).remove(&port);
    }
}

/// Enters such a network, whose `namespaces` are its own and its user's.
pub(super) fn enter(namespaces: &[OwnedFd]) -> io::Result<()> {
    // The user's is entered first: it gives the right to enter the other.
    for namespace in namespaces.iter().rev() {
        move_into_link_name_space(namespace.as_fd(), None)?;
    }
    if namespaces.is_empty() {
        return Err(io::Error::other("the network to share is missing"));
    }
    Ok(())
}

/// The helper's part: makes the namespaces, hands them over and ends.
pub(super) fn make(socket: &UnixStream) -> io::Result<()> {
    let own_user = namespaces::unshare(UnshareFlags::NEWNET)?;
    sys::loopback_up()?;
    let mut namespaces = vec![File::open("/proc/self/ns/net")?];
    if own_user {
        namespaces.push(File::open("/proc/self/ns/user")?);
    }
    sys::send(socket, &namespaces.iter().map(|it| it.as_fd()).collect::<Vec<_>>())
}
