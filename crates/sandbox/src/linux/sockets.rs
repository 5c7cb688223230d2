//! Sockets: which addresses they take and whom they reach. A socket with a path is reached only when it was made inside.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{self, AtFlags, Mode, OFlags, StatxFlags};

use super::caller::Caller;
use super::guard::PathGuard;
use super::landlock;
use super::names::{ParentAndName, caller_base};
use super::notify::{self, Notification, Response};
use super::plan::{Forward, NetworkAccess, PORTS, Plan};
use super::sys::refused;

/// Longest address of any family.
const LONGEST: usize = 128;
/// Sockets with a path that one command may have; their places stay open so that no number is used twice.
const MOST: usize = 512;
/// Where the path starts in a local address.
const PATH: usize = 2;

/// The sockets that were made inside.
pub(super) struct Sockets {
    /// Those too that were granted.
    made: Vec<OwnedFd>,
    /// Names without a path are shared with the machine and not held by Landlock.
    open: bool,
    /// The port forwards of this command, among those of others; none where the network is the machine's.
    forwards: Option<Vec<Forward>>,
    /// The mount of the folder in which only commands of this conversation make sockets.
    scratch: Option<u64>,
}

impl Sockets {
    /// Those that the plan grants. Looks at what was mounted.
    pub(super) fn new(plan: &Plan) -> Sockets {
        let shared = plan.network == NetworkAccess::All;
        let scratch = plan.scratch.as_ref().and_then(|_| fs::open("/tmp", OFlags::PATH, Mode::empty()).ok());
        // One that the command may write, itself and not a folder around it, is as good as made inside.
        let granted =
            plan.write.iter().filter_map(|it| fs::open(it, OFlags::PATH | OFlags::NOFOLLOW, Mode::empty()).ok());
        let is_socket = |it: &OwnedFd| {
            fs::fstat(it).is_ok_and(|it| fs::FileType::from_raw_mode(it.st_mode) == fs::FileType::Socket)
        };
        Sockets {
            made: granted.filter(is_socket).collect(),
            open: shared && landlock::version() < 6,
            forwards: (!shared).then(|| plan.forwards.clone()),
            scratch: scratch.as_ref().and_then(mount),
        }
    }

    /// Binds or connects for the caller.
    pub(super) fn reply(
        &mut self,
        caller: &Caller,
        notification: &Notification,
        guard: &PathGuard,
    ) -> io::Result<Response> {
        let [fd, pointer, length, ..] = notification.data.args;
        let socket = caller.descriptor(fd as i32)?;
        let length = usize::try_from(length).ok().filter(|it| (2..=LONGEST).contains(it));
        let mut address = caller.bytes(pointer, length.ok_or_else(|| refused(libc::EINVAL))?)?;
        let local = i32::from(u16::from_ne_bytes([address[0], address[1]])) == libc::AF_UNIX;
        let path = address[PATH..].split(|it| *it == 0).next().unwrap_or_default().to_vec();
        let bind = i64::from(notification.data.nr) == libc::SYS_bind;
        self.forward(bind, &mut address)?;
        match (bind, local && !path.is_empty()) {
            (true, true) => self.bind(caller, &socket, &path, guard),
            (true, false) => notify::bind(&socket, &address).map(|()| Response::Value(0)),
            (false, true) => self.connect(caller, socket, &path),
            (false, false) if local && self.open => Err(refused(libc::EACCES)),
            (false, false) => connected(socket, None, address),
        }
    }

    /// Refuses the port forwards of others, and leads through an own one where `address` is what that stands for.
    fn forward(&self, bind: bool, address: &mut [u8]) -> io::Result<()> {
        let family = i32::from(u16::from_ne_bytes([address[0], address[1]]));
        let internet = (family == libc::AF_INET || family == libc::AF_INET6) && address.len() >= 8;
        let Some(forwards) = self.forwards.as_ref().filter(|_| internet) else { return Ok(()) };
        let port = u16::from_be_bytes([address[2], address[3]]);
        if PORTS.contains(&port) && (bind || !forwards.iter().any(|it| it.port == port)) {
            return Err(refused(if bind { libc::EADDRINUSE } else { libc::ECONNREFUSED }));
        }
        if let Some(forward) = forwards.iter().find(|it| !bind && it.target == Some(port)) {
            address[2..4].copy_from_slice(&forward.port.to_be_bytes());
        }
        Ok(())
    }

    fn bind(&mut self, caller: &Caller, socket: &OwnedFd, path: &[u8], guard: &PathGuard) -> io::Result<Response> {
        let target = match ParentAndName::at(caller, &caller_base(caller, libc::AT_FDCWD as u64, path)?, path) {
            Err(error) if error.raw_os_error() == Some(libc::EEXIST) => return Err(refused(libc::EADDRINUSE)),
            target => target?,
        };
        if !guard.is_free(&target.path()?) {
            return Err(refused(libc::EACCES));
        }
        // While a place is open its number is not given again; where nothing leads to it any more, nobody connects to it.
        self.made.retain(|it| fs::fstat(it).is_ok_and(|it| it.st_nlink > 0));
        if self.made.len() >= MOST {
            return Err(refused(libc::ENOSPC));
        }
        rustix::process::umask(caller.umask());
        // An address is short, so the folder is entered; nothing else in this process depends on where it stands.
        rustix::process::fchdir(&target.folder)?;
        notify::bind(socket, &local(&target.name)?)?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        self.made.push(fs::openat(&target.folder, target.name(), flags, Mode::empty())?);
        Ok(Response::Value(0))
    }

    fn connect(&self, caller: &Caller, socket: OwnedFd, path: &[u8]) -> io::Result<Response> {
        let base = caller_base(caller, libc::AT_FDCWD as u64, path)?;
        let place = caller.translate(path).open(&base, OFlags::PATH)?;
        let found = fs::fstat(&place)?;
        let same = |it: &OwnedFd| fs::fstat(it).is_ok_and(|it| (it.st_dev, it.st_ino) == (found.st_dev, found.st_ino));
        if !self.made.iter().any(same) && (self.scratch.is_none() || mount(&place) != self.scratch) {
            return Err(refused(libc::EACCES));
        }
        let address = local(format!("/proc/self/fd/{}", place.as_raw_fd()).as_bytes())?;
        connected(socket, Some(place), address)
    }
}

/// The mount that a place is on.
fn mount(place: &OwnedFd) -> Option<u64> {
    let found = fs::statx(place, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok()?;
    StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::MNT_ID).then_some(found.stx_mnt_id)
}

/// Connects, elsewhere when that may wait. `place` stays open as long as the address names it.
fn connected(socket: OwnedFd, place: Option<OwnedFd>, address: Vec<u8>) -> io::Result<Response> {
    let waits = !fs::fcntl_getfl(&socket)?.contains(OFlags::NONBLOCK);
    let connect = move || {
        let result = notify::connect(&socket, &address);
        drop(place);
        result.map(|()| Response::Value(0))
    };
    if waits { Ok(Response::Deferred(Box::new(connect))) } else { connect() }
}

/// The address of a socket at `path`.
fn local(path: &[u8]) -> io::Result<Vec<u8>> {
    if path.len() > 107 {
        return Err(refused(libc::ENAMETOOLONG));
    }
    Ok([&(libc::AF_UNIX as u16).to_ne_bytes()[..], path, &[0]].concat())
}
