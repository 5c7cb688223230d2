//! `language_server`: what a language's own server knows about the code. It is started when it is first asked.

use ox_protocol::{BoxFuture, Outcome};
use serde_json::{Map, Value, json};

use crate::args::{given, number, text};
use crate::lsp::{Ask, Kind};
use crate::tool::{Ran, Run, Tool, Touch, object};
use crate::{Cx, ToolError};

/// Lines of an answer unless told otherwise, and at most.
const LINES: usize = 100;
const LINES_MOST: usize = 1_000;

pub(crate) static TOOL: Tool = Tool {
    name: "language_server",
    also: &["lsp", "lsp_query", "lsp_definition", "lsp_references", "lsp_hover", "lsp_diagnostics", "lsp_symbols"],
    words: "Ask a language server: the definition of a symbol, all references to it, its type and documentation (hover), \
the errors and warnings of a file (diagnostics), or where in the workspace symbols of a name are. The first question to a server can take a while.",
    schema,
    explores: true,
    adapt,
    senseless,
    touches: |args| given(args, "path").map(Touch::read).into_iter().collect(),
    run: Run::Waits(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
    ..Tool::BASE
};

fn schema() -> Value {
    object(
        &["query"],
        json!({
            "query": {"type": "string", "enum": ["definition", "references", "hover", "diagnostics", "symbols"]},
            "path": {"type": "string", "description": "a file in which the symbol stands; not needed for symbols"},
            "symbol": {"type": "string", "description": "its name"},
            "line": {"type": "integer", "description": "where the name stands, if it has several meanings in the file"},
            "limit": {"type": "integer", "description": "lines of the answer, 100 by default"},
        }),
    )
}

/// Servers' own names for the questions.
fn adapt(args: &mut Map<String, Value>) {
    let Some(query) = args.get("query").and_then(Value::as_str) else { return };
    let plain = query.trim().to_lowercase().replace([' ', '-'], "_");
    let query = match plain.trim_start_matches("goto_").trim_start_matches("find_").trim_start_matches("textdocument/")
    {
        "definitions" | "declaration" => "definition",
        "reference" | "usages" => "references",
        "type" | "info" | "documentation" => "hover",
        "diagnostic" | "errors" | "problems" => "diagnostics",
        "symbol" | "workspace_symbol" | "workspace_symbols" => "symbols",
        other => other,
    };
    let query = Value::from(query);
    args.insert("query".into(), query);
}

fn senseless(args: &Value) -> Option<String> {
    let (path, symbol) = (given(args, "path").is_some(), given(args, "symbol").is_some());
    match text(args, "query") {
        "symbols" if !symbol => Some("`symbol` is missing: the name, or a part of it".into()),
        "symbols" => None,
        "diagnostics" if !path => Some("`path` is missing: the file to look at".into()),
        "diagnostics" => None,
        _ if !path => Some("`path` is missing: a file in which the symbol stands. search_code finds one.".into()),
        _ if !symbol => Some("`symbol` is missing: the name as it stands in the file".into()),
        _ => None,
    }
}

/// What the arguments of either tool ask about. The path is taken to where it really is.
pub(crate) fn question(cx: &Cx, args: &Value, kind: Kind) -> Result<Ask, ToolError> {
    let located = given(args, "path").map(|it| cx.tree.locate(it, ox_repo::Access::Read)).transpose()?;
    if let Some(place) = located.as_ref().filter(|it| it.rel.starts_with('/')) {
        return Err(ToolError::Wrong(format!(
            "`{}` is outside the project, which language servers do not see",
            place.rel
        )));
    }
    if let Some(place) = &located {
        // A file that is not there is nothing to start a server for.
        cx.tree.hash(&place.rel)?;
    }
    let limit = number(args, "limit").unwrap_or(LINES).clamp(1, LINES_MOST);
    let (line, symbol) = (number(args, "line"), text(args, "symbol").trim().to_string());
    Ok(Ask { kind, path: located.map(|it| it.rel), line, symbol, limit })
}

async fn run(cx: &Cx, args: &Value) -> Result<Ran, ToolError> {
    let kind = match text(args, "query") {
        "definition" => Kind::Definition,
        "references" => Kind::References,
        "hover" => Kind::Hover,
        "diagnostics" => Kind::Diagnostics,
        _ => Kind::Symbols,
    };
    let ask = question(cx, args, kind)?;
    Ok(Outcome::ok(crate::lsp::ask(cx, &ask).await?).into())
}

#[cfg(test)]
mod tests {
    use crate::testing::World;
    use serde_json::json;

    #[test]
    fn what_cannot_be_answered_is_said_before_anything_starts() {
        let world = World::new();
        world.file("a.txt", "x\n");
        for (args, words) in [
            (json!({"query": "definition", "symbol": "x"}), "`path` is missing"),
            (json!({"query": "find_references", "path": "a.txt"}), "`symbol` is missing"),
            (json!({"query": "symbols"}), "`symbol` is missing"),
            (json!({"query": "errors"}), "`path` is missing"),
            (json!({"query": "hover", "path": "a.txt", "symbol": "x"}), "there are language servers for rs, py,"),
            (json!({"query": "hover", "path": "gone.py", "symbol": "x"}), "gone.py"),
            (json!({"query": "fly", "path": "a.txt", "symbol": "x"}), "query"),
            (json!({"query": "symbols", "symbol": "x"}), "no file of the project has a language server"),
        ] {
            let told = world.fails("language_server", args.clone());
            assert!(told.contains(words), "{args}: {told}");
        }
        assert_eq!(world.cx.servers.running(), [""; 0]);
    }
}
