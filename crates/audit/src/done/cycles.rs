//! Circles of imports that were not there before the change.

use std::collections::{BTreeMap, BTreeSet};

use ox_index::{Resolver, Snapshot};
use ox_protocol::{AuditFinding, AuditKind};

use crate::pair::{Pair, finding};

/// Files that are followed from one import at most.
const MOST: usize = 2_000;

pub(crate) fn findings(pairs: &[&Pair<'_>], index: &Snapshot) -> Vec<AuditFinding> {
    let resolver = Resolver::new(index);
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut out: Vec<AuditFinding> = Vec::new();
    for pair in pairs {
        let Some(after) = &pair.change.after else { continue };
        // Modules of Rust and files of Go's packages import one another as they please.
        if !matches!(pair.after.language(), "Python" | "JavaScript" | "TypeScript") {
            continue;
        }
        let (change, facts) = (pair.change, pair.after.facts());
        for import in &facts.imports {
            let line = after.lines().nth(import.line.saturating_sub(1) as usize).unwrap_or_default();
            // One more name of a module that was imported already ties nothing anew.
            let was_tied = || pair.before.facts().imports.iter().any(|it| it.what == import.what);
            let is_new = pair.is_new_import(import) && !was_tied();
            // What is imported late or for types alone closes no circle.
            if !is_new || line.starts_with([' ', '\t']) || line.contains("import type") {
                continue;
            }
            for target in resolver.resolve(&change.path, facts, import) {
                let Some(way) = way(index, &target, &change.path, &mut known) else { continue };
                let about = std::iter::once(change.path.as_str())
                    .chain(way.iter().map(String::as_str))
                    .collect::<Vec<_>>()
                    .join(" → ");
                let is_known = |it: &AuditFinding| {
                    it.kind == AuditKind::ImportCycle
                        && it.about.split(" → ").collect::<BTreeSet<_>>() == about.split(" → ").collect()
                };
                if !out.iter().any(is_known) {
                    out.push(finding(AuditKind::ImportCycle, &change.path, import.line, &about, ("", line)));
                }
            }
        }
    }
    out
}

/// The files over which one file leads back to another.
fn way(index: &Snapshot, from: &str, to: &str, known: &mut BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let mut came: BTreeMap<String, String> = BTreeMap::new();
    let mut left = vec![from.to_owned()];
    while let Some(here) = left.pop() {
        let next = known.entry(here.clone()).or_insert_with(|| index.imported(&here).into_iter().collect()).clone();
        for it in next {
            if it == to {
                let mut way = vec![to.to_owned(), here.clone()];
                let mut at = here;
                while let Some(before) = came.get(&at) {
                    way.push(before.clone());
                    at.clone_from(before);
                }
                way.reverse();
                return Some(way);
            }
            if it != from && came.len() < MOST && !came.contains_key(&it) {
                came.insert(it.clone(), here.clone());
                left.push(it);
            }
        }
    }
    None
}
