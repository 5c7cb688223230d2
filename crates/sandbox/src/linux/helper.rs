//! The helper, outside: makes the name spaces, starts the process that will be their first, and stays until they are gone.
//!
//! It holds the leash: when Ox closes its socket or dies, everything inside is killed. It runs no code of the command.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, kill_process, pidfd_open, waitpid};
use rustix::thread::{UnshareFlags, move_into_link_name_space, set_thread_groups};

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
    let mut fds = sys::receive(socket)?.into_iter();
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
    let walls = UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    if !plan.shared {
        let net = if plan.network == Reach::All { UnshareFlags::empty() } else { UnshareFlags::NEWNET };
        return unshare(walls | net).map(drop);
    }
    // The user's is entered first: it gives the right to enter the other.
    for space in spaces.iter().rev() {
        move_into_link_name_space(space.as_fd(), None)?;
    }
    if spaces.is_empty() {
        return Err(io::Error::other("the network to share is missing"));
    }
    unshare(walls).map(drop)
}

/// Leaves the name spaces in `flags` for fresh ones. True when that took one of users, too.
pub(super) fn unshare(flags: UnshareFlags) -> io::Result<bool> {
    let user = rustix::process::geteuid().as_raw();
    let group = rustix::process::getegid().as_raw();
    if user == 0 {
        // Without the right to it fails, which is harmless: they are the user's own.
        let _ = set_thread_groups(&[]);
    }
    let Err(error) = sys::unshare(flags | UnshareFlags::NEWUSER) else {
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
fn watch(socket: &UnixStream, first: Pid) -> io::Result<()> {
    let process = pidfd_open(first, PidfdFlags::empty())?;
    let mut leashed = true;
    loop {
        let mut fds = [PollFd::new(&process, PollFlags::IN), PollFd::new(socket, PollFlags::IN)];
        // When it fails nothing is ready, and it is tried again.
        let _ = poll(if leashed { &mut fds } else { &mut fds[..1] }, None);
        let [ended, told] = fds.map(|it| !it.revents().is_empty());
        if ended {
            waitpid(Some(first), WaitOptions::empty())?;
            return Ok(());
        }
        if told {
            let mut byte = [0];
            let signal = match (&mut &*socket).read(&mut byte) {
                Ok(1) if byte[0] == ASK_TO_END => Signal::TERM,
                _ => {
                    leashed = false;
                    Signal::KILL
                }
            };
            // That it is gone already is no error.
            let _ = kill_process(first, signal);
        }
    }
}
