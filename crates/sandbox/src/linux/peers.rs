//! Sockets: which addresses they take and whom they reach. A socket with a path is reached only when it was made inside.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{self, AtFlags, Mode, OFlags, StatxFlags};

use super::asker::Asker;
use super::broker::Reply;
use super::door::PORTS;
use super::guard::Guard;
use super::landlock;
use super::naming::{Spot, asker_base, refused};
use super::notify::{self, Question};
use super::plan::{Gate, Plan, Reach};

/// Longest address of any family.
const LONGEST: usize = 128;
/// Sockets with a path that one command may have; their places stay open so that no number is used twice.
const MOST: usize = 512;
/// Where the path starts in a local address.
const PATH: usize = 2;

/// The sockets that were made inside.
pub(super) struct Peers {
    made: Vec<OwnedFd>,
    /// Names without a path are shared with the machine and not held by Landlock.
    open: bool,
    /// The doors of this command, among those of others; none where the network is the machine's.
    doors: Option<Vec<Gate>>,
    /// The mount of the folder in which only commands of this conversation make sockets.
    scratch: Option<u64>,
}

impl Peers {
    /// None yet. Looks at what was mounted.
    pub(super) fn new(plan: &Plan) -> Peers {
        let shared = plan.network == Reach::All;
        let scratch = plan.scratch.as_ref().and_then(|_| fs::open("/tmp", OFlags::PATH, Mode::empty()).ok());
        Peers {
            made: Vec::new(),
            open: shared && landlock::version() < 6,
            doors: (!shared).then(|| plan.doors.clone()),
            scratch: scratch.as_ref().and_then(mount),
        }
    }

    /// Binds or connects for the asker.
    pub(super) fn reply(&mut self, asker: &Asker, question: &Question, guard: &Guard) -> io::Result<Reply> {
        let [fd, pointer, length, ..] = question.data.args;
        let socket = asker.descriptor(fd as i32)?;
        let length = usize::try_from(length).ok().filter(|it| (2..=LONGEST).contains(it));
        let mut address = asker.bytes(pointer, length.ok_or_else(|| refused(libc::EINVAL))?)?;
        let local = i32::from(u16::from_ne_bytes([address[0], address[1]])) == libc::AF_UNIX;
        let path = address[PATH..].split(|it| *it == 0).next().unwrap_or_default().to_vec();
        let bind = i64::from(question.data.nr) == libc::SYS_bind;
        self.door(bind, &mut address)?;
        match (bind, local && !path.is_empty()) {
            (true, true) => self.bind(asker, &socket, &path, guard),
            (true, false) => notify::bind(&socket, &address).map(|()| Reply::Value(0)),
            (false, true) => self.connect(asker, socket, &path),
            (false, false) if local && self.open => Err(refused(libc::EACCES)),
            (false, false) => connected(socket, None, address),
        }
    }

    /// Refuses the doors of others, and leads through an own one where `address` is what that stands for.
    fn door(&self, bind: bool, address: &mut [u8]) -> io::Result<()> {
        let family = i32::from(u16::from_ne_bytes([address[0], address[1]]));
        let internet = (family == libc::AF_INET || family == libc::AF_INET6) && address.len() >= 8;
        let Some(doors) = self.doors.as_ref().filter(|_| internet) else { return Ok(()) };
        let port = u16::from_be_bytes([address[2], address[3]]);
        if PORTS.contains(&port) && (bind || !doors.iter().any(|it| it.port == port)) {
            return Err(refused(if bind { libc::EADDRINUSE } else { libc::ECONNREFUSED }));
        }
        if let Some(door) = doors.iter().find(|it| !bind && it.target == Some(port)) {
            address[2..4].copy_from_slice(&door.port.to_be_bytes());
        }
        Ok(())
    }

    fn bind(&mut self, asker: &Asker, socket: &OwnedFd, path: &[u8], guard: &Guard) -> io::Result<Reply> {
        let spot = match Spot::at(asker, &asker_base(asker, libc::AT_FDCWD as u64, path)?, path) {
            Err(error) if error.raw_os_error() == Some(libc::EEXIST) => return Err(refused(libc::EADDRINUSE)),
            spot => spot?,
        };
        if !guard.is_free(&spot.path()?) {
            return Err(refused(libc::EACCES));
        }
        // While a place is open its number is not given again; where nothing leads to it any more, nobody connects to it.
        self.made.retain(|it| fs::fstat(it).is_ok_and(|it| it.st_nlink > 0));
        if self.made.len() >= MOST {
            return Err(refused(libc::ENOSPC));
        }
        rustix::process::umask(asker.umask());
        // An address is short, so the folder is entered; nothing else in this process depends on where it stands.
        rustix::process::fchdir(&spot.folder)?;
        notify::bind(socket, &local(&spot.name)?)?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        self.made.push(fs::openat(&spot.folder, spot.name(), flags, Mode::empty())?);
        Ok(Reply::Value(0))
    }

    fn connect(&self, asker: &Asker, socket: OwnedFd, path: &[u8]) -> io::Result<Reply> {
        let base = asker_base(asker, libc::AT_FDCWD as u64, path)?;
        let place = asker.translate(path).open(&base, OFlags::PATH)?;
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
fn connected(socket: OwnedFd, place: Option<OwnedFd>, address: Vec<u8>) -> io::Result<Reply> {
    let waits = !fs::fcntl_getfl(&socket)?.contains(OFlags::NONBLOCK);
    let connect = move || {
        let result = notify::connect(&socket, &address);
        drop(place);
        result.map(|()| Reply::Value(0))
    };
    if waits { Ok(Reply::Later(Box::new(connect))) } else { connect() }
}

/// The address of a socket at `path`.
fn local(path: &[u8]) -> io::Result<Vec<u8>> {
    if path.len() > 107 {
        return Err(refused(libc::ENAMETOOLONG));
    }
    Ok([&(libc::AF_UNIX as u16).to_ne_bytes()[..], path, &[0]].concat())
}
