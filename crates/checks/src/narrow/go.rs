//! `go test` of the packages that have the reached tests.

use std::collections::BTreeSet;

use super::change::{Change, Whole};
use crate::paths::{is_plain, joined, within};

pub(super) fn form(change: &Change<'_>, of: &Whole<'_>) -> Option<String> {
    let head = "go test ";
    let all = of.command.strip_prefix(head)?;
    if !all.split(' ').all(|it| it.ends_with("...")) {
        return None;
    }
    let module = change.snapshot.has(&joined(of.dir, "go.mod"));
    let package = |path: &str| -> Option<String> {
        let inside = within(of.dir, path).filter(|it| it.ends_with("_test.go"))?;
        // A module of its own below is none of this one's packages.
        if module && change.above(path, "go.mod")? != of.dir {
            return None;
        }
        Some(inside.rsplit_once('/').map_or(".".to_owned(), |it| format!("./{}", it.0)))
    };
    let reached: BTreeSet<String> = change.tests.iter().filter_map(|it| package(it)).collect();
    let all: BTreeSet<String> = change.snapshot.paths().filter_map(package).collect();
    if reached.is_empty() || reached.len() == all.len() || !reached.iter().all(|it| is_plain(it)) {
        return None;
    }
    Some(format!("{head}{}", reached.into_iter().collect::<Vec<_>>().join(" ")))
}
