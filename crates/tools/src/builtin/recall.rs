//! `recall`: the whole result of an earlier call, where a pruning left it out of what the model reads.

use ox_protocol::Outcome;
use serde_json::{Value, json};

use crate::args::given;
use crate::call::tool::{Alias, Need, Run, Tool, object};
use crate::{call::context::CallContext, call::error::ToolError};

/// Bytes that are shown at once.
const MOST: usize = 24_000;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "recall".into(),
        aliases: Alias::list("recall_result show_result"),
        description:
            "Show the whole result of an earlier call whose text was left out. `offset`: the line to begin with.".into(),
        schema: object(&["call"], json!({"call": {"type": "string"}, "offset": {"type": "integer"}})),
        needs: Some(Need::Results),
        argument_aliases: "call: call_id id tool_call_id",
        run: Run::Sync(|cx, args| run(cx, args).map(Into::into)),
        ..Tool::base()
    }
}

fn run(cx: &CallContext, args: &Value) -> Result<Outcome, ToolError> {
    let id = given(args, "call").unwrap_or_default();
    let Some(text) = cx.results.get(id.trim()) else {
        return Err(ToolError::Wrong(format!(
            "no call `{id}` has a result in this conversation. The line that stands in for a text names its call."
        )));
    };
    let from = crate::args::number(args, "offset").unwrap_or(1).max(1);
    let mut shown = String::new();
    let mut lines = text.lines().skip(from - 1);
    for (at, line) in (from..).zip(lines.by_ref()) {
        if !shown.is_empty() && shown.len() + line.len() > MOST {
            let left = lines.count() + 1;
            shown.push_str(&format!("[{left} more lines, offset={at}]"));
            break;
        }
        shown.push_str(line);
        shown.push('\n');
    }
    Ok(Outcome::ok(if shown.is_empty() { "[nothing there]".to_string() } else { shown }))
}
