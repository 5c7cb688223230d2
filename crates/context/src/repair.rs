//! What the next attempt at a task is told of the one that failed: from the log, not from the model's memory of it.

use ox_protocol::{CheckReport, Event, FileChange, Frame, Seq, Stop, Tokens};

use crate::checks::checks_output;
use crate::prune::summary_request;

/// What a model is told that diagnoses a failed attempt.
const SYSTEM: &str = include_str!("../prompts/repair.md");
/// Files that are named.
const FILES: usize = 20;
/// Errors of calls that are told; the last ones.
const ERRORS: usize = 4;
/// Bytes of one error.
const ERROR: usize = 300;

/// The facts about a failed attempt: how it ended, what it changed, what failed at its end. `frames` are those of the turn;
/// `kept`: its edits are still there.
pub fn diagnosis(
    frames: &[Frame],
    stop: Stop,
    files: &[FileChange],
    kept: bool,
    reports: (Option<&CheckReport>, Option<&CheckReport>),
) -> String {
    let how = stop.code().trim_start_matches("stop.").replace('_', " ");
    let mut text = format!("An earlier attempt at this task failed ({how}). You begin anew and have not seen it.");
    let named: Vec<&str> = files.iter().take(FILES).map(|it| it.path.as_str()).collect();
    if !named.is_empty() {
        let more = if files.len() > FILES { " and more" } else { "" };
        let where_they_are =
            if kept { "are still in place; read them before you build on them" } else { "were taken back" };
        text += &format!("\nIts edits of {}{more} {where_they_are}.", named.join(", "));
    }
    if let (baseline, Some(report)) = reports {
        text += &format!("\nThe project's checks said at its end:\n{}", checks_output(report, baseline));
    }
    let errors = errors(frames);
    if !errors.is_empty() {
        text += &format!("\nCalls that failed last:\n{}", errors.join("\n"));
    }
    text + "\nFind the cause before you edit, and take another way than the attempt did where its way was wrong."
}

fn errors(frames: &[Frame]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for frame in frames.iter().rev() {
        let Event::ToolComplete { tool, outcome, .. } = &frame.event else { continue };
        let failed = outcome.is_failure() || outcome.exit_code.is_some_and(|it| it != 0);
        let output = outcome.output.trim();
        let from = (output.len().saturating_sub(ERROR)..output.len()).find(|it| output.is_char_boundary(*it));
        let line = format!("- {tool}: {}", &output[from.unwrap_or(0)..]);
        if failed && !lines.contains(&line) && lines.len() < ERRORS {
            lines.push(line);
        }
    }
    lines.reverse();
    lines
}

/// The question to a model that diagnoses: the system prompt, and what it reads in at most `room`.
pub fn diagnosis_request(frames: &[Frame], until: Seq, facts: &str, room: Tokens) -> (String, String) {
    let (_, digest) = summary_request(frames, until, room);
    (SYSTEM.trim().to_owned(), format!("{facts}\n\n{digest}"))
}
