//! Tests of Python that run without anything installed: from where the library's own runner finds them, and under which names.

use std::collections::BTreeSet;

use ox_protocol::{Check, CheckKind};

use super::project::Project;
use crate::paths::{joined, word};

/// Folders of tests beside what they test.
const TESTS: [&str; 2] = ["tests", "test"];

/// The check over these files of tests, as the project's folder sees them.
pub(super) fn check(project: &Project<'_>, files: &[&str], source: &str) -> Check {
    let places: BTreeSet<(&str, &str)> = files.iter().map(|it| place(project, it)).collect();
    // The runner's own habit is `test*.py`.
    let is_usual = |it: &&str| name(it).starts_with("test");
    let pattern = match (files.iter().all(is_usual), files.iter().any(is_usual)) {
        (true, _) => "",
        (false, true) => " -p '*test*.py'",
        (false, false) => " -p '*_test.py'",
    };
    let from = |(folder, start): (&str, &str)| {
        let inner = Project { dir: joined(&project.dir, folder), ..*project };
        let start = if start.is_empty() { String::new() } else { format!(" -s {}", word(start)) };
        (inner.python() + " -m unittest discover" + &start + pattern, inner)
    };
    let commands: Vec<(String, Project<'_>)> = places.into_iter().map(from).collect();
    match commands.as_slice() {
        [(command, inner)] => {
            let check = inner.tests("unittest", command, source, &format!("{command} -k NAME"));
            Check { source: joined(&project.dir, source), ..check }
        }
        // Folders that are no packages are not looked into from above, so each is run by itself.
        several => {
            let each: Vec<String> = several.iter().map(|it| format!("({})", it.1.here(&it.0))).collect();
            Check { command: each.join(" && "), ..project.check("unittest", CheckKind::Test, "", source) }
        }
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// From which folder a test is run, and where the runner begins to look there.
fn place<'f>(project: &Project<'_>, file: &'f str) -> (&'f str, &'f str) {
    let parent = |it: &'f str| it.rsplit_once('/').map_or("", |it| it.0);
    let mut start = parent(file);
    if let Some(tests) = TESTS.into_iter().find(|it| start == *it || start.starts_with(&format!("{it}/"))) {
        return ("", &file[..tests.len()]);
    }
    // Packages are looked into from the folder above them.
    while !start.is_empty() && project.has(&format!("{start}/__init__.py")) {
        start = parent(start);
    }
    if TESTS.contains(&name(start)) && start.contains('/') { (parent(start), name(start)) } else { (start, "") }
}
