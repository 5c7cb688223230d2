//! The user's hooks: when they are wanted, and what their objections do.

use ox_protocol::HookPoint::{AfterTool, BeforeStop, BeforeTool, RunStart};
use ox_protocol::{Event, HookPoint, Mode, Outcome, Stop};

use crate::fixture::{Log, conclude, edit, edited, hook, name, read};

fn with(hooks: &[(HookPoint, &[&str])]) -> Log {
    Log::begin(Mode::Build, |it| it.rules.hooks = hooks.iter().map(|(at, tools)| hook(*at, tools)).collect())
}

#[test]
fn nothing_is_asked_of_the_model_before_the_hooks_at_the_start() {
    let mut log = with(&[(RunStart, &[])]);
    log.settle();
    assert_eq!(log.wanted(), ["hook RunStart"]);
    log.hook(None);
    assert_eq!(log.wanted(), ["model Required 1"]);

    let mut log = with(&[(RunStart, &[])]);
    log.settle();
    log.hook(Some("not on a Sunday"));
    assert_eq!(log.stop(), Some(Stop::PermissionRefused));
    assert!(log.wanted().is_empty());
}

#[test]
fn a_hook_before_a_tool_denies_it_in_its_own_words() {
    let mut log = with(&[(BeforeTool, &["edit_*"])]);
    log.reply("", vec![read("a"), edit("e"), edit("f")]);
    assert_eq!(log.wanted(), ["tool read_file"], "the hook is about edits alone");
    log.run_tools(&Outcome::ok("text"));
    assert_eq!(log.wanted(), ["hook BeforeTool edit_file"]);
    log.hook(Some("src is frozen"));
    let said: Vec<String> = log
        .frames
        .iter()
        .filter_map(|it| match &it.event {
            Event::ToolComplete { call, outcome, .. } => {
                Some(format!("{call} {:?} {}", outcome.status, outcome.output))
            }
            _ => None,
        })
        .collect();
    expect_test::expect![[r#"
        a Ok text
        e Denied a hook refused `edit_file`: src is frozen
        f Skipped not run: `edit_file` before it in this reply failed or was refused. Look at its result first."#]]
    .assert_eq(&said.join("\n"));
    assert_eq!(log.wanted(), ["model Auto 1"]);
}

#[test]
fn what_a_hook_refused_is_no_missing_permission() {
    let mut log = Log::begin(Mode::Auto, |it| it.rules.hooks = vec![hook(BeforeTool, &["edit_*"])]);
    log.reply("", vec![edit("e")]);
    log.hook(Some("src is frozen"));
    log.reply("It stays as it is: src is frozen.", Vec::new());
    assert_eq!(log.stop(), Some(Stop::Answered));
}

#[test]
fn a_hook_that_passes_lets_the_call_run_once() {
    let mut log = with(&[(BeforeTool, &[]), (AfterTool, &[])]);
    log.reply("", vec![edit("e"), edit("f")]);
    assert_eq!(log.wanted(), ["hook BeforeTool edit_file"]);
    log.hook(None);
    assert_eq!(log.wanted(), ["tool edit_file"]);
    log.push(Event::ToolStart { call: edit("e").id, tool: "edit_file".into(), args: Default::default(), iteration: 1 });
    log.push(Event::ToolComplete { call: edit("e").id, tool: "edit_file".into(), outcome: edited() });
    log.settle();
    assert_eq!(log.wanted(), ["hook AfterTool edit_file"], "the next call waits for the hooks after this one");
    log.hook(Some("format it"));
    assert_eq!(log.wanted(), ["hook BeforeTool edit_file"]);
    log.hook(None);
    log.run_tools(&edited());
    assert_eq!(log.wanted(), ["hook AfterTool edit_file"]);
    log.hook(None);
    assert_eq!(log.wanted(), ["model Auto 1"]);
}

#[test]
fn a_hook_before_the_end_sends_the_model_back_until_the_limit() {
    let mut log = with(&[(BeforeStop, &[])]);
    log.reply("", vec![edit("e")]);
    log.run_tools(&edited());
    for round in 1.. {
        log.reply("", vec![conclude(&format!("c{round}"))]);
        assert_eq!(log.wanted(), ["hook BeforeStop"]);
        log.hook(Some("write a changelog entry"));
        if log.stop().is_some() {
            assert_eq!((log.stop(), round), (Some(Stop::StopHookRetries), 6));
            break;
        }
        let refused = log.frames.iter().rev().find(|it| name(&it.event) == "refusal");
        let Some(Event::Refusal { message, retry, .. }) = refused.map(|it| &it.event) else { panic!("it is refused") };
        assert_eq!((message.as_str(), *retry), ("write a changelog entry", round));
    }
}

#[test]
fn a_hook_before_the_end_that_passes_ends_the_turn() {
    let mut log = with(&[(BeforeStop, &[])]);
    log.reply("", vec![edit("e")]);
    log.run_tools(&edited());
    log.reply("done", vec![]);
    log.hook(None);
    assert_eq!(log.stop(), Some(Stop::DoneUnchecked));
}

#[test]
fn a_hook_that_answers_late_or_to_nobody_changes_nothing() {
    let mut log = with(&[(BeforeTool, &[])]);
    log.reply("", vec![edit("e")]);
    let wants = log.conversation.wants();
    let ox_core::Want::Hook { id, at, call } = &wants[0] else { panic!("{wants:?}") };
    log.push(Event::Interrupted);
    log.settle();
    let before = (log.conversation.stopped(), log.conversation.wants());
    log.push(crate::fixture::hooked(*id, *at, call.as_ref().map(|it| it.id.clone()), Some("late")));
    assert_eq!((log.conversation.stopped(), log.conversation.wants()), before);
}
