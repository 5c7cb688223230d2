//! What a command line would do, found by parsing it, never by running it.
//!
//! The promise is to fail closed: what is not understood is [`Level::Shell`] at least, and what hides or could hide more
//! is [`Level::System`]. Only a line all of whose parts are known to read, inside the project, is [`Level::Read`]. Nothing
//! here starts a process or opens a file; the file system is asked where symlinks of named paths lead, and where a
//! repository is, for nothing else.
//!
//! The way of a line: [`parse`] makes a tree of it, [`walk`] visits its statements, [`word`] and [`expand`] find out what
//! each word becomes, [`simple`] looks every simple command up, in [`programs`] where it needs code and in [`table`]
//! where data says enough, and [`ground`] tells where a path leads.

mod assign;
mod builtins;
mod code;
mod expand;
mod facts;
mod ground;
mod names;
mod parse;
mod programs;
mod redirect;
mod scope;
mod simple;
mod table;
mod walk;
mod word;

use std::path::{Path, PathBuf};

use ox_protocol::{Effect, EffectKind, Level, PathUse, SimpleCommand};

use facts::Facts;
use ground::Ground;
use scope::Scope;
use walk::Walk;

/// The longest line that is analysed, in bytes. A longer one is obscure and so of level 3: nobody reads it before consenting.
pub const LONGEST_LINE: usize = 256 * 1024;

/// Where a command would run.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The project's root; absolute.
    pub root: &'a Path,
    /// The folder that the command starts in; absolute.
    pub cwd: &'a Path,
    /// The user's home; absolute.
    pub home: Option<&'a Path>,
    /// Further folders that count as the project; absolute.
    pub added: &'a [PathBuf],
    /// Command lines of the discovered checks; an equal line is of level 1.
    pub checks: &'a [String],
}

/// What a command line would do.
#[derive(Clone, Debug, PartialEq)]
pub struct Classified {
    /// How far the whole reaches: the highest level among its effects.
    pub level: Level,
    /// What it does, in the order of the text, without repetition; plain reads inside the project are left out.
    pub effects: Vec<Effect>,
    /// The simple commands that do more than read, in the order of the text and an outer one before those it runs: words
    /// joined by one blank, quoted only where needed. Redirections and assignments are no part of them.
    pub commands: Vec<SimpleCommand>,
    /// The paths that are named: relative to the root where they are inside.
    pub paths: Vec<PathUse>,
    /// The hosts that it speaks to; `*` where one is not known.
    pub hosts: Vec<String>,
}

/// Tells what `command` would do when bash runs it in `place`.
pub fn classify(command: &str, place: &Place<'_>) -> Classified {
    let mut facts = Facts::default();
    let is_check = place.checks.iter().any(|it| it.trim() == command.trim());
    if is_check {
        facts.add(EffectKind::Execute, Level::Edit, command.trim());
        facts.command_at(0, command.trim().to_owned(), Level::Edit);
    } else if command.len() > LONGEST_LINE {
        facts.add(EffectKind::Obscure, Level::System, "a line that is too long to be analysed");
    } else {
        let ground = Ground::new(place);
        let mut scope = Scope::new(place.cwd);
        Walk::new(&ground, &mut facts).line(command, &mut scope);
    }
    facts.done()
}
