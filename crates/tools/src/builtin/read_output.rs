//! `read_output`: what a command in the background printed since the last look. Looking changes nothing.

use std::time::Duration;

use ox_protocol::{BoxFuture, Outcome};
use serde_json::{Map, Value, json};

use crate::args::{given, number, seconds};
use crate::builtin::run_command::watch::{code, ending, reported};
use crate::call::tool::{Alias, Run, Tool, ToolResult, object};
use crate::jobs::Job;
use crate::{call::context::CallContext, call::error::ToolError};

/// Seconds that a look waits at most.
pub(crate) const WAIT_MOST: usize = 600;
/// Other agents' names of a background command.
pub(crate) const IDS: &str = "id: bash_id shell_id session_id job_id job command_id process_id terminal_id task_id pid";
/// How long a look without a time waits where there is nothing new.
const MOMENT: Duration = Duration::from_secs(1);

pub(crate) fn tool() -> Tool {
    Tool {
        name: "read_output".into(),
        aliases: Alias::list(
            "bash_output task_output command_output get_command_output command_status get_terminal_output read_terminal check_background get_output poll",
        ),
        description: "Read what a background command printed since the last look. `wait`: until it ends, so many seconds at most.".into(),
        schema: object(&[], json!({"id": {"type": "string"}, "wait": {"type": "integer"}})),
        explores: true,
        argument_aliases: IDS,
        normalize: wait_in_seconds,
        run: Run::Async(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
        ..Tool::base()
    }
}

/// Other agents' names for the time.
pub(crate) fn wait_in_seconds(args: &mut Map<String, Value>) {
    seconds(args, "wait", &["timeout", "wait_seconds", "timeout_ms", "wait_ms", "yield_time_ms"], WAIT_MOST);
}

async fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let (id, job) = cx.jobs.find(given(args, "id"))?;
    match number(args, "wait").map(|it| it.min(WAIT_MOST)) {
        Some(seconds) => pause(cx, &job, false, Duration::from_secs(seconds as u64)).await,
        None => pause(cx, &job, true, MOMENT).await,
    }
    Ok(report(cx, &id, &job).into())
}

/// Waits until the command ended, or with `any` until there is something new, for `time` at most, or until the turn is to
/// stop.
pub(crate) async fn pause(cx: &CallContext, job: &Job, any: bool, time: Duration) {
    tokio::select! {
        biased;
        () = job.wait(any) => {}
        () = cx.stopped() => {}
        () = tokio::time::sleep(time) => {}
    }
}

/// What is new, and how the command stands.
pub(crate) fn report(cx: &CallContext, id: &str, job: &Job) -> Outcome {
    let seconds = job.age().as_secs();
    let ended = job.ended();
    let moved = cx.jobs.served().into_iter().filter(|(inside, outside)| inside != outside);
    let moved: String =
        moved.map(|(inside, outside)| format!("; the user reaches port {inside} at 127.0.0.1:{outside}")).collect();
    let status = match &ended {
        None => format!("{id} still runs after {seconds} s{moved}"),
        Some(ended) => match ending(&ended.exit) {
            None => format!("{id} ended well after {seconds} s"),
            Some(how) => format!("{id} ended after {seconds} s: {how}"),
        },
    };
    Outcome { exit_code: ended.and_then(|it| code(&it.exit)), ..Outcome::ok(reported(job, &status)) }
}
