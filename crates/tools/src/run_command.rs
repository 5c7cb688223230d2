//! `run_command`: one shell command in a fresh shell. It starts nothing itself: the runner it is handed does.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ox_protocol::{BoxFuture, CallKind, Exit, Job, Level, Outcome, Status};
use ox_repo::{Access, Snapshot};
use serde_json::{Map, Value, json};

use crate::args::{given, number, text};
use crate::change::{FILES, bare};
use crate::text::{output, plain, with_status};
use crate::tool::{Offered, Ran, Run, Tool, Touch, object};
use crate::{Cx, ToolError};

/// Seconds that a command may take unless told otherwise; its words say so too.
const SECONDS: usize = 30;
const SECONDS_MOST: usize = 600;
/// Bytes of output that are kept.
const BYTES: usize = 24 << 10;

pub(crate) static TOOL: Tool = Tool {
    name: "run_command",
    also: &[
        "execute_command",
        "exec_shell",
        "exec_command",
        "shell",
        "bash",
        "run_terminal_cmd",
        "run_terminal_command",
        "run_shell_command",
        "local_shell",
        "terminal",
        "exec",
        "run_in_terminal",
        "execute_bash",
        "run",
        "shell_command",
        "container_exec",
    ],
    words: "Run a shell command. Each starts in the project root in a fresh shell: no `cd` or variable lasts. \
Killed after `timeout` seconds (30 by default, 600 at most). Of more than 24 KB of output the middle is cut. No input, no terminal.",
    schema,
    kind: CallKind::Mutate,
    level: Level::Shell,
    explores: true,
    offered: Offered::Build,
    adapt,
    senseless: |args| text(args, "command").trim().is_empty().then(|| "`command` is empty".into()),
    touches: |args| given(args, "cwd").map(Touch::read).into_iter().collect(),
    weigh: |_, args, facts| facts.command = Some(text(args, "command").to_string()),
    run: Run::Waits(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
};

fn schema() -> Value {
    object(
        &["command"],
        json!({"command": {"type": "string"}, "timeout": {"type": "integer"}, "cwd": {"type": "string"}}),
    )
}

/// Other agents give the command as a list of words, and the time in milliseconds.
fn adapt(args: &mut Map<String, Value>) {
    for key in ["command", "cmd", "commands"] {
        let Some(words) = args.get(key).and_then(Value::as_array) else { continue };
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let line = match words.as_slice() {
            [shell, "-c" | "-lc", script] if shell.ends_with("sh") => (*script).to_string(),
            words => words.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(" "),
        };
        args.insert(key.to_string(), Value::String(line));
    }
    for key in ["timeout", "timeout_ms", "timeoutMs", "yield_time_ms"] {
        let number = args.get(key).and_then(|it| it.as_u64().or_else(|| it.as_str()?.trim().parse().ok()));
        let Some(number) = number else { continue };
        // Nobody means seconds with a number this large.
        let milliseconds = key != "timeout" || number > 2 * SECONDS_MOST as u64;
        let seconds = if milliseconds { number.div_ceil(1000) } else { number };
        args.shift_remove(key);
        args.insert("timeout".into(), Value::from(seconds.min(SECONDS_MOST as u64)));
    }
}

/// One word of a command line.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

async fn run(cx: &Cx, args: &Value) -> Result<Ran, ToolError> {
    let cwd = cx.tree.locate(given(args, "cwd").unwrap_or("."), Access::Read)?;
    if !cwd.abs.is_dir() {
        let root = cx.tree.root().display();
        return Err(ToolError::Wrong(format!("`cwd` {} is not a folder; the project root is {root}", cwd.rel)));
    }
    let seconds = number(args, "timeout").filter(|it| *it > 0).unwrap_or(SECONDS).min(SECONDS_MOST);
    let mut rights = cx.rights(Duration::from_secs(seconds as u64));
    rights.output = BYTES;
    let argv = ox_sandbox::shell(text(args, "command"));
    let job = Job { argv, cwd: cwd.abs, env: Vec::new(), stdin: Vec::new(), terminal: None, rights };

    let before = snapshot(cx).await;
    let pieces = Pieces::default();
    let live = |bytes: &[u8]| (cx.live)(&pieces.text(bytes));
    let exit = cx.start(job, Some(&live)).await?;
    let changes = before.diff(&snapshot(cx).await);
    let (printed, status) = match &exit {
        Some(exit) => (output(&exit.output), status(exit, seconds)),
        None => (plain(&pieces.last()), Some("[stopped by the user before it ended]".into())),
    };
    Ok(Outcome {
        status: if exit.is_some() { Status::Ok } else { Status::Interrupted },
        output: shown(printed, status),
        tree_changed: !changes.is_empty(),
        changed: changes.iter().take(FILES).map(|(path, kind)| bare(path, *kind)).collect(),
        exit_code: exit.and_then(|it| it.code),
        ..Outcome::default()
    }
    .into())
}

/// Looked at on a thread for blocking work: a large tree takes a while.
async fn snapshot(cx: &Cx) -> Snapshot {
    let tree = cx.tree.clone();
    // Only a panic ends the look early; nothing is known about the tree then.
    tokio::task::spawn_blocking(move || tree.snapshot()).await.unwrap_or_default()
}

fn shown(printed: String, status: Option<String>) -> String {
    match status {
        Some(status) => with_status(printed, &status),
        None if printed.trim().is_empty() => "[no output]".into(),
        None => printed,
    }
}

/// The one line after the output; none where the command ended well.
fn status(exit: &Exit, seconds: usize) -> Option<String> {
    if exit.timed_out {
        return Some(format!(
            "[killed after {seconds} s, output until then above; give a larger `timeout` (600 at most) or a narrower command]"
        ));
    }
    match (exit.code, exit.signal) {
        (Some(0), _) => None,
        (Some(127), _) => Some("[exit code 127: the shell did not find the program]".into()),
        (Some(code), _) => Some(format!("[exit code {code}]")),
        (None, Some(signal)) => Some(format!("[killed by signal {signal}]")),
        (None, None) => Some("[ended without an exit code]".into()),
    }
}

/// Bytes as they arrive to text, a character that is cut at the end of a piece kept for the next; and the last of it,
/// for a command that is stopped.
#[derive(Default)]
struct Pieces {
    rest: Mutex<Vec<u8>>,
    last: Mutex<String>,
}

impl Pieces {
    fn text(&self, bytes: &[u8]) -> String {
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&rest) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => rest.len(),
        };
        let text = String::from_utf8_lossy(&rest[..whole]).into_owned();
        rest.drain(..whole);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.push_str(&text);
        if last.len() > 2 * BYTES {
            let cut = last.ceil_char_boundary(last.len() - BYTES);
            last.drain(..cut);
        }
        text
    }

    fn last(&self) -> String {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::Pieces;
    use crate::testing::World;
    use expect_test::expect;
    use ox_protocol::{Level, Status};
    use serde_json::json;

    #[test]
    fn output_is_raw_and_an_exit_code_is_said_only_when_it_is_not_zero() {
        let world = World::new();
        let story: Vec<String> = [
            "printf 'a\\n\"b\"\\n'; echo err >&2",
            "printf '\\033[31mred\\033[0m'; exit 3",
            "true",
            "no-such-program-here 2>/dev/null",
            "kill -9 $$",
            "pwd | xargs basename; cd /; read -r x; echo end",
        ]
        .map(|command| world.ok("run_command", json!({"command": command})).replace(&world.name(), "ROOT"))
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
            [exit code 127: the shell did not find the program]
            --
            [killed by signal 9]
            --
            ROOT
            end
        "#]]
        .assert_eq(&story.join("\n--\n"));
        let ran = world.run("run_command", json!({"command": "exit 3"}));
        assert_eq!((ran.outcome.status, ran.outcome.exit_code), (Status::Ok, Some(3)), "a result, not a failed call");
    }

    #[test]
    fn a_command_of_nothing_is_refused_before_anybody_is_asked() {
        let call = World::new().call("run_command", json!({"command": " "}));
        assert_eq!(call.facts.rejected.as_deref(), Some("`run_command` was not run: `command` is empty"));
    }

    #[test]
    fn what_a_command_changed_is_known() {
        let world = World::new();
        world.file("keep.txt", "k");
        world.file("old.txt", "o");
        world.file(".gitignore", "ignored\n");
        let ran = world
            .run("run_command", json!({"command": "echo 1 > new.txt; rm old.txt; echo kk > keep.txt; touch ignored"}));
        let changed: Vec<String> = ran.outcome.changed.iter().map(|it| format!("{} {:?}", it.path, it.kind)).collect();
        assert_eq!(changed.join(", "), "keep.txt Modified, new.txt Created, old.txt Deleted");
        assert!(ran.outcome.tree_changed);
        assert!(!world.run("run_command", json!({"command": "cat keep.txt"})).outcome.mutated());
    }

    #[test]
    fn a_slow_command_is_killed_and_says_so_with_its_output() {
        let world = World::new();
        let ran = world.run("run_command", json!({"command": "echo begun; sleep 60", "timeout": 1}));
        expect![[r#"
            begun
            [killed after 1 s, output until then above; give a larger `timeout` (600 at most) or a narrower command]"#]]
        .assert_eq(&ran.outcome.output);
        assert!(ran.outcome.duration_ms < 10_000);
    }

    #[test]
    fn a_command_is_stopped_with_the_turn() {
        let mut world = World::new();
        let cancel = world.cx.cancel.clone();
        world.cx.live = std::sync::Arc::new(move |_| cancel.store(true, std::sync::atomic::Ordering::Relaxed));
        let ran = world.run("run_command", json!({"command": "touch made; echo begun; sleep 60; touch late"}));
        assert_eq!(ran.outcome.status, Status::Interrupted);
        assert_eq!(ran.outcome.output, "begun\n[stopped by the user before it ended]");
        assert!(ran.outcome.tree_changed && ran.outcome.changed[0].path == "made");
        assert!(ran.outcome.duration_ms < 10_000 && !world.exists("late"));
    }

    #[test]
    fn much_output_is_cut_in_the_middle() {
        let world = World::new();
        let output = world.ok("run_command", json!({"command": "seq 1 200000"}));
        assert!(output.len() < 26_000, "{}", output.len());
        assert!(
            output.starts_with("1\n2\n")
                && output.trim_end().ends_with("200000")
                && output.contains("bytes left out here")
        );
    }

    #[test]
    fn output_is_shown_while_it_comes() {
        let world = World::new();
        world.ok("run_command", json!({"command": "printf 'é'; printf 'x\\n'"}));
        assert_eq!(world.live(), "éx\n");
        let pieces = Pieces::default();
        assert_eq!((pieces.text(b"a\xc3"), pieces.text(b"\xa9b")), ("a".into(), "éb".into()));
    }

    #[test]
    fn other_agents_commands_are_understood() {
        let world = World::new();
        world.file("sub/x", "");
        let args = |name: &str, args| world.call(name, args).args;
        assert_eq!(args("shell", json!({"command": ["bash", "-lc", "ls | wc"]})), json!({"command": "ls | wc"}));
        assert_eq!(args("exec", json!({"cmd": ["echo", "a b", "it's"]})), json!({"command": r"echo 'a b' 'it'\''s'"}));
        assert_eq!(args("Bash", json!({"command": "x", "timeout": 120_000})), json!({"command": "x", "timeout": 120}));
        assert_eq!(args("shell", json!({"command": "x", "timeout_ms": 500})), json!({"command": "x", "timeout": 1}));
        assert_eq!(world.ok("shell", json!({"command": "ls", "workdir": "sub"})), "x\n");
        assert!(world.fails("shell", json!({"command": "ls", "workdir": "nowhere"})).contains("not a folder"));
        let call = world.call("bash", json!({"command": "ls", "cwd": "/"}));
        assert_eq!((call.facts.level, call.facts.command.as_deref()), (Level::System, Some("ls")));
    }
}
