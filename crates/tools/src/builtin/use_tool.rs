//! `use_tool`: calls a tool that is not part of the request. It is unwrapped when the call is read, so permission and
//! everything else applies to the inner call; it never runs itself.

use serde_json::{Map, Value, json};

use crate::call::tool::{Alias, Availability, Run, Tool, object};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "use_tool".into(),
        aliases: Alias::list("call_tool invoke_tool run_tool execute_tool use_mcp_tool mcp_call_tool call_mcp_tool"),
        description: "Call a tool that find_tools showed.".into(),
        schema: object(&["name"], json!({"name": {"type": "string"}, "args": {"type": "object"}})),
        availability: Availability::Always,
        wraps: true,
        normalize,
        run: Run::Core,
        ..Tool::base()
    }
}

/// A tool that is named with its MCP server beside it has one name here.
fn of_a_server(args: &mut Map<String, Value>) {
    let text = |key: &&str| args.get(*key).is_some_and(Value::is_string);
    let server = ["server", "server_name", "serverName"].into_iter().find(text);
    let tool = ["tool", "tool_name", "toolName", "name"].into_iter().find(text);
    let (Some(server), Some(tool)) = (server, tool) else { return };
    let (server, tool) = (args.shift_remove(server), args.shift_remove(tool));
    let text = |it: Option<Value>| it.and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default();
    let (server, tool) = (text(server), text(tool));
    let name = if tool.starts_with(ox_protocol::MCP_PREFIX) { tool } else { ox_mcp::tool_name(&server, &tool) };
    args.insert("name".into(), name.into());
}

/// Arguments that were put beside the name instead of within `args` are the inner tool's.
fn normalize(args: &mut Map<String, Value>) {
    of_a_server(args);
    let wraps = ["args", "arguments", "parameters", "params", "input", "tool_input", "tool_args", "toolInput"];
    if wraps.iter().any(|it| args.contains_key(*it)) {
        return;
    }
    let Some(key) = ["name", "tool", "tool_name", "function"].into_iter().find(|it| args.contains_key(*it)) else {
        return;
    };
    let name = args.shift_remove(key).expect("the key was just found");
    let inner = std::mem::take(args);
    args.insert("name".into(), name);
    args.insert("args".into(), Value::Object(inner));
}
