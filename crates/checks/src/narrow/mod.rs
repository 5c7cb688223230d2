//! Narrower forms of the project's checks: the same program over the files that changed, or over the tests that a change can
//! reach by the dependency graph. They come first, so that a mistake is told soon; what they pass proves nothing, and the
//! whole check always follows. Nothing is run here, and a check whose command is not understood has no narrower form.

mod cargo;
mod change;
mod files;
mod go;
mod jvm;
mod node;
mod python;
mod reach;

use change::{Change, Whole};
use ox_index::{Snapshot, tests_for};
use ox_protocol::{Check, CheckKind, NARROW};
use ox_repo::Tree;
pub(crate) use reach::note_untested;
pub use reach::reached;

use crate::paths::is_plain;

/// What a narrower form of a command may be, one family each.
const FAMILIES: [fn(&Change<'_>, &Whole<'_>) -> Option<String>; 6] =
    [cargo::form, python::form, node::form, go::form, jvm::form, files::form];

/// The narrower form of each check for a change of the files `changed`, where there is one.
pub fn narrow(checks: &[Check], tree: &Tree, snapshot: &Snapshot, changed: &[String]) -> Vec<Option<Check>> {
    let files: Vec<&str> = changed.iter().map(String::as_str).filter(|it| snapshot.has(it)).collect();
    let tests = tests_for(snapshot, &files).items.into_iter().map(|it| it.path).collect();
    let change = Change { tree, snapshot, files, tests };
    checks.iter().map(|it| form(&change, it)).collect()
}

fn form(change: &Change<'_>, check: &Check) -> Option<Check> {
    if !matches!(check.kind, CheckKind::Lint | CheckKind::Test) {
        return None;
    }
    let (dir, command) = match check.command.split_once(" && ") {
        Some((first, rest)) => (first.strip_prefix("cd ").filter(|it| is_plain(it))?, rest),
        None => ("", check.command.as_str()),
    };
    let narrower = FAMILIES.iter().find_map(|it| it(change, &Whole { check, dir, command }))?;
    let command = if dir.is_empty() { narrower } else { format!("cd {dir} && {narrower}") };
    Some(Check {
        name: format!("{}{NARROW}", check.name),
        command,
        part_of: Some(check.command.clone()),
        ..check.clone()
    })
}

#[cfg(test)]
mod tests;
