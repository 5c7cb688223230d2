//! The syntax of scripted replies, the same in scenarios, scripts and at the `manual` prompt.
//!
//! Prose first, then calls. A call is a line `@tool` and below it its arguments:
//!
//! * `key: value` is the string `value`, whatever it looks like;
//! * `key: = JSON` is that JSON value: `from: = 12`, `all: = true`, `paths: = ["a", "b"]`;
//! * `key: |` is the block of lines below, indented by two spaces and with a line break at its end, `key: |-` the
//!   same without that last line break;
//! * `@tool {…` takes the rest of the line as the raw arguments, even where they are not JSON.
//!
//! A line of prose that begins with `@` is written with a backslash before it. `@@think TEXT` is reasoning,
//! `@@finish length` the way the reply ends, `@@usage INPUT OUTPUT [CACHED]` what it used. Nothing here fails: what is
//! neither a call nor an argument is prose.

use ox_protocol::{Failure, FailureKind, Finish, Reasoning, Tokens, Usage};
use serde_json::{Map, Value};

use crate::failure::failure;
use crate::failure_kind;
use crate::model::{RawCall, Reply};

/// What the model does when it is asked.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // A script has a few dozen steps.
pub enum Step {
    /// It answers.
    Reply(Reply),
    /// The request fails; the failure's `partial` is streamed first.
    Fail(Failure),
}

/// The model's steps of a scenario or script: its `-- model --`, `-- model: fail … --` and `-- model: cut --`
/// sections, in order. All others are passed over.
pub fn parse_script(text: &str) -> Vec<Step> {
    let mut sections: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        if let Some(header) = header(line) {
            sections.push((header, String::new()));
        } else if let Some((_, body)) = sections.last_mut() {
            // A line that only looks like a header is written with a backslash before it.
            let line = line.strip_prefix('\\').filter(|it| header_like(it)).unwrap_or(line);
            body.push_str(line);
            body.push('\n');
        }
    }
    sections.iter().filter_map(|(header, body)| parse_step(header, body)).collect()
}

fn header(line: &str) -> Option<&str> {
    line.strip_prefix("-- ")?.trim_end().strip_suffix(" --").map(str::trim)
}

fn header_like(line: &str) -> bool {
    header(line.trim_start_matches('\\')).is_some()
}

/// The step that a section with this header (`model`, `model: cut`, `model: fail 429 slow down`) stands for; none
/// where the section is not the model's.
pub fn parse_step(header: &str, body: &str) -> Option<Step> {
    let what = header.strip_prefix("model")?;
    if what.is_empty() {
        return Some(Step::Reply(parse_reply(body)));
    }
    let what = what.strip_prefix(':')?.trim();
    let body = body.trim_end();
    if what == "cut" {
        let cut = failure(FailureKind::Cut, "the stream was cut");
        return Some(Step::Fail(Failure { partial: body.to_string(), ..cut }));
    }
    Some(Step::Fail(parse_failure(what.strip_prefix("fail")?.trim(), body)))
}

/// `429 retry-after=2 slow down` or `connect refused`: a status or a kind, then options and words.
fn parse_failure(words: &str, body: &str) -> Failure {
    let (first, mut rest) = words.split_once(' ').unwrap_or((words, ""));
    let mut failed = failure(FailureKind::Server, "");
    if let Some((seconds, tail)) = rest.strip_prefix("retry-after=").map(|it| it.split_once(' ').unwrap_or((it, ""))) {
        failed.retry_after_ms = seconds.parse::<f64>().ok().map(|it| (it * 1000.0) as u64);
        rest = tail;
    }
    failed.message = [rest, body].iter().find(|it| !it.is_empty()).unwrap_or(&words).to_string();
    failed.status = first.parse().ok();
    failed.kind = match failed.status {
        Some(_) => failure_kind::of(failed.status, "", &failed.message),
        None => serde_json::from_value(Value::from(first)).unwrap_or(FailureKind::Server),
    };
    failed
}

/// One reply in the syntax of this module.
pub fn parse_reply(text: &str) -> Reply {
    let mut reply = Reply::default();
    let mut prose: Vec<&str> = Vec::new();
    let mut call: Option<(String, Map<String, Value>)> = None;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(directive) = line.strip_prefix("@@") {
            directive_of(&mut reply, directive);
        } else if let Some((name, raw)) = line.strip_prefix('@').and_then(call_line) {
            reply.calls.extend(call.take().map(finished));
            match raw {
                Some(raw) => reply.calls.push(RawCall { name: name.to_string(), args: raw.to_string() }),
                None => call = Some((name.to_string(), Map::new())),
            }
        } else if let (Some((_, args)), Some((key, value))) = (&mut call, argument_line(line)) {
            let value = match value {
                "|" => Value::String(block(&mut lines, true)),
                "|-" => Value::String(block(&mut lines, false)),
                _ => scalar(value),
            };
            args.insert(key.to_string(), value);
        } else if call.is_none() || !line.trim().is_empty() {
            prose.push(line.strip_prefix('\\').filter(|it| it.starts_with('@')).unwrap_or(line));
        }
    }
    reply.calls.extend(call.take().map(finished));
    reply.text = prose.join("\n").trim().to_string();
    if reply.finish == Finish::Stop && !reply.calls.is_empty() {
        reply.finish = Finish::Calls;
    }
    reply
}

fn finished((name, args): (String, Map<String, Value>)) -> RawCall {
    RawCall { name, args: Value::Object(args).to_string() }
}

/// The name of a call and, on the same line, its raw arguments.
fn call_line(rest: &str) -> Option<(&str, Option<&str>)> {
    let (name, raw) = rest.split_once(' ').map_or((rest.trim_end(), None), |(name, raw)| (name, Some(raw.trim())));
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    let raw = raw.filter(|it| !it.is_empty());
    (is_name && raw.is_none_or(|it| it.starts_with(['{', '[', '"']))).then_some((name, raw))
}

fn argument_line(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    (is_key && (value.is_empty() || value.starts_with(' '))).then_some((key, value.strip_prefix(' ').unwrap_or("")))
}

/// The indented lines that follow; blank ones between them belong to the block.
fn block<'a>(lines: &mut std::iter::Peekable<std::str::Lines<'a>>, last_break: bool) -> String {
    let mut block: Vec<&str> = Vec::new();
    let mut blank = 0;
    loop {
        let mut ahead = lines.clone();
        let Some(line) = ahead.next() else { break };
        if let Some(line) = line.strip_prefix("  ") {
            block.extend(std::iter::repeat_n("", blank));
            blank = 0;
            block.push(line);
        } else if line.trim().is_empty() && ahead.any(|it| !it.trim().is_empty()) {
            blank += 1;
        } else {
            break;
        }
        lines.next();
    }
    let mut text = block.join("\n");
    if last_break && !text.is_empty() {
        text.push('\n');
    }
    text
}

fn scalar(value: &str) -> Value {
    let json = value.strip_prefix('=').and_then(|it| serde_json::from_str(it.trim()).ok());
    json.unwrap_or_else(|| Value::String(value.to_string()))
}

fn directive_of(reply: &mut Reply, directive: &str) {
    let (what, rest) = directive.split_once(' ').unwrap_or((directive, ""));
    match what {
        "think" => reply.reasoning.push(Reasoning { text: rest.to_string(), opaque: None }),
        "finish" => reply.finish = serde_json::from_value(Value::from(rest.trim())).unwrap_or_default(),
        "usage" => {
            let counts: Vec<u64> = rest.split_whitespace().filter_map(|it| it.parse().ok()).collect();
            let count = |at: usize| Tokens(counts.get(at).copied().unwrap_or_default());
            reply.usage = Some(Usage { input: count(0), output: count(1), cache_read: count(2), ..Usage::default() });
        }
        _ => {}
    }
}

/// The reply in the syntax that [`parse_reply`] reads; arguments that are no JSON object stay raw.
pub fn write_reply(reply: &Reply) -> String {
    let mut out = String::new();
    for reasoning in &reply.reasoning {
        reasoning.text.lines().for_each(|line| out += &format!("@@think {line}\n"));
    }
    for line in reply.text.lines() {
        out += if line.starts_with('@') { "\\" } else { "" };
        out += &format!("{line}\n");
    }
    for call in &reply.calls {
        match serde_json::from_str::<Map<String, Value>>(&call.args) {
            Ok(args) => {
                out += &format!("@{}\n", call.name);
                args.iter().for_each(|(key, value)| out += &argument(key, value));
            }
            Err(_) => out += &format!("@{} {}\n", call.name, call.args),
        }
    }
    out
}

fn argument(key: &str, value: &Value) -> String {
    match value {
        Value::String(text) if text.contains('\n') => {
            let (mark, body) = text.strip_suffix('\n').map_or(("|-", text.as_str()), |body| ("|", body));
            let lines: Vec<String> = body.split('\n').map(|line| format!("  {line}")).collect();
            format!("{key}: {mark}\n{}\n", lines.join("\n"))
        }
        Value::String(text) if !matches!(text.as_str(), "|" | "|-") && !text.starts_with('=') => {
            format!("{key}: {text}\n")
        }
        other => format!("{key}: = {other}\n"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: Expect) {
        let reply = parse_reply(text);
        let calls: Vec<String> = reply.calls.iter().map(|it| format!("{} {}", it.name, it.args)).collect();
        expected.assert_eq(&format!("{:?} {:?}\n{}\n", reply.finish, reply.text, calls.join("\n")));
        let again = parse_reply(&write_reply(&reply));
        assert_eq!((again.text, again.calls), (reply.text, reply.calls), "written and read again");
    }

    #[test]
    fn prose_and_calls() {
        check(
            "Fixed: add now adds.\n",
            expect![[r#"
            Stop "Fixed: add now adds."

        "#]],
        );
        check(
            "The sign is wrong.\n\nSee below.\n@edit_file\npath: src/lib.rs\nold: a - b\nnew: a: b\n\n@run_checks\n",
            expect![[r#"
                Calls "The sign is wrong.\n\nSee below."
                edit_file {"path":"src/lib.rs","old":"a - b","new":"a: b"}
                run_checks {}
            "#]],
        );
    }

    #[test]
    fn values() {
        check(
            "@t\na: 12\nb: = 12\nc: = [1, \"x\"]\nd: = not json\ne:\nf: = \"= 1\"\ng: true\n",
            expect![[r#"
                Calls ""
                t {"a":"12","b":12,"c":[1,"x"],"d":"= not json","e":"","f":"= 1","g":"true"}
            "#]],
        );
        check(
            "@write_file\npath: a.rs\ncontent: |\n  fn a() {\n\n      b: 1\n  }\nend: |-\n  x\n\nAfterwards.\n",
            expect![[r#"
                Calls "Afterwards."
                write_file {"path":"a.rs","content":"fn a() {\n\n    b: 1\n}\n","end":"x"}
            "#]],
        );
    }

    #[test]
    fn raw_arguments_and_escapes() {
        check(
            "@read_file {\"path\": broken\n",
            expect![[r#"
            Calls ""
            read_file {"path": broken
        "#]],
        );
        check(
            "\\@someone wrote this\n@ is a sign\nmail a@b.c\n",
            expect![[r#"
            Stop "@someone wrote this\n@ is a sign\nmail a@b.c"

        "#]],
        );
    }

    #[test]
    fn directives() {
        let reply = parse_reply("@@think First.\n@@think Second.\n@@usage 100 20 64\n@@finish length\nHalf");
        assert_eq!(reply.reasoning.len(), 2);
        assert_eq!(reply.finish, Finish::Length);
        assert_eq!(
            reply.usage.map(|it| (it.input, it.output, it.cache_read)),
            Some((Tokens(100), Tokens(20), Tokens(64)))
        );
    }

    #[test]
    fn steps() {
        let kinds = |header: &str| match parse_step(header, "words\n") {
            Some(Step::Fail(failure)) => {
                format!("{:?} {:?} {:?} {}", failure.kind, failure.status, failure.retry_after_ms, failure.message)
            }
            other => format!("{}", other.is_some()),
        };
        assert_eq!(kinds("model: fail 529 overloaded"), "Overloaded Some(529) None overloaded");
        assert_eq!(kinds("model: fail 429 retry-after=2"), "RateLimited Some(429) Some(2000) words");
        assert_eq!(
            kinds("model: fail 400 it does not support tools"),
            "ToolsRejected Some(400) None it does not support tools"
        );
        assert_eq!(kinds("model: fail connect refused"), "Connect None None refused");
        assert_eq!(kinds("model: cut"), "Cut None None the stream was cut");
        assert_eq!(kinds("model"), "true");
        assert_eq!(kinds("user"), "false");
        assert_eq!(parse_script("-- model --\n\\-- model --\n-- tool: x --\n-- model --\n").len(), 2);
    }
}
