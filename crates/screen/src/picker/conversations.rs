//! The stored conversations to choose from: when, how it stands, turns, cost, title; the last words of each as its preview.

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, KeyModifiers};
use ox_app::conversations::listed::Listed;
use ox_protocol::{ConversationId, Stop, Time};

use super::{Asks, Of, Picker, Row};
use crate::markdown;
use crate::report::Look;
use crate::text::{Line, Role, clip, each};
use crate::words;

/// The key that deletes, with Ctrl.
pub const DELETE: KeyCode = KeyCode::Char('d');
/// The key that renames, with Ctrl.
pub const RENAME: KeyCode = KeyCode::Char('r');

/// Longest name of a branch in a row, in columns.
const BRANCH: usize = 12;

/// How a conversation stands that a process works on now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// A turn runs.
    Working,
    /// The user is asked something.
    Waiting,
    /// Nothing runs.
    Open,
}

/// Those that processes work on.
pub type Running = BTreeMap<ConversationId, Live>;

/// The list, with its keys.
pub fn picker(look: &Look, rows: Vec<Row>) -> Picker {
    let say = |key: &str| look.say(key, &[]);
    Picker::new(Of::Conversations, say("picker.conversations.title"), say("picker.conversations.enter"))
        .with_rows(rows, say("repl.no_sessions"))
        .with_previews()
        .with_extra(
            RENAME,
            KeyModifiers::CONTROL,
            say("picker.conversations.rename"),
            Asks::Text(say("picker.conversations.new_name")),
        )
        .with_extra(
            DELETE,
            KeyModifiers::CONTROL,
            say("picker.conversations.delete"),
            Asks::Yes(say("picker.conversations.delete_sure")),
        )
}

/// A row for each; `here`: the one that is open.
pub fn rows(look: &Look, all: &[Listed], running: &Running, here: &ConversationId, now: Time) -> Vec<Row> {
    all.iter().map(|it| row(look, it, running.get(&it.info.id).copied(), it.info.id == *here, now)).collect()
}

fn row(look: &Look, it: &Listed, live: Option<Live>, here: bool, now: Time) -> Row {
    let info = &it.info;
    let (state, role) = match (live, info.stop) {
        (Some(Live::Waiting), _) => ("picker.state.waiting", Role::Warn),
        (Some(Live::Working), _) => ("picker.state.working", Role::Accent),
        (Some(Live::Open), _) if !here => ("picker.state.elsewhere", Role::Accent),
        (_, None) => ("picker.state.cut_off", Role::Warn),
        (_, Some(Stop::ChecksNotRun)) => ("picker.state.unverified", Role::Warn),
        (_, Some(_)) if it.failed() => ("picker.state.failed", Role::Bad),
        (_, Some(stop)) if stop.exit_code() != 0 => ("picker.state.stopped", Role::Warn),
        _ => ("picker.state.done", Role::Good),
    };
    let cost = match info.cost {
        Some(cost) => words::money(cost),
        None => String::new(),
    };
    let turns = look.say("sessions.turns", &[("count", &info.turns.to_string())]);
    Row {
        id: info.id.0.clone(),
        cells: vec![
            (format!("{:>4}", words::age(now, info.updated)), Role::Dim),
            (look.say(state, &[]), role),
            (clip(&Line::of(&it.branch, Role::Dim), BRANCH).text(), Role::Dim),
            (cost, Role::Dim),
            (turns, Role::Dim),
        ],
        title: words::first_line(info.title()).to_string(),
        also: format!("{} {} {} {}", info.prompt, it.prompt, it.branch, info.id),
        current: here,
        dim: false,
    }
}

/// What was said last in it.
pub fn preview(look: &Look, it: &Listed) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::new();
    for line in each(&it.prompt, Role::User).into_iter().take(3) {
        let mark = if out.is_empty() { "› " } else { "  " };
        out.push(Line { lead: Line::of(mark, Role::User).spans, ..line.hanging(2) });
    }
    match it.reply.trim() {
        "" => out.push(Line::of(&look.say("picker.conversations.no_reply", &[]), Role::Dim)),
        reply => out.extend(markdown::lines(reply, look.width)),
    }
    out
}
