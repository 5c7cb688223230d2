//! The state table of a turn, printed by running it: rows are facts, columns are phases.

use expect_test::expect_file;
use ox_protocol::{CallId, Decision, Event, FailureKind, Finish, Mode, Outcome, Seq, Time, WantId};

use crate::world::{
    Log, command, conclude, edit, edited, failing, failure, passing, question, read, reply, with_checks,
};

fn phase(log: &Log) -> String {
    let text = format!("{:?}", log.turn);
    let phase =
        text.split("phase: ").nth(1).expect("a phase").split([' ', ',', '(', '{']).next().expect("a name").to_string();
    let steps: Vec<&str> =
        text.split("step: ").skip(1).map(|it| it.split([' ', ',', '}']).next().expect("a step")).collect();
    if steps.is_empty() { phase } else { format!("{phase}:{}", steps.join("+")) }
}

fn columns() -> Vec<Log> {
    let ready = Log::begin(Mode::Build, with_checks);
    let mut thinking = ready.clone();
    thinking.settle();
    let mut failed = thinking.clone();
    failed.fail_model(FailureKind::Overloaded);
    let mut pruning = thinking.clone();
    pruning.fail_model(FailureKind::ContextTooLong);
    let mut waiting = failed.clone();
    waiting.settle();
    let acting = thinking.clone();
    let mut reading = acting.clone();
    reading.reply("", vec![read("c")]);
    let mut editing = acting.clone();
    editing.reply("", vec![edit("c")]);
    editing.check(passing());
    let mut asking = acting.clone();
    asking.reply("", vec![command("c", "make")]);
    let mut questioning = acting.clone();
    questioning.reply("", vec![question("c")]);
    let mut checking = editing.clone();
    checking.run_tools(&edited());
    checking.reply("", vec![read("d")]);
    checking.run_tools(&Outcome::ok("x"));
    checking.reply("", vec![conclude("z")]);
    let mut stopping = editing.clone();
    stopping.push(Event::Interrupted);
    let mut over = stopping.clone();
    over.settle();
    vec![
        Log::default(),
        ready,
        thinking,
        failed,
        pruning,
        waiting,
        reading,
        editing,
        asking,
        questioning,
        checking,
        stopping,
        over,
    ]
}

fn facts(log: &Log) -> Vec<(&'static str, Event)> {
    let want = log.model_want().unwrap_or_default();
    let prune = log.turn.wants().iter().find(|it| matches!(it, ox_core::Want::Prune { .. })).map(ox_core::Want::id);
    let prune = prune.unwrap_or_default();
    let check = log
        .turn
        .wants()
        .iter()
        .find_map(|it| match it {
            ox_core::Want::Checks { id, .. } => Some(*id),
            _ => None,
        })
        .unwrap_or(WantId { seq: Seq(0), index: 0 });
    let id = || CallId("c".to_string());
    let settled = |outcome| Event::ToolComplete { call: id(), tool: "t".to_string(), outcome };
    let answer = |decision| Event::Approval { call: id(), decision, by: "user".to_string() };
    let result = |report| Event::CheckResult { want: check, baseline: false, round: 1, total: 5, report };
    vec![
        (
            "iteration",
            Event::IterationStart { iteration: 1, total: 100, tool_choice: Default::default(), max_output: None },
        ),
        ("reply", reply(want, "done", vec![], Finish::Stop)),
        ("calls", reply(want, "", vec![read("n")], Finish::Calls)),
        ("failure", Event::ModelFailed { want, failure: failure(FailureKind::Auth), jitter: 0 }),
        ("pruned", {
            let tokens = ox_protocol::Tokens;
            let pruning = ox_protocol::Pruning { sections: vec!["files".into()], ..Default::default() };
            Event::Pruned { want: prune, pruning, before: tokens(100), after: tokens(10) }
        }),
        ("woken", Event::Woken { at: Time(u64::MAX) }),
        ("allowed", answer(Decision::Allow)),
        ("denied", answer(Decision::Deny { reason: String::new() })),
        ("started", Event::ToolStart { call: id(), tool: "t".to_string(), args: Default::default(), iteration: 1 }),
        ("ran", settled(Outcome::ok("x"))),
        ("lost", Event::Lost { call: id() }),
        ("pass", result(passing())),
        ("fail", result(failing(&["wrong"]))),
        ("interrupt", Event::Interrupted),
        ("stopped", Event::Stopped { stop: ox_protocol::Stop::Done }),
        ("completion", Event::Completion { stop: ox_protocol::Stop::Done, exit_code: 0 }),
    ]
}

#[test]
fn state_table() {
    let columns = columns();
    let mut table = format!("{:12}", "");
    for log in &columns {
        table += &format!("{:20}", phase(log));
    }
    for row in 0..facts(&columns[0]).len() {
        let label = facts(&columns[0])[row].0;
        let mut line = format!("\n{label:12}");
        for log in &columns {
            let mut log = log.clone();
            let before = phase(&log);
            let event = facts(&log)[row].1.clone();
            log.push(event);
            let after = phase(&log);
            line += &format!("{:20}", if before == after { ".".to_string() } else { after });
        }
        table += line.trim_end();
    }
    expect_file!["state_table.txt"].assert_eq(&(table + "\n"));
}
