//! The helper, outside: makes the namespaces, starts the process that will be their first, and stays until they are gone.
//!
//! It holds the lifeline: when Ox closes its socket or dies, everything inside is killed. It runs no code of the command.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, kill_process, pidfd_open, waitpid};
use rustix::thread::UnshareFlags;

use super::command::CommandStreams;
use super::message::{ASK_TO_END, CALL, HelperMessage, INWARD_CALL, NETWORK_CALL};
use super::plan::{NetworkAccess, Plan};
use super::{init, inward, namespaces, shared_network, sys};

/// Does the helper's work when this process was started as one; none otherwise.
pub(crate) fn answer(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let call = arguments.nth(1)?;
    if [CALL, NETWORK_CALL, INWARD_CALL].iter().all(|it| call != OsStr::new(it)) {
        return None;
    }
    let Ok(socket) = io::stdin().as_fd().try_clone_to_owned() else { return Some(ExitCode::FAILURE) };
    let socket = UnixStream::from(socket);
    if call == OsStr::new(NETWORK_CALL) {
        return Some(ExitCode::from(u8::from(shared_network::make(&socket).is_err())));
    }
    if call == OsStr::new(INWARD_CALL) {
        return Some(ExitCode::from(u8::from(inward::serve(&socket).is_err())));
    }
    let message = serve(&socket).err().map(|it| HelperMessage::Failed(it.to_string()));
    for message in message.into_iter().chain([HelperMessage::Exited]) {
        // Nobody is left to tell when Ox is gone.
        let _ = (&socket).write_all(&message.encode());
    }
    Some(ExitCode::SUCCESS)
}

fn serve(socket: &UnixStream) -> io::Result<()> {
    let mut fds = sys::receive(socket)?.into_iter();
    let mut next = || fds.next().ok_or_else(|| io::Error::other("the helper was started by hand"));
    let (mut plan, input, output) = (File::from(next()?), next()?, next()?);
    let mut bytes = Vec::new();
    plan.rewind()?;
    plan.read_to_end(&mut bytes)?;
    let plan = Plan::decode(&bytes).ok_or_else(|| io::Error::other("the plan is not whole"))?;
    let forwards = if plan.forwards.is_empty() { None } else { Some(next()?) };
    let ends = CommandStreams { input, output, forwards };
    enclose(&plan, fds.collect())?;
    let (alive, lifeline) = io::pipe()?;
    let Some(first) = sys::fork()? else {
        drop(lifeline);
        init::run(&plan, ends, socket, &alive.into());
    };
    drop((alive, ends));
    watch(socket, first)?;
    drop(lifeline);
    Ok(())
}

/// Enters fresh namespaces of every kind, but for the network's where it is shared: `namespaces` are that and its user's.
fn enclose(plan: &Plan, namespaces: Vec<OwnedFd>) -> io::Result<()> {
    let sandbox_policy = UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    if !plan.shared {
        let net = if plan.network == NetworkAccess::All { UnshareFlags::empty() } else { UnshareFlags::NEWNET };
        return namespaces::unshare(sandbox_policy | net).map(drop);
    }
    shared_network::enter(&namespaces)?;
    namespaces::unshare(sandbox_policy).map(drop)
}

/// Waits until the first process inside is gone; passes requests on, and kills when Ox is gone.
fn watch(socket: &UnixStream, first: Pid) -> io::Result<()> {
    let process = pidfd_open(first, PidfdFlags::empty())?;
    let mut connected = true;
    loop {
        let mut fds = [PollFd::new(&process, PollFlags::IN), PollFd::new(socket, PollFlags::IN)];
        // When it fails nothing is ready, and it is tried again.
        let _ = poll(if connected { &mut fds } else { &mut fds[..1] }, None);
        let [ended, reported] = fds.map(|it| !it.revents().is_empty());
        if ended {
            waitpid(Some(first), WaitOptions::empty())?;
            return Ok(());
        }
        if reported {
            let mut byte = [0];
            let signal = match (&mut &*socket).read(&mut byte) {
                Ok(1) if byte[0] == ASK_TO_END => Signal::TERM,
                _ => {
                    connected = false;
                    Signal::KILL
                }
            };
            // That it is gone already is no error.
            let _ = kill_process(first, signal);
        }
    }
}
