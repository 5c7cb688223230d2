//! Which results stay whole although they are old: what the model works from, and what nobody has resolved.

use std::collections::{BTreeMap, BTreeSet};

use ox_protocol::{Call, CallId, CallKind, Event, Frame, Outcome, Section};

use crate::transcript::remembered;

/// Sections that are never left out: what the user and the project demand, and what the turn is about.
const PINNED: [&str; 5] = ["rules", "mode", "plan", "scope", "environment"];

/// True for a section that is never left out.
pub(super) fn is_pinned(section: &Section) -> bool {
    PINNED.contains(&section.name.split(':').next().unwrap_or_default())
}

/// A longer error is no pin: its beginning says what it is about.
const LONGEST_ERROR: usize = 4_000;

/// The calls whose results are never shortened.
pub(super) fn pinned_calls(frames: &[Frame]) -> BTreeSet<CallId> {
    let settled = settled(frames);
    let mut kept: BTreeSet<CallId> = BTreeSet::new();
    kept.extend(latest_reads_of_edited_files(frames, &settled));
    kept.extend(unresolved(&settled).into_iter().map(|(call, _)| call.id.clone()));
    // The user's decisions, the plan and the todo list; logs of earlier versions say so of questions alone.
    let pinned = |call: &Call| call.facts.pinned || call.facts.kind == CallKind::Question;
    kept.extend(settled.iter().filter(|(call, _)| pinned(call)).map(|(it, _)| it.id.clone()));
    kept
}

/// Every call that has a result, in order.
pub(super) fn settled(frames: &[Frame]) -> Vec<(&Call, &Outcome)> {
    let mut calls: BTreeMap<&CallId, &Call> = BTreeMap::new();
    let mut settled = Vec::new();
    for frame in remembered(frames) {
        match &frame.event {
            Event::StreamComplete { calls: new, .. } => calls.extend(new.iter().map(|it| (&it.id, it))),
            Event::Amended { call } => drop(calls.insert(&call.id, call)),
            Event::ToolComplete { call, outcome, .. } => settled.extend(calls.get(call).map(|it| (*it, outcome))),
            _ => {}
        }
    }
    settled
}

/// Failures that no later call of the same kind about the same thing has made good.
pub(super) fn unresolved<'a>(settled: &[(&'a Call, &'a Outcome)]) -> Vec<(&'a Call, &'a Outcome)> {
    let failed = |it: &Outcome| it.is_failure() || it.exit_code.is_some_and(|code| code != 0);
    let mut open: Vec<(&Call, &Outcome)> = Vec::new();
    for (call, outcome) in settled {
        open.retain(|(earlier, _)| subject(earlier) != subject(call));
        if failed(outcome) && outcome.output.len() <= LONGEST_ERROR {
            open.push((call, outcome));
        }
    }
    open
}

/// What a call is about: its tool's kind, and its paths or its command.
fn subject(call: &Call) -> (bool, Vec<&str>, &str) {
    let paths: Vec<&str> = call.facts.paths.iter().map(|it| it.path.as_str()).collect();
    let command = call.facts.command.as_deref().unwrap_or_default();
    let named = if paths.is_empty() && command.is_empty() { call.tool.as_str() } else { command };
    (call.facts.kind == CallKind::Mutate, paths, named)
}

/// Of each file that this turn has edited, the last whole or partial readings: an older reading of the same lines is stale.
pub(super) fn latest_reads_of_edited_files(frames: &[Frame], settled: &[(&Call, &Outcome)]) -> Vec<CallId> {
    let begin = frames.iter().rposition(|it| matches!(it.event, Event::TurnStart { continues: false, .. }));
    let turn = &frames[begin.unwrap_or(0)..];
    let mut edited: BTreeSet<&str> = BTreeSet::new();
    for frame in turn {
        if let Event::ToolComplete { outcome, .. } = &frame.event {
            edited.extend(outcome.changed.iter().map(|it| it.path.as_str()));
        }
    }
    let mut last: BTreeMap<(&str, String), CallId> = BTreeMap::new();
    for (call, outcome) in settled {
        let [path] = call.facts.paths.as_slice() else { continue };
        if call.facts.kind == CallKind::Read && !outcome.is_failure() && edited.contains(path.path.as_str()) {
            last.insert((&path.path, call.args.to_string()), call.id.clone());
        }
    }
    last.into_values().collect()
}
