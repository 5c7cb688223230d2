//! What a conversation is told of earlier ones of the same project: the last turns in a few lines each.
//!
//! It is a record to look at and never an instruction, and it never repeats what the conversation itself holds. The same
//! logs give the same words.

mod past;

use std::collections::BTreeSet;

use ox_protocol::{Section, Tokens};
pub use past::{Past, turns};

use crate::budget::{bytes, estimate};
use crate::words::Note;

/// The most that a memory may take of a window of 128K tokens; proportionally less of a smaller one.
const ROOM: u64 = 1_200;
const REFERENCE_WINDOW: u64 = 128_000;
/// What stays of an instruction and of a summary, in bytes.
const INSTRUCTION: usize = 300;
const SUMMARY: usize = 400;
/// Files named of a turn.
const FILES: usize = 6;

/// What a memory may take of a model's window, in tokens.
pub fn memory_room(window: Tokens) -> Tokens {
    Tokens(ROOM * window.0.min(REFERENCE_WINDOW) / REFERENCE_WINDOW)
}

/// The last `limit` turns of all, newest last. Of turns with the same instruction (case, blanks and punctuation apart)
/// the newest alone stays; one without an instruction says nothing.
pub fn merge(mut past: Vec<Past>, limit: usize) -> Vec<Past> {
    past.sort_by_key(|it| (it.time, it.begun));
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut kept: Vec<Past> = Vec::new();
    for turn in past.into_iter().rev() {
        let instruction = normal(&turn.instruction);
        if kept.len() < limit && !instruction.is_empty() && seen.insert(instruction) {
            kept.push(turn);
        }
    }
    kept.reverse();
    kept
}

/// The section of a prompt that tells of these turns, newest last; the oldest are left out where `room` is too small.
/// None where there is nothing to tell.
pub fn memory_section(past: &[Past], room: Tokens) -> Option<Section> {
    let mut left = bytes(room).saturating_sub(Note::Memory.words().len());
    let mut lines: Vec<String> = Vec::new();
    for turn in past.iter().rev() {
        let line = line(turn);
        if line.len() + 1 > left {
            break;
        }
        left -= line.len() + 1;
        lines.push(line);
    }
    if lines.is_empty() {
        return None;
    }
    lines.push(Note::Memory.words().to_owned());
    lines.reverse();
    let text = lines.join("\n");
    Some(Section { name: "memory".to_owned(), tokens: estimate(&text), text })
}

/// `- "Fix the rounding" → Rounds half to even now. (money.rs, tests/money.rs)`
fn line(turn: &Past) -> String {
    let summary = one_line(&turn.summary, SUMMARY);
    let mut line = format!("- \"{}\"", one_line(&turn.instruction, INSTRUCTION));
    if !summary.is_empty() {
        line += &format!(" → {summary}");
    }
    if let Some(stop) = turn.stop.filter(|it| it.exit_code() != 0) {
        line += &format!(" [{}]", stop.code().trim_start_matches("stop."));
    }
    if !turn.files.is_empty() {
        let mut names: Vec<String> = turn.files.iter().take(FILES).map(|it| it.path.clone()).collect();
        if turn.files.len() > FILES {
            names.push(format!("{} more", turn.files.len() - FILES));
        }
        line += &format!(" ({})", names.join(", "));
    }
    line
}

/// The beginning of a text, its blanks and line breaks made single blanks: no line of it can pass for one of ours.
fn one_line(text: &str, limit: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let flat = words.join(" ");
    let cut = &flat[..flat.floor_char_boundary(limit)];
    if cut.len() == flat.len() { flat } else { format!("{}…", cut.trim_end()) }
}

/// An instruction without what makes no difference: case, blanks and punctuation.
fn normal(instruction: &str) -> String {
    let words = instruction.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty());
    words.map(str::to_lowercase).collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_the_same_but_for_case_blanks_and_punctuation() {
        let same = [("Fix  the test!", "fix the test"), ("Répare-le", "répare le"), ("修复测试。", "修复测试")];
        for (one, other) in same {
            assert_eq!(normal(one), normal(other));
        }
        assert_ne!(normal("fix test 1"), normal("fix test 2"));
        assert_eq!(normal(" \n…"), "");
    }

    #[test]
    fn a_long_text_is_cut_at_a_character_and_stays_on_its_line() {
        assert_eq!(one_line("a\n- b\t c", 99), "a - b c");
        assert_eq!(one_line("日本語", 4), "日…");
        assert_eq!(one_line("ab  ", 2), "ab");
    }
}
