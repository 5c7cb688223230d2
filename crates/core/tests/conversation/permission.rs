//! What may run unasked, what is asked, what never runs.

use expect_test::expect;
use ox_core::{Verdict, always, can_grant, exactly, permit};
use ox_protocol::{
    ApprovalPolicy, Call, CallId, Command, Decision, Effect, EffectKind, Event, Level, Mode, Outcome, Rule, RuleAction,
    Rules, SimpleCommand, Stop,
};

use crate::fixture::{Log, checks_call, command, conclude, edit, edited, question, read};

/// The rules of a case, as they are written.
type Given = &'static [(RuleAction, &'static str)];

fn verdict(mode: Mode, approval: ApprovalPolicy, rules: &[(RuleAction, &str)], scope: &[&str], call: &Call) -> String {
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
            for approval in [ApprovalPolicy::Ask, ApprovalPolicy::AcceptEdits, ApprovalPolicy::Auto] {
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
        outside  Chat Ask: ask (approval.why.system)
        outside  Chat AcceptEdits: ask (approval.why.system)
        outside  Chat Auto: ask (approval.why.system)
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
fn in_a_reading_mode_the_sandbox_decides_what_a_command_may_do() {
    let on_a_copy = |call: &Call| {
        let rules = Rules { isolated: true, headless: true, ..Rules::default() };
        match permit(Mode::Chat, &rules, &[], call) {
            Verdict::Allow => "allow".to_owned(),
            Verdict::Ask(why) => format!("ask ({})", why.code),
            Verdict::Deny(_) => "deny".to_owned(),
        }
    };
    let effect = |kind| {
        let mut call = command("a", "it");
        call.facts.level = Level::System;
        call.facts.effects = vec![Effect::new(kind, Level::System, "it")];
        on_a_copy(&call)
    };
    assert_eq!((on_a_copy(&command("a", "make")), on_a_copy(&edit("a"))), ("allow".into(), "deny".into()));
    for kind in [EffectKind::Destroy, EffectKind::Write, EffectKind::Delete, EffectKind::Install, EffectKind::System] {
        assert_eq!(effect(kind), "allow", "{kind:?} happens to a copy, or the kernel refuses it");
    }
    for kind in [EffectKind::Network, EffectKind::Secret, EffectKind::Publish, EffectKind::Requested] {
        assert_eq!(effect(kind), "ask (approval.why.system)", "{kind:?}");
    }
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
        assert_eq!(
            &verdict(Mode::Build, ApprovalPolicy::Ask, rules, &[], &command("c", line)),
            expected,
            "{rules:?} {line}"
        );
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
        assert_eq!(
            &verdict(Mode::Build, ApprovalPolicy::Ask, rules, scope, &edit("e")),
            expected,
            "{rules:?} {scope:?}"
        );
    }
}

#[test]
fn level_three_is_never_automatic() {
    let mut call = command("c", "git push");
    call.facts.level = Level::System;
    assert_eq!(
        verdict(Mode::Build, ApprovalPolicy::Auto, &[(RuleAction::Allow, "run_command(git push)")], &[], &call),
        "ask (approval.why.system)"
    );
}

#[test]
fn a_denial_reaches_the_model_with_the_users_words() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("", vec![command("c", "make deploy"), edit("e")]);
    assert_eq!(log.last_event(), "approval_request");
    let no = Command::Decide {
        call: CallId("c".into()),
        decision: Decision::Deny { reason: "not today".into(), stop: false },
    };
    log.decide(&no).expect("it is asked").into_iter().for_each(|it| log.push(it));
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
fn always_holds_for_a_tool_of_a_server_and_for_nothing_else_that_reaches_outside() {
    for (tool, rule, asked_again) in [
        ("mcp__demo__echo", "mcp__demo__echo", false),
        ("mcp__demo__echo", "mcp__demo", true),
        ("mcp__demo__echo", "mcp__demo__*", true),
        ("mcp__demo__echo", "mcp__*", true),
        ("web_fetch", "web_fetch", true),
    ] {
        let far = |id: &str| {
            let mut call = read(id);
            call.tool = tool.into();
            call.facts.level = Level::System;
            call.facts.effects = vec![Effect::new(EffectKind::Network, Level::System, "somebody".to_owned())];
            call
        };
        let mut log = Log::begin(Mode::Build, |_| {});
        log.reply("", vec![far("c")]);
        let rule = Rule::parse(RuleAction::Allow, rule).unwrap();
        let keep = ox_protocol::Keep::Conversation;
        let decision = Decision::AllowAlways { rule, further: Vec::new(), keep };
        let yes = Command::Decide { call: CallId("c".into()), decision };
        log.decide(&yes).expect("it is asked").into_iter().for_each(|it| log.push(it));
        log.run_tools(&Outcome::ok("1"));
        log.reply("", vec![far("d")]);
        assert_eq!(log.last_event() == "approval_request", asked_again, "{tool}");
    }
}

#[test]
fn always_adds_a_rule_that_covers_exactly_this_command() {
    let mut log = Log::begin(Mode::Build, |_| {});
    log.reply("", vec![command("c", "make a")]);
    let yes = Command::Decide {
        call: CallId("c".into()),
        decision: Decision::AllowAlways {
            rule: exactly(&command("c", "make a")),
            further: Vec::new(),
            keep: ox_protocol::Keep::Conversation,
        },
    };
    log.decide(&yes).expect("it is asked").into_iter().for_each(|it| log.push(it));
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

/// Parts of a command line with their levels.
type Parts<'a> = &'a [(&'a str, u8)];

/// A command line with its parts, each with its level: 0 to 3.
fn line(text: &str, parts: &[(&str, u8)]) -> Call {
    let level = |it: u8| [Level::Read, Level::Edit, Level::Shell, Level::System][usize::from(it)];
    let mut call = command("c", text);
    call.facts.level = parts.iter().map(|it| level(it.1)).max().unwrap_or(Level::Shell);
    let part = |it: &(&str, u8)| SimpleCommand { text: it.0.to_string(), level: level(it.1), prefix: None };
    call.facts.commands = parts.iter().map(part).collect();
    call
}

#[test]
fn every_part_of_a_line_is_judged() {
    use RuleAction::{Allow, Ask, Deny};
    let test = [("npm test", 2)];
    let both = [("npm test", 2), ("rm x", 2)];
    let mixed = [("cd web", 0), ("npm test", 2), ("tail -5", 0)];
    let written = [("npm test", 2), ("> out.txt", 1)];
    let cases: &[(Given, Parts, &str)] = &[
        (&[(Allow, "run_command(npm test*)")], &test, "allow"),
        (&[(Allow, "run_command(npm test*)")], &both, "ask (approval.why.shell)"),
        (&[(Allow, "run_command(npm test*)"), (Allow, "run_command(rm *)")], &both, "allow"),
        (&[(Allow, "run_command(npm test*)")], &mixed, "allow"),
        (&[(Allow, "run_command(npm test*)")], &written, "ask (approval.why.edit)"),
        (&[(Deny, "run_command(tail*)"), (Allow, "run_command")], &mixed, "deny"),
        (&[(Ask, "run_command(rm *)"), (Allow, "run_command")], &both, "ask (approval.why.rule)"),
        (&[(Ask, "run_command"), (Allow, "run_command(npm test*)")], &test, "allow"),
        (&[], &[("ls", 0), ("git status", 0)], "allow"),
        (&[], &[("ls", 0), ("make", 2)], "ask (approval.why.shell)"),
        (&[(Allow, "*")], &[("ls", 0), ("git push", 3)], "ask (approval.why.system)"),
    ];
    for (rules, parts, expected) in cases {
        let text: Vec<&str> = parts.iter().map(|it| it.0).collect();
        let call = line(&text.join(" && "), parts);
        assert_eq!(&isolated(ApprovalPolicy::Ask, rules, &call), expected, "{rules:?} {text:?}");
    }
    let whole = line("npm test && rm x", &both);
    assert_eq!(isolated(ApprovalPolicy::Ask, &[(Allow, "run_command(npm test && rm x)")], &whole), "allow");
    assert_eq!(isolated(ApprovalPolicy::Auto, &[], &whole), "allow");
}

#[test]
fn a_host_that_a_rule_names_needs_no_question() {
    use RuleAction::{Allow, Ask, Deny};
    let fetch = |hosts: &[&str], more: Option<EffectKind>| {
        let mut call = line("curl https://docs.rs/x", &[("curl https://docs.rs/x", 3)]);
        call.facts.hosts = hosts.iter().map(|it| (*it).to_string()).collect();
        call.facts.effects = std::iter::once(EffectKind::Network)
            .chain(more)
            .map(|kind| Effect::new(kind, Level::System, "x"))
            .collect();
        call
    };
    let named: &[&str] = &["docs.rs"];
    let cases: &[(Given, Call, &str)] = &[
        (&[], fetch(named, None), "ask (approval.why.unknown_host)"),
        (&[(Allow, "network(docs.rs)")], fetch(named, None), "allow"),
        (&[(Allow, "network(*.docs.rs)")], fetch(named, None), "ask (approval.why.unknown_host)"),
        (&[(Allow, "network(*.docs.rs)")], fetch(&["api.docs.rs"], None), "allow"),
        (&[(Allow, "network(docs.rs)")], fetch(&["docs.rs", "evil.example"], None), "ask (approval.why.unknown_host)"),
        (&[(Allow, "network(docs.rs)")], fetch(&["*"], None), "ask (approval.why.system)"),
        (&[(Allow, "network(*)")], fetch(named, None), "ask (approval.why.unknown_host)"),
        (&[(Allow, "network(docs.rs)")], fetch(named, Some(EffectKind::Write)), "ask (approval.why.system)"),
        (&[(Allow, "network(docs.rs)"), (Deny, "network(docs.rs)")], fetch(named, None), "deny"),
        (&[(Allow, "network(docs.rs)"), (Deny, "network(*)")], fetch(named, None), "deny"),
        (
            &[(Allow, "network(docs.rs)"), (Ask, "network(docs.rs)")],
            fetch(named, None),
            "ask (approval.why.unknown_host)",
        ),
    ];
    for (rules, call, expected) in cases {
        assert_eq!(&isolated(ApprovalPolicy::Auto, rules, call), expected, "{rules:?} {:?}", call.facts.hosts);
    }
    for approval in [ApprovalPolicy::Auto, ApprovalPolicy::Ask] {
        let rules = Rules { isolated: true, approval, ..Rules::default() };
        let table = [fetch(named, None), fetch(&["docs.rs", "crates.io"], None), fetch(&["*"], None)];
        for call in &table {
            let found = always(&rules, &[], call);
            let holds = permit(Mode::Build, &rules, &found, call) == Verdict::Allow;
            assert_eq!(holds, call.facts.hosts != ["*"], "{approval:?} {found:?}");
            assert!(found.iter().all(|it| can_grant(&rules, call, it) == holds), "{found:?}");
        }
        let push = fetch(named, Some(EffectKind::Publish));
        assert!(always(&rules, &[], &push).iter().all(|it| !can_grant(&rules, &push, it)));
        let other = Rule::parse(Allow, "network(evil.example)").unwrap();
        assert!(!can_grant(&rules, &table[0], &other), "a rule that was not offered");
    }
}

#[test]
fn what_the_sandbox_makes_harmless_is_asked_about_only_without_it() {
    let call = |effects: &[(EffectKind, Level)]| {
        let mut call = line("x", &[("x", 3)]);
        call.facts.effects = effects.iter().map(|(kind, level)| Effect::new(*kind, *level, "x")).collect();
        call
    };
    use EffectKind::{Computed, Destroy, Execute, Network, Obscure, Read, Scratch, Secret, Write};
    let held = [Read, Computed, Execute, Scratch].map(|it| (it, Level::System));
    assert_eq!(isolated(ApprovalPolicy::Auto, &[], &call(&held)), "allow");
    assert_eq!(isolated(ApprovalPolicy::Ask, &[], &call(&held)), "ask (approval.why.shell)");
    assert_eq!(isolated(ApprovalPolicy::Ask, &[(RuleAction::Allow, "run_command(x)")], &call(&held)), "allow");
    for kind in [Network, Destroy, Secret, Write, Obscure] {
        let call = call(&[held[0], (kind, Level::System)]);
        let why = if kind == Destroy { "loses" } else { "system" };
        assert_eq!(isolated(ApprovalPolicy::Auto, &[], &call), format!("ask (approval.why.{why})"), "{kind:?}");
    }
    let rules = Rules { approval: ApprovalPolicy::Auto, ..Rules::default() };
    assert!(matches!(permit(Mode::Build, &rules, &[], &call(&held)), Verdict::Ask(_)), "not isolated");
}

#[test]
fn the_rules_that_a_refusal_names_allow_the_call() {
    let network = |tool: &str, command: Option<&str>, hosts: &[&str]| {
        let mut call = command.map_or_else(|| line("x", &[("x", 3)]), |it| line(it, &[(it, 3)]));
        call.tool = tool.to_string();
        call.facts.command = command.map(str::to_string);
        call.facts.commands.truncate(usize::from(command.is_some()));
        call.facts.hosts = hosts.iter().map(|it| (*it).to_string()).collect();
        call.facts.effects = vec![Effect::new(EffectKind::Network, Level::System, "x")];
        call
    };
    let table = [
        (network("web_fetch", None, &["docs.rs"]), "web_fetch(docs.rs)"),
        (network("generate_image", None, &[]), "generate_image"),
        (network("run_command", Some("curl https://a.b"), &["a.b"]), "network(a.b) run_command(curl https://a.b)"),
        (network("run_command", Some("curl $x"), &["*"]), ""),
    ];
    for (call, expected) in table {
        let rules = call.rules_that_allow(true);
        let reported: Vec<String> = rules.iter().map(ToString::to_string).collect();
        assert_eq!(reported.join(" "), expected);
        let named: Vec<(RuleAction, &str)> = reported.iter().map(|it| (RuleAction::Allow, it.as_str())).collect();
        let verdict = isolated(ApprovalPolicy::AcceptEdits, &named, &call);
        assert_eq!(verdict == "allow", !named.is_empty(), "{expected}: {verdict}");
    }
}

#[test]
fn rules_about_an_mcp_server_cover_its_tools_and_no_others() {
    let call = |tool: &str| {
        let mut call = line("x", &[("x", 3)]);
        (call.tool, call.facts.command) = (tool.to_string(), None);
        call.facts.commands.clear();
        call.facts.level = Level::System;
        call.facts.effects = vec![Effect::new(EffectKind::Network, Level::System, "the MCP server")];
        call
    };
    let allowed = |rule: &str, tool: &str| isolated(ApprovalPolicy::Ask, &[(RuleAction::Allow, rule)], &call(tool));
    let ask = "ask (approval.why.system)";
    for (rule, tool, expected) in [
        ("mcp__git__git_log", "mcp__git__git_log", "allow"),
        ("mcp__git__git-log", "mcp__git__git_log", "allow"),
        ("mcp__git__gitLog", "mcp__git__git_log", "allow"),
        ("mcp__git", "mcp__git__git_log", "allow"),
        ("mcp__git__*", "mcp__git__git_log", "allow"),
        ("mcp__git", "mcp__github__merge", ask),
        ("mcp__git__git_log", "mcp__git__git_push", ask),
        ("mcp__git", "mcp_resource", ask),
        // What covers every server, and every tool, is nobody's consent to one of them.
        ("mcp__*", "mcp__git__git_log", ask),
        ("*", "mcp__git__git_log", ask),
    ] {
        assert_eq!(allowed(rule, tool), expected, "{rule} {tool}");
    }
    for rule in ["mcp__git", "mcp__git__*", "mcp__git__git-log", "mcp__*", "*"] {
        let rules = [(RuleAction::Deny, rule), (RuleAction::Allow, "mcp__git__git_log")];
        assert_eq!(isolated(ApprovalPolicy::Auto, &rules, &call("mcp__git__git_log")), "deny", "{rule}");
    }
}

fn isolated(approval: ApprovalPolicy, rules: &[(RuleAction, &str)], call: &Call) -> String {
    let rules = rules.iter().map(|(action, text)| Rule::parse(*action, text).expect("a rule")).collect();
    let rules = Rules { approval, rules, isolated: true, ..Rules::default() };
    match permit(Mode::Build, &rules, &[], call) {
        Verdict::Allow => "allow".into(),
        Verdict::Ask(why) => format!("ask ({})", why.code),
        Verdict::Deny(_) => "deny".into(),
    }
}

#[test]
fn on_a_machine_that_is_the_sandbox_auto_asks_about_nothing() {
    let mut outside = command("a", "apt-get install -y jq");
    outside.facts.level = Level::System;
    let deny = Rule::parse(RuleAction::Deny, "run_command(rm*)").expect("a rule");
    let of = |approval, mode, call: &Call| {
        let rules = Rules { approval, external: true, rules: vec![deny.clone()], ..Rules::default() };
        permit(mode, &rules, &[], call)
    };
    let auto = ApprovalPolicy::Auto;
    assert_eq!(of(auto, Mode::Build, &outside), Verdict::Allow);
    assert_eq!(of(auto, Mode::Build, &command("a", "make")), Verdict::Allow);
    assert!(matches!(of(auto, Mode::Build, &command("a", "rm x")), Verdict::Deny(_)), "a rule still holds");
    assert!(matches!(of(auto, Mode::Chat, &command("a", "make")), Verdict::Deny(_)), "chat has no copy to run it on");
    for policy in [ApprovalPolicy::Ask, ApprovalPolicy::AcceptEdits] {
        assert!(matches!(of(policy, Mode::Build, &outside), Verdict::Ask(_)));
        assert!(matches!(of(policy, Mode::Build, &command("a", "make")), Verdict::Ask(_)));
    }
}

#[test]
fn always_offers_the_beginning_of_each_part_that_is_asked_about() {
    let part = |(text, level, prefix): &(&str, Level, &str)| SimpleCommand {
        text: (*text).to_string(),
        level: *level,
        prefix: (!prefix.is_empty()).then(|| (*prefix).to_string()),
    };
    let offered = |line: &str, isolated: bool, parts: &[(&str, Level, &str)]| {
        let mut call = command("c", line);
        call.facts.commands = parts.iter().map(part).collect();
        let rules = Rules { isolated, ..Rules::default() };
        let found = always(&rules, &[], &call);
        let covers = permit(Mode::Build, &rules, &found, &call) == Verdict::Allow;
        let names: Vec<String> = found.iter().map(ToString::to_string).collect();
        format!("{}{}", names.join(" + "), if covers { "" } else { " (which does not cover it)" })
    };
    let (test, tail) = (("cargo test -q", Level::Shell, "cargo test"), ("tail -5", Level::Read, "tail"));
    let (bare, code) = (("cargo test", Level::Shell, "cargo test"), ("python -c 1", Level::Shell, ""));
    let table = [
        offered("cargo test", true, &[bare]),
        offered("cargo test -q | tail -5", true, &[test, tail]),
        offered("cargo test -q | tail -5", false, &[test, tail]),
        offered("cargo test -q && cargo test", true, &[test, bare]),
        offered("cargo test && python -c 1", true, &[bare, code]),
        offered("python -c 1", true, &[code]),
        offered("f() { :; }; f", true, &[]),
    ];
    expect![[r#"
        run_command(cargo test *)
        run_command(cargo test *)
        run_command(cargo test *) + run_command(tail *)
        run_command(cargo test *)
        run_command(cargo test && python -c 1)
        run_command(python -c 1)
        run_command(f() { :; }; f)"#]]
    .assert_eq(&table.join("\n"));
}

#[test]
fn a_policy_that_is_set_while_calls_wait_allows_what_it_covers_and_nothing_else() {
    let set = |log: &mut Log, policy| {
        let events = log.decide(&Command::SetApproval { policy }).expect("it is always taken");
        events.into_iter().for_each(|it| log.push(it));
        log.settle();
    };
    let mut log = Log::begin(Mode::Build, |it| {
        it.rules.approval = ApprovalPolicy::Ask;
        it.rules.isolated = true;
        it.checks.clear();
    });
    log.reply("", vec![edit("a")]);
    assert_eq!(log.last_event(), "approval_request");
    set(&mut log, ApprovalPolicy::AcceptEdits);
    assert_eq!(log.wanted(), ["tool edit_file"], "the edit that waited is allowed");
    assert!(!log.conversation.has_consent(&CallId("a".into())), "nobody consented to exactly this call");
    log.run_tools(&edited());
    log.reply("", vec![command("b", "make a")]);
    assert_eq!(log.last_event(), "approval_request", "a command is still asked about");
    set(&mut log, ApprovalPolicy::Auto);
    assert_eq!(log.wanted(), ["tool run_command"]);
    log.run_tools(&Outcome::ok("1"));
    let mut far = command("c", "curl example.com");
    far.facts.level = Level::System;
    far.facts.effects = vec![Effect::new(EffectKind::Network, Level::System, "example.com")];
    log.reply("", vec![far]);
    assert_eq!(log.last_event(), "approval_request", "what reaches outside is asked about under every policy");
    set(&mut log, ApprovalPolicy::Auto);
    assert!(log.wanted().is_empty());
    set(&mut log, ApprovalPolicy::Ask);
    let no =
        Command::Decide { call: CallId("c".into()), decision: Decision::Deny { reason: String::new(), stop: false } };
    log.decide(&no).expect("it is asked").into_iter().for_each(|it| log.push(it));
    log.reply("", vec![edit("d")]);
    assert_eq!(log.last_event(), "approval_request", "a stricter policy holds from the next call on");
}
