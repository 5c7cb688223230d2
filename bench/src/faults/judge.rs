//! Holds what was seen against what is expected.

use serde_json::Value;

use super::case::Case;
use super::plan::Plan;
use super::play::{AFTER_SIGNAL, Seen};

type Judged = Result<(), String>;

/// The most that a tool's result may be, in bytes.
const LONGEST_RESULT: usize = 200_000;
/// The most requests that a model which gets nowhere may cost.
const MOST_ASKED: usize = 9;

/// Why the run was not as the case expects.
pub fn judge(case: &Case, plan: &Plan, seen: &Seen) -> Judged {
    if seen.stderr.contains("panicked at") {
        return Err(format!("a panic: {}", seen.stderr.lines().find(|it| it.contains("panicked")).unwrap_or_default()));
    }
    match case.action() {
        "repair_and_run" => ran(case, seen),
        "structured_error" => refused(seen),
        "repair_or_error" if case.kind == "sse" => whole(case, seen),
        "repair_or_error" => ran(case, seen).or_else(|a| refused(seen).map_err(|b| format!("{a}; {b}"))),
        "continue_turn" => goes_on(case, seen),
        "ignore_and_go_on" => goes_on(case, seen).and_then(|()| sane(seen)),
        "no_effect" => goes_on(case, seen).and_then(|()| in_order(plan, seen)),
        "retry_backoff" => retried(seen),
        "retry_keep_partial" => retried(seen).and_then(|()| kept(seen)),
        "stop_with_message" => stopped(seen),
        "compact_and_retry" => compacted(seen),
        "nudge_once_then_stop" => nudged(seen),
        "loop_notice" => noticed(seen),
        "strip" => stripped(plan, seen),
        "cap_output" => capped(seen),
        "stop_keep_partial" => interrupted(seen),
        other => Err(format!("nobody has said how to judge `{other}`")),
    }
}

fn must(good: bool, otherwise: impl Into<String>) -> Judged {
    if good { Ok(()) } else { Err(otherwise.into()) }
}

fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

/// The first reply had a call that began, or it was taken where the case is about no call.
fn ran(case: &Case, seen: &Seen) -> Judged {
    if case.kind == "events" || case.kind == "sse" {
        return goes_on(case, seen);
    }
    must(seen.all("tool_start").next().is_some(), "no call began")
}

/// The first reply had a call that did not begin, the model was told why, and the session went on.
fn refused(seen: &Seen) -> Judged {
    let reported = seen.all("tool_complete").next().ok_or("no call was answered")?;
    let status = text(reported, "/outcome/status");
    must(status == "failed" || status == "denied", format!("the call ended as {status}"))?;
    must(!text(reported, "/outcome/output").is_empty(), "the model was told nothing")?;
    let began = seen.all("tool_start").any(|it| it["call"] == reported["call"]);
    must(!began || status == "denied", "the call began")?;
    must(seen.asked >= 2 || status == "denied", "the model was not asked again")?;
    must(seen.ended, "the run did not end")
}

/// Nothing of the text was lost or shown twice, and nothing that was shown was taken back.
fn whole(case: &Case, seen: &Seen) -> Judged {
    goes_on(case, seen)?;
    let reply = seen.all("stream_complete").next().ok_or("no reply")?;
    let called = reply["calls"].as_array().is_some_and(|it| !it.is_empty());
    let said = text(reply, "/text");
    let sent: String = String::from_utf8_lossy(&case.chunks().concat())
        .lines()
        .filter_map(|it| serde_json::from_str::<Value>(it.strip_prefix("data:")?.trim()).ok())
        .filter_map(|it| Some(it.pointer("/choices/0/delta/content")?.as_str()?.to_string()))
        .collect();
    must(called || said == sent.trim_end(), format!("{sent:?} was sent and {said:?} kept"))?;
    let id = reply["message_id"].to_string();
    let shown = seen.shown().into_iter().find(|it| it.0 == id).map(|it| it.1).unwrap_or_default();
    must(shown == said, format!("{shown:?} was shown and {said:?} kept"))
}

/// The first request was answered, with the text that is expected.
fn goes_on(case: &Case, seen: &Seen) -> Judged {
    if let Some(failed) = seen.all("model_failed").next() {
        return Err(format!(
            "the request failed: {} {}",
            text(failed, "/failure/kind"),
            text(failed, "/failure/message")
        ));
    }
    let reply = seen.all("stream_complete").next().ok_or("no reply was complete")?;
    match case.expect.get("text").and_then(Value::as_str) {
        Some(expected) => must(text(reply, "/text") == expected, format!("the text is {:?}", text(reply, "/text"))),
        None => Ok(()),
    }
}

/// Every event has its place and every id is its own, though the clock jumped.
fn in_order(plan: &Plan, seen: &Seen) -> Judged {
    let number = |key: &'static str| seen.events.iter().filter_map(move |it| it[key].as_i64());
    let numbers: Vec<i64> = number("seq").collect();
    must(!numbers.is_empty() && numbers.windows(2).all(|it| it[0] < it[1]), "the events are not in order")?;
    must(seen.ended && seen.code == Some(0), "the run did not end well")?;
    let Some(by) = plan.jump else { return Ok(()) };
    let times: Vec<i64> = number("time").collect();
    // Most of the jump: between two events some time passes.
    let jumped = times.windows(2).any(|it| (it[1] - it[0] - by * 1000).abs() < 60_000);
    must(jumped, format!("the clock did not jump: {times:?}"))
}

fn sane(seen: &Seen) -> Judged {
    let most = 1_000_000_000;
    let counts = seen.all("token_usage").flat_map(|it| ["input", "output"].map(|key| it["turn"][key].as_u64()));
    must(counts.into_iter().all(|it| it.is_some_and(|it| it < most)), "the usage is absurd")
}

fn retried(seen: &Seen) -> Judged {
    let retry = seen.all("retry").next().ok_or_else(|| {
        let failed = seen.all("model_failed").next();
        format!("no retry; {}", failed.map_or("no failure".to_string(), |it| text(it, "/failure/kind").to_string()))
    })?;
    must(retry["wait_ms"].as_u64().is_some_and(|it| it > 0), "it was asked again without a pause")
}

/// What was shown is told as superseded, and the next reply does not repeat it.
fn kept(seen: &Seen) -> Judged {
    let failed = seen.all("model_failed").next().ok_or("nothing failed")?;
    let partial = text(failed, "/failure/partial");
    must(!partial.is_empty(), "what was shown is forgotten")?;
    let shown = seen.shown();
    must(shown.first().is_some_and(|it| it.1 == partial), "what was shown is not what is kept")?;
    let reply = seen.all("stream_complete").next().ok_or("no reply was complete")?;
    must(!text(reply, "/text").starts_with(partial), "the text is doubled")
}

fn stopped(seen: &Seen) -> Judged {
    must(seen.all("retry").next().is_none(), "it was asked again")?;
    let failed = seen.all("model_failed").next().ok_or("nothing failed")?;
    must(!text(failed, "/failure/message").is_empty(), "no words")?;
    must(seen.ended && seen.code.is_some_and(|it| it != 0), "the run did not end with an error")
}

fn compacted(seen: &Seen) -> Judged {
    let event = ["pruned", "compacted", "pruning"].iter().any(|it| seen.all(it).next().is_some());
    must(event, "the conversation was not made shorter")?;
    must(seen.asked >= 2, "the model was not asked again")
}

/// The model was told once that this is not enough, and the run ended without asking for ever.
fn nudged(seen: &Seen) -> Judged {
    must(seen.asked >= 2, "the model was not told to go on")?;
    must(seen.asked <= MOST_ASKED, format!("the model was asked {} times", seen.asked))?;
    must(seen.ended, "the run did not end")
}

fn noticed(seen: &Seen) -> Judged {
    let reason = seen.all("stopped").next().map(|it| text(it, "/stop/reason").to_string()).unwrap_or_default();
    let reported = seen.all("tool_complete").any(|it| {
        let output = text(it, "/outcome/output").to_lowercase();
        ["same call", "again and again", "repeat", "already"].iter().any(|word| output.contains(word))
    });
    must(
        reported || ["oscillation", "repeated_failure"].contains(&reason.as_str()),
        format!("the run ended as {reason}"),
    )
}

/// No control character reaches a terminal.
fn stripped(plan: &Plan, seen: &Seen) -> Judged {
    must(plan.plain && seen.ended, "the run did not end")?;
    let bad = |text: &str| text.chars().any(|c| c.is_control() && c != '\n' && c != '\t');
    must(!seen.lines.iter().any(|it| bad(it)), "control characters on stdout")
}

fn capped(seen: &Seen) -> Judged {
    let reported = seen.all("tool_complete").next().ok_or("the command was not answered")?;
    let length = text(reported, "/outcome/output").len();
    must(length < LONGEST_RESULT, format!("the result has {length} bytes"))?;
    must(seen.ended, "the run did not end")
}

/// The run ended soon, and what was shown is in the log.
fn interrupted(seen: &Seen) -> Judged {
    must(seen.ended && seen.after_signal.is_some_and(|it| it < AFTER_SIGNAL), "it did not end after the signal")?;
    must(!seen.shown().is_empty(), "nothing had been shown")?;
    let reported = seen.all("interrupted").next().is_some() || seen.all("completion").next().is_some();
    must(reported, "the log does not say that it ended")
}
