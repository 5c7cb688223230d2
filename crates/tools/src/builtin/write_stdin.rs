//! `write_stdin`: text for a command in the background, as if somebody typed it. What a shell is told counts as a command.

use std::time::Duration;

use ox_protocol::{BoxFuture, CallFacts, CallKind, Effect, EffectKind, Level};
use serde_json::{Value, json};

use crate::args::{flag, given, number, text};
use crate::builtin::read_output::{WAIT_MOST, pause, report, wait_in_seconds};
use crate::call::tool::{Alias, Run, Tool, ToolResult, object};
use crate::{builtin::run_command, call::context::CallContext, call::error::ToolError};

/// How long an answer may take to begin, unless told otherwise.
const ANSWER: usize = 1;
/// How long an answer that has begun may go on before it is told.
const SETTLE: Duration = Duration::from_millis(150);
/// Programs that take what they read for commands.
const SHELLS: [&str; 12] = ["sh", "bash", "zsh", "fish", "dash", "ksh", "ash", "csh", "tcsh", "ssh", "su", "nu"];

pub(crate) fn tool() -> Tool {
    Tool {
        name: "write_stdin".into(),
        aliases: Alias::list("send_input write_input send_keys send_to_terminal write_to_terminal send_stdin"),
        description:
            "Type `text` into a background command (\\n ends a line) and read what it answers. `close` ends its input."
                .into(),
        schema: object(
            &[],
            json!({
                "id": {"type": "string"},
                "text": {"type": "string"},
                "close": {"type": "boolean"},
                "wait": {"type": "integer", "description": "seconds for an answer, 1 by default"},
            }),
        ),
        kind: CallKind::Mutate,
        level: Level::Shell,
        explores: true,
        argument_aliases: "text: chars input data stdin keys\nid: bash_id shell_id session_id job_id job command_id process_id terminal_id task_id pid",
        normalize: wait_in_seconds,
        classify,
        run: Run::Async(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
        ..Tool::base()
    }
}

/// To type nothing is to look. What is typed to a shell is judged as a command line, to anything else as code.
fn classify(cx: &CallContext, args: &Value, facts: &mut CallFacts) {
    let typed = text(args, "text");
    if typed.is_empty() {
        facts.level = Level::Read;
        return;
    }
    let job = cx.jobs.find(given(args, "id"));
    let plain_words = |line: &str| line.split(|c: char| !c.is_alphanumeric()).any(|it| SHELLS.contains(&it));
    if job.is_ok_and(|(_, job)| !plain_words(&job.command)) {
        facts.command = Some(typed.to_string());
        facts.effects.push(Effect::new(EffectKind::Execute, Level::Shell, typed));
        return;
    }
    run_command::judge(cx, typed, None, facts);
    facts.level = facts.level.max(Level::Shell);
}

async fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let (id, job) = cx.jobs.find(given(args, "id"))?;
    let typed = text(args, "text");
    if job.ended().is_some() {
        if typed.is_empty() {
            return Ok(report(cx, &id, &job).into());
        }
        let reported = report(cx, &id, &job).output;
        return Err(ToolError::Wrong(format!("{reported}\nNothing was typed: the command is no longer there.")));
    }
    if !typed.is_empty() {
        let gone = |error| {
            ToolError::Wrong(format!("{id} takes no input ({error}). Start it with `background` to type into it."))
        };
        job.running.write(typed.as_bytes()).await.map_err(gone)?;
    }
    if flag(args, "close") {
        job.running.close_input();
    }
    let seconds = number(args, "wait").unwrap_or(ANSWER).min(WAIT_MOST);
    pause(cx, &job, true, Duration::from_secs(seconds as u64)).await;
    pause(cx, &job, false, SETTLE).await;
    Ok(report(cx, &id, &job).into())
}
