//! From what a model wrote to a call that can be decided on and run, or that says why it cannot.
//!
//! Nothing is run here, and nothing is guessed for a tool that changes something: its arguments are taken as written
//! or rejected with the place and the schema.

use ox_protocol::{Call, CallFacts, CallId, CallKind, Written};
use ox_repo::Tree;
use serde_json::{Map, Value, json};

use crate::args::json::{Broken, read};
use crate::args::{repair::repair, shape};
use crate::tool::Tool;
use crate::{facts, names};

/// How deep `use_tool` may stand within `use_tool`.
const NESTING: usize = 3;

/// The call that a model wrote as `name` with the JSON text `raw`. Where it cannot run, `facts.rejected` holds the
/// words for the model.
pub fn call(tree: &Tree, id: CallId, name: &str, raw: &str) -> Call {
    let args = match read(raw) {
        Ok(args) => args,
        Err(broken) => match mended(name, raw) {
            Some(args) => args,
            None => return unreadable(id, name, raw, &broken),
        },
    };
    let written = Written { tool: name.to_string(), args: Value::Object(args.clone()) };
    let mut call = fitted(tree, id, name, args);
    if call.tool != written.tool || call.args != written.args {
        call.as_written = Some(written);
    }
    call
}

/// The same call with the arguments that someone put in place of the model's, judged anew.
pub fn amended(tree: &Tree, call: &Call, args: Value) -> Call {
    let written =
        call.as_written.clone().unwrap_or_else(|| Written { tool: call.tool.clone(), args: call.args.clone() });
    let map = match args {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    Call { as_written: Some(written), ..fitted(tree, call.id.clone(), &call.tool, map) }
}

/// Unwraps `use_tool`, renames and checks the arguments, computes the facts.
fn fitted(tree: &Tree, id: CallId, name: &str, args: Map<String, Value>) -> Call {
    let (mut name, mut args) = (name.to_string(), args);
    for _ in 0..NESTING {
        let tool = match names::resolve(&name, &args) {
            Ok(tool) => tool,
            Err(words) => return rejected(id, &name, args, CallKind::Read, words),
        };
        (tool.adapt)(&mut args);
        args = match shape::fit(&(tool.schema)(), args.clone()) {
            Ok(args) => args,
            Err(wrong) => return rejected(id, tool.name, args.clone(), tool.kind, misfit(tool, &wrong, &args)),
        };
        if tool.name != "use_tool" {
            let args = Value::Object(args);
            let facts = facts::of(tree, tool, &args);
            return Call { id, tool: tool.name.to_string(), args, facts, as_written: None };
        }
        name = args.get("name").and_then(Value::as_str).unwrap_or_default().to_string();
        args = match args.shift_remove("args") {
            Some(Value::Object(inner)) => inner,
            _ => Map::new(),
        };
    }
    rejected(id, &name, args, CallKind::Read, "use_tool calls a tool, not itself. Give the tool's own name.".into())
}

fn rejected(id: CallId, name: &str, args: Map<String, Value>, kind: CallKind, words: String) -> Call {
    let facts = CallFacts { kind, rejected: Some(words), ..CallFacts::default() };
    Call { id, tool: name.to_string(), args: Value::Object(args), facts, as_written: None }
}

/// Repaired arguments, for a tool that only reads. `use_tool` may wrap one that writes, so it is not repaired.
fn mended(name: &str, raw: &str) -> Option<Map<String, Value>> {
    let tool = names::find(name)?;
    (tool.kind == CallKind::Read && tool.name != "use_tool").then(|| repair(raw)).flatten()
}

fn unreadable(id: CallId, name: &str, raw: &str, broken: &Broken) -> Call {
    let tool = names::find(name);
    let shown = tool.map_or(name, |it| it.name);
    let advice = match broken.ends_early {
        true => {
            "They end in the middle: the reply probably hit its output limit. Send less in one call, for example several smaller edits."
        }
        false => "A quote, backslash or line break inside a text is written \\\", \\\\ or \\n. Send the call again.",
    };
    let mut words = format!(
        "`{shown}` was not run: its arguments are not valid JSON ({} at line {}, column {}):\n{}\n{advice}",
        broken.what, broken.line, broken.column, broken.around
    );
    if let Some(tool) = tool {
        words.push_str(&format!("\nSchema: {}", (tool.schema)()));
    }
    let args = json!({ "unparsed": raw });
    let facts =
        CallFacts { kind: tool.map_or(CallKind::Read, |it| it.kind), rejected: Some(words), ..CallFacts::default() };
    let as_written = (shown != name).then(|| Written { tool: name.to_string(), args: args.clone() });
    Call { id, tool: shown.to_string(), args, facts, as_written }
}

fn misfit(tool: &Tool, wrong: &[String], args: &Map<String, Value>) -> String {
    let given: Vec<&str> = args.keys().map(String::as_str).collect();
    let given = if given.is_empty() { "nothing".to_string() } else { given.join(", ") };
    let wrong: String = wrong.iter().map(|it| format!("\n- {it}")).collect();
    format!(
        "`{}` was not run; its arguments do not fit:{wrong}\nGiven: {given}.\nSchema: {}",
        tool.name,
        (tool.schema)()
    )
}
