//! Notifications of the system call filter, as the kernel puts them, and how they are answered.

#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use rustix::fs::OFlags;

use super::sys::check;

/// A system call that waits for an answer: its number and arguments are in `data`, `pid` is the thread that asks.
pub(super) type Notification = libc::seccomp_notif;

/// What the broker answers.
pub(super) enum Response {
    /// A number.
    Value(i64),
    /// A descriptor, and whether it is closed on exec.
    Descriptor(OwnedFd, bool),
    /// What must not be waited for here, because others ask meanwhile.
    Deferred(Box<dyn FnOnce() -> io::Result<Response> + Send>),
}

/// The next notification, in the form that every machine has; none when whoever asked is gone already.
pub(super) fn receive(listener: RawFd) -> Option<Notification> {
    // SAFETY: the record has the kernel's layout and size and starts zeroed, as the kernel wants.
    let (result, mut notification) = unsafe {
        let mut notification: Notification = std::mem::zeroed();
        (libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut notification), notification)
    };
    #[cfg(target_arch = "x86_64")]
    to_at_form(&mut notification.data);
    (result == 0).then_some(notification)
}

/// Calls without a folder to start at are older forms of those with one.
#[cfg(target_arch = "x86_64")]
fn to_at_form(data: &mut libc::seccomp_data) {
    const HERE: u64 = libc::AT_FDCWD as u64;
    const CREAT: u64 = (libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC) as u64;
    let [a, b, c, d, ..] = data.args;
    let (call, args) = match i64::from(data.nr) {
        libc::SYS_mkdir => (libc::SYS_mkdirat, [HERE, a, b, 0, 0, 0]),
        libc::SYS_mknod => (libc::SYS_mknodat, [HERE, a, b, c, 0, 0]),
        libc::SYS_symlink => (libc::SYS_symlinkat, [a, HERE, b, 0, 0, 0]),
        libc::SYS_link => (libc::SYS_linkat, [HERE, a, HERE, b, 0, 0]),
        libc::SYS_rename => (libc::SYS_renameat2, [HERE, a, HERE, b, 0, 0]),
        libc::SYS_renameat => (libc::SYS_renameat2, [a, b, c, d, 0, 0]),
        libc::SYS_unlink => (libc::SYS_unlinkat, [HERE, a, 0, 0, 0, 0]),
        libc::SYS_rmdir => (libc::SYS_unlinkat, [HERE, a, libc::AT_REMOVEDIR as u64, 0, 0, 0]),
        libc::SYS_open => (libc::SYS_openat, [HERE, a, b, c, 0, 0]),
        libc::SYS_creat => (libc::SYS_openat, [HERE, a, CREAT, b, 0, 0]),
        _ => return,
    };
    (data.nr, data.args) = (call as i32, args);
}

/// True while the thread that asked still waits, so that its id is not another's yet.
pub(super) fn is_valid(listener: RawFd, notification: &Notification) -> bool {
    // SAFETY: the pointer is to the number that the kernel reads.
    unsafe { libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_ID_VALID, &raw const notification.id) == 0 }
}

/// Answers with a result. That nobody waits any more is no error.
pub(super) fn answer(listener: RawFd, notification: &Notification, result: Result<i64, i32>) {
    let (val, error) = match result {
        Ok(value) => (value, 0),
        Err(error) => (0, -error),
    };
    let answer = libc::seccomp_notif_resp { id: notification.id, val, error, flags: 0 };
    // SAFETY: the record has the kernel's layout and size.
    let _ = unsafe { libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_SEND, &raw const answer) };
}

/// Answers with a copy of `file` in the calling process.
///
/// A file that was opened for writing is closed here before the caller goes on: while anybody else has it open for writing, it
/// cannot be executed, and a linker's next step is often to run what it wrote.
pub(super) fn respond_with_descriptor(
    listener: RawFd,
    notification: &Notification,
    file: OwnedFd,
    close_on_exec: bool,
) {
    let writes = rustix::fs::fcntl_getfl(&file).is_ok_and(|it| it.intersects(OFlags::WRONLY | OFlags::RDWR));
    let handed = libc::seccomp_notif_addfd {
        id: notification.id,
        flags: if writes { 0 } else { libc::SECCOMP_ADDFD_FLAG_SEND as u32 },
        srcfd: file.as_raw_fd() as u32,
        newfd: 0,
        newfd_flags: if close_on_exec { libc::O_CLOEXEC as u32 } else { 0 },
    };
    // SAFETY: the record has the kernel's layout and size, and the descriptor is open.
    let number = unsafe { libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_ADDFD, &raw const handed) };
    let failed = io::Error::last_os_error().raw_os_error().unwrap_or(libc::EMFILE);
    drop(file);
    match number {
        -1 => answer(listener, notification, Err(failed)),
        number if writes => answer(listener, notification, Ok(number.into())),
        _ => {}
    }
}

/// Lets caller and answerer share a processor, which halves the time of an answer (Linux 6.6; older ones go without).
pub(super) fn set_synchronous_wakeup(listener: RawFd) {
    const SYNCHRONOUS: u64 = 1;
    // SAFETY: this request takes a number.
    let _ = unsafe { libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS, SYNCHRONOUS) };
}

/// `libc::bind` or `libc::connect`.
type Call = unsafe extern "C" fn(c_int, *const libc::sockaddr, c_uint) -> c_int;

/// Takes an address, which is raw bytes.
pub(super) fn bind(socket: &OwnedFd, address: &[u8]) -> io::Result<()> {
    with_address(libc::bind, socket, address)
}

/// Connects to an address, which is raw bytes.
pub(super) fn connect(socket: &OwnedFd, address: &[u8]) -> io::Result<()> {
    with_address(libc::connect, socket, address)
}

fn with_address(call: Call, socket: &OwnedFd, bytes: &[u8]) -> io::Result<()> {
    // SAFETY: the pointer and length are those of `bytes`; the kernel checks what is in them.
    let result = unsafe { call(socket.as_raw_fd(), bytes.as_ptr().cast(), bytes.len() as u32) };
    check(result.into()).map(drop)
}
