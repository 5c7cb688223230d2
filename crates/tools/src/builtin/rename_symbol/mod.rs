//! `rename_symbol`: a definition and all that refers to it under another name, in one transaction.

mod draft;

use ox_lsp::{Query, bare_name};
use ox_protocol::{BoxFuture, CallKind, Level};
use serde_json::{Value, json};

use crate::args::{given, text};
use crate::builtin::language_server::{failed, question};
use crate::call::tool::{Alias, PathAccess, Run, Tool, ToolResult, object};
use crate::{call::context::CallContext, call::error::ToolError};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "rename_symbol".into(),
        aliases: Alias::list("lsp_rename refactor_rename"),
        description: "Rename a function, type, variable or other symbol in the whole project through a language server: its definition and all references, together.".into(),
        schema: object(
            &["path", "symbol", "new_name"],
            json!({
                "path": {"type": "string", "description": "a file in which the symbol stands"},
                "symbol": {"type": "string", "description": "its name"},
                "new_name": {"type": "string"},
                "line": {"type": "integer", "description": "where the name stands, if it has several meanings in the file"},
                "why": {"type": "string", "description": "in a few words"},
            }),
        ),
        kind: CallKind::Mutate,
        level: Level::Edit,
        validate,
        paths: |args| vec![PathAccess::write(text(args, "path"))],
        run: Run::Async(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
        ..Tool::base()
    }
}

fn validate(args: &Value) -> Option<String> {
    let new = text(args, "new_name").trim();
    match given(args, "symbol") {
        None => Some("`symbol` is empty".into()),
        Some(_) if new.is_empty() || new.contains(char::is_whitespace) => Some("`new_name` must be one name".into()),
        Some(old) if old.trim() == new => Some("`new_name` is the name it has".into()),
        Some(_) => None,
    }
}

async fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let question = question(cx, args, Query::Definition)?;
    let path = question.path.as_deref().unwrap_or_default();
    let seen = cx.reads.get(path);
    // A line number means a line of the text that was read.
    if question.line.is_some() && seen.is_some_and(|it| cx.tree.hash(path).is_ok_and(|now| now != it)) {
        return Err(ToolError::Stale { path: path.to_string() });
    }
    let new = text(args, "new_name").trim();
    let edits = cx.servers.rename(&cx.project(), &question, new).await.map_err(failed)?;
    let draft = draft::planned(cx, &edits, bare_name(&question.symbol))?;
    Ok(draft.make(cx, crate::edit::change::why(args))?.into())
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use serde_json::json;

    #[test]
    fn a_name_that_is_none_and_a_line_of_another_text_are_refused() {
        let fixture = Fixture::new();
        fixture.file("a.py", "x = 1\n");
        let rename = |symbol: &str, new: &str| {
            fixture.fails("rename_symbol", json!({"path": "a.py", "symbol": symbol, "new_name": new, "line": 1}))
        };
        assert!(rename("x", "a b").contains("must be one name"));
        assert!(rename("x", "x").contains("the name it has"));
        fixture.ok("read_file", json!({"path": "a.py"}));
        fixture.file("a.py", "# theirs\nx = 1\n");
        assert!(rename("x", "y").contains("changed on disk after you read it"));
        assert_eq!(fixture.read("a.py"), "# theirs\nx = 1\n");
    }
}
