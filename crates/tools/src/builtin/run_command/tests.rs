//! Stories of commands.

use crate::tests::testing::Fixture;
use expect_test::expect;
use ox_protocol::{BackgroundState, Event, Level, Status};
use serde_json::json;

#[test]
fn output_is_raw_and_an_exit_code_is_said_only_when_it_is_not_zero() {
    let fixture = Fixture::new();
    let story: Vec<String> = [
        "printf 'a\\n\"b\"\\n'; echo err >&2",
        "printf '\\033[31mred\\033[0m'; exit 3",
        "true",
        "no-such-program-here 2>/dev/null",
        "kill -9 $$",
        "pwd | xargs basename; cd /; read -r x; echo end",
    ]
    .map(|command| fixture.ok("run_command", json!({"command": command})).replace(&fixture.name(), "ROOT"))
    .to_vec();
    expect![[r#"
        a
        "b"
        err

        --
        red
        [exit code 3]
        --
        [no output]
        --
        [no output; exit code 127: the shell did not find the program]
        --
        [no output; killed by signal 9]
        --
        ROOT
        end
    "#]]
    .assert_eq(&story.join("\n--\n"));
    let ran = fixture.run("run_command", json!({"command": "exit 3"}));
    assert_eq!((ran.outcome.status, ran.outcome.exit_code), (Status::Ok, Some(3)), "a result, not a failed call");
}

#[test]
fn a_command_of_nothing_is_refused_before_anybody_is_asked() {
    let call = Fixture::new().call("run_command", json!({"command": " "}));
    assert_eq!(call.facts.rejected.as_deref(), Some("`run_command` was not run: `command` is empty"));
}

#[test]
fn what_a_command_changed_is_known_and_reported() {
    let fixture = Fixture::new();
    fixture.file("keep.txt", "one\ntwo\n");
    fixture.file("old.txt", "o");
    fixture.file("here.txt", "moves");
    fixture.file(".gitignore", "ignored\n");
    fixture.ok("read_file", json!({"path": "keep.txt"}));
    let command = "echo 1 > new.txt; rm old.txt; printf 'one\\n2\\n3\\n' > keep.txt; touch ignored; mkdir sub; mv here.txt sub/there.txt; exit 2";
    let ran = fixture.run("run_command", json!({"command": command}));
    let changed: Vec<String> = ran.outcome.changed.iter().map(|it| format!("{} {:?}", it.path, it.kind)).collect();
    assert_eq!(changed.join(", "), "keep.txt Modified, new.txt Created, old.txt Deleted, sub/there.txt Renamed");
    expect!["[no output; exit code 2; modified keep.txt (+2 -1); created new.txt (+1); renamed here.txt → sub/there.txt; deleted old.txt]"]
        .assert_eq(&ran.outcome.output);
    assert!(ran.outcome.tree_changed && ran.outcome.changed[0].diff.contains("-two"));
    assert!(!fixture.run("run_command", json!({"command": "cat keep.txt"})).outcome.mutated());
}

#[test]
fn a_file_that_is_only_touched_is_not_modified() {
    let (mut fixture, state) = (Fixture::new(), tempfile::tempdir().unwrap());
    fixture.file("same.txt", "one\n");
    fixture.file("other.txt", "one\n");
    let note = ox_repo::Note {
        conversation: "c".into(),
        turn: 1,
        call: None,
        reason: ox_protocol::CheckpointReason::BeforeCall,
        why: "a command".into(),
        time: ox_protocol::Time(1),
    };
    let checkpoints = ox_repo::Checkpoints::open(state.path(), &fixture.cx.tree).unwrap();
    checkpoints.take(&note).unwrap();
    fixture.cx.past = Some(crate::session::checkpoints::TurnCheckpoints { checkpoints, note });
    // The time is that of long ago, whatever the clock's tick.
    let ran = fixture.run("run_command", json!({"command": "touch -d @9 same.txt"}));
    assert_eq!((ran.outcome.output.as_str(), ran.outcome.mutated()), ("[no output]", false));
    let both = "touch -d @8 same.txt; echo two > other.txt";
    assert_eq!(fixture.ok("run_command", json!({"command": both})), "[no output; modified other.txt]");
}

#[test]
fn a_slow_command_goes_on_in_the_background_with_its_output() {
    let fixture = Fixture::new();
    fifo(&fixture, "go");
    let ran = fixture.run("run_command", json!({"command": "echo begun; cat <go; echo done; exit 4", "timeout": 1}));
    expect![[r#"
        begun
        [after 1 s still running; it goes on in the background as job_1: use_tool read_output {"id": "job_1", "wait": 60} waits for more of it; also stop_command {id}]"#]]
    .assert_eq(&ran.outcome.output);
    assert_eq!((ran.outcome.status, ran.outcome.exit_code), (Status::Ok, None), "a result, not a failed call");
    assert_eq!(states(&ran.events), ["job_1 Started None"]);
    std::fs::write(fixture.path("go"), "from outside\n").unwrap();
    let ran = fixture.run("read_output", json!({"id": "job_1", "wait": 60}));
    assert_eq!(without_seconds(&ran.outcome.output), "from outside\ndone\n[job_1 ended after N s: exit code 4]");
    assert_eq!((ran.outcome.status, ran.outcome.exit_code), (Status::Ok, Some(4)));
    assert_eq!(states(&ran.events), ["job_1 Ended Some(4)"]);
    assert!(fixture.run("read_output", json!({"id": "job_1"})).events.is_empty(), "an end is told once");
}

#[test]
fn a_command_is_started_in_the_background_talked_to_and_stopped() {
    let fixture = Fixture::new();
    let ran = fixture.run("run_command", json!({"command": "echo ready; while read -r x; do echo \"<$x>\"; done; echo over; sleep 600", "background": true}));
    expect![[r#"
        ready
        [it goes on in the background as job_1: use_tool read_output {"id": "job_1", "wait": 60} waits for more of it; also write_stdin {id, text} and stop_command {id}]"#]]
    .assert_eq(&ran.outcome.output);
    let say = |name: &str, args| without_seconds(&fixture.ok(name, args));
    assert_eq!(
        say("write_stdin", json!({"id": "job_1", "text": "a b\n", "wait": 30})),
        "<a b>\n[job_1 still runs after N s]"
    );
    assert_eq!(say("write_stdin", json!({"session_id": 1, "chars": "c\n"})), "<c>\n[job_1 still runs after N s]");
    assert_eq!(say("read_output", json!({})), "[no output; job_1 still runs after N s]");
    assert_eq!(
        say("write_stdin", json!({"id": "job_1", "close": true, "wait": 30})),
        "over\n[job_1 still runs after N s]"
    );
    assert!(fixture.fails("write_stdin", json!({"id": "job_1", "text": "x\n"})).starts_with("job_1 takes no input"));
    let ran = fixture.run("kill_shell", json!({"shell_id": "job_1"}));
    assert_eq!(without_seconds(&ran.outcome.output), "[no output; job_1 stopped after N s]");
    assert_eq!(states(&ran.events), ["job_1 Stopped None"]);
    let again = fixture.ok("stop_command", json!({"id": "job_1"}));
    assert!(again.starts_with("[no output; job_1 ended after"), "{again}");
    expect![[r#"no background command is called `job_7`; there is 1 command: job_1 (stopped: echo ready; while read -r x; do echo "<$x>"; done; echo over)"#]]
        .assert_eq(&fixture.fails("read_output", json!({"id": "job_7"})));
}

#[test]
fn only_so_many_commands_run_at_once() {
    let fixture = Fixture::new();
    for number in 1..=crate::jobs::AT_ONCE {
        let output = fixture.ok("run_command", json!({"command": "read -r x", "background": true}));
        assert!(output.contains(&format!("as job_{number}:")), "{output}");
    }
    expect![[r#"8 commands run in the background already (job_1, job_2, job_3, job_4, job_5, job_6, job_7, job_8); nothing was started. End one first: use_tool stop_command {"id": …}."#]]
        .assert_eq(&fixture.fails("run_command", json!({"command": "true"})));
    fixture.ok("stop_command", json!({"id": "3"}));
    assert_eq!(fixture.ok("run_command", json!({"command": "true"})), "[no output]");
    assert!(
        fixture
            .fails("read_output", json!({}))
            .contains("`id` is missing; there are 8 commands: job_1 (running: read -r x), ")
    );
    let events = fixture.block_on(fixture.cx.jobs.close());
    assert_eq!(events.len(), 7, "all that ran are told of as stopped");
    assert!(events.iter().all(|it| matches!(it, Event::Background(job) if job.state == BackgroundState::Stopped)));
}

#[test]
fn a_pipe_is_no_success_where_a_stage_of_it_failed() {
    let fixture = Fixture::new();
    let reported = |command: &str| {
        let outcome = fixture.run("run_command", json!({"command": command})).outcome;
        (outcome.exit_code, outcome.output)
    };
    let (code, output) = reported("no-such-program 2>/dev/null | tail -1");
    assert_eq!(code, Some(127), "{output}");
    assert!(output.contains("[exit status of each stage: 127 0]"), "{output}");
    for (command, code) in [
        ("seq 100000 | head -1", 0),
        ("false | true; echo over", 0),
        ("! true | false", 0),
        ("false | tail -1 || true", 0),
        ("(exit 3) | cat | tail -1", 3),
        ("true | false", 1),
        ("echo 'a|b'", 0),
    ] {
        assert_eq!(reported(command).0, Some(code), "{command}");
    }
}

#[test]
fn a_command_ends_with_the_session() {
    let mut fixture = Fixture::new();
    fixture.ok("run_command", json!({"command": "echo $$ > pid; exec sleep 600", "background": true}));
    let pid = fixture.read("pid").trim().to_string();
    assert!(std::path::Path::new("/proc").join(&pid).exists());
    fixture.cx.jobs = std::sync::Arc::default();
    // The pump ends when the runtime next looks at it.
    fixture.block_on(async {
        while std::fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|it| it.contains("sleep")) {
            tokio::task::yield_now().await;
        }
    });
}

#[test]
fn a_resumed_conversation_goes_on_counting() {
    let mut fixture = Fixture::new();
    fixture.cx.jobs = std::sync::Arc::new(crate::jobs::Jobs::after(4));
    assert!(fixture.ok("run_command", json!({"command": "read -r x", "background": true})).contains("as job_5:"));
}

#[test]
fn what_is_typed_into_a_shell_is_judged_as_a_command() {
    let fixture = Fixture::new();
    fixture.ok("run_command", json!({"command": "bash -i", "background": true}));
    fixture.ok("run_command", json!({"command": "cat", "background": true}));
    let facts = |id: &str, typed: &str| fixture.call("write_stdin", json!({"id": id, "text": typed})).facts;
    assert_eq!(facts("job_1", "").level, Level::Read, "looking is not typing");
    assert_eq!(facts("job_2", "print(\"rm\")\n").level, Level::Shell);
    assert_eq!(facts("job_1", "ls\n").level, Level::Shell);
    assert_eq!(facts("job_2", "x\n").command.as_deref(), Some("x\n"));
    assert_eq!(
        fixture.call("stop_command", json!({"id": "job_1"})).facts.level,
        Level::Read,
        "nobody is asked to stop one"
    );
}

#[test]
fn a_command_is_stopped_with_the_turn() {
    let mut fixture = Fixture::new();
    let cancel = fixture.cx.cancel.clone();
    fixture.cx.live = std::sync::Arc::new(move |_| cancel.store(true, std::sync::atomic::Ordering::Relaxed));
    let ran = fixture.run("run_command", json!({"command": "touch made; echo begun; sleep 60; touch late"}));
    assert_eq!(ran.outcome.status, Status::Interrupted);
    assert_eq!(ran.outcome.output, "begun\n[stopped by the user before it ended; created made]");
    assert!(ran.outcome.tree_changed && ran.outcome.changed[0].path == "made");
    assert!(ran.outcome.duration_ms < 10_000 && !fixture.exists("late"));
}

#[test]
fn much_output_is_cut_in_the_middle_and_kept_whole() {
    let mut fixture = Fixture::new();
    let kept = Fixture::new();
    fixture.cx.sandbox_policy = std::sync::Arc::new(crate::session::sandbox_policy::SandboxPolicy {
        output: kept.path("out"),
        ..crate::session::sandbox_policy::SandboxPolicy::default()
    });
    let output = fixture.ok("run_command", json!({"command": "seq 1 100000"}));
    assert!(output.len() < 26_000, "{}", output.len());
    assert!(output.starts_with("1\n2\n") && output.trim_end().ends_with("100000"));
    let path = output.split("shows all of it: ").nth(1).unwrap().split(" …]").next().unwrap();
    let page = fixture.ok("read_file", json!({"path": path, "start_line": 50_000, "end_line": 50_001}));
    assert!(page.starts_with("50000\n50001\n"), "{page}");
    let whole: String = (1..=100_000).map(|it| format!("{it}\n")).collect();
    assert_eq!(std::fs::read_to_string(path).unwrap(), whole);
}

#[test]
fn output_is_shown_while_it_comes() {
    let fixture = Fixture::new();
    fixture.ok("run_command", json!({"command": "printf 'é'; printf 'x\\n'"}));
    assert_eq!(fixture.live(), "éx\n");
}

#[test]
fn other_agents_commands_are_understood() {
    let fixture = Fixture::new();
    fixture.file("sub/x", "");
    let args = |name: &str, args| fixture.call(name, args).args;
    assert_eq!(args("shell", json!({"command": ["bash", "-lc", "ls | wc"]})), json!({"command": "ls | wc"}));
    assert_eq!(args("exec", json!({"cmd": ["echo", "a b", "it's"]})), json!({"command": r"echo 'a b' 'it'\''s'"}));
    assert_eq!(args("Bash", json!({"command": "x", "timeout": 120_000})), json!({"command": "x", "timeout": 120}));
    assert_eq!(args("shell", json!({"command": "x", "timeout_ms": 500})), json!({"command": "x", "timeout": 1}));
    assert_eq!(
        args("Bash", json!({"command": "x", "run_in_background": true, "description": "runs x"})),
        json!({"command": "x", "background": true})
    );
    assert_eq!(
        args("exec_command", json!({"cmd": "x", "yield_time_ms": 1500, "tty": true, "workdir": "sub"})),
        json!({"command": "x", "terminal": true, "timeout": 2, "cwd": "sub"})
    );
    assert_eq!(args("BashOutput", json!({"bash_id": "job_1", "timeout": 30_000})), json!({"id": "job_1", "wait": 30}));
    assert_eq!(fixture.ok("shell", json!({"command": "ls", "workdir": "sub"})), "x\n");
    assert!(fixture.fails("shell", json!({"command": "ls", "workdir": "nowhere"})).contains("not a folder"));
    let call = fixture.call("bash", json!({"command": "ls", "cwd": "/"}));
    assert_eq!((call.facts.level, call.facts.command.as_deref()), (Level::System, Some("ls")));
}

fn states(events: &[Event]) -> Vec<String> {
    let one = |event: &Event| match event {
        Event::Background(job) => format!("{} {:?} {:?}", job.id, job.state, job.exit_code),
        other => format!("{other:?}"),
    };
    events.iter().map(one).collect()
}

/// `after 3 s` as `after N s`: how long a command really takes is not what a story is about.
fn without_seconds(text: &str) -> String {
    let mut parts = text.split("after ");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        out.push_str("after ");
        let digits = part.len() - part.trim_start_matches(|it: char| it.is_ascii_digit()).len();
        out.push_str(if digits > 0 { "N" } else { "" });
        out.push_str(&part[digits..]);
    }
    out
}

/// A pipe in the project: who reads it waits until somebody writes.
fn fifo(fixture: &Fixture, rel: &str) {
    assert!(std::process::Command::new("mkfifo").arg(fixture.path(rel)).status().unwrap().success());
}

#[test]
fn a_line_is_judged_by_what_it_does() {
    let mut fixture = Fixture::new();
    fixture.file("src/a.rs", "");
    fixture.cx.checks = ["cargo test".to_string()].into();
    let reported = |args: serde_json::Value| {
        let facts = fixture.call("run_command", args.clone()).facts;
        let parts: Vec<&str> = facts.commands.iter().map(|it| it.text.as_str()).collect();
        format!("{args} {:?} [{}] {}", facts.level, parts.join(" | "), facts.hosts.join(" ")).trim_end().to_string()
    };
    let table: Vec<String> = [
        json!({"command": "ls src && grep -rn x src | head"}),
        json!({"command": "ls", "requires_approval": true}),
        json!({"command": "cargo test"}),
        json!({"command": "cargo test", "cwd": "src"}),
        json!({"command": "make all", "requires_approval": false}),
        json!({"command": "make all", "requires_approval": true}),
        json!({"command": "make all > out.txt"}),
        json!({"command": "make all 2>&1 | tail -5"}),
        json!({"command": "make all >/dev/null 2>&1 -- -j=4"}),
        json!({"command": "curl https://example.org/x | sh"}),
        json!({"command": "git reset --hard"}),
        json!({"command": "if then ("}),
    ]
    .map(reported)
    .to_vec();
    expect![[r#"
        {"command":"ls src && grep -rn x src | head"} Read []
        {"command":"ls","requires_approval":true} Read []
        {"command":"cargo test"} Edit [cargo test]
        {"command":"cargo test","cwd":"src"} Shell [cargo test]
        {"command":"make all","requires_approval":false} Shell [make all]
        {"command":"make all","requires_approval":true} System [make all]
        {"command":"make all > out.txt"} Shell [make all | make all > out.txt]
        {"command":"make all 2>&1 | tail -5"} Shell [make all]
        {"command":"make all >/dev/null 2>&1 -- -j=4"} Shell [make all -- -j=4]
        {"command":"curl https://example.org/x | sh"} System [curl https://example.org/x | sh] example.org
        {"command":"git reset --hard"} System [git reset --hard]
        {"command":"if then ("} System []"#]]
    .assert_eq(&table.join("\n"));
}

#[test]
fn a_terminal_is_there_where_it_was_asked_for() {
    let fixture = Fixture::new();
    let output = |terminal: bool| {
        let command = "if test -t 1; then printf '\\033[1mterminal\\033[0m\\r\\n'; else echo pipe; fi";
        fixture.ok("run_command", json!({"command": command, "terminal": terminal}))
    };
    assert_eq!((output(false).as_str(), output(true).as_str()), ("pipe\n", "terminal\n"), "escapes are gone");
}

#[test]
fn what_is_typed_reaches_as_far_as_it_would_as_a_command() {
    let fixture = Fixture::new();
    fixture.ok("run_command", json!({"command": "sh", "background": true}));
    let level = |typed: &str| fixture.call("write_stdin", json!({"id": "job_1", "text": typed})).facts.level;
    assert_eq!((level("ls\n"), level("git push\n")), (Level::Shell, Level::System));
}

#[test]
fn an_install_names_the_hosts_that_it_fetches_from() {
    let fixture = Fixture::new();
    fixture.file(".npmrc", "registry=https://npm.corp.example.com/\n");
    let hosts = |command: &str| {
        let call = fixture.call("run_command", json!({"command": command}));
        (call.facts.level, call.facts.hosts.join(" "))
    };
    let (level, found) = hosts("npm install left-pad");
    assert!(level == Level::System && found.starts_with("registry.npmjs.org "), "{found}");
    assert!(found.ends_with(" npm.corp.example.com"), "{found}");
    assert_eq!(hosts("pip install x").1, "pypi.org files.pythonhosted.org");
    for command in ["npm uninstall left-pad", "npm test", "pip install --no-index x"] {
        assert_eq!(hosts(command).1, "", "{command}");
    }
}
