//! Which files the model has seen whole, told from the log of a conversation.
//!
//! A part of a file never counts as the whole, and what failed never counts at all. Whether a file is still what it was
//! is not looked at here.

use std::collections::HashMap;

use ox_protocol::{Event, Frame, Outcome, Status, Time};
use serde_json::Value;

/// Paths as the model wrote them, each with a moment: a file that has not changed since then is known to the model.
pub(crate) fn seen_whole(frames: &[Frame]) -> Vec<(String, Time)> {
    let mut started = HashMap::new();
    let mut seen = Vec::new();
    for frame in frames {
        match &frame.event {
            Event::ToolStart { call, args, .. } => {
                started.insert(call, (args, frame.time));
            }
            Event::ToolComplete { call, tool, outcome } if outcome.status == Status::Ok => {
                let Some((args, began)) = started.get(call) else { continue };
                match tool.as_str() {
                    "read_file" => seen.extend(whole(args, outcome).into_iter().map(|it| (it.to_string(), *began))),
                    // The file is written after the call began, so only its end is later than the change.
                    "write_file" => seen.extend(args["path"].as_str().map(|it| (it.to_string(), frame.time))),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    seen
}

/// The files that a call of `read_file` showed from the first line to the last.
fn whole<'a>(args: &'a Value, outcome: &Outcome) -> Vec<&'a str> {
    let number = |key: &str| args.get(key).and_then(Value::as_i64).filter(|it| *it > 0);
    if number("start_line").is_some_and(|it| it > 1) || number("end_line").is_some() {
        return Vec::new();
    }
    let several = args["paths"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let paths: Vec<&str> = args["path"].as_str().into_iter().chain(several).collect();
    match paths.as_slice() {
        [path] if !is_part(&outcome.output) => vec![path],
        [] | [_] => Vec::new(),
        several => sections(several, &outcome.output),
    }
}

/// Of several files, each under a line with its name, those that were shown whole.
fn sections<'a>(paths: &[&'a str], output: &str) -> Vec<&'a str> {
    let head = |path: &str| format!("==> {path} <==\n");
    let mut rest = output;
    let mut found = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let Some((_, below)) = rest.split_once(&head(path)) else { break };
        let end = paths.get(index + 1).and_then(|next| below.find(&head(next))).unwrap_or(below.len());
        if !is_part(&below[..end]) {
            found.push(*path);
        }
        rest = &below[end..];
    }
    found
}

/// True where the last line says that the file has more than is shown, or that it was not shown at all.
fn is_part(output: &str) -> bool {
    let last = output.trim_end().rsplit('\n').next().unwrap_or_default();
    let Some(words) = last.strip_prefix('[').and_then(|it| it.strip_suffix(']')) else { return false };
    ["more lines; continue with", "is cut after", "has only", "not shown", "does not exist", "lines "]
        .iter()
        .any(|it| words.contains(it))
}

#[cfg(test)]
mod tests {
    use ox_protocol::{CallId, Seq, VERSION};
    use serde_json::json;

    use super::*;

    fn names(tool: &str, args: Value, outcome: Outcome) -> String {
        let call = CallId("call_1_0".into());
        let start = Event::ToolStart { call: call.clone(), tool: tool.into(), args, iteration: 1 };
        let events = [start, Event::ToolComplete { call, tool: tool.into(), outcome }];
        let frame = |(at, event)| Frame { v: VERSION, seq: Seq(at), time: Time(at * 100), event };
        let frames: Vec<Frame> = (1..).zip(events).map(frame).collect();
        seen_whole(&frames).iter().map(|(path, time)| format!("{path}@{}", time.0)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn only_whole_reads_and_writes_count() {
        let ok = Outcome::ok;
        let cases = [
            ("read_file", json!({"path": "a"}), ok("one\ntwo\n"), "a@100"),
            ("read_file", json!({"path": "a", "start_line": 1}), ok("[1, 2]\n"), "a@100"),
            ("read_file", json!({"path": "a"}), ok("[a is empty]"), "a@100"),
            ("read_file", json!({"path": "a", "start_line": 2}), ok("two\n"), ""),
            ("read_file", json!({"path": "a", "end_line": 1}), ok("one\n[lines 1-1 of 2]"), ""),
            ("read_file", json!({"path": "a"}), ok("1\n[100 more lines; continue with start_line=2001]"), ""),
            ("read_file", json!({"path": "a"}), ok("1\n[more lines; continue with start_line=2001]"), ""),
            ("read_file", json!({"path": "a"}), ok("x\n[line 1 is cut after 9 bytes; search_code finds text]"), ""),
            ("read_file", json!({"path": "a"}), Outcome::failed("`a` is a binary file"), ""),
            (
                "read_file",
                json!({"paths": ["a", "b", "c", "d"]}),
                ok(
                    "==> a <==\none\n==> b <==\n1\n[9 more lines; continue with start_line=2]\n==> c <==\nthree\n==> d <==\n[`d` does not exist]",
                ),
                "a@100 c@100",
            ),
            ("write_file", json!({"path": "a", "content": "x"}), ok("created a (1 line)"), "a@200"),
            ("write_file", json!({"path": "a", "content": "x"}), Outcome::failed("outside"), ""),
            ("edit_file", json!({"path": "a"}), ok("edited a"), ""),
        ];
        for (tool, args, outcome, expected) in cases {
            let shown = format!("{tool} {args} {}", outcome.output);
            assert_eq!(names(tool, args, outcome), expected, "{shown}");
        }
    }
}
