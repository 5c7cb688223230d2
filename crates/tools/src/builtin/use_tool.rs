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

/// Arguments that were put beside the name instead of within `args` are the inner tool's.
fn normalize(args: &mut Map<String, Value>) {
    ox_mcp::words::join_names(args);
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
