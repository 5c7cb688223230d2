//! Opening files, where opening may make them.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, ResolveFlags};

use super::asker::{Asker, not_ours};
use super::broker::Reply;
use super::guard::Guard;
use super::naming::{Spot, asker_base, real, refused};
use super::notify::Question;

/// Links that are followed before it counts as a ring.
const LINKS: usize = 40;

/// What is to be opened, and how.
pub(super) struct Wish {
    base: u64,
    path: Vec<u8>,
    flags: OFlags,
    mode: Mode,
    /// As `openat2` restricts it; none for the calls that cannot.
    resolve: Option<ResolveFlags>,
}

impl Wish {
    /// What `question` asks to open; none when it asks for something else.
    pub(super) fn of(asker: &Asker, question: &Question) -> io::Result<Option<Wish>> {
        let [a, b, c, d, ..] = question.data.args;
        let wish = |base, pointer, flags: u64, mode: u64| -> io::Result<Option<Wish>> {
            let (flags, mode) =
                (OFlags::from_bits_retain(flags as u32), Mode::from_bits_truncate(mode as u32 & 0o1777));
            Ok(Some(Wish { base, path: asker.string(pointer)?, flags, mode, resolve: None }))
        };
        match i64::from(question.data.nr) {
            libc::SYS_openat => wish(a, b, c, d),
            libc::SYS_openat2 => {
                let size = usize::try_from(d).unwrap_or(usize::MAX);
                if !(24..=4096).contains(&size) {
                    return Err(refused(libc::EINVAL));
                }
                let how = asker.bytes(c, size)?;
                if how[24..].iter().any(|it| *it != 0) {
                    return Err(refused(libc::E2BIG));
                }
                let word = |at: usize| u64::from_le_bytes(how[at..at + 8].try_into().expect("eight bytes"));
                if word(8) & 0o6000 != 0 {
                    return Err(refused(libc::EPERM));
                }
                let resolve = ResolveFlags::from_bits_retain(word(16));
                Ok(wish(a, b, word(0), word(8))?.map(|it| Wish { resolve: Some(resolve), ..it }))
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

/// Opens what is wished for.
pub(super) fn reply(asker: &Asker, wish: Wish, guard: &Guard) -> io::Result<Reply> {
    if let Some(resolve) = wish.resolve {
        return restricted(asker, wish, resolve, guard);
    }
    let mut base = asker_base(asker, wish.base, &wish.path)?;
    let mut path = wish.path.clone();
    for _ in 0..LINKS {
        if path.last() == Some(&b'/') && wish.has(OFlags::CREATE) {
            return Err(refused(libc::EISDIR));
        }
        let own = asker.translate(&path).own;
        let spot = match Spot::at(asker, &base, &path) {
            Err(error) if error.raw_os_error() == Some(libc::EEXIST) => return Err(refused(libc::EISDIR)),
            spot => spot?,
        };
        let found = fs::statat(&spot.folder, spot.name(), AtFlags::SYMLINK_NOFOLLOW);
        let is_link = found.map(|it| FileType::from_raw_mode(it.st_mode).is_symlink());
        let (follows, exclusive) = (!wish.has(OFlags::NOFOLLOW), wish.has(OFlags::CREATE | OFlags::EXCL));
        let flags = match is_link {
            Ok(true) if own && follows => OFlags::PATH | OFlags::CLOEXEC,
            Ok(true) if follows && !exclusive => {
                path = fs::readlinkat(&spot.folder, spot.name(), Vec::new())?.into_bytes();
                base = if path.first() == Some(&b'/') { asker_base(asker, 0, b"/")? } else { spot.folder };
                continue;
            }
            Ok(false) if !exclusive => OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW,
            _ => return created(asker, &spot, &wish, guard),
        };
        let place = fs::openat(&spot.folder, spot.name(), flags, Mode::empty())?;
        return opened(asker, not_ours(place)?, &wish, guard);
    }
    Err(refused(libc::ELOOP))
}

/// Opens a place that was found, as wished for. Nothing else can have come in its stead meanwhile.
fn opened(asker: &Asker, place: OwnedFd, wish: &Wish, guard: &Guard) -> io::Result<Reply> {
    const TERMINAL: u64 = 5 << 8;
    let close = wish.has(OFlags::CLOEXEC);
    if wish.has(OFlags::PATH) {
        return Ok(Reply::Descriptor(place, close));
    }
    if wish.writes() && !guard.is_free(&real(&place)?) {
        return Err(refused(libc::EACCES));
    }
    let found = fs::fstat(&place)?;
    let kind = FileType::from_raw_mode(found.st_mode);
    match kind {
        // A folder that is opened with the wish to make a file is an error, which the kernel only tells with the wish.
        FileType::Directory if wish.has(OFlags::CREATE) => return Err(refused(libc::EISDIR)),
        FileType::Symlink => return Err(refused(libc::ELOOP)),
        _ => {}
    }
    let left = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
    let flags = (wish.flags - left) | OFlags::CLOEXEC | OFlags::NOCTTY;
    let path = match kind {
        // "My terminal" is another one here.
        FileType::CharacterDevice if found.st_rdev == TERMINAL => asker.terminal()?,
        _ => format!("/proc/self/fd/{}", place.as_raw_fd()),
    };
    let mode = wish.mode;
    let open = move || {
        let file = fs::open(path, flags, mode)?;
        drop(place);
        Ok(Reply::Descriptor(file, close))
    };
    match kind {
        // Opening may wait for somebody at the other end.
        FileType::Fifo | FileType::CharacterDevice => Ok(Reply::Later(Box::new(open))),
        _ => {
            rustix::process::umask(if wish.has(OFlags::TMPFILE) { asker.umask() } else { Mode::empty() });
            open()
        }
    }
}

fn created(asker: &Asker, spot: &Spot, wish: &Wish, guard: &Guard) -> io::Result<Reply> {
    if wish.has(OFlags::CREATE) && !guard.is_free(&spot.path()?) {
        return Err(refused(libc::EACCES));
    }
    rustix::process::umask(asker.umask());
    let flags = wish.flags | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NOCTTY;
    let file = fs::openat(&spot.folder, spot.name(), flags, wish.mode)?;
    Ok(Reply::Descriptor(file, wish.has(OFlags::CLOEXEC)))
}

/// As `openat2` does it. The name itself is never a link here when it may be made.
fn restricted(asker: &Asker, wish: Wish, resolve: ResolveFlags, guard: &Guard) -> io::Result<Reply> {
    let path = asker.translate(&wish.path);
    let base = asker_base(asker, if path.bytes.first() == Some(&b'/') { 0 } else { wish.base }, &path.bytes);
    // With these the root is the base, whatever the path starts with.
    let bound = resolve.intersects(ResolveFlags::BENEATH | ResolveFlags::IN_ROOT);
    let base = if bound { asker.base(wish.base as i32)? } else { base? };
    let resolve = resolve | path.resolve();
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    if !wish.has(OFlags::CREATE) {
        let flags = flags | (wish.flags & (OFlags::NOFOLLOW | OFlags::DIRECTORY));
        let place = not_ours(fs::openat2(&base, path.bytes.as_slice(), flags, Mode::empty(), resolve)?)?;
        return opened(asker, place, &wish, guard);
    }
    let start = path.bytes.iter().rposition(|it| *it == b'/').map_or(0, |it| it + 1);
    let name = path.bytes[start..].to_vec();
    if name.is_empty() || name == b"." || name == b".." {
        return Err(refused(libc::EISDIR));
    }
    let folder = if start == 0 { &b"."[..] } else { &path.bytes[..start] };
    let folder = fs::openat2(&base, folder, flags | OFlags::DIRECTORY, Mode::empty(), resolve)?;
    let spot = Spot { folder: not_ours(folder)?, name };
    let place = fs::openat(&spot.folder, spot.name(), flags | OFlags::NOFOLLOW, Mode::empty());
    match place {
        Ok(place) if !wish.has(OFlags::EXCL) => opened(asker, not_ours(place)?, &wish, guard),
        _ => created(asker, &spot, &wish, guard),
    }
}
