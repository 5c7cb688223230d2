//! The order in which the edits of one reply are made, where it is free: what others depend on before those, new files before
//! changed ones, those before moved and deleted ones.

use std::path::Path;

use ox_protocol::{Call, CallKind, EffectKind, Level};
use serde_json::Value;

/// The indices of `calls` in the order in which they are to run; empty where that is their own. Only edits that follow one
/// another and meet in no file change places, so a command or a look between two edits sees what it was written for.
pub(super) fn order(calls: &[Call], root: &Path) -> Vec<u16> {
    let mut order: Vec<usize> = Vec::with_capacity(calls.len());
    while order.len() < calls.len() {
        let from = order.len();
        let edits = calls[from..].iter().take_while(|it| is_edit(it)).count();
        match edits {
            0 | 1 => order.push(from),
            _ if meet(&calls[from..from + edits]) => order.extend(from..from + edits),
            _ => order.extend(sorted(&calls[from..from + edits], root).into_iter().map(|it| from + it)),
        }
    }
    let own = order.iter().enumerate().all(|(at, it)| at == *it);
    if own { Vec::new() } else { order.into_iter().filter_map(|it| u16::try_from(it).ok()).collect() }
}

fn is_edit(call: &Call) -> bool {
    let facts = &call.facts;
    facts.kind == CallKind::Mutate && facts.level == Level::Edit && facts.command.is_none() && facts.rejected.is_none()
}

/// True where a file is named twice: then the order that was given means something.
fn meet(calls: &[Call]) -> bool {
    let mut paths: Vec<&str> = calls.iter().flat_map(|it| it.facts.paths.iter().map(|it| it.path.as_str())).collect();
    let all = paths.len();
    paths.sort_unstable();
    paths.dedup();
    paths.len() < all || calls.iter().any(|it| it.facts.paths.is_empty())
}

/// By what is done, then by what imports what.
fn sorted(calls: &[Call], root: &Path) -> Vec<usize> {
    let texts: Vec<String> = calls.iter().map(|it| text(it, root)).collect();
    let files: Vec<(&str, &str)> =
        calls.iter().zip(&texts).map(|(call, text)| (call.facts.paths[0].path.as_str(), text.as_str())).collect();
    let mut order = ox_index::dependency_order(&files);
    order.sort_by_key(|it| step(&calls[*it], root));
    order
}

/// Creations come before changes, those before moves, those before deletions.
fn step(call: &Call, root: &Path) -> u8 {
    let there = |path: &str| root.join(path).exists();
    let written = || call.facts.paths.iter().filter(|it| it.write);
    let deletes = call.facts.effects.iter().any(|it| it.kind == EffectKind::Delete);
    match (written().count(), written().any(|it| there(&it.path)), written().all(|it| there(&it.path))) {
        _ if deletes => 3,
        (2.., true, false) => 2,
        (_, true, _) => 1,
        _ => 0,
    }
}

/// What the file will hold, as far as it is known before: what it holds now, and every text of the call.
fn text(call: &Call, root: &Path) -> String {
    let mut text = std::fs::read_to_string(root.join(&call.facts.paths[0].path)).unwrap_or_default();
    let mut left = vec![&call.args];
    while let Some(value) = left.pop() {
        match value {
            Value::String(it) => text.extend(["\n", it]),
            Value::Array(all) => left.extend(all),
            Value::Object(all) => left.extend(all.values()),
            _ => {}
        }
    }
    text
}
