//! System calls that no library offers safely, each behind one small function, and those that are always made together.
//! They decide nothing.

#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_long};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::{MaybeUninit, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::path::PathBuf;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
};
use rustix::process::Pid;
use rustix::thread::{self, CapabilitiesSecureBits, CapabilitySet, CapabilitySets, UnshareFlags};

/// Flags of `mount_setattr`.
pub(super) const RDONLY: u64 = 0x1;
pub(super) const NOSUID: u64 = 0x2;
pub(super) const NODEV: u64 = 0x4;

/// The result of a system call, or its error.
pub(super) fn check(result: c_long) -> io::Result<c_long> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        result => Ok(result),
    }
}

/// Leaves the namespaces in `flags` for fresh ones.
pub(super) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: no table of descriptors is parted from another thread; the caller is the helper's only one.
    Ok(unsafe { thread::unshare_unsafe(flags) }?)
}

/// Copies this process: none in the copy, its id in the original. Only the helper calls it, which has one thread.
pub(super) fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: with one thread no lock can be held by a thread that is missing in the copy.
    let pid = check(unsafe { libc::fork() }.into())?;
    Ok(Pid::from_raw(pid as i32))
}

/// Sets flags of the mounts at `path`, with all beneath; without a path of those that `from` is.
pub(super) fn set_flags(from: BorrowedFd<'_>, path: &CStr, set: u64) -> io::Result<()> {
    let attributes = [set, 0, 0, 0];
    let empty = if path.is_empty() { libc::AT_EMPTY_PATH } else { 0 };
    let (flags, size) = (libc::AT_RECURSIVE | empty, size_of_val(&attributes));
    // SAFETY: the string ends in NUL, `attributes` has the layout of `struct mount_attr` and its size is given.
    let result = unsafe {
        libc::syscall(libc::SYS_mount_setattr, from.as_raw_fd(), path.as_ptr(), flags, attributes.as_ptr(), size)
    };
    check(result).map(drop)
}

/// Gives every capability up for good and looks whether they are gone.
pub(super) fn drop_capabilities() -> io::Result<()> {
    // Bits that this kernel does not have answer with an error, and there is nothing to drop.
    let bound = || {
        let all = (0..u64::BITS).map(|it| CapabilitySet::from_bits_retain(1 << it));
        all.filter(|it| thread::capability_is_in_bounding_set(*it).unwrap_or(false))
    };
    bound().try_for_each(thread::remove_capability_from_bounding_set)?;
    thread::clear_ambient_capability_set()?;
    // Root gets nothing back by being root: NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, each locked; KEEP_CAPS locked off.
    thread::set_capabilities_secure_bits(CapabilitiesSecureBits::from_bits_retain(0b1110_1111))?;
    let empty = CapabilitySet::empty();
    let none = CapabilitySets { effective: empty, permitted: empty, inheritable: empty };
    thread::set_capabilities(None, none)?;
    thread::set_no_new_privs(true)?;
    if thread::capabilities(None)? != none || bound().next().is_some() || !thread::no_new_privs()? {
        return Err(io::Error::other("capabilities are left after all were dropped"));
    }
    Ok(())
}

/// Sends a signal to every process inside but this one, which is the first.
pub(super) fn signal_all(signal: c_int) {
    // SAFETY: takes numbers only. That nobody else is there is no error.
    let _ = unsafe { libc::kill(-1, signal) };
}

/// A descriptor that becomes readable when one of `signals` arrives; they no longer interrupt.
pub(super) fn signals(signals: &[c_int]) -> io::Result<OwnedFd> {
    // SAFETY: an all-zero set is valid, and the calls get pointers to it alone.
    unsafe {
        let mut set: libc::sigset_t = zeroed();
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
        let mut info: libc::signalfd_siginfo = zeroed();
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
        let mut set: libc::sigset_t = zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut());
    }
}

/// Closes every descriptor from `first` on when a program is started.
pub(super) fn close_on_exec_from(first: RawFd) -> io::Result<()> {
    // SAFETY: marks descriptors only; nothing is closed before `exec`.
    check(unsafe { libc::syscall(libc::SYS_close_range, first, c_int::MAX, libc::CLOSE_RANGE_CLOEXEC) }).map(drop)
}

/// Closes standard input, output and error, so that the pipes behind them end with the command.
pub(super) fn close_standard() {
    for fd in 0..3 {
        // SAFETY: the caller prints nothing and owns no object for these numbers.
        unsafe { libc::close(fd) };
    }
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

/// Brings the loopback device of this network namespace up.
pub(super) fn loopback_up() -> io::Result<()> {
    // SAFETY: an all-zero record is valid; the socket is open until the call returns.
    unsafe {
        let mut request: libc::ifreq = zeroed();
        request.ifr_name[..2].copy_from_slice(&[b'l' as c_char, b'o' as c_char]);
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as i16;
        let fd = check(libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0).into())?;
        let socket = OwnedFd::from_raw_fd(fd as RawFd);
        check(libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request).into()).map(drop)
    }
}

/// Descriptors in one message.
pub(super) const MOST_FDS: usize = 8;

/// Sends descriptors over a socket.
pub(crate) fn send(socket: impl AsFd, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut namespace = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
    let mut control = SendAncillaryBuffer::new(&mut namespace);
    let fits = control.push(SendAncillaryMessage::ScmRights(fds));
    assert!(fits, "a message holds at most {MOST_FDS} descriptors");
    // Descriptors travel with a byte.
    rustix::net::sendmsg(socket, &[IoSlice::new(&[0])], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives the descriptors of one message; all are closed on exec. None when the other end is gone.
pub(crate) fn receive(socket: impl AsFd) -> io::Result<Vec<OwnedFd>> {
    let mut namespace = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
    let mut control = RecvAncillaryBuffer::new(&mut namespace);
    let mut byte = [0];
    rustix::net::recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let fds = control.drain().filter_map(|it| match it {
        RecvAncillaryMessage::ScmRights(fds) => Some(fds),
        _ => None,
    });
    Ok(fds.flatten().collect())
}

/// Asks for short turns on a processor, which then come sooner (Linux 6.12; older ones take no notice).
pub(super) fn be_prompt() {
    // SAFETY: an all-zero record is valid and has the size that it names.
    unsafe {
        let mut request: libc::sched_attr = zeroed();
        (request.size, request.sched_runtime) = (size_of_val(&request) as u32, 100_000);
        libc::syscall(libc::SYS_sched_setattr, 0, &raw const request, 0);
    }
}

/// An error by its number.
pub(super) fn refused(number: i32) -> io::Error {
    io::Error::from_raw_os_error(number)
}

/// Where an open place really is, as this mount namespace sees it.
pub(super) fn real(place: &OwnedFd) -> io::Result<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", place.as_raw_fd()))
}
