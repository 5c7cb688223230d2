//! The second wall: Landlock holds the same rights on files once more, in case that a mount is not what it seems.
//!
//! It is never the only wall: it does not see `chmod`, times, extended attributes or sockets with a path.

#![allow(unsafe_code)]

use std::ffi::c_long;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::path::Path;

use super::plan::Plan;
use super::sys::check;

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const MAKE_CHAR: u64 = 1 << 6;
const MAKE_BLOCK: u64 = 1 << 11;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;

/// What can be done with a file that is no folder.
const OF_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
const READING: u64 = EXECUTE | READ_FILE | READ_DIR;

/// Sockets without a path, and signals, of whoever is outside.
const OUTSIDERS: u64 = 0b11;

/// Places that every command may write: they are its own and in memory.
const OWN: [&str; 3] = ["/tmp", "/run", "/dev"];
/// Places that every program needs to start, for jobs whose reading is limited.
const SYSTEM: [&str; 11] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/etc",
    "/opt",
    "/nix/store",
    "/proc",
    "/dev",
    "/sys/devices/system/cpu",
];

/// The version that this kernel has; 0 without Landlock.
pub(super) fn version() -> u32 {
    const ASK_VERSION: c_long = 1;
    let none: *const u8 = std::ptr::null();
    // SAFETY: with this flag the call reads nothing and answers with a number.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, none, 0, ASK_VERSION) };
    u32::try_from(version).unwrap_or(0)
}

/// The file rights that `version` knows.
fn known(version: u32) -> u64 {
    let bits = match version {
        0 => 0,
        1 => 13,
        2 => 14,
        3 | 4 => 15,
        _ => 16,
    };
    (1 << bits) - 1
}

/// Puts the wall around this process and all it will start.
pub(super) fn restrict(plan: &Plan) -> io::Result<()> {
    let version = version();
    let all = known(version);
    if version == 0 {
        return match plan.read.is_empty() {
            true => Ok(()),
            false => Err(io::Error::other("reading cannot be limited: this kernel has no Landlock")),
        };
    }
    let rules = Rules::new(all, if version >= 6 { OUTSIDERS } else { 0 })?;
    let writing = all & !(MAKE_CHAR | MAKE_BLOCK);
    match plan.read.as_slice() {
        [] => rules.allow(Path::new("/"), all & READING)?,
        read => {
            let system = SYSTEM.iter().map(Path::new);
            for path in read.iter().map(|it| it.as_path()).chain(system) {
                rules.allow(path, all & READING)?;
            }
        }
    }
    let own = OWN.iter().map(Path::new);
    for path in plan.write.iter().chain(&plan.caches).map(|it| it.as_path()).chain(own) {
        rules.allow(path, writing)?;
    }
    rules.enforce()
}

/// A set of rules that is being made.
struct Rules(OwnedFd);

impl Rules {
    fn new(files: u64, scopes: u64) -> io::Result<Rules> {
        let attributes = [files, 0, scopes];
        // An older kernel knows a shorter record, and takes a longer one only when the rest is zero.
        let size = size_of_val(&attributes);
        // SAFETY: the pointer and the size are those of `attributes`, which is laid out as the kernel's record.
        let fd = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, attributes.as_ptr(), size, 0) };
        // SAFETY: the descriptor is new and nobody else has it.
        check(fd).map(|fd| Rules(unsafe { OwnedFd::from_raw_fd(fd as RawFd) }))
    }

    /// Allows `rights` at `path` and beneath; what does not exist needs no rule.
    fn allow(&self, path: &Path, rights: u64) -> io::Result<()> {
        use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
        let Ok(place) = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) else { return Ok(()) };
        let folder = FileType::from_raw_mode(fstat(&place)?.st_mode).is_dir();
        #[repr(C, packed)]
        struct Beneath {
            rights: u64,
            place: RawFd,
        }
        let rights = if folder { rights } else { rights & OF_FILES & !REFER };
        let rule = Beneath { rights, place: place.as_raw_fd() };
        const BENEATH: c_long = 1;
        // SAFETY: `rule` is laid out as the kernel's record, and both descriptors are open.
        let result =
            unsafe { libc::syscall(libc::SYS_landlock_add_rule, self.0.as_raw_fd(), BENEATH, &raw const rule, 0) };
        check(result).map(drop)
    }

    fn enforce(self) -> io::Result<()> {
        rustix::thread::set_no_new_privs(true)?;
        // SAFETY: takes numbers only, and the descriptor is open.
        let result = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, self.0.as_raw_fd(), 0) };
        check(result).map(drop)
    }
}
