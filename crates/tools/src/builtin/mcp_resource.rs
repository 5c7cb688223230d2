//! `mcp_resource`: what an MCP server offers to read: a list, or one of them.

use ox_mcp::words;
use ox_protocol::{BoxFuture, CallFacts, Outcome};
use serde_json::{Value, json};

use crate::args::{given, text};
use crate::call::context::CallContext;
use crate::call::error::ToolError;
use crate::call::mcp;
use crate::call::tool::{Alias, Run, Tool, ToolResult, object};
use crate::text::plain;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "mcp_resource".into(),
        aliases: Alias::list(
            "access_mcp_resource read_mcp_resource list_mcp_resources mcp_resources mcp_read_resource mcp_list_resources",
        ),
        description: "Read a resource of an MCP server by its `uri`; without one, list what the server offers to read."
            .into(),
        schema: object(&["server"], json!({"server": {"type": "string"}, "uri": {"type": "string"}})),
        level: ox_protocol::Level::System,
        argument_aliases: "server: server_name name\nuri: url resource resource_uri",
        classify,
        run: Run::Async(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
        ..Tool::base()
    }
}

fn classify(cx: &CallContext, args: &Value, facts: &mut CallFacts) {
    let server = text(args, "server").trim();
    // One that is not there is asked nothing: the answer says which are.
    match cx.mcp.names().iter().any(|it| it.0 == server) {
        true => mcp::reaches(facts, server),
        false => facts.level = ox_protocol::Level::Read,
    }
}

async fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let server = text(args, "server").trim();
    let Some(uri) = given(args, "uri") else {
        let found = mcp::answer(cx, cx.mcp.resources(server)).await?;
        let list = format!("{}{}", words::data_of(server), plain(&words::resources(&found)));
        return Ok(Outcome::ok(list).into());
    };
    let reply = mcp::answer(cx, cx.mcp.read(server, uri.trim())).await?;
    Ok(mcp::outcome(cx, server, reply).into())
}
