//! The helper, outside: makes the name spaces, starts the process that will be their first, and stays until they are gone.
//!
//! It holds the leash: when Ox closes its socket or dies, everything inside is killed. It runs no code of the command.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use super::plan::{Plan, Reach};
use super::record::Record;
use super::{init, room, sys};

/// What the helper is called by, as first argument.
pub(crate) const CALL: &str = "__sandbox";
/// The message that asks everything inside to end.
pub(crate) const ASK_TO_END: u8 = b'T';

/// Does the helper's work when this process was started as one; none otherwise.
pub(crate) fn answer(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let call = arguments.nth(1)?;
    if call != OsStr::new(CALL) && call != OsStr::new(room::CALL) {
        return None;
    }
    let Ok(socket) = io::stdin().as_fd().try_clone_to_owned() else { return Some(ExitCode::FAILURE) };
    let socket = UnixStream::from(socket);
    if call == OsStr::new(room::CALL) {
        return Some(ExitCode::from(u8::from(room::make(&socket).is_err())));
    }
    let record = serve(&socket).err().map(|it| Record::Failed(it.to_string()));
    for record in record.into_iter().chain([Record::Gone]) {
        // Nobody is left to tell when Ox is gone.
        let _ = (&socket).write_all(&record.encode());
    }
    Some(ExitCode::SUCCESS)
}

/// The descriptors that come with a plan.
pub(super) struct Ends {
    /// The command's standard input.
    pub(super) input: OwnedFd,
    /// Its standard output and error.
    pub(super) output: OwnedFd,
    /// Where the listeners of its doors are waited for.
    pub(super) doors: Option<OwnedFd>,
}

fn serve(socket: &UnixStream) -> io::Result<()> {
    let mut byte = [0];
    let (_, fds) = sys::receive_with(socket.as_fd(), &mut byte)?;
    let mut fds = fds.into_iter();
    let mut next = || fds.next().ok_or_else(|| io::Error::other("the helper was started by hand"));
    let (mut plan, input, output) = (File::from(next()?), next()?, next()?);
    let mut bytes = Vec::new();
    plan.rewind()?;
    plan.read_to_end(&mut bytes)?;
    let plan = Plan::decode(&bytes).ok_or_else(|| io::Error::other("the plan is not whole"))?;
    let doors = if plan.doors.is_empty() { None } else { Some(next()?) };
    let ends = Ends { input, output, doors };
    enclose(&plan, fds.collect())?;
    let (alive, leash) = io::pipe()?;
    let Some(first) = sys::fork()? else {
        drop(leash);
        init::run(&plan, ends, socket, &alive.into());
    };
    drop((alive, ends));
    watch(socket, first)?;
    drop(leash);
    Ok(())
}

/// Enters fresh name spaces of every kind, but for the network's where it is shared: `spaces` are that and its user's.
fn enclose(plan: &Plan, spaces: Vec<OwnedFd>) -> io::Result<()> {
    if !plan.shared {
        let net = if plan.network == Reach::All { 0 } else { libc::CLONE_NEWNET };
        return unshare(sys::WALLS | net).map(drop);
    }
    // The user's is entered first: it gives the right to enter the other.
    for space in spaces.iter().rev() {
        sys::enter(space)?;
    }
    if spaces.is_empty() {
        return Err(io::Error::other("the network to share is missing"));
    }
    unshare(sys::WALLS).map(drop)
}

/// Leaves the name spaces in `flags` for fresh ones. True when that took one of users, too.
pub(super) fn unshare(flags: libc::c_int) -> io::Result<bool> {
    let user = rustix::process::geteuid().as_raw();
    let group = rustix::process::getegid().as_raw();
    if user == 0 {
        sys::drop_groups();
    }
    let Err(error) = sys::unshare(flags | libc::CLONE_NEWUSER) else {
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
        return Ok(true);
    };
    // Where user name spaces are switched off, root can still do without one.
    match user {
        0 => sys::unshare(flags).map(|()| false),
        _ => Err(io::Error::new(error.kind(), format!("no name spaces of its own: {error}"))),
    }
}

/// Waits until the first process inside is gone; passes requests on, and kills when Ox is gone.
fn watch(socket: &UnixStream, first: i32) -> io::Result<()> {
    let process = sys::pidfd(first)?;
    let mut leashed = true;
    loop {
        let fds = [process.as_raw_fd(), socket.as_raw_fd()];
        let ready = sys::poll(if leashed { &fds } else { &fds[..1] }, -1);
        if ready[0].any() {
            sys::wait(first, true)?;
            return Ok(());
        }
        if leashed && ready[1].any() {
            let mut byte = [0];
            match (&mut &*socket).read(&mut byte) {
                Ok(1) if byte[0] == ASK_TO_END => sys::kill(first, libc::SIGTERM),
                _ => {
                    leashed = false;
                    sys::kill(first, libc::SIGKILL);
                }
            }
        }
    }
}
