//! The turns of a conversation to go back to, and what of it goes back.

use crossterm::event::{KeyCode, KeyModifiers};
use ox_client::view::PastTurn;
use ox_protocol::{Back, FileChange, Time};

use super::{Asks, Of, Picker, Row};
use crate::report::Look;
use crate::text::{Line, Role};
use crate::words;

/// The key that shows what else can be done with a turn.
pub const MORE: KeyCode = KeyCode::Tab;
/// Files that a preview names.
const FILES: usize = 12;

/// What can be done with a turn, in the order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It goes back in this conversation.
    Back(Back),
    /// A new conversation begins there.
    Fork,
}

/// The ways, by what their rows are known by.
pub const WAYS: [(&str, Way, &str); 4] = [
    ("both", Way::Back(Back::Both), "picker.back.both"),
    ("conversation", Way::Back(Back::Conversation), "picker.back.conversation"),
    ("files", Way::Back(Back::Files), "picker.back.files"),
    ("fork", Way::Fork, "picker.back.fork"),
];

/// The turns, the newest first. `of`: to go back, or to say a prompt again in a fork.
pub fn picker(look: &Look, of: Of, turns: &[PastTurn], when: &dyn Fn(Time) -> String) -> Picker {
    let say = |key: &str| look.say(key, &[]);
    let rows = turns.iter().rev().map(|it| row(look, it, when)).collect();
    let picker = match of {
        Of::Prompts => Picker::new(of, say("picker.prompts.title"), say("picker.prompts.enter")).with_extra(
            MORE,
            KeyModifiers::NONE,
            say("picker.prompts.more"),
            Asks::Nothing,
        ),
        _ => Picker::new(of, say("picker.turns.title"), say("picker.turns.enter")),
    };
    picker.with_rows(rows, say("repl.rewind.none")).with_previews()
}

fn row(look: &Look, turn: &PastTurn, when: &dyn Fn(Time) -> String) -> Row {
    let mut files: Vec<&str> = turn.files.iter().map(String::as_str).collect();
    files.sort_unstable();
    files.dedup();
    let changed = match files.len() {
        0 => look.say("picker.turns.no_files", &[]),
        count => look.say("picker.turns.files", &[("count", &count.to_string())]),
    };
    Row {
        id: turn.number.to_string(),
        cells: vec![(format!("{:>2}", turn.number), Role::Accent), (when(turn.began), Role::Dim), (changed, Role::Dim)],
        title: words::first_line(&turn.prompt).to_string(),
        also: format!("{} {}", turn.prompt, files.join(" ")),
        ..Row::default()
    }
}

/// What goes back to before the turn; `more`: what was found out about its files.
pub fn ways(look: &Look, turn: u32, prompt: &str) -> Picker {
    let rows =
        WAYS.iter().map(|(id, _, key)| Row { id: (*id).to_string(), title: look.say(key, &[]), ..Row::default() });
    let args = [("turn", turn.to_string()), ("prompt", words::short(prompt, 60))];
    let title = look.say("picker.back.title", &[("turn", &args[0].1), ("prompt", &args[1].1)]);
    Picker::numbered(Of::Back(turn), title, look.say("picker.back.enter", &[]))
        .with_rows(rows.collect(), String::new())
        .with_previews()
}

/// What going back over would change in the files, with what a person changed there since.
pub fn files(look: &Look, files: &[FileChange], lost: &[FileChange]) -> Vec<Line> {
    if files.is_empty() {
        return vec![Line::of(&look.say("picker.back.no_files", &[]), Role::Dim)];
    }
    let count = files.len().to_string();
    let mut out = vec![Line::of(&look.say("picker.back.would", &[("count", &count)]), Role::Dim)];
    for file in files.iter().take(FILES) {
        let line = Line::of(&format!("  {}", file.path), Role::Plain)
            .with(&format!("  +{}", file.added), Role::Added)
            .with(&format!(" -{}", file.removed), Role::Removed);
        let is_lost = lost.iter().any(|it| it.path == file.path);
        let note = if is_lost { format!("  {}", look.say("picker.back.lost", &[])) } else { String::new() };
        out.push(line.with(&note, Role::Warn));
    }
    if files.len() > FILES {
        out.push(Line::of(&format!("  … {}", files.len() - FILES), Role::Dim));
    }
    out
}

/// What a way of going back comes to.
pub fn way(look: &Look, way: Way, changes: &[Line], turns: usize) -> Vec<Line> {
    let forgets = || {
        let count = turns.to_string();
        Line::of(&look.say("picker.back.forgets", &[("count", &count)]), Role::Dim)
    };
    match way {
        Way::Back(Back::Both) => std::iter::once(forgets()).chain(changes.iter().cloned()).collect(),
        Way::Back(Back::Conversation) => {
            vec![forgets(), Line::of(&look.say("picker.back.files_stay", &[]), Role::Dim)]
        }
        Way::Back(Back::Files) => changes.to_vec(),
        Way::Fork => vec![Line::of(&look.say("picker.back.fork_about", &[]), Role::Dim)],
    }
}
