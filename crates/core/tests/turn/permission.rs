//! What may run unasked, what is asked, what never runs.

use expect_test::expect;
use ox_core::{Verdict, always, decide, permit};
use ox_protocol::{
    Approval, Call, CallId, Command, Decision, Event, Level, Mode, Outcome, Rule, RuleAction, Rules, Stop,
};

use crate::world::{Log, checks_call, command, conclude, edit, edited, question, read};

/// The rules of a case, as they are written.
type Given = &'static [(RuleAction, &'static str)];

fn verdict(mode: Mode, approval: Approval, rules: &[(RuleAction, &str)], scope: &[&str], call: &Call) -> String {
    let rules = rules.iter().map(|(action, text)| Rule::parse(*action, text).expect("a rule")).collect();
    let rules =
        Rules { approval, rules, scope: scope.iter().map(|it| (*it).to_string()).collect(), ..Rules::default() };
    match permit(mode, &rules, &[], call) {
        Verdict::Allow => "allow".into(),
        Verdict::Ask(why) => format!("ask ({})", why.code),
        Verdict::Deny(_) => "deny".into(),
    }
}

#[test]
fn policies_without_rules() {
    let mut table = String::new();
    let mut outside = read("x");
    outside.facts.level = Level::System;
    let calls = [
        ("read", read("a")),
        ("edit", edit("a")),
        ("shell", command("a", "ls")),
        ("checks", checks_call("a")),
        ("outside", outside),
        ("question", question("q")),
    ];
    for (name, call) in &calls {
        for mode in [Mode::Chat, Mode::Build] {
            for approval in [Approval::Ask, Approval::AcceptEdits, Approval::Auto] {
                table += &format!("{name:8} {mode:?} {approval:?}: {}\n", verdict(mode, approval, &[], &[], call));
            }
        }
    }
    expect![[r#"
        read     Chat Ask: allow
        read     Chat AcceptEdits: allow
        read     Chat Auto: allow
        read     Build Ask: allow
        read     Build AcceptEdits: allow
        read     Build Auto: allow
        edit     Chat Ask: deny
        edit     Chat AcceptEdits: deny
        edit     Chat Auto: deny
        edit     Build Ask: ask (approval.why.edit)
        edit     Build AcceptEdits: allow
        edit     Build Auto: allow
        shell    Chat Ask: deny
        shell    Chat AcceptEdits: deny
        shell    Chat Auto: deny
        shell    Build Ask: ask (approval.why.not_isolated)
        shell    Build AcceptEdits: ask (approval.why.not_isolated)
        shell    Build Auto: ask (approval.why.not_isolated)
        checks   Chat Ask: deny
        checks   Chat AcceptEdits: deny
        checks   Chat Auto: deny
        checks   Build Ask: ask (approval.why.not_isolated)
        checks   Build AcceptEdits: ask (approval.why.not_isolated)
        checks   Build Auto: ask (approval.why.not_isolated)
        outside  Chat Ask: deny
        outside  Chat AcceptEdits: deny
        outside  Chat Auto: deny
        outside  Build Ask: ask (approval.why.system)
        outside  Build AcceptEdits: ask (approval.why.system)
        outside  Build Auto: ask (approval.why.system)
        question Chat Ask: allow
        question Chat AcceptEdits: allow
        question Chat Auto: allow
        question Build Ask: allow
        question Build AcceptEdits: allow
        question Build Auto: allow
    "#]]
    .assert_eq(&table);
}

#[test]
fn rules() {
    use RuleAction::{Allow, Ask, Deny};
    let cases: &[(Given, &str, &str)] = &[
        (&[(Allow, "run_command(cargo test*)")], "cargo test --all", "allow"),
        (&[(Allow, "run_command(cargo test*)")], "cargo test; rm -rf /", "ask (approval.why.not_isolated)"),
        (&[(Allow, "run_command(cargo test*)")], "cargo test $(rm x)", "ask (approval.why.not_isolated)"),
        (&[(Allow, "run_command(cargo test*)")], "cargo test\nrm x", "ask (approval.why.not_isolated)"),
        (&[(Allow, "run_command(ls)")], "ls", "allow"),
        (&[(Allow, "run_command(ls)")], "ls -l", "ask (approval.why.not_isolated)"),
        (&[(Allow, "run_command")], "rm -rf target", "allow"),
        (&[(Allow, "run_command"), (Deny, "run_command(rm *)")], "rm -rf target", "deny"),
        (&[(Allow, "run_command"), (Deny, "run_command(*rm *)")], "true && rm -rf target", "deny"),
        (&[(Allow, "run_command"), (Ask, "run_command(git push*)")], "git push", "ask (approval.why.rule)"),
        (&[(Allow, "run_command(git push origin)"), (Ask, "run_command(git*)")], "git push origin", "allow"),
        (&[(Allow, "*")], "make", "allow"),
        (&[(Allow, "*"), (Ask, "run_command")], "make", "ask (approval.why.rule)"),
    ];
    for (rules, line, expected) in cases {
        assert_eq!(&verdict(Mode::Build, Approval::Ask, rules, &[], &command("c", line)), expected, "{rules:?} {line}");
    }
}

#[test]
fn path_rules_and_scope() {
    use RuleAction::{Allow, Deny};
    let cases: &[(Given, &[&str], &str)] = &[
        (&[(Allow, "edit_file(src/**)")], &[], "allow"),
        (&[(Allow, "edit_file(tests/**)")], &[], "ask (approval.why.edit)"),
        (&[(Allow, "edit_file"), (Deny, "*(**/lib.rs)")], &[], "deny"),
        (&[(Allow, "edit_file")], &["src/**"], "allow"),
        (&[(Allow, "edit_file")], &["tests/**"], "deny"),
    ];
    for (rules, scope, expected) in cases {
        assert_eq!(&verdict(Mode::Build, Approval::Ask, rules, scope, &edit("e")), expected, "{rules:?} {scope:?}");
    }
}

#[test]
fn level_three_is_never_automatic() {
    let mut call = command("c", "git push");
    call.facts.level = Level::System;
    assert_eq!(
        verdict(Mode::Build, Approval::Auto, &[(RuleAction::Allow, "run_command(git push)")], &[], &call),
        "ask (approval.why.system)"
    );
}

#[test]
fn a_denial_reaches_the_model_with_the_users_words() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("", vec![command("c", "make deploy"), edit("e")]);
    assert_eq!(log.last_event(), "approval_request");
    let no = Command::Decide { call: CallId("c".into()), decision: Decision::Deny { reason: "not today".into() } };
    decide(&log.turn, &no).expect("it is asked").into_iter().for_each(|it| log.push(it));
    assert_eq!(log.settle(), ["tool_complete", "tool_complete", "iteration_start"]);
    let words: Vec<String> = log
        .frames
        .iter()
        .filter_map(|it| match &it.event {
            Event::ToolComplete { outcome, .. } => Some(outcome.output.clone()),
            _ => None,
        })
        .collect();
    expect![[r#"
        [
            "the user refused `make deploy` and said: not today. Do not try it again in another form; choose another way or ask.",
            "not run: `run_command` before it in this reply failed or was refused. Look at its result first.",
        ]
    "#]]
    .assert_debug_eq(&words);
}

#[test]
fn always_adds_a_rule_that_covers_exactly_this_command() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("", vec![command("c", "make a")]);
    let yes = Command::Decide {
        call: CallId("c".into()),
        decision: Decision::AllowAlways {
            rule: always(&command("c", "make a")),
            keep: ox_protocol::Keep::Conversation,
        },
    };
    decide(&log.turn, &yes).expect("it is asked").into_iter().for_each(|it| log.push(it));
    log.run_tools(&Outcome::ok("1"));
    log.reply("", vec![command("d", "make a")]);
    assert_eq!(log.wanted(), ["tool run_command"]);
    log.run_tools(&Outcome::ok("2"));
    log.reply("", vec![command("e", "make b")]);
    assert_eq!(log.last_event(), "approval_request");
}

#[test]
fn an_amended_call_runs_as_amended_and_deny_rules_still_hold() {
    let mut log = Log::begin(Mode::Build, |it| {
        it.rules.rules = vec![Rule::parse(RuleAction::Deny, "run_command(rm*)").expect("a rule")]
    });
    log.reply("", vec![command("c", "make all")]);
    let mut harmless = log.clone();
    harmless.push(Event::Amended { call: command("c", "make one") });
    harmless.settle();
    assert_eq!(harmless.wanted(), ["tool run_command"]);
    log.push(Event::Amended { call: command("c", "rm -rf x") });
    assert_eq!(log.settle()[0], "tool_complete");
}

#[test]
fn headless_nothing_waits_and_the_stop_names_the_refusal() {
    let mut log = Log::begin(Mode::Build, |it| it.rules.headless = true);
    log.reply("", vec![command("c", "make")]);
    assert_eq!(log.wanted(), ["model Auto 1"]);
    log.reply("I could not.", vec![]);
    assert_eq!(log.stop(), Some(Stop::PermissionRefused));
}

#[test]
fn headless_a_refused_extra_does_not_spoil_a_finished_turn() {
    let mut log = Log::begin(Mode::Build, |it| it.rules.headless = true);
    log.reply("", vec![read("r"), edit("e")]);
    log.run_tools(&edited());
    log.reply("", vec![command("c", "make")]);
    log.reply("", vec![conclude("z")]);
    assert_eq!(log.stop(), Some(Stop::DoneUnchecked));
}

#[test]
fn headless_questions_are_answered_with_decide_yourself() {
    let mut log = Log::begin(Mode::Build, |it| it.rules.headless = true);
    log.reply("", vec![question("q")]);
    assert_eq!(log.wanted(), ["model Auto 1"]);
}
