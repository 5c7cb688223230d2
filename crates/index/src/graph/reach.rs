//! From what somebody names, a path or a symbol, to what a change of it reaches, and to the tests that should run then.
//!
//! It runs nothing and decides nothing: where it cannot tell, it says so, and who asked runs everything.

use std::collections::HashSet;

use ox_syntax::is_test;

use super::impact::impacts;
use super::reached::{Impact, Reached, Target};
use super::users::Users;
use crate::{How, Snapshot};

/// Definitions of one name that are followed.
const MOST_TARGETS: usize = 50;
/// Places that are looked at for the tests of one change.
const MOST_REACHED: usize = 2_000;

/// What `named` may stand for: a file by its path or the end of it, `PATH:SYMBOL`, a symbol by its name or qualified name, or
/// the files of a folder. Empty where the project has nothing of the kind.
pub fn targets(snapshot: &Snapshot, named: &str) -> Vec<Target> {
    let named = named.trim();
    let path = named.trim_start_matches("./").trim_end_matches('/');
    if snapshot.has(path) {
        return vec![Target::File(path.to_owned())];
    }
    if let Some((file, name)) =
        named.split_once(':').map(|it| (it.0.trim_start_matches("./"), it.1.trim_start_matches(':')))
        && let [file] = files(snapshot, file).as_slice()
    {
        let defined = snapshot.defined(name, How::Exact, usize::MAX).into_iter().filter(|it| it.path == *file);
        return symbols(defined.map(|it| (it.path, it.symbol)).collect());
    }
    let known = snapshot.defined(named, How::Exact, MOST_TARGETS);
    if !known.is_empty() {
        return symbols(known.into_iter().map(|it| (it.path, it.symbol)).collect());
    }
    let files = files(snapshot, path);
    if !files.is_empty() {
        return files.into_iter().take(MOST_TARGETS).map(Target::File).collect();
    }
    let below = format!("{path}/");
    let inside = snapshot.paths().filter(|it| it.starts_with(&below)).take(MOST_TARGETS);
    inside.map(|it| Target::File(it.to_owned())).collect()
}

fn files(snapshot: &Snapshot, path: &str) -> Vec<String> {
    if snapshot.has(path) { vec![path.to_owned()] } else { snapshot.by_suffix(path) }
}

/// One target for each definition; those that only announce one stand back where there is one.
fn symbols(found: Vec<(String, ox_syntax::Symbol)>) -> Vec<Target> {
    let real = found.iter().any(|it| !it.1.is_declaration);
    let mut targets: Vec<Target> = Vec::new();
    for (path, symbol) in found.into_iter().filter(|it| !real || !it.1.is_declaration) {
        let target = Target::Symbol { path, name: symbol.qualified };
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    targets
}

/// What a change of all `targets` together reaches, the nearest first, at most `limit` places. What is changed itself is not
/// among them.
pub fn reached(snapshot: &Snapshot, targets: &[Target], limit: usize) -> Impact {
    impacts(Users::new(snapshot), targets, limit)
}

/// The tests that a change can reach.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tests {
    /// One for each file with tests, the nearest first, with the way to it; a changed test itself has no way.
    pub items: Vec<Reached>,
    /// False where there may be others: a file of no known language changed, one is gone, or there was too much to look at.
    /// All tests are to be run then.
    pub complete: bool,
}

/// The tests that a change of the files `changed` can reach, by imports, uses and names.
pub fn tests_for(snapshot: &Snapshot, changed: &[&str]) -> Tests {
    let users = Users::new(snapshot);
    let edges = &users.edges;
    let known = |path: &str| {
        !edges.facts(path).symbols.is_empty() || !edges.importers(path).is_empty() || !edges.ties(path).is_empty()
    };
    let mut tests = Tests { items: Vec::new(), complete: changed.iter().all(|it| known(it)) };
    let own = changed.iter().filter(|it| is_test(it) || edges.facts(it).symbols.iter().any(|it| it.test));
    tests.items.extend(own.map(|it| Reached {
        path: (*it).to_owned(),
        symbol: None,
        test: true,
        distance: 0,
        because: Vec::new(),
    }));
    let targets: Vec<Target> = changed.iter().map(|it| Target::File((*it).to_owned())).collect();
    let reached = impacts(users, &targets, MOST_REACHED);
    tests.complete &= !reached.cut;
    let mut seen: HashSet<String> = tests.items.iter().map(|it| it.path.clone()).collect();
    tests.items.extend(reached.items.into_iter().filter(|it| it.test && seen.insert(it.path.clone())));
    tests
}
