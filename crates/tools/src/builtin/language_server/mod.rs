//! `language_server`: what a language's own server knows about the code. It is started when it is first asked.

mod answer;

use ox_lsp::{Query, Question};
use ox_protocol::{BoxFuture, Outcome};
use serde_json::{Map, Value, json};

use crate::args::{given, number, text};
use crate::call::context::CallContext;
use crate::call::error::ToolError;
use crate::call::tool::{Alias, PathAccess, Run, Tool, ToolResult, object};

pub(crate) use answer::failed;

/// Lines of an answer unless told otherwise, and at most.
const LINES: usize = 100;
const LINES_MOST: usize = 1_000;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "language_server".into(),
        aliases: Alias::list("lsp lsp_query lsp_definition lsp_references lsp_hover lsp_diagnostics lsp_symbols"),
        description: "Ask a language server: the definition of a symbol, all references to it, its type and documentation (hover), \
the errors and warnings of a file (diagnostics), or where in the workspace symbols of a name are. The first question to a server can take a while.".into(),
        schema: object(
            &["query"],
            json!({
                "query": {"type": "string", "enum": ["definition", "references", "hover", "diagnostics", "symbols"]},
                "path": {"type": "string", "description": "a file in which the symbol stands; not needed for symbols"},
                "symbol": {"type": "string", "description": "its name"},
                "line": {"type": "integer", "description": "where the name stands, if it has several meanings in the file"},
                "limit": {"type": "integer", "description": "lines of the answer, 100 by default"},
            }),
        ),
        explores: true,
        normalize,
        validate,
        paths: |args| given(args, "path").map(PathAccess::read).into_iter().collect(),
        run: Run::Async(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
        ..Tool::base()
    }
}

/// Servers' own names for the questions.
fn normalize(args: &mut Map<String, Value>) {
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

fn validate(args: &Value) -> Option<String> {
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
pub(crate) fn question(cx: &CallContext, args: &Value, query: Query) -> Result<Question, ToolError> {
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
    let (line, symbol) = (number(args, "line"), text(args, "symbol").trim().to_string());
    Ok(Question { query, path: located.map(|it| it.rel), line, symbol })
}

async fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let query = match text(args, "query") {
        "definition" => Query::Definition,
        "references" => Query::References,
        "hover" => Query::Hover,
        "diagnostics" => Query::Diagnostics,
        _ => Query::Symbols,
    };
    let question = question(cx, args, query)?;
    let answer = cx.servers.ask(&cx.project(), &question).await.map_err(failed)?;
    let limit = number(args, "limit").unwrap_or(LINES).clamp(1, LINES_MOST);
    Ok(Outcome::ok(answer::words(cx, &question, answer, limit)).into())
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use serde_json::json;

    #[test]
    fn what_cannot_be_answered_is_said_before_anything_starts() {
        let fixture = Fixture::new();
        fixture.file("a.txt", "x\n");
        fixture.file("b.py", "x = 1\n");
        for (args, words) in [
            (json!({"query": "definition", "symbol": "x"}), "`path` is missing"),
            (json!({"query": "find_references", "path": "a.txt"}), "`symbol` is missing"),
            (json!({"query": "symbols"}), "`symbol` is missing"),
            (json!({"query": "errors"}), "`path` is missing"),
            (json!({"query": "hover", "path": "a.txt", "symbol": "x"}), "there are language servers for rs, py,"),
            (json!({"query": "hover", "path": "gone.py", "symbol": "x"}), "gone.py"),
            (json!({"query": "fly", "path": "a.txt", "symbol": "x"}), "query"),
        ] {
            let reported = fixture.fails("language_server", args.clone());
            assert!(reported.contains(words), "{args}: {reported}");
        }
        assert!(
            fixture
                .fails("language_server", json!({"query": "diagnostics", "path": "b.py"}))
                .contains("runs only in the sandbox")
        );
        assert_eq!(fixture.cx.servers.running(), [""; 0]);
    }
}
