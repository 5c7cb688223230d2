//! The user's own hooks: commands that are told what happens, and may object.
//!
//! A hook runs with the rights of a command of the model and no more: in the project, without network, without secrets of
//! the environment. It can only tighten. What cannot be decided counts as an objection: a hook that takes too long, is
//! killed, cannot be started or is interrupted blocks, and says why. Only an exit code other than 0 and 2 goes on, with a
//! warning: that is a broken hook, and its author's to mend.

mod claude;
pub(crate) mod trigger;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ox_core::names_tool;
use ox_protocol::{
    CallFacts, ConversationId, Exit, Hook, HookFormat, HookPoint, HookRun, Job, Mode, Outcome, Rights, RunError,
    Runner, Stop,
};
use serde::Serialize;
use serde_json::Value;

/// Bytes of a hook's output that are kept.
pub const OUTPUT: usize = 8 << 10;
/// How often an interruption is looked for.
const POLL: Duration = Duration::from_millis(20);
/// The exit code that objects.
const OBJECTS: i32 = 2;

/// What a hook reads on its standard input, as one JSON object; what does not apply is left out.
#[derive(Clone, Debug, Serialize)]
pub struct HookInput<'a> {
    /// What happens.
    pub event: HookPoint,
    /// The conversation.
    pub conversation: &'a ConversationId,
    /// 1-based number of the turn in it.
    pub turn: u32,
    /// What the turn may do.
    pub mode: Mode,
    /// The project's root, absolute.
    pub root: &'a Path,
    /// The user's words, at the start of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<&'a str>,
    /// The tool, before and after one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<&'a str>,
    /// Its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<&'a Value>,
    /// What it reaches: level, paths, commands, effects, hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<&'a CallFacts>,
    /// What came of it, after a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'a Outcome>,
    /// True where a hook has sent the model back to work in this turn already, before a stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_hook_active: Option<bool>,
    /// How the turn ended, after a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<&'a Stop>,
}

impl HookInput<'_> {
    /// The JSON object.
    pub fn json(&self) -> Value {
        serde_json::to_value(self).expect("invariant: an input holds nothing that JSON cannot")
    }
}

/// Where hooks run and what they may do there.
#[derive(Clone, Copy)]
pub struct HookEnv<'a> {
    /// Starts them.
    pub runner: &'a dyn Runner,
    /// The project's root, their working folder.
    pub root: &'a Path,
    /// The rights of a command; time and output are each hook's own, and there is never a network.
    pub rights: &'a Rights,
    /// True once the turn was interrupted.
    pub cancel: &'a AtomicBool,
}

/// True when `hook` is about `tool`; one that names no tool is about all.
pub fn matches(hook: &Hook, tool: &str) -> bool {
    hook.tools.is_empty() || hook.tools.iter().any(|it| names_tool(it, tool))
}

/// The hooks that run at this point, for this tool where there is one, in their order.
pub fn due<'a>(hooks: &'a [Hook], at: HookPoint, tool: Option<&str>) -> Vec<&'a Hook> {
    hooks.iter().filter(|it| it.at == at && tool.is_none_or(|tool| matches(it, tool))).collect()
}

/// Runs the hooks that are due one after the other and stops at the first that objects, so that the last one alone may
/// have `blocked`. `payload` is what [`HookInput::json`] makes; its `event` and `tool` decide which hooks are due.
pub async fn run(hooks: &[Hook], at: HookPoint, payload: &Value, env: HookEnv<'_>) -> Vec<HookRun> {
    let mut runs = Vec::new();
    for hook in due(hooks, at, payload.get("tool").and_then(Value::as_str)) {
        let ran = one(hook, payload, env).await;
        let over = ran.blocked;
        runs.push(ran);
        if over {
            break;
        }
    }
    runs
}

async fn one(hook: &Hook, payload: &Value, env: HookEnv<'_>) -> HookRun {
    let began = Instant::now();
    let job = job(hook, payload, env.root, env.rights);
    let ended = tokio::select! {
        biased;
        () = interrupted(env.cancel) => None,
        ended = env.runner.run(job, None) => Some(ended),
    };
    let mut ran = match ended {
        None => blocked(hook, "it was interrupted before it had decided".to_string()),
        Some(Err(error)) => blocked(hook, unstarted(&error)),
        Some(Ok(exit)) => hook_result(hook, &exit),
    };
    ran.duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    ran
}

fn job(hook: &Hook, payload: &Value, root: &Path, rights: &Rights) -> Job {
    let mut rights = rights.clone();
    rights.time = Duration::from_millis(hook.limit_ms);
    rights.output = OUTPUT;
    rights.network = ox_protocol::Network::None;
    let event = payload.get("event").and_then(Value::as_str).unwrap_or_default();
    let mut env = vec![("OX_HOOK".to_string(), event.to_string())];
    let input = match hook.format {
        HookFormat::Ox => payload.to_string(),
        HookFormat::Claude => {
            env.push(("CLAUDE_PROJECT_DIR".to_string(), root.display().to_string()));
            claude::input(hook.at, payload, root).to_string()
        }
    };
    let mut stdin = input.into_bytes();
    stdin.push(b'\n');
    Job { argv: ox_sandbox::shell(&hook.command), cwd: PathBuf::from(root), env, stdin, terminal: None, rights }
}

pub(crate) async fn interrupted(cancel: &AtomicBool) {
    while !cancel.load(Ordering::Relaxed) {
        tokio::time::sleep(POLL).await;
    }
}

fn hook_result(hook: &Hook, exit: &Exit) -> HookRun {
    let said = exit.output.text(|dropped| format!("[… {dropped} bytes left out …]"));
    let said = said.trim().to_string();
    let plain = HookRun { exit_code: exit.code, ..blocked(hook, said.clone()) };
    match exit.code {
        _ if exit.timed_out => {
            let limit = Duration::from_millis(hook.limit_ms).as_secs_f64();
            let words = format!("it did not answer within its {limit} seconds");
            HookRun { timed_out: true, exit_code: None, message: with(words, &said), ..plain }
        }
        Some(OBJECTS) if said.is_empty() => HookRun { message: "it objects and says nothing".to_string(), ..plain },
        Some(OBJECTS) => plain,
        Some(0) if hook.format == HookFormat::Claude => match claude::objection(&said) {
            Some(message) => HookRun { message, ..plain },
            None => HookRun { blocked: false, ..plain },
        },
        Some(_) => HookRun { blocked: false, ..plain },
        None => {
            let signal = exit.signal.map_or_else(|| "?".to_string(), |it| it.to_string());
            HookRun { message: with(format!("signal {signal} ended it before it had decided"), &said), ..plain }
        }
    }
}

fn with(words: String, said: &str) -> String {
    if said.is_empty() { words } else { format!("{words}; so far it said:\n{said}") }
}

fn unstarted(error: &RunError) -> String {
    format!("it could not be run: {error}")
}

fn blocked(hook: &Hook, message: String) -> HookRun {
    HookRun { command: hook.command.clone(), blocked: true, message, exit_code: None, timed_out: false, duration_ms: 0 }
}

#[cfg(test)]
mod tests;
