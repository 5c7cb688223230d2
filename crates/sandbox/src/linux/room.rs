//! The network that the commands of one conversation share: name spaces that no process need be in. They live as long as
//! somebody holds them, which is Ox alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::thread::UnshareFlags;

use super::door::PORTS;
use super::{helper, link, sys};

/// What the helper is called by when it is only to make the name spaces.
pub(super) const CALL: &str = "__sandbox_room";

/// One such network.
#[derive(Debug)]
pub(crate) struct Room {
    /// The network's name space, and that of its user where it has one.
    spaces: Vec<OwnedFd>,
    /// Ports of doors that are open.
    doors: Mutex<BTreeSet<u16>>,
}

/// By the folder of the conversation.
static ROOMS: Mutex<BTreeMap<PathBuf, Arc<Room>>> = Mutex::new(BTreeMap::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The room of the conversation whose folder is `scratch`, made where there is none yet. None where none can be made: each
/// command then has a network of its own.
pub(super) fn of(scratch: &Path) -> Option<Arc<Room>> {
    let mut rooms = lock(&ROOMS);
    if let Some(room) = rooms.get(scratch) {
        return Some(room.clone());
    }
    let room = Arc::new(Room::open().ok()?);
    rooms.insert(scratch.to_path_buf(), room.clone());
    Some(room)
}

/// Forgets the room; it ends with its last command.
pub(crate) fn leave(scratch: &Path) {
    lock(&ROOMS).remove(scratch);
}

impl Room {
    fn open() -> io::Result<Room> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut child = link::helper(CALL, theirs)?.spawn()?;
        let come = sys::receive(ours);
        child.wait()?;
        let spaces = come?;
        if spaces.is_empty() {
            return Err(io::Error::other("no network of its own"));
        }
        Ok(Room { spaces, doors: Mutex::default() })
    }

    /// The name spaces, the network's first.
    pub(super) fn spaces(&self) -> &[OwnedFd] {
        &self.spaces
    }

    /// Ports that no other door of this room has, held until they are given back. None where there are not so many.
    pub(super) fn take_ports(&self, count: usize) -> Option<Vec<u16>> {
        let mut doors = lock(&self.doors);
        let free: Vec<u16> = PORTS.filter(|it| !doors.contains(it)).take(count).collect();
        (free.len() == count).then(|| {
            doors.extend(&free);
            free
        })
    }

    /// Gives a port back.
    pub(super) fn give_back(&self, port: u16) {
        lock(&self.doors).remove(&port);
    }
}

/// The helper's part: makes the name spaces, hands them over and ends.
pub(super) fn make(socket: &UnixStream) -> io::Result<()> {
    let own_user = helper::unshare(UnshareFlags::NEWNET)?;
    sys::loopback_up()?;
    let mut spaces = vec![File::open("/proc/self/ns/net")?];
    if own_user {
        spaces.push(File::open("/proc/self/ns/user")?);
    }
    sys::send(socket, &spaces.iter().map(|it| it.as_fd()).collect::<Vec<_>>())
}
