//! Questions of the system call filter, as the kernel puts them, and how they are answered.

#![allow(unsafe_code)]

use std::ffi::c_ulong;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

const RECEIVE: c_ulong = 0xc050_2100;
const SEND: c_ulong = 0xc018_2101;
const STILL_ASKED: c_ulong = 0x4008_2102;
const ADD_FD: c_ulong = 0x4018_2103;
const SET_FLAGS: c_ulong = 0x4008_2104;

/// A system call that waits for an answer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Question {
    id: u64,
    /// The thread that asks.
    pub(super) thread: u32,
    flags: u32,
    /// The number of the call.
    pub(super) call: i32,
    machine: u32,
    place: u64,
    /// Its arguments.
    pub(super) arguments: [u64; 6],
}

#[repr(C)]
struct Answer {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

#[repr(C)]
struct Handed {
    id: u64,
    flags: u32,
    from: u32,
    to: u32,
    to_flags: u32,
}

/// The next question; none when whoever asked is gone already.
pub(super) fn receive(listener: RawFd) -> Option<Question> {
    let mut question = Question::default();
    // SAFETY: the record has the kernel's layout and size and starts zeroed, as the kernel wants.
    let result = unsafe { libc::ioctl(listener, RECEIVE, &raw mut question) };
    (result == 0).then_some(question)
}

/// True while the thread that asked still waits, so that its id is not another's yet.
pub(super) fn is_asked(listener: RawFd, question: &Question) -> bool {
    // SAFETY: the pointer is to the number that the kernel reads.
    unsafe { libc::ioctl(listener, STILL_ASKED, &raw const question.id) == 0 }
}

/// Answers with a result. That nobody waits any more is no error.
pub(super) fn answer(listener: RawFd, question: &Question, result: Result<i64, i32>) {
    let (value, error) = match result {
        Ok(value) => (value, 0),
        Err(error) => (0, -error),
    };
    let answer = Answer { id: question.id, value, error, flags: 0 };
    // SAFETY: the record has the kernel's layout and size.
    let _ = unsafe { libc::ioctl(listener, SEND, &raw const answer) };
}

/// Answers with a copy of `fd` in the asking process.
pub(super) fn hand(listener: RawFd, question: &Question, fd: &OwnedFd, close_on_exec: bool) {
    const AND_ANSWER: u32 = 2;
    let to_flags = if close_on_exec { libc::O_CLOEXEC as u32 } else { 0 };
    let handed = Handed { id: question.id, flags: AND_ANSWER, from: fd.as_raw_fd() as u32, to: 0, to_flags };
    // SAFETY: the record has the kernel's layout and size, and the descriptor is open.
    if unsafe { libc::ioctl(listener, ADD_FD, &raw const handed) } == -1 {
        let error = io::Error::last_os_error().raw_os_error().unwrap_or(libc::EMFILE);
        answer(listener, question, Err(error));
    }
}

/// Lets asker and answerer share a processor, which halves the time of an answer (Linux 6.6; older ones go without).
pub(super) fn wake_at_once(listener: RawFd) {
    const SYNCHRONOUS: u64 = 1;
    // SAFETY: this request takes a number.
    let _ = unsafe { libc::ioctl(listener, SET_FLAGS, SYNCHRONOUS) };
}

/// A copy of a descriptor of another process.
pub(super) fn copy_fd(process: &OwnedFd, fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: takes numbers; the descriptor returned is new and nobody else's.
    unsafe {
        match libc::syscall(libc::SYS_pidfd_getfd, process.as_raw_fd(), fd, 0) {
            -1 => Err(io::Error::last_os_error()),
            fd => Ok(OwnedFd::from_raw_fd(fd as RawFd)),
        }
    }
}

/// `connect` or `bind` with an address as raw bytes.
pub(super) fn address(call: Address, socket: &OwnedFd, bytes: &[u8]) -> io::Result<()> {
    let (fd, pointer, length) = (socket.as_raw_fd(), bytes.as_ptr().cast(), bytes.len() as u32);
    // SAFETY: the pointer and length are those of `bytes`; the kernel checks what is in them.
    let result = unsafe {
        match call {
            Address::Bind => libc::bind(fd, pointer, length),
            Address::Connect => libc::connect(fd, pointer, length),
        }
    };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// What to do with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// Take it.
    Bind,
    /// Go to it.
    Connect,
}
