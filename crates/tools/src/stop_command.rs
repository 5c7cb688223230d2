//! `stop_command`: ends a command in the background with everything that it started. Nothing else can be stopped so.

use ox_protocol::{BoxFuture, CallKind, Outcome};
use serde_json::{Value, json};

use crate::args::given;
use crate::read_output::{adapt, report};
use crate::run_command::watch::told;
use crate::tool::{Ran, Run, Tool, object};
use crate::{Cx, ToolError};

pub(crate) static TOOL: Tool = Tool {
    name: "stop_command",
    also: &[
        "kill_shell",
        "kill_bash",
        "kill_command",
        "kill_terminal",
        "task_stop",
        "kill_process",
        "stop_background",
        "kill",
    ],
    words: "Stop a background command and read the last of its output.",
    schema: || -> Value { object(&[], json!({"id": {"type": "string"}})) },
    kind: CallKind::Mutate,
    adapt,
    run: Run::Waits(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
    ..Tool::BASE
};

async fn run(cx: &Cx, args: &Value) -> Result<Ran, ToolError> {
    let (id, job) = cx.jobs.find(given(args, "id"))?;
    if job.ended().is_some() {
        return Ok(report(&id, &job).into());
    }
    cx.jobs.stopping(&id);
    job.stop().await;
    Ok(Outcome::ok(told(&job, &format!("{id} stopped after {} s", job.age().as_secs()))).into())
}
