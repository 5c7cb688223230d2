//! Brings the tools of MCP servers into the toolbox when a model looks for tools. No request's list of tools changes by it.

use std::sync::Arc;

use ox_mcp::{ServerTool, ToolList, tool_name};
use ox_protocol::{BoxFuture, CallKind, Level};
use serde_json::Value;

use super::context::CallContext;
use super::mcp::{call, reaches};
use super::tool::{Run, RunAsync, Tool};
use super::toolbox::Toolbox;
use crate::args::given;
use crate::text::plain;

/// Characters of a description.
const DESCRIPTION: usize = 600;

/// Brings the tools of the servers that a query names, of all where it names none, into the toolbox. Returns what could
/// not be brought, one line each. Servers that do not run are started for it.
pub(super) async fn bring(toolbox: &Toolbox, cx: &CallContext, args: &Value) -> Vec<String> {
    // All at once: a slow one is not waited for twice.
    let asked: Vec<_> = cx
        .mcp
        .named_in(given(args, "query").unwrap_or_default())
        .into_iter()
        .map(|name| {
            let (servers, own) = (cx.mcp.clone(), name.clone());
            (name, tokio::spawn(async move { servers.tools(&own).await }))
        })
        .collect();
    let stops: Vec<_> = asked.iter().map(|(_, task)| task.abort_handle()).collect();
    let mut missing = Vec::new();
    for (name, task) in asked {
        let list = tokio::select! {
            biased;
            () = cx.stopped() => break,
            list = task => list,
        };
        match list {
            Ok(Ok(list)) => missing.extend(take(toolbox, &name, &list)),
            Ok(Err(error)) => missing.push(plain(&error.to_string()).replace('\n', " ")),
            Err(error) => missing.push(format!("The MCP server `{name}` could not be asked: {error}")),
        }
    }
    // Those that were not waited for to their end.
    stops.iter().for_each(tokio::task::AbortHandle::abort);
    missing
}

/// Puts the tools of a list into the toolbox in the place of those of an earlier one.
fn take(toolbox: &Toolbox, server: &str, list: &Arc<ToolList>) -> Option<String> {
    let tools = list.tools.iter().map(|it| tool(server, it)).collect();
    toolbox.replace(&tool_name(server, ""), list.number, tools);
    list.complaint(server).map(|it| plain(&it))
}

fn tool(server: &str, it: &ServerTool) -> Tool {
    let (to, name) = (server.to_owned(), it.name.clone());
    let run: Arc<RunAsync> = Arc::new(move |cx, args| {
        let (to, name) = (to.clone(), name.clone());
        let args = args.as_object().cloned().unwrap_or_default();
        Box::pin(call(cx, to, name, args)) as BoxFuture<'_, _>
    });
    let said = plain(&it.description);
    let one_line: Vec<&str> = said.split_whitespace().collect();
    Tool {
        name: tool_name(server, &it.name).into(),
        description: one_line.join(" ").chars().take(DESCRIPTION).collect::<String>().into(),
        schema: it.schema.value().clone(),
        strict: Some(it.schema.clone()),
        kind: CallKind::Mutate,
        level: Level::System,
        classify: |_, _, facts| reaches(facts, ""),
        run: Run::Dynamic(run),
        ..Tool::base()
    }
}
