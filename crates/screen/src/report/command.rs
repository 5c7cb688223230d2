//! Commands as they were typed, and what they printed: its beginning and its end, or all of it where nothing is folded.

use ox_protocol::{Outcome, Status};

use super::look::{Look, left_out};
use crate::text::{Line, Role, clean};
use crate::words;

/// Characters of a command that are shown on its line.
const TYPED: usize = 200;
/// Lines of the beginning and of the end of what a command printed.
const HEAD: usize = 2;
const TAIL: usize = 3;
/// Lines of the end where it failed: what went wrong stands there.
const FAILED_TAIL: usize = 6;

/// Adds the command: its first line, or all of it where nothing is folded.
pub(super) fn typed(look: &Look, line: Line, command: &str) -> Line {
    let shown = if look.expanded { command.trim().replace('\n', " ⏎ ") } else { words::short(command, TYPED) };
    line.with("$ ", Role::Dim).with(&shown, Role::Code)
}

/// What a command printed. Where the answer stands apart the rest is a log, and only what failed stands there.
pub(super) fn output(look: &Look, outcome: &Outcome) -> Vec<Line> {
    let failed = outcome.exit_code.is_some_and(|code| code != 0) || outcome.status == Status::Interrupted;
    if look.apart && !failed {
        return Vec::new();
    }
    let text = clean(&settled(&outcome.output));
    // The model reads how it ended behind the output; here that stands in the line above.
    let last = outcome.output.lines().last();
    let job = last.and_then(in_background);
    let is_note = |it: &&str| match outcome.exit_code {
        Some(_) => job.is_some() || is_status(it),
        // It goes on or was stopped; the line says how a model reads more.
        None => it.starts_with('[') && it.ends_with(']'),
    };
    let status = last.filter(is_note).map(clean);
    // One that never ran printed nothing; its words are the agent's.
    if outcome.status == Status::Interrupted && status.is_none() {
        return Vec::new();
    }
    let mut all: Vec<&str> = text.lines().collect();
    if status.is_some_and(|it| all.last() == Some(&it.as_str())) {
        all.pop();
    }
    let shown = |line: &&str| Line::of(line, Role::Dim).indented(4, 2);
    let goes_on = job.map(|it| look.say("tool.background", &[("id", &clean(it))]));
    all.extend(goes_on.as_deref());
    if look.expanded {
        return all.iter().map(shown).collect();
    }
    all.retain(|line| !line.trim().is_empty());
    let (head, tail) = if failed { (0, FAILED_TAIL) } else { (HEAD, TAIL) };
    // A line that says that one is missing takes the room of that one.
    if all.len() <= head + tail + 1 {
        return all.iter().map(shown).collect();
    }
    let left = all.len() - head - tail;
    let mut out: Vec<Line> = all[..head].iter().map(shown).collect();
    out.extend(left_out(look, left));
    out.extend(all[head + left..].iter().map(shown));
    out
}

/// What stands in a terminal in the end: of what overwrites itself, as progress does, the last.
fn settled(output: &str) -> String {
    let last = |line: &'_ str| line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default().to_string() + "\n";
    output.lines().map(last).collect()
}

/// The name of the command that goes on, where the tool's last line says so.
fn in_background(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.split_once("it goes on in the background as ")?.1.split(':').next()
}

/// True for the line in which the tool says how a command ended and what it changed.
fn is_status(line: &str) -> bool {
    let inner = line.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let known = ["exit code ", "no output", "killed by signal ", "modified ", "created ", "deleted ", "renamed "];
    inner.is_some_and(|it| known.iter().any(|begin| it.starts_with(begin)))
}

#[cfg(test)]
mod tests {
    use ox_protocol::locale::Language;

    use super::*;

    fn shown(output: &str, exit_code: i32, look: Look) -> String {
        let outcome = Outcome { output: output.to_string(), exit_code: Some(exit_code), ..Outcome::default() };
        super::output(&look, &outcome).iter().map(|it| it.text().trim().to_string()).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn the_beginning_and_the_end_are_shown_and_all_of_it_where_nothing_is_folded() {
        let live = Look { live: true, ..Look::new(Language::En, 80) };
        let all = Look { expanded: true, ..live };
        let apart = Look { apart: true, ..live };
        let lines = |count: usize| (1..=count).map(|it| format!("{it}\n")).collect::<String>();
        let ten = lines(10);
        let cases = [
            (lines(6), 0, live, "1|2|3|4|5|6"),
            (lines(7), 0, live, "1|2|… +2 lines (ctrl+o)|5|6|7"),
            (ten.clone(), 0, live, "1|2|… +5 lines (ctrl+o)|8|9|10"),
            (ten.clone() + "[exit code 1]", 1, live, "… +4 lines (ctrl+o)|5|6|7|8|9|10"),
            (ten.clone(), 0, all, "1|2|3|4|5|6|7|8|9|10"),
            (ten.clone(), 0, apart, ""),
            ("a\n\nb\n[modified x.rs (+1)]".to_string(), 0, all, "a||b"),
            ("[no output]".to_string(), 0, live, ""),
            ("[1, 2]".to_string(), 0, live, "[1, 2]"),
            ("10 %\r50 %\r100 %\r\n\u{1b}[31mred\u{1b}[0m".to_string(), 0, live, "100 %|red"),
        ];
        let ended = |status, output: &str| {
            let outcome = Outcome { status, output: output.to_string(), ..Outcome::default() };
            super::output(&live, &outcome).iter().map(|it| it.text().trim().to_string()).collect::<Vec<_>>().join("|")
        };
        let goes_on = "ready\n[it goes on in the background as job_1: use_tool read_output {\"id\": \"job_1\"}]";
        assert_eq!(ended(Status::Ok, goes_on), "ready|Runs in the background as job_1; /jobs shows it");
        let stopped = format!("{ten}[stopped by the user before it ended]");
        assert_eq!(ended(Status::Interrupted, &stopped), "… +4 lines (ctrl+o)|5|6|7|8|9|10");
        assert_eq!(ended(Status::Interrupted, "not run: the turn was interrupted before."), "");
        for (output, code, look, expected) in cases {
            assert_eq!(shown(&output, code, look), expected, "{output:?}");
        }
    }
}
