//! Hooks run by the plain runner.

use std::sync::Arc;

use expect_test::{Expect, expect};
use ox_protocol::HookFormat;
use ox_sandbox::Plain;
use serde_json::json;

use super::*;

struct Place {
    folder: tempfile::TempDir,
    cancel: Arc<AtomicBool>,
}

impl Place {
    fn new() -> Place {
        Place { folder: tempfile::tempdir().unwrap(), cancel: Arc::default() }
    }

    fn run(&self, hooks: &[Hook], at: HookPoint, payload: &Value) -> Vec<HookRun> {
        let root = self.folder.path();
        let rights = Rights::command(root.to_path_buf(), Duration::from_secs(1));
        let env = HookEnv { runner: &Plain, root, rights: &rights, cancel: &self.cancel };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run(hooks, at, payload, env))
    }

    fn before_tool(&self, commands: &[&str]) -> Vec<HookRun> {
        let hooks: Vec<Hook> = commands.iter().map(|it| hook(it)).collect();
        self.run(&hooks, HookPoint::BeforeTool, &json!({"event": "before_tool", "tool": "run_command"}))
    }
}

fn hook(command: &str) -> Hook {
    Hook {
        at: HookPoint::BeforeTool,
        command: command.into(),
        tools: vec![],
        limit_ms: 10_000,
        source: "user".into(),
        format: HookFormat::Ox,
    }
}

fn reported(runs: &[HookRun], expected: Expect) {
    let line = |it: &HookRun| {
        let how = match (it.blocked, it.exit_code) {
            (true, code) => format!("blocked {code:?}"),
            (false, Some(0)) => "ok".to_string(),
            (false, code) => format!("warning {code:?}"),
        };
        format!("{}: {how}: {}\n", it.command, it.message)
    };
    expected.assert_eq(&runs.iter().map(line).collect::<String>());
}

#[test]
fn exit_codes_decide_and_the_first_objection_ends_it() {
    let place = Place::new();
    let commands =
        ["exit 0", "echo odd; exit 1", "no-such-program-here 2>/dev/null", "echo not now >&2; exit 2", "touch ran"];
    reported(
        &place.before_tool(&commands),
        expect![[r#"
            exit 0: ok: 
            echo odd; exit 1: warning Some(1): odd
            no-such-program-here 2>/dev/null: warning Some(127): 
            echo not now >&2; exit 2: blocked Some(2): not now
        "#]],
    );
    assert!(!place.folder.path().join("ran").exists());
    reported(
        &place.before_tool(&["exit 2"]),
        expect![[r#"
        exit 2: blocked Some(2): it objects and says nothing
    "#]],
    );
}

#[test]
fn what_does_not_decide_objects() {
    let place = Place::new();
    reported(
        &place.before_tool(&["kill -9 $$"]),
        expect![[r#"
        kill -9 $$: blocked None: signal 9 ended it before it had decided
    "#]],
    );
    let slow = Hook { limit_ms: 100, ..hook("echo thinking; sleep 60") };
    let runs = place.run(&[slow], HookPoint::BeforeTool, &json!({"tool": "x"}));
    assert!(runs[0].timed_out && runs[0].blocked && runs[0].exit_code.is_none());
    assert_eq!(runs[0].message, "it did not answer within its 0.1 seconds; so far it said:\nthinking");
    place.cancel.store(true, Ordering::Relaxed);
    reported(
        &place.before_tool(&["sleep 60", "exit 0"]),
        expect![[r#"
        sleep 60: blocked None: it was interrupted before it had decided
    "#]],
    );
}

#[test]
fn a_hook_that_cannot_be_started_objects() {
    let place = Place::new();
    let root = place.folder.path().join("absent");
    let rights = Rights::command(root.clone(), Duration::from_secs(1));
    let env = HookEnv { runner: &Plain, root: &root, rights: &rights, cancel: &place.cancel };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let runs = runtime.block_on(run(&[hook("exit 0")], HookPoint::BeforeTool, &json!({}), env));
    assert!(runs[0].blocked && runs[0].message.starts_with("it could not be run: "), "{runs:?}");
}

#[test]
fn it_reads_what_happens_and_runs_in_the_project() {
    let place = Place::new();
    let (id, args, facts) = (ConversationId("c-1".into()), json!({"command": "ls"}), CallFacts::default());
    let input = HookInput {
        event: HookPoint::BeforeTool,
        conversation: &id,
        turn: 3,
        mode: Mode::Build,
        root: Path::new("/p"),
        prompt: None,
        tool: Some("run_command"),
        args: Some(&args),
        facts: Some(&facts),
        outcome: None,
        stop_hook_active: None,
        stop: None,
    };
    place.run(&[hook("cat > seen; echo \"$OX_HOOK\" >> seen")], HookPoint::BeforeTool, &input.json());
    expect![[r#"
        {"event":"before_tool","conversation":"c-1","turn":3,"mode":"build","root":"/p","tool":"run_command","args":{"command":"ls"},"facts":{"kind":"read","level":"read","explores":false}}
        before_tool
    "#]]
    .assert_eq(&std::fs::read_to_string(place.folder.path().join("seen")).unwrap());
}

#[test]
fn an_unread_payload_of_any_size_does_no_harm() {
    let place = Place::new();
    let payload = json!({"tool": "x", "args": "x".repeat(2 << 20)});
    reported(
        &place.run(&[hook("exit 0")], HookPoint::BeforeTool, &payload),
        expect![[r#"
        exit 0: ok: 
    "#]],
    );
}

#[test]
fn long_output_is_cut_in_the_middle() {
    let place = Place::new();
    let runs = place.before_tool(&["seq 100000; exit 2"]);
    assert!(runs[0].message.len() < OUTPUT + 100 && runs[0].message.contains("bytes left out"), "{}", runs[0].message);
    assert!(runs[0].message.starts_with("1\n2\n") && runs[0].message.ends_with("100000"));
}

#[test]
fn hooks_are_about_their_point_and_their_tools() {
    let table = [
        ("run_command", "run_command", true),
        ("run_command", "run_commands", false),
        ("*", "anything", true),
        ("mcp_*", "mcp_files_read", true),
        ("mcp_*", "mc", false),
        ("*_file", "edit_file", true),
        ("*_file", "edit_files", false),
        ("e*t*file", "edit_file", true),
        ("e*x*file", "edit_file", false),
        ("a*a", "a", false),
    ];
    for (pattern, tool, expected) in table {
        assert_eq!(matches(&Hook { tools: vec![pattern.into()], ..hook("x") }, tool), expected, "{pattern} {tool}");
    }
    let hooks =
        [hook("a"), Hook { at: HookPoint::AfterTool, ..hook("b") }, Hook { tools: vec!["x".into()], ..hook("c") }];
    let names = |at, tool| due(&hooks, at, tool).iter().map(|it| it.command.clone()).collect::<Vec<String>>();
    assert_eq!(names(HookPoint::BeforeTool, Some("y")), ["a"]);
    assert_eq!(names(HookPoint::BeforeTool, Some("x")), ["a", "c"]);
    assert_eq!(names(HookPoint::AfterTool, Some("x")), ["b"]);
    assert!(names(HookPoint::AfterRun, None).is_empty());
}
