//! Two conversations beside each other.

use std::collections::BTreeSet;

use ox_client::view::{CallEntry, EntryKind, View};
use ox_protocol::{CheckResult, CheckStatus, ConversationId, Money, Problem, Status, Stop, Tokens};
use serde::Serialize;

use super::stored::Conversations;

/// What a conversation did and what it took.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// The conversation.
    pub id: ConversationId,
    /// Its first prompt.
    pub prompt: String,
    /// `provider/model` of its last turn.
    pub model: String,
    /// How its last turn ended.
    pub stop: Option<Stop>,
    /// Its turns.
    pub turns: u32,
    /// Requests to models.
    pub requests: u64,
    /// Calls of tools.
    pub calls: usize,
    /// Tokens that models read.
    pub input: Tokens,
    /// Tokens that models wrote.
    pub output: Tokens,
    /// What is known of its cost; none where no price is.
    pub cost: Option<Money>,
    /// From its first to its last event, in milliseconds.
    pub duration_ms: u64,
    /// The files that it changed, sorted.
    pub files: Vec<String>,
    /// Lines added by its edits.
    pub added: u32,
    /// Lines removed by its edits.
    pub removed: u32,
    /// The checks of its last run of checks, each with `✓`, `✗` or `–`.
    pub checks: Vec<String>,
}

/// The first call in which two conversations differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartingCall {
    /// Which call it is, from 1.
    pub call: usize,
    /// What the first one did there.
    pub a: Option<String>,
    /// What the second one did there.
    pub b: Option<String>,
}

/// Two conversations compared.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The first.
    pub a: Run,
    /// The second.
    pub b: Run,
    /// Files that only the first changed.
    pub only_a: Vec<String>,
    /// Files that only the second changed.
    pub only_b: Vec<String>,
    /// Files that both changed.
    pub both: Vec<String>,
    /// Where they part; none where every call is the same.
    pub parts_at: Option<PartingCall>,
}

impl Conversations {
    /// Compares two conversations, each named as in the list.
    pub fn compare(&self, a: &str, b: &str) -> Result<Comparison, Problem> {
        let view = |name: &str| -> Result<(View, u64), Problem> {
            let frames = self.frames(&self.find(name)?.id)?;
            let times = || frames.iter().map(|it| it.time.0);
            let lasted = times().max().unwrap_or_default() - times().min().unwrap_or_default();
            Ok((View::of(&frames), lasted))
        };
        let ((a, a_ms), (b, b_ms)) = (view(a)?, view(b)?);
        Ok(compared(&a, &b, (a_ms, b_ms)))
    }
}

fn compared(a: &View, b: &View, (a_ms, b_ms): (u64, u64)) -> Comparison {
    let parts_at = parting(a, b);
    let (a, b) = (run(a, a_ms), run(b, b_ms));
    let files = |of: &Run| of.files.iter().cloned().collect::<BTreeSet<_>>();
    let (of_a, of_b) = (files(&a), files(&b));
    let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| one.difference(other).cloned().collect();
    Comparison {
        only_a: only(&of_a, &of_b),
        only_b: only(&of_b, &of_a),
        both: of_a.intersection(&of_b).cloned().collect(),
        parts_at,
        a,
        b,
    }
}

fn calls(view: &View) -> impl Iterator<Item = &CallEntry> {
    view.entries.iter().filter_map(|it| match &it.kind {
        EntryKind::Call(call) => Some(call),
        _ => None,
    })
}

fn run(view: &View, duration_ms: u64) -> Run {
    let spent = view.account.conversation;
    let changed = || calls(view).flat_map(|it| &it.changed);
    let files: BTreeSet<String> = changed().map(|it| it.path.clone()).collect();
    let reports = view.entries.iter().rev().find_map(|it| match &it.kind {
        EntryKind::Checks { report: Some(report), .. } => Some(report),
        _ => None,
    });
    let check = |it: &CheckResult| {
        let mark = match it.status {
            CheckStatus::Passed => "✓",
            it if it.is_bad() => "✗",
            _ => "–",
        };
        format!("{mark} {}", it.check.name)
    };
    Run {
        id: view.conversation.clone(),
        prompt: view.turns.first().map(|it| it.prompt.clone()).unwrap_or_default(),
        model: view.model.clone(),
        stop: view.stop,
        turns: view.turn,
        requests: spent.requests,
        calls: calls(view).count(),
        input: spent.usage.input,
        output: spent.usage.output,
        cost: (spent.requests > spent.unpriced).then_some(spent.cost),
        duration_ms,
        files: files.into_iter().collect(),
        added: changed().map(|it| it.added).sum(),
        removed: changed().map(|it| it.removed).sum(),
        checks: reports.map(|it| it.results.iter().map(check).collect()).unwrap_or_default(),
    }
}

/// The first call of which tool, arguments or success differ.
fn parting(a: &View, b: &View) -> Option<PartingCall> {
    let (mut of_a, mut of_b) = (calls(a), calls(b));
    let worded = |it: Option<&CallEntry>| it.map(|it| format!("{} {}", it.tool, it.args));
    let failed = |it: &CallEntry| it.status.is_some_and(|it| it != Status::Ok);
    for call in 1.. {
        match (of_a.next(), of_b.next()) {
            (None, None) => break,
            (Some(a), Some(b)) if (&a.tool, &a.args, failed(a)) == (&b.tool, &b.args, failed(b)) => {}
            (a, b) => return Some(PartingCall { call, a: worded(a), b: worded(b) }),
        }
    }
    None
}
