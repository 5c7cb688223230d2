//! The network that the commands of one conversation share: name spaces that no process need be in. They live as long as
//! somebody holds them, which is Ox alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    /// The helpers that are in it.
    helpers: Mutex<BTreeSet<u32>>,
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

/// True when a command of the conversation listens at `port`.
pub(crate) fn serves(scratch: &Path, port: u16) -> bool {
    let room = lock(&ROOMS).get(scratch).cloned();
    room.is_some_and(|room| lock(&room.helpers).iter().any(|it| listens(&format!("/proc/{it}/net"), port)))
}

/// True when somebody listens at `port` in the network that the folder `net` of `/proc` tells of.
pub(crate) fn listens(net: &str, port: u16) -> bool {
    // Columns: number, own address, other address, state; `0A` is a listener.
    let own = |line: &str| {
        let mut columns = line.split_whitespace().skip(1);
        let number = u16::from_str_radix(columns.next()?.rsplit_once(':')?.1, 16).ok()?;
        Some(number == port && columns.nth(1) == Some("0A"))
    };
    let tables = ["tcp", "tcp6"].map(|it| std::fs::read_to_string(format!("{net}/{it}")).unwrap_or_default());
    tables.iter().any(|it| it.lines().any(|line| own(line) == Some(true)))
}

impl Room {
    fn open() -> io::Result<Room> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(link::program()?);
        command.arg0("ox-sandbox-helper").arg(CALL).env_clear();
        let child = command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        // The command holds the helper's end of the socket, which must end with the helper.
        drop(command);
        let come = sys::receive_with(ours.as_fd(), &mut [0]);
        child?.wait()?;
        let (_, spaces) = come?;
        if spaces.is_empty() {
            return Err(io::Error::other("no network of its own"));
        }
        Ok(Room { spaces, doors: Mutex::default(), helpers: Mutex::default() })
    }

    /// The name spaces, the network's first.
    pub(super) fn spaces(&self) -> &[OwnedFd] {
        &self.spaces
    }

    /// A port that no other door of this room has, held until it is given back.
    pub(super) fn take_port(&self) -> Option<u16> {
        let mut doors = lock(&self.doors);
        let port = PORTS.into_iter().find(|it| !doors.contains(it))?;
        doors.insert(port);
        Some(port)
    }

    /// Gives a port back.
    pub(super) fn give_back(&self, port: u16) {
        lock(&self.doors).remove(&port);
    }

    /// Notes that a helper is in it.
    pub(super) fn enter(&self, helper: u32) {
        lock(&self.helpers).insert(helper);
    }

    /// Notes that a helper is gone.
    pub(super) fn exit(&self, helper: u32) {
        lock(&self.helpers).remove(&helper);
    }
}

/// The helper's part: makes the name spaces, hands them over and ends.
pub(super) fn make(socket: &UnixStream) -> io::Result<()> {
    let own_user = helper::unshare(libc::CLONE_NEWNET)?;
    sys::loopback_up()?;
    let mut spaces = vec![File::open("/proc/self/ns/net")?];
    if own_user {
        spaces.push(File::open("/proc/self/ns/user")?);
    }
    let fds: Vec<_> = spaces.iter().map(|it| it.as_raw_fd()).collect();
    sys::send_with(socket.as_fd(), &[0], &fds).map(drop)
}
