//! `run_command`: one shell command in a fresh shell. It starts nothing itself: the runner it is handed does.
//!
//! A command that takes longer than it was given is not killed: it goes on in the background, where its output can be
//! read, its input written and its end brought about.

pub(crate) mod changes;
pub(crate) mod refusal;
mod remotes;
mod test_runs;
pub(crate) mod watch;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ox_protocol::{
    BoxFuture, CallFacts, CallKind, Effect, EffectKind, Level, Network, Outcome, Presentation, Rights, SimpleCommand,
    Status, Terminal,
};
use ox_repo::{Access, Snapshot};
use ox_shell::ExecutionContext;
use serde_json::{Map, Value, json};

use crate::args::{flag, given, number, seconds, text};
use crate::call::tool::{Alias, Availability, Operation, PathAccess, Run, Tool, ToolResult, object};
use crate::jobs::Job;
use crate::session::entry::entry_at;
use crate::{call::context::CallContext, call::error::ToolError};
use refusal::unreached;
use test_runs::brief;
use watch::{Seen, code, ending, reported, watch};

/// Seconds that a command may take unless told otherwise; its words say so too.
const SECONDS: usize = 30;
const SECONDS_MOST: usize = 600;
/// How long a command in the background may run.
const LONGEST: Duration = Duration::from_secs(4 * 3600);
/// How long a command that goes into the background is watched: most that fail at once have failed by then.
const FIRST: Duration = Duration::from_millis(400);
/// What programs say where they may not write.
const READ_ONLY: &str = "Read-only file system";
/// What a model reads then.
const WRITES: &str = "[the command was taken for one that only reads, so the project was read-only to it; to let it write, send it with `writes`: true]";
/// Bytes of output that the runner holds until they are fetched.
const FETCHED: usize = 1 << 20;
const SCREEN: Terminal = Terminal { columns: 120, rows: 40 };

pub(crate) fn tool() -> Tool {
    Tool {
        name: "run_command".into(),
        aliases: Alias::list(
            "execute_command exec_shell exec_command shell bash run_terminal_cmd run_terminal_command run_shell_command local_shell terminal exec run_in_terminal execute_bash run shell_command container_exec",
        ),
        description: "Run a shell command. Each starts in the project root in a fresh shell: no `cd` or variable lasts. \
After `timeout` seconds (30 by default, 600 at most) it goes on in the background under an id. \
Of more than 24 KB of output the middle is cut. `/tmp` ($TMPDIR) is this conversation's own, free for scratch files; its commands share one localhost. No network unless granted. `background`: go there at once, as for a server; only there input is possible.".into(),
        schema: object(
            &["command"],
            json!({
                "command": {"type": "string"},
                "timeout": {"type": "integer"},
                "cwd": {"type": "string"},
                "background": {"type": "boolean"},
                "terminal": {"type": "boolean"},
                "requires_approval": {"type": "boolean"},
                "writes": {"type": "boolean"},
            }),
        ),
        kind: CallKind::Mutate,
        level: Level::Shell,
        explores: true,
        availability: Availability::Always,
        argument_aliases: "background: run_in_background is_background detached detach async\nterminal: tty pty use_pty interactive",
        normalize,
        validate: |args| text(args, "command").trim().is_empty().then(|| "`command` is empty".into()),
        paths: |args| given(args, "cwd").map(PathAccess::read).into_iter().collect(),
        classify,
        presentation: Presentation::Command,
        operation: Some(Operation::Command),
        run: Run::Async(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
        ..Tool::base()
    }
}

/// Other agents give the command as a list of words, and the time in milliseconds.
fn normalize(args: &mut Map<String, Value>) {
    for key in ["command", "cmd", "commands"] {
        let Some(words) = args.get(key).and_then(Value::as_array) else { continue };
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let line = match words.as_slice() {
            [shell, "-c" | "-lc", script] if shell.ends_with("sh") => (*script).to_string(),
            words => words.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(" "),
        };
        args.insert(key.to_string(), Value::String(line));
    }
    seconds(args, "timeout", &["timeout_ms", "timeoutMs", "yield_time_ms"], SECONDS_MOST);
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

/// What the command line does, found by parsing it. That the model wants it approved can only tighten.
fn classify(cx: &CallContext, args: &Value, facts: &mut CallFacts) {
    let line = text(args, "command");
    judge(cx, line, given(args, "cwd"), facts);
    if flag(args, "writes") && facts.level == Level::Read {
        facts.level = Level::Shell;
        facts.effects.push(Effect::new(EffectKind::Execute, Level::Shell, line));
    }
    if flag(args, "requires_approval") && facts.level >= Level::Shell {
        facts.level = Level::System;
        facts.effects.push(Effect::new(EffectKind::Requested, Level::System, line));
    }
}

/// The facts about a shell command line that starts in `cwd`, the root where none is given.
pub(crate) fn judge(cx: &CallContext, line: &str, cwd: Option<&str>, facts: &mut CallFacts) {
    let root = cx.tree.root();
    let folder = cwd.and_then(|it| cx.tree.locate(it, Access::Read).ok());
    let folder = folder.map_or_else(|| cwd.map_or_else(|| root.to_path_buf(), |it| root.join(it)), |it| it.abs);
    let context = ExecutionContext {
        root,
        cwd: &folder,
        home: cx.sandbox_policy.home.as_deref(),
        added: cx.tree.added(),
        // A check is a check where the project runs it.
        checks: if folder == root { &cx.checks } else { &[] },
        lookup: entry_at,
    };
    let found = ox_shell::classify(line, &context);
    facts.command = Some(line.to_string());
    facts.level = found.level;
    facts.effects = found.effects;
    facts.hosts = found.hosts;
    facts.paths = found.paths;
    facts.commands = found.commands;
    installs(cx, line, facts);
    remotes::needed(cx, &folder, facts);
    // Redirections and assignments are in no part, so that a rule has to cover the line as well.
    if found.steered && !facts.commands.is_empty() && facts.commands.iter().all(|it| it.text != line) {
        facts.commands.push(SimpleCommand { text: line.to_string(), level: found.level, prefix: None });
    }
}

/// What installs packages fetches them: the hosts that it needs are part of what is consented to.
fn installs(cx: &CallContext, line: &str, facts: &mut CallFacts) {
    const STAYS: &str = "remove rm uninstall un unlink prune rebuild tidy vendor --offline --no-index list";
    let stays = line.split_whitespace().any(|word| STAYS.split(' ').any(|it| it == word));
    let fetches = |it: &&Effect| it.kind == EffectKind::Install && !stays;
    let programs = facts.effects.iter().filter(fetches).filter_map(|it| it.what.split_whitespace().next());
    let (root, home) = (cx.tree.root(), cx.sandbox_policy.home.as_deref());
    let hosts: Vec<String> = programs.flat_map(|it| ox_sandbox::registries(it, root, home)).collect();
    for host in hosts.into_iter().filter(|_| cx.sandbox_policy.network != Network::All) {
        if !facts.hosts.contains(&host) {
            facts.effects.push(Effect::new(EffectKind::Network, Level::System, &host));
            facts.hosts.push(host);
            facts.level = Level::System;
        }
    }
}

async fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let cwd = cx.tree.locate(given(args, "cwd").unwrap_or("."), Access::Read)?;
    if !cwd.abs.is_dir() {
        let root = cx.tree.root().display();
        return Err(ToolError::Wrong(format!("`cwd` {} is not a folder; the project root is {root}", cwd.rel)));
    }
    cx.jobs.room()?;
    let seconds = number(args, "timeout").filter(|it| *it > 0).unwrap_or(SECONDS).min(SECONDS_MOST);
    let background = flag(args, "background");
    let before = snapshot(cx).await;
    let job = Arc::new(start(cx, args, cwd.abs, background).await?);
    let seen = watch(cx, &job, if background { FIRST } else { Duration::from_secs(seconds as u64) }).await;
    let mut events = Vec::new();
    let (status, end) = match seen {
        Seen::Ended => (Status::Ok, job.ended().and_then(|it| ending(&it.exit))),
        Seen::Stopped => {
            job.stop().await;
            (Status::Interrupted, Some("stopped by the user before it ended".into()))
        }
        Seen::Slow => {
            let (id, started) = cx.jobs.keep(job.clone());
            events.push(started);
            let mut still = if background { String::new() } else { format!("after {seconds} s still running; ") };
            let waits = |it: &&Rights| !background && job.is_silent() && it.network != Network::All;
            if let Some(rights) = job.rights.as_ref().filter(waits) {
                let why = unreached(&rights.network);
                still += &format!("it printed nothing, and may wait for a network: {why}; ");
            }
            let serves = if background && job.rights.is_some() { SERVES } else { "" };
            (Status::Ok, Some(format!("{still}it goes on in the background as {id}: {}{serves}", how(&id, background))))
        }
    };
    let changed = changes::between(cx, &before, &snapshot(cx).await);
    let parts: Vec<String> = end.into_iter().chain(changes::words(&changed)).collect();
    let exit_code = job.ended().filter(|_| seen == Seen::Ended).and_then(|it| code(&it.exit));
    let mut output = reported(&job, &parts.join("; "));
    if cx.consent.reads && output.contains(READ_ONLY) {
        output = crate::text::with_status(output, WRITES);
    }
    if exit_code == Some(0) && ox_core::test_runs::any_runs_tests(text(args, "command")) {
        output = brief(&output);
    }
    let outcome =
        Outcome { status, output, tree_changed: !changed.is_empty(), changed, exit_code, ..Outcome::default() };
    Ok(ToolResult { outcome, events })
}

/// Said of a command in the sandbox that may be a server.
const SERVES: &str =
    "; the user reaches what it serves at 127.0.0.1, at the same port unless read_output names another";

/// How a model goes on with a command in the background.
fn how(id: &str, input: bool) -> String {
    let more = if input { "write_stdin {id, text} and stop_command {id}" } else { "stop_command {id}" };
    format!("use_tool read_output {{\"id\": \"{id}\", \"wait\": 60}} waits for more of it; also {more}")
}

async fn start(cx: &CallContext, args: &Value, cwd: PathBuf, background: bool) -> Result<Job, ToolError> {
    let command = text(args, "command");
    let mut rights = cx.rights(LONGEST);
    rights.output = FETCHED;
    let terminal = flag(args, "terminal").then_some(SCREEN);
    let argv = ox_sandbox::shell(&staged(command));
    let held = cx.runner.isolated().then(|| rights.clone()).filter(|_| !cx.consent.reads);
    let env = if cx.consent.reads { ox_repo::git::neutral() } else { Vec::new() };
    let job = ox_protocol::Job { argv, cwd, env, stdin: Vec::new(), terminal, rights };
    let running = cx.runner.start(job).await?;
    // Nobody is there to type: who reads gets the end of the input, and does not wait for ever.
    if !background && terminal.is_none() {
        running.close_input();
    }
    Ok(Job::new(command.to_string(), running, held, cx.jobs.file(&cx.sandbox_policy.output), cx.consent.clone()))
}

/// The command line whose exit status is that of the first stage of its last pipe that failed, where the shell tells only
/// of the last stage: what never started is no success because `tail` was. A reader that had enough is no failure, and
/// who writes `||` has thought of it.
fn staged(command: &str) -> String {
    match command.contains('|') && !command.contains("||") {
        true => format!("if [ -n \"$BASH_VERSION\" ]; then {STAGES}; fi; {command}"),
        false => command.to_string(),
    }
}

const STAGES: &str = "trap 's=$? p=(\"${PIPESTATUS[@]}\"); if ((s == 0 && p[${#p[@]}-1] == 0)); then for c in \"${p[@]}\"; do \
((c == 0 || c == 141)) || s=$c; done; ((s == 0)) || echo \"[exit status of each stage: ${p[*]}]\" >&2; fi; exit $s' EXIT";

/// Looked at on a thread for blocking work: a large tree takes a while. What runs on a private copy changes nothing here.
async fn snapshot(cx: &CallContext) -> Snapshot {
    let tree = cx.mode.may_change().then(|| cx.tree.clone());
    // Only a panic ends the look early; nothing is known about the tree then.
    tokio::task::spawn_blocking(move || tree.map(|it| it.snapshot())).await.ok().flatten().unwrap_or_default()
}

#[cfg(test)]
mod tests;
