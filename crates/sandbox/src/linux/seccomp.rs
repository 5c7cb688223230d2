//! The third layer: which system calls a command may make at all.
//!
//! What is named here is refused, what is newer than this list does not exist, everything else is allowed: programs need
//! most calls, and the sandbox before this one hold what they do. Calls that decide by the memory behind a pointer are never
//! judged here, because that memory can change: they are handed to the [`super::broker`] or refused as a whole.

#![allow(unsafe_code)]

use std::ffi::{c_long, c_ulong};
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

use libc::{EACCES, EAFNOSUPPORT, ENOSYS, EOPNOTSUPP, EPERM};

use super::bpf::{
    ALLOW, Instruction, KILL, NOTIFY, and, answer, architecture, argument, error, if_equal_skip, number,
    unless_any_skip, unless_at_least_skip, unless_equal_skip,
};
use super::sys::check;
use crate::syscalls::REFUSED;

#[cfg(target_arch = "x86_64")]
const MACHINE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const MACHINE: u32 = 0xC000_00B7;

/// The last call that was looked at when this list was written (Linux 6.18); later ones do not exist for a command.
const NEWEST: u32 = 470;

/// Flags that make a new namespace, as `clone` and `unshare` take them.
const NAMESPACE_FLAGS: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWCGROUP) as u32;
/// `CLONE_NEWTIME`, which only `unshare` takes.
const TIME_NAMESPACE: u32 = 0x80;
/// The set-user-id and set-group-id bits.
const SET_ID: u32 = 0o6000;
const CREATE: u32 = libc::O_CREAT as u32;
/// What opens a file to change it.
const WRITES: u32 = (libc::O_WRONLY | libc::O_RDWR | libc::O_TRUNC) as u32;
/// `SOCK_PACKET`, an old way to whole packets.
const PACKET: u32 = 10;
/// The part of `O_TMPFILE` that no other flag has.
const TEMPORARY: u32 = 0o20_000_000;

/// Terminal requests that type for the user or take the console, and file system requests that make names.
const IOCTLS: [u32; 7] = [
    0x5412,      // TIOCSTI
    0x541C,      // TIOCLINUX
    0x541D,      // TIOCCONS
    0x5000_9401, // BTRFS_IOC_SNAP_CREATE
    0x5000_940E, // BTRFS_IOC_SUBVOL_CREATE
    0x5000_9417, // BTRFS_IOC_SNAP_CREATE_V2
    0x5000_9418, // BTRFS_IOC_SUBVOL_CREATE_V2
];

/// What the broker answers instead of the kernel, beside calls that give a socket an address or a peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Brokered {
    /// Calls that make or move names.
    pub(super) names: bool,
    /// Calls that remove names.
    pub(super) removals: bool,
}

/// Calls that make or move names, those that differ by flags left out.
const NAMING: &[c_long] = &[
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_symlinkat,
    libc::SYS_linkat,
    libc::SYS_renameat2,
    libc::SYS_openat2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_symlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_link,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_renameat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mknod,
];

/// Calls that remove names.
const REMOVING: &[c_long] = &[
    libc::SYS_unlinkat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rmdir,
];

/// The whole filter.
pub(super) fn filter(brokered: Brokered) -> Vec<Instruction> {
    let mut steps = vec![
        architecture(),
        if_equal_skip(MACHINE, 1),
        answer(KILL),
        number(),
        unless_at_least_skip(NEWEST + 1, 1),
        answer(error(ENOSYS)),
    ];
    for (_, call) in REFUSED {
        rule(&mut steps, *call, &[answer(error(EPERM))]);
    }
    namespaces_and_terminals(&mut steps);
    families(&mut steps);
    messages(&mut steps);
    modes(&mut steps, brokered.names);
    if brokered.names {
        NAMING.iter().for_each(|it| rule(&mut steps, *it, &[answer(NOTIFY)]));
    }
    if brokered.removals {
        REMOVING.iter().for_each(|it| rule(&mut steps, *it, &[answer(NOTIFY)]));
    }
    [libc::SYS_bind, libc::SYS_connect].iter().for_each(|it| rule(&mut steps, *it, &[answer(NOTIFY)]));
    steps.push(answer(ALLOW));
    steps
}

/// Appends what becomes of `call`; `steps` end in an answer on every way.
fn rule(steps: &mut Vec<Instruction>, call: c_long, then: &[Instruction]) {
    let skip = u8::try_from(then.len()).expect("no rule is longer than a jump reaches");
    steps.push(unless_equal_skip(call as u32, skip));
    steps.extend(then);
}

/// New namespaces, which would bring capabilities back, and requests to terminals.
fn namespaces_and_terminals(steps: &mut Vec<Instruction>) {
    let refused = |mask: u32| [argument(0), unless_any_skip(mask, 1), answer(error(EPERM)), answer(ALLOW)];
    // `clone` and `fork` are never sent to the broker. The kernel never interrupts them, but it does interrupt a notification
    // that nobody has read yet; a shell whose child ends while it starts the next one would be told that it cannot fork.
    rule(steps, libc::SYS_clone, &refused(NAMESPACE_FLAGS));
    rule(steps, libc::SYS_unshare, &refused(NAMESPACE_FLAGS | TIME_NAMESPACE));
    // A process that hides its memory could not be answered; it is told that it does.
    let hiding = [argument(0), unless_equal_skip(libc::PR_SET_DUMPABLE as u32, 1), answer(error(0)), answer(ALLOW)];
    rule(steps, libc::SYS_prctl, &hiding);
    // Its flags are behind a pointer; libraries go back to `clone` where it does not exist.
    rule(steps, libc::SYS_clone3, &[answer(error(ENOSYS))]);
    // Files without a name are memory that no process need have mapped; libraries go back to files in /dev/shm.
    rule(steps, libc::SYS_memfd_create, &[answer(error(ENOSYS))]);
    let mut requests = vec![argument(1)];
    for request in IOCTLS {
        requests.extend([unless_equal_skip(request, 1), answer(error(EPERM))]);
    }
    requests.push(answer(ALLOW));
    rule(steps, libc::SYS_ioctl, &requests);
}

/// A message that connects its socket on the way would pass by whoever judges addresses.
fn messages(steps: &mut Vec<Instruction>) {
    for (call, flags) in [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)] {
        let connecting = unless_any_skip(libc::MSG_FASTOPEN as u32, 1);
        rule(steps, call, &[argument(flags), connecting, answer(error(EOPNOTSUPP)), answer(ALLOW)]);
    }
}

/// Families of sockets: local ones that connect, internet ones above the packets, and routes to read.
fn families(steps: &mut Vec<Instruction>) {
    // A datagram socket names its receiver in every message, behind a pointer; a raw one is one too in this family.
    let local = |then: &mut Vec<Instruction>| {
        then.push(unless_equal_skip(libc::AF_UNIX as u32, 6));
        then.extend([argument(1), and(0xf), if_equal_skip(libc::SOCK_STREAM as u32, 2)]);
        then.extend([if_equal_skip(libc::SOCK_SEQPACKET as u32, 1), answer(error(EACCES)), answer(ALLOW)]);
    };
    let mut socket = vec![argument(0)];
    local(&mut socket);
    let internet = [argument(1), and(0xf), if_equal_skip(libc::SOCK_RAW as u32, 2), if_equal_skip(PACKET, 1)];
    socket.push(if_equal_skip(libc::AF_INET as u32, 1));
    socket.push(unless_equal_skip(libc::AF_INET6 as u32, 6));
    socket.extend(internet);
    socket.extend([answer(ALLOW), answer(error(EPERM))]);
    socket.push(unless_equal_skip(libc::AF_NETLINK as u32, 3));
    socket.extend([argument(2), unless_equal_skip(libc::NETLINK_ROUTE as u32, 1), answer(ALLOW)]);
    socket.push(answer(error(EAFNOSUPPORT)));
    rule(steps, libc::SYS_socket, &socket);
    let mut pair = vec![argument(0)];
    local(&mut pair);
    pair.push(answer(error(EAFNOSUPPORT)));
    rule(steps, libc::SYS_socketpair, &pair);
}

/// Calls with a mode: no file gets the right to act as its owner. Calls that make or change a file by a flag may be asked about.
fn modes(steps: &mut Vec<Instruction>, ask: bool) {
    let refused = |index: u32| [argument(index), unless_any_skip(SET_ID, 1), answer(error(EPERM)), answer(ALLOW)];
    rule(steps, libc::SYS_fchmod, &refused(1));
    rule(steps, libc::SYS_fchmodat, &refused(2));
    rule(steps, 452, &refused(2)); // fchmodat2
    let brokered = if ask { NOTIFY } else { ALLOW };
    let opening = |flags: u32, mode: u32| {
        [
            argument(flags),
            unless_any_skip(CREATE | TEMPORARY, 3),
            argument(mode),
            unless_any_skip(SET_ID, 1),
            answer(error(EPERM)),
            argument(flags),
            unless_any_skip(TEMPORARY, 1),
            answer(ALLOW),
            unless_any_skip(CREATE | WRITES, 1),
            answer(brokered),
            answer(ALLOW),
        ]
    };
    rule(steps, libc::SYS_openat, &opening(2, 3));
    #[cfg(target_arch = "x86_64")]
    {
        rule(steps, libc::SYS_chmod, &refused(1));
        rule(steps, libc::SYS_open, &opening(1, 2));
        rule(
            steps,
            libc::SYS_creat,
            &[argument(1), unless_any_skip(SET_ID, 1), answer(error(EPERM)), answer(brokered)],
        );
    }
}

/// Puts the filter on this process for good. Answers with the descriptor where notifications come.
pub(super) fn install(brokered: Brokered) -> io::Result<OwnedFd> {
    let mut steps = filter(brokered);
    let program = libc::sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
    // SAFETY: `program` names as many instructions as `steps` holds, and both live until the call returns.
    let put = |flags: c_ulong| unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program)
    };
    let mut result = put(libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
    // Before Linux 5.19 any signal breaks off a call that is asked about; that is the one difference.
    if result == -1 && io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL) {
        result = put(libc::SECCOMP_FILTER_FLAG_NEW_LISTENER);
    }
    // SAFETY: with the listener flag the result is a new descriptor that nobody else has.
    check(result).map(|fd| unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}
