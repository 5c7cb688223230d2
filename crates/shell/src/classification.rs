//! What classification is given and what it answers.

use std::path::{Path, PathBuf};

use ox_protocol::{Effect, Level, PathUse, SimpleCommand};

/// What a path names on the machine, its last part not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Nothing that can be seen.
    Missing,
    /// A symlink, with its target as it is written there.
    Symlink(PathBuf),
    /// A folder.
    Directory,
    /// A file of any other kind.
    File,
}

/// Where a command would run.
#[derive(Clone, Copy, Debug)]
pub struct ExecutionContext<'a> {
    /// The project's root; absolute.
    pub root: &'a Path,
    /// The folder that the command starts in; absolute.
    pub cwd: &'a Path,
    /// The user's home; absolute.
    pub home: Option<&'a Path>,
    /// Further folders that count as the project; absolute.
    pub added: &'a [PathBuf],
    /// Command lines of the discovered checks; an equal line is of level edit.
    pub checks: &'a [String],
    /// Tells what is at an absolute path: where symlinks lead and where a repository begins is asked, nothing else.
    pub lookup: fn(&Path) -> Entry,
}

/// What a command line would do.
#[derive(Clone, Debug, PartialEq)]
pub struct Classification {
    /// How far the whole reaches: the highest level among its effects.
    pub level: Level,
    /// What it does, in the order of the text, without repetition; plain reads inside the project are left out.
    pub effects: Vec<Effect>,
    /// The simple commands that do more than read, in the order of the text and an outer one before those it runs: words
    /// joined by one blank, quoted only where needed. Redirections and assignments are no part of them.
    pub commands: Vec<SimpleCommand>,
    /// True where a redirection or an assignment decides something, so that the line is more than its simple commands.
    pub steered: bool,
    /// The paths that are named: relative to the root where they are inside.
    pub paths: Vec<PathUse>,
    /// The hosts that it speaks to; `*` where one is not known.
    pub hosts: Vec<String>,
}
