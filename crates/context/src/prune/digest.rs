//! What happened up to some point of a conversation, in short: the user's words, rules, decisions, plan, todos and open
//! errors word for word, the rest by one line for each call. Made from the log alone, by nobody's judgement.

use ox_protocol::{Call, CallId, CallKind, Event, Frame, Outcome, Section, Seq, TodoState, Tokens};

use super::keep::{is_pinned, latest_reads_of_edited_files, settled, unresolved};
use crate::budget::{bytes, estimate};
use crate::load::plan;
use crate::transcript::remembered;
use crate::words::Note;

pub(crate) const SUMMARY: &str = include_str!("../../prompts/summary.md");

/// What stays of the model's own words in one reply, in bytes.
const SAID: usize = 400;

/// The digest of everything up to `until`. The lines about calls take at most `room`, the older ones go first; the files that
/// are being edited take at most `for_files`.
pub(super) fn digest(frames: &[Frame], until: Seq, room: Tokens, for_files: Tokens) -> String {
    // What follows decides as well: a file that is read before it and edited after it is being edited.
    let later: Vec<(&Call, &Outcome)> = settled(frames);
    let reads = latest_reads_of_edited_files(frames, &later);
    let open: Vec<&CallId> = unresolved(&later).into_iter().map(|it| &it.0.id).collect();
    let frames: Vec<Frame> = remembered(frames).take_while(|it| it.seq <= until).cloned().collect();
    let settled = settled(&frames);
    let mut parts = vec![Note::Digest.words().to_owned()];
    parts.extend(pinned_sections(&frames));
    parts.extend(last(&frames, |it| match it {
        Event::Plan { plan } => Some(format!("# Plan\n{}", plan::words(plan, usize::MAX))),
        _ => None,
    }));
    parts.extend(todos(&frames));
    parts.push(format!("# What happened, oldest first\n{}", steps(&frames, room)));
    let mut errors = settled.iter().filter(|(call, _)| open.contains(&&call.id)).peekable();
    if errors.peek().is_some() {
        let all: Vec<String> =
            errors.map(|(call, outcome)| format!("{}\n{}", line(call, outcome), outcome.output.trim_end())).collect();
        parts.push(format!("# Errors that stand\n{}", all.join("\n\n")));
    }
    parts.extend(files(&reads, &settled, for_files));
    parts.join("\n\n")
}

/// What `reads` read of the files that are being edited, the latest first, as many as fit.
fn files(reads: &[CallId], settled: &[(&Call, &Outcome)], room: Tokens) -> Option<String> {
    let mut left = bytes(room);
    let mut reported: Vec<String> = Vec::new();
    for (call, outcome) in settled.iter().rev().filter(|(call, _)| reads.contains(&call.id)) {
        let text = format!("{}\n{}", line(call, outcome), outcome.output.trim_end());
        if text.len() <= left {
            left -= text.len();
            reported.push(text);
        }
    }
    let head = "# Files that are being edited, as they were when they were read";
    (!reported.is_empty()).then(|| format!("{head}\n{}", reported.join("\n\n")))
}

/// What a model reads that is to sum up everything up to `until`: instructions, and the text, of at most `room` tokens.
pub fn summary_request(frames: &[Frame], until: Seq, room: Tokens) -> (String, String) {
    let frames: Vec<Frame> = remembered(frames).take_while(|it| it.seq <= until).cloned().collect();
    let mut reported = vec![steps(&frames, Tokens(room.0 / 2))];
    let mut left = (room.0 / 2) as usize * 4;
    for (call, outcome) in settled(&frames).into_iter().rev() {
        let text = format!("{}\n{}", line(call, outcome), outcome.output.trim_end());
        if text.len() > left {
            break;
        }
        left -= text.len();
        reported.insert(1, text);
    }
    (SUMMARY.trim().to_owned(), reported.join("\n\n"))
}

/// The sections that are never left out, as they were last told.
fn pinned_sections(frames: &[Frame]) -> Option<String> {
    let mut sections: Vec<&Section> = Vec::new();
    for frame in frames {
        if let Event::Prompted { context, .. } = &frame.event {
            for section in context.iter().filter(|it| is_pinned(it)) {
                sections.retain(|it| it.name != section.name);
                sections.push(section);
            }
        }
    }
    (!sections.is_empty()).then(|| crate::transcript::sections(&sections))
}

fn todos(frames: &[Frame]) -> Option<String> {
    last(frames, |event| {
        let Event::Todo { items } = event else { return None };
        let state = |it| match it {
            TodoState::Completed => "x",
            TodoState::InProgress => ">",
            TodoState::Pending => " ",
        };
        let all: Vec<String> = items.iter().map(|it| format!("[{}] {}. {}", state(it.state), it.id, it.text)).collect();
        Some(format!("# Todos\n{}", all.join("\n")))
    })
}

fn last<T>(frames: &[Frame], find: impl Fn(&Event) -> Option<T>) -> Option<T> {
    frames.iter().rev().find_map(|it| find(&it.event))
}

/// A line of the story; what the user said is never left out of it.
struct Step {
    text: String,
    pinned: bool,
}

/// True for a question of the model's own.
fn is_question(calls: &[&Call], id: &CallId) -> bool {
    calls.iter().rev().find(|it| it.id == *id).is_none_or(|it| it.facts.kind == CallKind::Question)
}

fn steps(frames: &[Frame], room: Tokens) -> String {
    let mut steps: Vec<Step> = Vec::new();
    let mut calls: Vec<&Call> = Vec::new();
    for frame in frames {
        match &frame.event {
            Event::TurnStart { prompt, .. } if !prompt.trim().is_empty() => steps.push(pinned("The user", prompt)),
            Event::Steered { text, .. } => steps.push(pinned("The user", text)),
            // What they answered to somebody else, whom a call asked something, is not the model's.
            Event::Answer { call, text } if is_question(&calls, call) => {
                steps.push(pinned("The user answered", text));
            }
            Event::StreamComplete { text, calls: new, .. } => {
                calls.extend(new);
                if !text.trim().is_empty() {
                    steps.push(Step { text: format!("You: {}", cut(text.trim())), pinned: false });
                }
            }
            Event::ToolComplete { call, outcome, .. } => {
                if let Some(call) = calls.iter().rev().find(|it| it.id == *call) {
                    steps.push(Step { text: line(call, outcome), pinned: false });
                }
            }
            Event::Stopped { stop } => {
                steps.push(Step { text: format!("The turn ended: {}", stop.code()), pinned: false })
            }
            _ => {}
        }
    }
    fit(&mut steps, room)
}

/// Leaves out the oldest lines that are not pinned until the rest fits.
fn fit(steps: &mut Vec<Step>, room: Tokens) -> String {
    let mut size: u64 = steps.iter().filter(|it| !it.pinned).map(|it| estimate(&it.text).0).sum();
    let mut gone = 0;
    steps.retain(|step| {
        if step.pinned || size <= room.0 {
            return true;
        }
        size -= estimate(&step.text).0;
        gone += 1;
        false
    });
    let mut lines: Vec<&str> = steps.iter().map(|it| it.text.as_str()).collect();
    let reported = format!("[{gone} older lines left out]");
    if gone > 0 {
        lines.insert(usize::from(steps.first().is_some_and(|it| it.pinned)), &reported);
    }
    lines.join("\n")
}

fn pinned(who: &str, words: &str) -> Step {
    Step { text: format!("{who}: {}", words.trim()), pinned: true }
}

/// `edit_file src/a.rs → ok, src/a.rs +3 −1 (call c12)`.
fn line(call: &Call, outcome: &Outcome) -> String {
    let paths: Vec<&str> = call.facts.paths.iter().map(|it| it.path.as_str()).take(4).collect();
    let about = match &call.facts.command {
        Some(command) => format!("`{}`", cut(command)),
        None if paths.is_empty() => cut(&call.args.to_string()),
        None => paths.join(", "),
    };
    let changed: Vec<String> =
        outcome.changed.iter().take(6).map(|it| format!("{} +{} −{}", it.path, it.added, it.removed)).collect();
    let how = match outcome.exit_code {
        Some(0) | None if !outcome.is_failure() => "ok".to_owned(),
        Some(code) if !outcome.is_failure() => format!("exit code {code}"),
        _ => "failed".to_owned(),
    };
    let changed = if changed.is_empty() { String::new() } else { format!(", {}", changed.join(", ")) };
    format!("- {} {about} → {how}{changed} (call {})", call.tool, call.id.0)
}

/// The beginning of a text.
fn cut(text: &str) -> String {
    let mut end = SAID.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if end < text.len() { format!("{}…", &text[..end]) } else { text.to_owned() }
}
