//! `stop_command`: ends a command in the background with everything that it started. Nothing else can be stopped so.

use ox_protocol::{BoxFuture, CallKind, Outcome};
use serde_json::{Value, json};

use crate::args::given;
use crate::builtin::read_output::{IDS, report};
use crate::builtin::run_command::watch::reported;
use crate::call::tool::{Alias, Run, Tool, ToolResult, object};
use crate::{call::context::CallContext, call::error::ToolError};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "stop_command".into(),
        aliases: Alias::list(
            "kill_shell kill_bash kill_command kill_terminal task_stop kill_process stop_background kill",
        ),
        description: "Stop a background command and read the last of its output.".into(),
        schema: object(&[], json!({"id": {"type": "string"}})),
        kind: CallKind::Mutate,
        argument_aliases: IDS,
        run: Run::Async(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
        ..Tool::base()
    }
}

async fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let (id, job) = cx.jobs.find(given(args, "id"))?;
    if job.ended().is_some() {
        return Ok(report(cx, &id, &job).into());
    }
    cx.jobs.stopping(&id);
    job.stop().await;
    Ok(Outcome::ok(reported(&job, &format!("{id} stopped after {} s", job.age().as_secs()))).into())
}
