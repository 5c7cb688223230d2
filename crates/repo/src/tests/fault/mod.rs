//! Faults for tests: counts the calls of [`crate::sys`], lets one fail, or ends the process before one.
//!
//! Compiled for the tests of this crate alone; no other build holds a trace of it.

mod power;

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::io::{Errno, Result};

use crate::sys::Call;
use power::Unsynced;

/// What is to go wrong on this thread.
#[derive(Debug, Default)]
pub(crate) enum Fault {
    #[default]
    None,
    /// The process ends before call `at`, counted from 1; `broken`: after an earlier call failed.
    Kill { at: usize, how: How, broken: Option<usize> },
    /// Call `at` fails; `lasting`: and all later ones that would, in a fixture where this is the cause.
    Fail { at: usize, errno: Errno, lasting: bool },
    /// Before call `at` somebody else writes `theirs` to a file.
    Meddle { at: usize, path: PathBuf },
}

/// How a process ends.
#[derive(Debug)]
pub(crate) enum How {
    /// What it has done stands.
    Plain,
    /// The same, but of the write that it was about to make half is made.
    Torn,
    /// Everything is lost that was not waited for. The folder is for what is needed to undo it.
    PowerCut(PathBuf),
}

#[derive(Default)]
struct State {
    fault: Fault,
    calls: Vec<Call>,
    unsynced: Option<Unsynced>,
}

impl State {
    fn die(&mut self) -> ! {
        if let Some(it) = self.unsynced.as_mut() {
            it.lose();
        }
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        unreachable!("the process has been killed")
    }
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Sets what goes wrong from here on; the count starts again.
pub(crate) fn set(fault: Fault) {
    let unsynced = match &fault {
        Fault::Kill { how: How::PowerCut(vault), .. } => Some(Unsynced::new(vault)),
        _ => None,
    };
    STATE.with_borrow_mut(|it| *it = State { fault, calls: Vec::new(), unsynced });
}

/// The calls since `set`.
pub(crate) fn calls() -> Vec<Call> {
    STATE.with_borrow(|it| it.calls.clone())
}

/// The power is cut now, if it is to be cut at all.
pub(crate) fn cut_power() {
    STATE.with_borrow_mut(|state| {
        if state.unsynced.is_some() {
            state.die();
        }
    });
}

/// Every call passes here before it is made.
pub(crate) fn point(call: Call) -> Result<()> {
    STATE.with_borrow_mut(|state| {
        state.calls.push(call);
        let count = state.calls.len();
        match &state.fault {
            Fault::Kill { at, .. } if *at == count => state.die(),
            Fault::Kill { broken: Some(at), .. } if *at == count => return Err(Errno::IO),
            Fault::Fail { at, errno, .. } if *at == count => return Err(*errno),
            Fault::Fail { at, errno, lasting: true } if *at < count && suits(call, *errno) => return Err(*errno),
            Fault::Meddle { at, path } if *at == count => std::fs::write(path, "theirs").unwrap(),
            _ => {}
        }
        Ok(())
    })
}

/// A full disk still lets names be changed and removed.
fn suits(call: Call, errno: Errno) -> bool {
    let takes_room = matches!(call, Call::Attribute | Call::Create | Call::Link | Call::MakeFolder | Call::Write);
    errno != Errno::NOSPC || takes_room
}

/// Before a write: makes half of it where the process ends in its middle.
pub(crate) fn tear(file: &File, bytes: &[u8]) {
    STATE.with_borrow_mut(|state| {
        if let Fault::Kill { at, how: How::Torn, .. } = state.fault
            && at == state.calls.len() + 1
        {
            let _ = rustix::io::write(file, &bytes[..bytes.len() / 2]);
            state.die();
        }
    });
}

fn record(act: impl FnOnce(&mut Unsynced)) {
    STATE.with_borrow_mut(|state| state.unsynced.as_mut().map(act));
}

pub(crate) fn made(dir: &OwnedFd, name: &OsStr) {
    record(|it| it.made(dir, name));
}

pub(crate) fn wrote(file: &File) {
    record(|it| it.wrote(file));
}

pub(crate) fn synced(file: &File) {
    record(|it| it.synced(file));
}

pub(crate) fn synced_folder(dir: &OwnedFd) {
    record(|it| it.synced_folder(dir));
}

pub(crate) fn synced_all() {
    record(Unsynced::synced_all);
}

pub(crate) fn replacing(dir: &OwnedFd, name: &OsStr) {
    record(|it| it.unlinked(dir, name));
}

pub(crate) fn renamed(from: &OwnedFd, name: &OsStr, to: &OwnedFd, new_name: &OsStr) {
    record(|it| it.renamed(from, name, to, new_name));
}

pub(crate) fn unlinking(dir: &OwnedFd, name: &OsStr) {
    record(|it| it.unlinked(dir, name));
}

pub(crate) fn removing_folder(dir: &OwnedFd, name: &OsStr) {
    record(|it| it.removing_folder(dir, name));
}
