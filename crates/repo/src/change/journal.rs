//! The journal of a change that is under way: its plan, and then a marker for each stage that it has reached.
//!
//! It is a file in a folder of Ox's own, which nobody else can read, and says something only while a change is under way or
//! after one was cut short. Nothing is changed before the plan is on the disk; what comes after a crash depends on the
//! stage: a transaction is taken back until it is complete, a restore is completed from the moment that it is staged.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::OwnedFd;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::codec::{framed, frames};
use crate::sys;

/// The first bytes; the last of them is the version.
const MAGIC: &[u8; 8] = b"OXJRNL\n2";

/// How far a change has come, in the order in which it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Its plan is on the disk.
    Planned,
    /// Everything new is on the disk under temporary names.
    Staged,
    /// All changes are made and on the disk.
    Complete,
}

/// The journal of one tree or store. Whoever has it holds the lock that goes with it.
#[derive(Debug)]
pub(crate) struct Journal {
    dir: OwnedFd,
    name: String,
    file: File,
    /// Where the plan ends; 0 without one.
    plan: u64,
}

impl Journal {
    /// The journal `file`, called `name` in `dir`.
    pub(crate) fn new(dir: OwnedFd, name: &str, file: File) -> Journal {
        Journal { dir, name: name.to_owned(), file, plan: 0 }
    }

    /// What a change that was cut short has left: its plan and its stage. A plan that is not whole is none: nothing is
    /// changed before it is.
    pub(crate) fn read<P: DeserializeOwned>(&mut self) -> io::Result<Option<(P, Stage)>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(0))?;
        self.file.read_to_end(&mut bytes)?;
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return match bytes.len() < MAGIC.len() || bytes.iter().all(|it| *it == 0) {
                true => Ok(None),
                false => Err(io::Error::other("it was written by another version of Ox; run that version once")),
            };
        };
        let mut frames = frames(rest);
        let Some(body) = frames.next() else { return Ok(None) };
        let plan = postcard::from_bytes(body).map_err(|_| io::Error::other("it is damaged"))?;
        self.plan = (MAGIC.len() + framed(body).len()) as u64;
        let stage = frames.last().map_or(Stage::Planned, |it| match it {
            [1] => Stage::Staged,
            _ => Stage::Complete,
        });
        Ok(Some((plan, stage)))
    }

    /// True when nothing has been written to it.
    pub(crate) fn is_empty(&self) -> io::Result<bool> {
        Ok(self.file.metadata()?.len() == 0)
    }

    /// Writes the plan; `durable`: and waits until it is on the disk.
    pub(crate) fn begin(&mut self, plan: &impl Serialize, durable: bool) -> io::Result<()> {
        if !self.is_empty()? {
            sys::truncate(&self.file, 0)?;
        }
        self.file.seek(SeekFrom::Start(0))?;
        let body = postcard::to_stdvec(plan).map_err(io::Error::other)?;
        let bytes = [MAGIC.as_slice(), &framed(&body)].concat();
        self.plan = bytes.len() as u64;
        sys::write(&self.file, &bytes)?;
        if durable {
            sys::sync(&self.file)?;
            sys::sync_folder(&self.dir)?;
        }
        Ok(())
    }

    /// Says that the change has reached a stage.
    pub(crate) fn mark(&mut self, stage: Stage) -> io::Result<()> {
        self.file.seek(SeekFrom::End(0))?;
        sys::write(&self.file, &framed(&[stage as u8]))?;
        Ok(sys::sync(&self.file)?)
    }

    /// Takes back every marker after that of `stage`, which may or may not be on the disk.
    pub(crate) fn back_to(&mut self, stage: Stage) -> io::Result<()> {
        let markers = if stage == Stage::Staged { framed(&[0]).len() as u64 } else { 0 };
        sys::truncate(&self.file, self.plan + markers)?;
        Ok(sys::sync(&self.file)?)
    }

    /// Forgets the plan, so that nothing comes of it any more.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        sys::truncate(&self.file, 0)?;
        sys::sync(&self.file)?;
        self.plan = 0;
        Ok(())
    }

    /// Empties the journal, which has nothing left to say. Where that fails it says what is true: the change is complete, or
    /// it was one step that the file system made atomic.
    pub(crate) fn release(self) {
        if self.plan > 0 {
            let _ = sys::truncate(&self.file, 0);
        }
    }

    /// Removes the journal, which has nothing left to say.
    pub(crate) fn remove(self) {
        let _ = sys::unlink(&self.dir, self.name.as_ref());
    }
}
