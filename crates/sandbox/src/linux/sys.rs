//! System calls that no library offers safely, each behind one small function. They decide nothing.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_short, c_ulong};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Flags of `mount_setattr`.
pub(super) const RDONLY: u64 = 0x1;
pub(super) const NOSUID: u64 = 0x2;
pub(super) const NODEV: u64 = 0x4;

/// All name spaces but the user's.
pub(super) const WALLS: c_int =
    libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS | libc::CLONE_NEWCGROUP;

/// The result of a system call, or its error.
fn check(result: c_long) -> io::Result<c_long> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        result => Ok(result),
    }
}

/// A path as system calls take it.
pub(super) fn c_path(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

/// Leaves the name spaces in `flags` for fresh ones.
pub(super) fn unshare(flags: c_int) -> io::Result<()> {
    // SAFETY: takes a number and touches no memory of ours; the caller is the helper's only thread.
    check(unsafe { libc::unshare(flags) }.into()).map(drop)
}

/// Enters the name space behind `space`.
pub(super) fn enter(space: &OwnedFd) -> io::Result<()> {
    // SAFETY: takes numbers only; the caller is the helper's only thread.
    check(unsafe { libc::setns(space.as_raw_fd(), 0) }.into()).map(drop)
}

/// Copies this process: none in the copy, its id in the original. Only the helper calls it, which has one thread.
pub(super) fn fork() -> io::Result<Option<i32>> {
    // SAFETY: with one thread no lock can be held by a thread that is missing in the copy.
    let pid = check(unsafe { libc::fork() }.into())?;
    Ok(Some(pid as i32).filter(|it| *it != 0))
}

/// Mounts; `source`, `kind` and `data` as the system wants them.
pub(super) fn mount(source: &CStr, target: &Path, kind: &CStr, flags: c_ulong, data: &CStr) -> io::Result<()> {
    let target = c_path(target)?;
    // SAFETY: all pointers are to strings that end in NUL and live until the call returns.
    let result = unsafe { libc::mount(source.as_ptr(), target.as_ptr(), kind.as_ptr(), flags, data.as_ptr().cast()) };
    check(result.into()).map(drop)
}

/// Takes the uppermost mount at `target` away.
pub(super) fn unmount(target: &Path) -> io::Result<()> {
    let target = c_path(target)?;
    // SAFETY: the pointer is to a string that ends in NUL and lives until the call returns.
    check(unsafe { libc::umount2(target.as_ptr(), libc::MNT_DETACH) }.into()).map(drop)
}

/// Descriptor for "relative to the working folder".
pub(super) const HERE: RawFd = libc::AT_FDCWD;

const OPEN_TREE_CLONE: u64 = 1;
const AT_RECURSIVE: u64 = 0x8000;
const MOVE_FROM_EMPTY: u64 = 0x4;

/// A copy of the mounts at `path` that is not attached anywhere yet.
pub(super) fn clone_tree(from: RawFd, path: &CStr, follow: bool) -> io::Result<OwnedFd> {
    let nofollow = if follow { 0 } else { libc::AT_SYMLINK_NOFOLLOW as u64 };
    let empty = if path.is_empty() { libc::AT_EMPTY_PATH as u64 } else { 0 };
    let flags = OPEN_TREE_CLONE | AT_RECURSIVE | libc::O_CLOEXEC as u64 | nofollow | empty;
    // SAFETY: the pointer is to a string that ends in NUL and lives until the call returns.
    let fd = check(unsafe { libc::syscall(libc::SYS_open_tree, from, path.as_ptr(), flags) })?;
    // SAFETY: the descriptor was made by the call above and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}

/// Attaches a copy made by [`clone_tree`] at `path`; a link there is not followed.
pub(super) fn attach(tree: &OwnedFd, to: RawFd, path: &CStr) -> io::Result<()> {
    let empty = if path.is_empty() { 0x40 } else { 0 };
    let flags = MOVE_FROM_EMPTY | empty;
    let none: *const c_char = c"".as_ptr();
    // SAFETY: the pointers are to strings that end in NUL and live until the call returns.
    check(unsafe { libc::syscall(libc::SYS_move_mount, tree.as_raw_fd(), none, to, path.as_ptr(), flags) }).map(drop)
}

/// Sets and clears flags of the mounts at `path`, with all beneath.
pub(super) fn set_flags(from: RawFd, path: &CStr, set: u64, clear: u64) -> io::Result<()> {
    let attributes = [set, clear, 0, 0];
    let empty = if path.is_empty() { libc::AT_EMPTY_PATH as u64 } else { 0 };
    let size = size_of_val(&attributes);
    // SAFETY: the string ends in NUL, `attributes` has the layout of `struct mount_attr` and its size is given.
    let result = unsafe {
        libc::syscall(libc::SYS_mount_setattr, from, path.as_ptr(), AT_RECURSIVE | empty, attributes.as_ptr(), size)
    };
    check(result).map(drop)
}

/// Process settings that are numbers.
pub(super) fn control(option: c_int, a: c_ulong, b: c_ulong) -> io::Result<c_long> {
    let none: c_ulong = 0;
    // SAFETY: the options used take numbers only.
    check(unsafe { libc::prctl(option, a, b, none, none) }.into())
}

/// Dies by SIGKILL when the parent does.
pub(super) fn die_with_parent() -> io::Result<()> {
    control(libc::PR_SET_PDEATHSIG, libc::SIGKILL as c_ulong, 0).map(drop)
}

/// The layouts of `capset`.
#[repr(C)]
struct CapHead {
    version: u32,
    pid: i32,
}

const CAP_VERSION_3: u32 = 0x2008_0522;
/// Highest capability number that is looked at; those that a kernel does not know are skipped.
const CAP_LAST: c_ulong = 63;

/// Gives every capability up for good and looks whether they are gone.
pub(super) fn drop_capabilities() -> io::Result<()> {
    for capability in 0..=CAP_LAST {
        // Bits that this kernel does not have answer EINVAL, and there is nothing to drop.
        if control(libc::PR_CAPBSET_READ, capability, 0).unwrap_or(0) == 1 {
            control(libc::PR_CAPBSET_DROP, capability, 0)?;
        }
    }
    control(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL as c_ulong, 0)?;
    // Root gets nothing back by being root: NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, each locked; KEEP_CAPS locked off.
    control(libc::PR_SET_SECUREBITS, 0b1110_1111, 0)?;
    let head = CapHead { version: CAP_VERSION_3, pid: 0 };
    let none = [0u32; 6];
    // SAFETY: the head names version 3, whose data are six words.
    check(unsafe { libc::syscall(libc::SYS_capset, &raw const head, none.as_ptr()) })?;
    control(libc::PR_SET_NO_NEW_PRIVS, 1, 0)?;
    verify_capabilities()
}

fn verify_capabilities() -> io::Result<()> {
    let head = CapHead { version: CAP_VERSION_3, pid: 0 };
    let mut held = [u32::MAX; 6];
    // SAFETY: the head names version 3, for which the kernel fills six words.
    check(unsafe { libc::syscall(libc::SYS_capget, &raw const head, held.as_mut_ptr()) })?;
    let bound = (0..=CAP_LAST).any(|it| control(libc::PR_CAPBSET_READ, it, 0).unwrap_or(0) == 1);
    let privileged = control(libc::PR_GET_NO_NEW_PRIVS, 0, 0)? != 1;
    if held != [0; 6] || bound || privileged {
        return Err(io::Error::other("capabilities are left after all were dropped"));
    }
    Ok(())
}

/// Drops supplementary groups. Fails without the right to, which is harmless: they are the user's own.
pub(super) fn drop_groups() {
    // SAFETY: with a count of zero the pointer is not read.
    let _ = unsafe { libc::setgroups(0, std::ptr::null()) };
}

/// Sends a signal.
pub(super) fn kill(pid: i32, signal: c_int) {
    // SAFETY: takes numbers only. That the process is gone already is no error for any caller.
    let _ = unsafe { libc::kill(pid, signal) };
}

/// Waits for `pid` (-1: any child): its id and status; none when nothing ended yet and `block` is false.
pub(super) fn wait(pid: i32, block: bool) -> io::Result<Option<(i32, c_int)>> {
    let mut status = 0;
    loop {
        // SAFETY: `status` is a valid place to write to.
        match check(unsafe { libc::waitpid(pid, &raw mut status, if block { 0 } else { libc::WNOHANG }) }.into()) {
            Ok(0) => return Ok(None),
            Ok(pid) => return Ok(Some((pid as i32, status))),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A descriptor that becomes readable when one of `signals` arrives; they no longer interrupt.
pub(super) fn signals(signals: &[c_int]) -> io::Result<OwnedFd> {
    // SAFETY: an all-zero set is valid, and the calls get pointers to it alone.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in signals {
            libc::sigaddset(&raw mut set, *signal);
        }
        check(libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()).into())?;
        let fd = check(libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK).into())?;
        Ok(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

/// The signals that arrived at a descriptor of [`signals`].
pub(super) fn next_signal(fd: &OwnedFd) -> Option<c_int> {
    // SAFETY: an all-zero record is valid, and the kernel writes at most its size.
    let (read, info) = unsafe {
        let mut info: libc::signalfd_siginfo = std::mem::zeroed();
        (libc::read(fd.as_raw_fd(), (&raw mut info).cast(), size_of_val(&info)), info)
    };
    (read > 0).then_some(info.ssi_signo as c_int)
}

/// Gives every signal its usual meaning and lets all through, as a fresh program expects.
pub(super) fn reset_signals() {
    for signal in 1..=64 {
        // SAFETY: the default action runs no code of ours; numbers that cannot be changed are refused without harm.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: an empty set is valid, and the old one is not asked for.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut());
    }
}

/// What became of a descriptor while it was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ready {
    /// Something can be read.
    pub(super) readable: bool,
    /// The other end is gone.
    pub(super) over: bool,
}

impl Ready {
    /// Either.
    pub(super) fn any(self) -> bool {
        self.readable || self.over
    }
}

/// Waits until one of `fds` is readable or hung up, or `milliseconds` (-1: for ever) are over; answers which are.
pub(super) fn poll(fds: &[RawFd], milliseconds: c_int) -> Vec<Ready> {
    let fds: Vec<_> = fds.iter().map(|fd| (*fd, libc::POLLIN)).collect();
    poll_for(&fds, milliseconds)
}

/// As [`poll`], each for its own events: without any, only for what is always told.
pub(super) fn poll_for(fds: &[(RawFd, c_short)], milliseconds: c_int) -> Vec<Ready> {
    let mut all: Vec<libc::pollfd> =
        fds.iter().map(|(fd, events)| libc::pollfd { fd: *fd, events: *events, revents: 0 }).collect();
    // SAFETY: the pointer and count are those of `all`.
    let count = unsafe { libc::poll(all.as_mut_ptr(), all.len() as libc::nfds_t, milliseconds) };
    let ready = |it: &libc::pollfd| Ready {
        readable: count > 0 && it.revents & libc::POLLIN != 0,
        over: count > 0 && it.revents & !libc::POLLIN != 0,
    };
    all.iter().map(ready).collect()
}

/// A descriptor for a process that stays with it.
pub(super) fn pidfd(pid: i32) -> io::Result<OwnedFd> {
    // SAFETY: takes numbers only; the descriptor returned is nobody else's.
    unsafe {
        let fd = check(libc::syscall(libc::SYS_pidfd_open, pid, 0))?;
        Ok(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

/// Closes every descriptor from `first` on when a program is started.
pub(super) fn close_on_exec_from(first: RawFd) -> io::Result<()> {
    const CLOEXEC: c_long = 4;
    // SAFETY: marks descriptors only; nothing is closed before `exec`.
    check(unsafe { libc::syscall(libc::SYS_close_range, first, c_int::MAX, CLOEXEC) }).map(drop)
}

/// Makes `fd` the descriptor number `to`, which stays open over `exec`.
pub(super) fn place(fd: RawFd, to: RawFd) -> io::Result<()> {
    if fd == to {
        // SAFETY: changes a flag of a descriptor only.
        return check(unsafe { libc::fcntl(fd, libc::F_SETFD, 0) }.into()).map(drop);
    }
    // SAFETY: both are numbers; what `to` was is closed, as the caller wants.
    check(unsafe { libc::dup2(fd, to) }.into()).map(drop)
}

/// Closes standard input, output and error, so that the pipes behind them end with the command.
pub(super) fn close_standard() {
    for fd in 0..3 {
        // SAFETY: the caller prints nothing and owns no object for these numbers.
        unsafe { libc::close(fd) };
    }
}

/// Makes standard input this process's controlling terminal.
pub(super) fn control_terminal() -> io::Result<()> {
    // SAFETY: takes numbers only.
    check(unsafe { libc::ioctl(0, libc::TIOCSCTTY, 0) }.into()).map(drop)
}

/// Starts a session of its own.
pub(super) fn new_session() {
    // SAFETY: takes nothing. It fails only for a process that leads a group already, which is as good.
    let _ = unsafe { libc::setsid() };
}

/// Sets both values of a limit.
pub(super) fn limit(resource: libc::__rlimit_resource_t, value: u64) -> io::Result<()> {
    let value = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: the pointer is to a valid record.
    check(unsafe { libc::setrlimit(resource, &raw const value) }.into()).map(drop)
}

/// The most files that this process may be allowed to have open.
pub(super) fn most_files() -> u64 {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is to a valid record.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut now) };
    now.rlim_max
}

/// Becomes the program at `path`. Returns only when that failed.
pub(super) fn execute(path: &CStr, arguments: &[CString], environment: &[CString]) -> io::Error {
    let pointers = |all: &[CString]| -> Vec<*const c_char> {
        all.iter().map(|it| it.as_ptr()).chain([std::ptr::null()]).collect()
    };
    let (arguments, environment) = (pointers(arguments), pointers(environment));
    // SAFETY: both lists end in a null pointer and hold pointers to strings that end in NUL and live until here.
    unsafe { libc::execve(path.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
    io::Error::last_os_error()
}

/// Brings the loopback device of this network name space up.
pub(super) fn loopback_up() -> io::Result<()> {
    #[repr(C)]
    struct Request {
        name: [u8; 16],
        flags: i16,
        rest: [u8; 22],
    }
    let mut request = Request { name: [0; 16], flags: (libc::IFF_UP | libc::IFF_RUNNING) as i16, rest: [0; 22] };
    request.name[..2].copy_from_slice(b"lo");
    // SAFETY: the socket is closed below; the request has the size and layout of `struct ifreq`.
    unsafe {
        let fd = check(libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0).into())?;
        let socket = OwnedFd::from_raw_fd(fd as RawFd);
        check(libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request).into()).map(drop)
    }
}

/// Descriptors in one message.
pub(super) const MOST_FDS: usize = 8;

/// Sends `bytes` with descriptors over a socket.
pub(crate) fn send_with(socket: BorrowedFd<'_>, bytes: &[u8], fds: &[RawFd]) -> io::Result<usize> {
    let mut control = [0u64; 8];
    let size = size_of_val(fds) as u32;
    assert!(fds.len() <= MOST_FDS, "a message holds at most {MOST_FDS} descriptors");
    // SAFETY: `control` is aligned for a header and large enough for `MOST_FDS` descriptors (16 + 8 * 4 bytes); all
    // pointers are to things that live until the call returns.
    let sent = unsafe {
        let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        if !fds.is_empty() {
            message.msg_control = control.as_mut_ptr().cast();
            message.msg_controllen = libc::CMSG_SPACE(size) as _;
            let head = libc::CMSG_FIRSTHDR(&raw const message);
            (*head).cmsg_level = libc::SOL_SOCKET;
            (*head).cmsg_type = libc::SCM_RIGHTS;
            (*head).cmsg_len = libc::CMSG_LEN(size) as _;
            std::ptr::copy_nonoverlapping(fds.as_ptr(), libc::CMSG_DATA(head).cast(), fds.len());
        }
        check(libc::sendmsg(socket.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL) as c_long)?
    };
    Ok(sent as usize)
}

/// Receives bytes with the descriptors that came along; all are closed on exec.
pub(crate) fn receive_with(socket: BorrowedFd<'_>, bytes: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut control = [0u64; 8];
    // SAFETY: `control` is aligned for a header and its size is given; the kernel writes no more than that. Each
    // descriptor in it was made for us by this call.
    unsafe {
        let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control) as _;
        let read = check(libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC) as c_long)?;
        let mut fds = Vec::new();
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        if !head.is_null() && (*head).cmsg_type == libc::SCM_RIGHTS {
            let count = ((*head).cmsg_len as usize - libc::CMSG_LEN(0) as usize) / size_of::<RawFd>();
            let data: *const RawFd = libc::CMSG_DATA(head).cast();
            fds.extend((0..count).map(|it| OwnedFd::from_raw_fd(data.add(it).read_unaligned())));
        }
        Ok((read as usize, fds))
    }
}

/// A file in memory.
pub(crate) fn memory_file() -> io::Result<OwnedFd> {
    // SAFETY: the name ends in NUL; the descriptor returned is nobody else's.
    unsafe {
        let fd = check(libc::memfd_create(c"ox".as_ptr(), libc::MFD_CLOEXEC).into())?;
        Ok(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

/// Tells the other end of a socket that nothing more comes.
pub(crate) fn end_writing(socket: BorrowedFd<'_>) {
    // SAFETY: takes numbers only. A socket whose other end is gone needs no telling.
    let _ = unsafe { libc::shutdown(socket.as_raw_fd(), libc::SHUT_WR) };
}

/// Asks for short turns on a processor, which then come sooner (Linux 6.12; older ones take no notice).
pub(super) fn be_prompt() {
    #[repr(C)]
    #[derive(Default)]
    struct Attributes {
        size: u32,
        policy: u32,
        flags: u64,
        nice: i32,
        priority: u32,
        runtime: u64,
        deadline: u64,
        period: u64,
    }
    let wish = Attributes { size: 48, runtime: 100_000, ..Attributes::default() };
    // SAFETY: the record has the size that it names.
    let _ = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const wish, 0) };
}
