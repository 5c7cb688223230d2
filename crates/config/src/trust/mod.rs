//! Trust in a folder: before it is given, nothing of the project is believed and nothing of it runs by itself.
//!
//! What is trusted is a list of things, each by its content: keys of the project's configuration, its checks, its hooks
//! and the scripts that these name. A thing that is new or changed, for example after a pull, is asked about again; one
//! that is gone or came back as it was is not. Trust is bound to the folder itself, links followed, and to no folder above
//! or below it. The record lies among the user's own files; without one, or where it cannot be read, nothing is trusted.

mod items;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ox_protocol::{Problem, Time};
use serde::{Deserialize, Serialize};

use crate::state::{self, ProjectState};

pub use items::{ItemKind, TrustItem, items, trusted_files};

const PAGE: &str = "trust";

/// The record of all folders that the user was asked about.
#[derive(Clone, Debug)]
pub struct Trust {
    state: PathBuf,
}

/// How a folder stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustState {
    /// Everything in it was trusted as it is.
    Trusted,
    /// Nobody was asked yet.
    Unknown,
    /// It was refused; it stays refused whatever changes in it.
    Refused,
    /// It was trusted, and something has come or changed since.
    Changed,
}

/// A folder as it is found.
#[derive(Clone, Debug)]
pub struct FolderTrust {
    /// How it stands.
    pub state: TrustState,
    /// TrustItem there is to trust.
    pub items: Vec<TrustItem>,
    /// Why its configuration cannot be read, where it cannot.
    pub broken: Option<Problem>,
}

/// An entry of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The folder.
    pub root: PathBuf,
    /// True where it is trusted, false where it was refused.
    pub trusted: bool,
    /// When that was said.
    pub time: Time,
}

/// TrustItem was said of one folder.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Record {
    answer: Answer,
    /// Fingerprints of all that was ever trusted in it.
    things: BTreeSet<String>,
    time: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    #[default]
    None,
    Trusted,
    Refused,
}

impl Trust {
    /// The record in the folder `state`. Nothing is read yet.
    pub fn open(state: &Path) -> Trust {
        Trust { state: state.to_path_buf() }
    }

    /// How the folder `root` stands.
    pub fn of(&self, root: &Path) -> TrustState {
        self.look(root, None).state
    }

    /// How the folder `root` stands, and what there is to trust in it. `own` is the user's own file of configuration: in a
    /// home folder that is a project too, it is nobody else's.
    pub fn look(&self, root: &Path, own: Option<&Path>) -> FolderTrust {
        self.look_like(root, root, own)
    }

    /// The same by the record of another folder, `like`: that of the work tree which `root` is a worktree of. Each thing counts
    /// by its content, so what differs from what was trusted there is not trusted.
    pub fn look_like(&self, root: &Path, like: &Path, own: Option<&Path>) -> FolderTrust {
        let (mut items, broken) = match self::items::items(root, own) {
            Ok(items) => (items, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        // A record that cannot be read says nothing, and then nothing is trusted.
        let record: Record = ProjectState::of(&self.state, like).read(PAGE).ok().flatten().unwrap_or_default();
        for item in &mut items {
            item.known = record.answer == Answer::Trusted && record.things.contains(&item.fingerprint);
        }
        let state = match record.answer {
            Answer::None => TrustState::Unknown,
            Answer::Refused => TrustState::Refused,
            Answer::Trusted if items.iter().all(|it| it.known) => TrustState::Trusted,
            Answer::Trusted => TrustState::Changed,
        };
        FolderTrust { state, items, broken }
    }

    /// Trusts the folder with exactly these things, which somebody has seen. TrustItem was trusted in it before stays so.
    pub fn grant(&self, root: &Path, items: &[TrustItem], time: Time) -> Result<(), Problem> {
        self.answer(root, Answer::Trusted, time, |record| {
            record.things.extend(items.iter().map(|it| it.fingerprint.clone()));
        })
    }

    /// Refuses the folder, until somebody says otherwise.
    pub fn refuse(&self, root: &Path, time: Time) -> Result<(), Problem> {
        self.answer(root, Answer::Refused, time, |record| record.things.clear())
    }

    /// Forgets what was said of the folder. True when something was.
    pub fn revoke(&self, root: &Path, time: Time) -> Result<bool, Problem> {
        let mut before = Answer::None;
        if ProjectState::of(&self.state, root).file(PAGE).exists() {
            self.answer(root, Answer::None, time, |record| {
                before = record.answer;
                record.things.clear();
            })?;
        }
        Ok(before != Answer::None)
    }

    /// All folders of which something was said, by their paths.
    pub fn list(&self) -> Vec<Entry> {
        let said = state::every::<Record>(&self.state, PAGE).into_iter().filter(|(_, it)| it.answer != Answer::None);
        let entry =
            |(root, it): (PathBuf, Record)| Entry { root, trusted: it.answer == Answer::Trusted, time: Time(it.time) };
        said.map(entry).collect()
    }

    fn answer(&self, root: &Path, answer: Answer, time: Time, change: impl FnOnce(&mut Record)) -> Result<(), Problem> {
        ProjectState::of(&self.state, root).change(PAGE, |record: &mut Record| {
            change(record);
            record.answer = answer;
            record.time = time.0;
        })
    }
}

impl FolderTrust {
    /// True when the project's configuration counts: it is trusted, or says nothing at all.
    pub fn counts(&self) -> bool {
        self.state == TrustState::Trusted || (self.items.is_empty() && self.broken.is_none())
    }

    /// True when somebody should be asked.
    pub fn asks(&self) -> bool {
        !self.counts() && self.broken.is_none() && self.state != TrustState::Refused
    }
}

#[cfg(test)]
mod tests;
