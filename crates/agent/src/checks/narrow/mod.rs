//! Narrower forms of the project's checks: the same program over the files that changed, or over the tests that a change can
//! reach by the dependency graph. They come first, so that a mistake is told soon; what they pass proves nothing, and the
//! whole check always follows. Nothing is run here, and a check whose command is not understood has no narrower form.

mod cargo;
mod go;
mod jvm;
mod node;
mod python;

use ox_index::{Snapshot, tests_for};
use ox_protocol::{Check, CheckKind};
use ox_repo::Tree;

use super::paths::{is_plain, joined, within};

/// Files that one narrower form names at most; the nearest to the change come first.
const MOST_FILES: usize = 40;
/// A narrower form that would run this share of a project's test files is no saving.
const SHARE: f64 = 0.6;

/// What narrower forms are made from.
struct Change<'a> {
    tree: &'a Tree,
    snapshot: &'a Snapshot,
    /// The changed files that are still there.
    files: Vec<&'a str>,
    /// Files of tests that the change can reach, the nearest first.
    tests: Vec<String>,
}

/// One check as a family looks at it: its command without the leading `cd DIR &&`.
struct Whole<'a> {
    check: &'a Check,
    dir: &'a str,
    command: &'a str,
}

/// What a narrower form of a command may be, one family each.
const FAMILIES: [fn(&Change<'_>, &Whole<'_>) -> Option<String>; 5] =
    [cargo::form, python::form, node::form, go::form, jvm::form];

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
        name: format!("{} (narrow)", check.name),
        command,
        part_of: Some(check.command.clone()),
        ..check.clone()
    })
}

impl Change<'_> {
    /// The reached tests in the folder of a check with one of these endings, as seen from there, at most [`MOST_FILES`]; none
    /// where they are most of all there are.
    fn tests_of(&self, of: &Whole<'_>, endings: &[&str], is_test: fn(&str) -> bool) -> Vec<String> {
        let fits = |it: &str| endings.iter().any(|ending| it.ends_with(ending)) && is_test(it);
        let inside = |it: &str| within(of.dir, it).filter(|it| fits(it)).map(str::to_owned);
        let chosen: Vec<String> = self.tests.iter().filter_map(|it| inside(it)).take(MOST_FILES).collect();
        let all = self.snapshot.paths().filter(|it| inside(it).is_some()).count();
        if chosen.len() as f64 > all as f64 * SHARE { Vec::new() } else { chosen }
    }

    /// The changed files in the folder of a check with one of these endings, as seen from there.
    fn files_of(&self, of: &Whole<'_>, endings: &[&str]) -> Vec<String> {
        let inside = self.files.iter().filter_map(|it| within(of.dir, it));
        let fits = inside.filter(|it| endings.iter().any(|ending| it.ends_with(ending)));
        fits.take(MOST_FILES).map(str::to_owned).collect()
    }

    fn text(&self, path: &str) -> Option<String> {
        if self.snapshot.has(path) { self.tree.read(path).ok().map(|it| it.text) } else { None }
    }

    /// The nearest folder above a file that has `manifest`, both as the project sees them.
    fn above<'p>(&self, path: &'p str, manifest: &str) -> Option<&'p str> {
        let mut here = path;
        loop {
            here = here.rsplit_once('/').map_or("", |it| it.0);
            if self.snapshot.has(&joined(here, manifest)) {
                return Some(here);
            }
            if here.is_empty() {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests;
