//! `replace_in_file`: the same as `edit_file`, written as SEARCH/REPLACE blocks.

use ox_edit::parse_search_replace;
use ox_protocol::{CallKind, Level};
use serde_json::{Value, json};

use crate::args::text;
use crate::call::tool::{Alias, PathAccess, Run, Tool, ToolResult, object};
use crate::edit::places::{Replacement, change};
use crate::{call::context::CallContext, call::error::ToolError};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "replace_in_file".into(),
        aliases: Alias::list("search_replace_blocks edit_blocks"),
        description: "Edit one file with SEARCH/REPLACE blocks: `<<<<<<< SEARCH`, the text as the file has it, `=======`, the new text, `>>>>>>> REPLACE`. All blocks or none.".into(),
        schema: object(
            &["path", "diff"],
            json!({
                "path": {"type": "string"},
                "diff": {"type": "string", "description": "one or more blocks"},
                "why": {"type": "string", "description": "in a few words"},
            }),
        ),
        kind: CallKind::Mutate,
        level: Level::Edit,
        validate: |args| parse_search_replace(text(args, "diff")).err().map(|refusal| refusal.message()),
        paths: |args| vec![PathAccess::write(text(args, "path"))],
        run: Run::Sync(run),
        ..Tool::base()
    }
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let path = text(args, "path").to_string();
    let blocks = parse_search_replace(text(args, "diff")).map_err(|refusal| ToolError::edit(&path, refusal, 1))?;
    let replacements = blocks.into_iter().map(|block| Replacement { path: path.clone(), block, all: false }).collect();
    Ok(change(cx, replacements, crate::edit::change::why(args))?.into())
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn blocks_are_applied_together() {
        let fixture = Fixture::new();
        fixture.file("a.py", "import os\n\ndef f():\n    return 1\n");
        let diff = "<<<<<<< SEARCH\nimport os\n=======\nimport sys\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\n    return 1\n=======\n    return 2\n>>>>>>> REPLACE\n";
        expect!["edited a.py:1, 4"].assert_eq(&fixture.ok("replace_in_file", json!({"path": "a.py", "diff": diff})));
        assert_eq!(fixture.read("a.py"), "import sys\n\ndef f():\n    return 2\n");
    }

    #[test]
    fn a_text_without_blocks_says_how_blocks_look() {
        let fixture = Fixture::new();
        fixture.file("a.py", "x\n");
        expect![[r#"
            `replace_in_file` was not run: The edit cannot be read.
            There is no `<<<<<<< SEARCH` line in it.
            Use lines `<<<<<<< SEARCH`, the text sought, `=======`, the new text, `>>>>>>> REPLACE`."#]]
        .assert_eq(&fixture.fails("replace_in_file", json!({"path": "a.py", "diff": "x -> y"})));
    }
}
