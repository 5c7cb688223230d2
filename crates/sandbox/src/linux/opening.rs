//! Opening files, where opening may make them.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, ResolveFlags};

use super::caller::{Caller, refuse_own_process};
use super::guard::PathGuard;
use super::names::{ParentAndName, caller_base};
use super::notify::{Notification, Response};
use super::sys::{real, refused};

/// Links that are followed before it counts as a ring.
const LINKS: usize = 40;

/// What is to be opened, and how.
pub(super) struct OpenRequest {
    base: u64,
    path: Vec<u8>,
    flags: OFlags,
    mode: Mode,
    /// As `openat2` restricts it; none for the calls that cannot.
    resolve: Option<ResolveFlags>,
}

impl OpenRequest {
    /// What `notification` asks to open; none when it asks for something else.
    pub(super) fn of(caller: &Caller, notification: &Notification) -> io::Result<Option<OpenRequest>> {
        let [a, b, c, d, ..] = notification.data.args;
        let request = |base, pointer, flags: u64, mode: u64| -> io::Result<Option<OpenRequest>> {
            let (flags, mode) =
                (OFlags::from_bits_retain(flags as u32), Mode::from_bits_truncate(mode as u32 & 0o1777));
            Ok(Some(OpenRequest { base, path: caller.string(pointer)?, flags, mode, resolve: None }))
        };
        match i64::from(notification.data.nr) {
            libc::SYS_openat => request(a, b, c, d),
            libc::SYS_openat2 => {
                let size = usize::try_from(d).unwrap_or(usize::MAX);
                if !(24..=4096).contains(&size) {
                    return Err(refused(libc::EINVAL));
                }
                let how = caller.bytes(c, size)?;
                if how[24..].iter().any(|it| *it != 0) {
                    return Err(refused(libc::E2BIG));
                }
                let word = |at: usize| u64::from_le_bytes(how[at..at + 8].try_into().expect("eight bytes"));
                if word(8) & 0o6000 != 0 {
                    return Err(refused(libc::EPERM));
                }
                let resolve = ResolveFlags::from_bits_retain(word(16));
                Ok(request(a, b, word(0), word(8))?.map(|it| OpenRequest { resolve: Some(resolve), ..it }))
            }
            _ => Ok(None),
        }
    }

    fn has(&self, flag: OFlags) -> bool {
        self.flags.contains(flag)
    }

    /// Whether this changes a file that is there.
    fn writes(&self) -> bool {
        !self.has(OFlags::PATH) && self.flags.intersects(OFlags::WRONLY | OFlags::RDWR | OFlags::TRUNC)
    }
}

/// Opens what is requested.
pub(super) fn reply(caller: &Caller, request: OpenRequest, guard: &PathGuard) -> io::Result<Response> {
    if let Some(resolve) = request.resolve {
        return restricted(caller, request, resolve, guard);
    }
    let mut base = caller_base(caller, request.base, &request.path)?;
    let mut path = request.path.clone();
    for _ in 0..LINKS {
        if path.last() == Some(&b'/') && request.has(OFlags::CREATE) {
            return Err(refused(libc::EISDIR));
        }
        let own = caller.translate(&path).own;
        let target = match ParentAndName::at(caller, &base, &path) {
            Err(error) if error.raw_os_error() == Some(libc::EEXIST) => return Err(refused(libc::EISDIR)),
            target => target?,
        };
        let found = fs::statat(&target.folder, target.name(), AtFlags::SYMLINK_NOFOLLOW);
        let is_link = found.map(|it| FileType::from_raw_mode(it.st_mode).is_symlink());
        let (follows, exclusive) = (!request.has(OFlags::NOFOLLOW), request.has(OFlags::CREATE | OFlags::EXCL));
        let flags = match is_link {
            Ok(true) if own && follows => OFlags::PATH | OFlags::CLOEXEC,
            Ok(true) if follows && !exclusive => {
                path = fs::readlinkat(&target.folder, target.name(), Vec::new())?.into_bytes();
                base = if path.first() == Some(&b'/') { caller_base(caller, 0, b"/")? } else { target.folder };
                continue;
            }
            Ok(false) if !exclusive => OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW,
            _ => return created(caller, &target, &request, guard),
        };
        let place = fs::openat(&target.folder, target.name(), flags, Mode::empty())?;
        return opened(caller, refuse_own_process(place)?, &request, guard);
    }
    Err(refused(libc::ELOOP))
}

/// Opens a place that was found, as requested. Nothing else can have come in its stead meanwhile.
fn opened(caller: &Caller, place: OwnedFd, request: &OpenRequest, guard: &PathGuard) -> io::Result<Response> {
    const TERMINAL: u64 = 5 << 8;
    let close = request.has(OFlags::CLOEXEC);
    if request.has(OFlags::PATH) {
        return Ok(Response::Descriptor(place, close));
    }
    if request.writes() && !guard.is_free(&real(&place)?) {
        return Err(refused(libc::EACCES));
    }
    let found = fs::fstat(&place)?;
    let kind = FileType::from_raw_mode(found.st_mode);
    match kind {
        // A folder that is opened with the flag to make a file is an error, which the kernel only tells with the flag.
        FileType::Directory if request.has(OFlags::CREATE) => return Err(refused(libc::EISDIR)),
        FileType::Symlink => return Err(refused(libc::ELOOP)),
        _ => {}
    }
    let left = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
    let flags = (request.flags - left) | OFlags::CLOEXEC | OFlags::NOCTTY;
    let path = match kind {
        // "My terminal" is another one here.
        FileType::CharacterDevice if found.st_rdev == TERMINAL => caller.terminal()?,
        _ => format!("/proc/self/fd/{}", place.as_raw_fd()),
    };
    let mode = request.mode;
    let open = move || {
        let file = fs::open(path, flags, mode)?;
        drop(place);
        Ok(Response::Descriptor(file, close))
    };
    match kind {
        // Opening may wait for somebody at the other end.
        FileType::Fifo | FileType::CharacterDevice => Ok(Response::Deferred(Box::new(open))),
        _ => {
            rustix::process::umask(if request.has(OFlags::TMPFILE) { caller.umask() } else { Mode::empty() });
            open()
        }
    }
}

fn created(caller: &Caller, target: &ParentAndName, request: &OpenRequest, guard: &PathGuard) -> io::Result<Response> {
    if request.has(OFlags::CREATE) && !guard.is_free(&target.path()?) {
        return Err(refused(libc::EACCES));
    }
    rustix::process::umask(caller.umask());
    let flags = request.flags | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NOCTTY;
    let file = fs::openat(&target.folder, target.name(), flags, request.mode)?;
    Ok(Response::Descriptor(file, request.has(OFlags::CLOEXEC)))
}

/// As `openat2` does it. The name itself is never a link here when it may be made.
fn restricted(caller: &Caller, request: OpenRequest, resolve: ResolveFlags, guard: &PathGuard) -> io::Result<Response> {
    let path = caller.translate(&request.path);
    let base = caller_base(caller, if path.bytes.first() == Some(&b'/') { 0 } else { request.base }, &path.bytes);
    // With these the root is the base, whatever the path starts with.
    let bound = resolve.intersects(ResolveFlags::BENEATH | ResolveFlags::IN_ROOT);
    let base = if bound { caller.base(request.base as i32)? } else { base? };
    let resolve = resolve | path.resolve();
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    if !request.has(OFlags::CREATE) {
        let flags = flags | (request.flags & (OFlags::NOFOLLOW | OFlags::DIRECTORY));
        let place = refuse_own_process(fs::openat2(&base, path.bytes.as_slice(), flags, Mode::empty(), resolve)?)?;
        return opened(caller, place, &request, guard);
    }
    let start = path.bytes.iter().rposition(|it| *it == b'/').map_or(0, |it| it + 1);
    let name = path.bytes[start..].to_vec();
    if name.is_empty() || name == b"." || name == b".." {
        return Err(refused(libc::EISDIR));
    }
    let folder = if start == 0 { &b"."[..] } else { &path.bytes[..start] };
    let folder = fs::openat2(&base, folder, flags | OFlags::DIRECTORY, Mode::empty(), resolve)?;
    let target = ParentAndName { folder: refuse_own_process(folder)?, name };
    let place = fs::openat(&target.folder, target.name(), flags | OFlags::NOFOLLOW, Mode::empty());
    match place {
        Ok(place) if !request.has(OFlags::EXCL) => opened(caller, refuse_own_process(place)?, &request, guard),
        _ => created(caller, &target, &request, guard),
    }
}
