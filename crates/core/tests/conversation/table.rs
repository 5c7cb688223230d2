//! The state table of a turn, printed by running it. A column is a situation with the phase that the state has in it; a row is a
//! fact, with the phase that it leads to. The row `next` is the fact that follows from the state alone.

use expect_test::expect_file;
use ox_protocol::{CallId, Decision, Event, FailureKind, Finish, Mode, Outcome, Seq, Time, WantId};

use crate::fixture::{
    Log, Start, command, conclude, edit, edited, failing, failure, name, passing, question, read, reply, with_checks,
};

fn phase(log: &Log) -> String {
    let text = format!("{:?}", log.conversation);
    let phase =
        text.split("phase: ").nth(1).expect("a phase").split([' ', ',', '(', '{']).next().expect("a name").to_string();
    let steps: Vec<&str> =
        text.split("step: ").skip(1).map(|it| it.split([' ', ',', '}']).next().expect("a step")).collect();
    if steps.is_empty() { phase } else { format!("{phase}:{}", steps.join("+")) }
}

fn columns() -> Vec<(&'static str, Log)> {
    let mut preparing = Log::default();
    preparing.push(Start::new(Mode::Build).event());
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
    let mut auditing = editing.clone();
    auditing.run_tools(&edited());
    auditing.audits = None;
    auditing.reply("", vec![conclude("z")]);
    let mut stopping = editing.clone();
    stopping.push(Event::Interrupted);
    let mut over = stopping.clone();
    over.settle();
    let mut concluding = thinking.clone();
    concluding.push(reply(thinking.model_want().expect("the model is asked"), "done", vec![], Finish::Stop));
    vec![
        ("no turn", Log::default()),
        ("turn begun", preparing),
        ("prompt ready", ready),
        ("model asked", thinking),
        ("model failed", failed),
        ("window full", pruning),
        ("retry later", waiting),
        ("read called", reading),
        ("edit called", editing),
        ("consent asked", asking),
        ("question asked", questioning),
        ("model answered", concluding),
        ("audit wanted", auditing),
        ("done claimed", checking),
        ("interrupted", stopping),
        ("loop ended", over),
    ]
}

fn facts(log: &Log) -> Vec<(&'static str, Event)> {
    let want = log.model_want().unwrap_or_default();
    let prune =
        log.conversation.wants().iter().find(|it| matches!(it, ox_core::Want::Prune { .. })).map(ox_core::Want::id);
    let prune = prune.unwrap_or_default();
    let check = log
        .conversation
        .wants()
        .iter()
        .find_map(|it| match it {
            ox_core::Want::Checks(ox_core::ChecksRun { id, .. }) => Some(*id),
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
        (
            "audited",
            Event::Audited { want: WantId::default(), changes: 1, size: Default::default(), findings: Vec::new() },
        ),
        ("woken", Event::Woken { at: Time(u64::MAX) }),
        ("allowed", answer(Decision::Allow)),
        ("denied", answer(Decision::Deny { reason: String::new(), stop: false })),
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
    let row = |label: &str, cell: &dyn Fn(&Log) -> String| {
        let cells: String = columns.iter().map(|(_, log)| format!("{:20}", cell(log))).collect();
        format!("{label:12}{}", cells.trim_end()).trim_end().to_string()
    };
    let situations: String = columns.iter().map(|(situation, _)| format!("{situation:20}")).collect();
    let next = |log: &Log| log.conversation.next_event().map_or(".".to_string(), |event| name(&event));
    let mut lines = vec![format!("{:12}{}", "", situations.trim_end()), row("", &phase), row("next", &next)];
    for (at, (label, _)) in facts(&columns[0].1).into_iter().enumerate() {
        lines.push(row(label, &|log| {
            let (mut after, before) = (log.clone(), phase(log));
            after.push(facts(log)[at].1.clone());
            Some(phase(&after)).filter(|it| *it != before).unwrap_or(".".to_string())
        }));
    }
    expect_file!["state_table.txt"].assert_eq(&(lines.join("\n") + "\n"));
}
