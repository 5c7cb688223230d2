//! `find_tools`: the tools that are not part of the request, so that the request stays small and never changes.

use std::fmt::Write as _;

use ox_protocol::Outcome;
use serde_json::{Value, json};

use crate::args;
use crate::call::context::{CallContext, Listed};
use crate::call::error::ToolError;
use crate::call::tool::{Alias, Availability, Need, Run, Tool, ToolResult, object};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "find_tools".into(),
        aliases: Alias::list("search_tools list_tools tool_search get_tools"),
        description: "Find more tools: delete, move, revert files; patches; git; code index (symbols, references, impact); documents, web, pictures, language servers, sub-agents; pull requests; MCP servers.".into(),
        schema: object(&[], json!({"query": {"type": "string", "description": "all if left out"}})),
        availability: Availability::Always,
        needs: Some(Need::Directory),
        run: Run::Sync(run),
        ..Tool::base()
    }
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let query = args::text(args, "query").to_lowercase();
    let words: Vec<&str> = query.split(|c: char| !c.is_alphanumeric()).filter(|it| it.len() > 1).collect();
    // A word counts where a word of the tool begins with it: "move" is no part of "remove".
    let begins = |text: &str, word: &str| {
        text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|it| it.starts_with(word))
    };
    let hits = |tool: &Listed| {
        let text = format!("{} {} {}", tool.spec.name, tool.aliases, tool.spec.description);
        words.iter().filter(|word| begins(&text, word)).count()
    };
    // A word that stands in the name of one tool alone means that tool, whatever else the query holds.
    let unique = |word: &&&str| cx.directory.iter().filter(|it| begins(&it.spec.name, word)).count() == 1;
    let named = |tool: &Listed| words.iter().filter(unique).any(|word| begins(&tool.spec.name, word));
    let best = cx.directory.iter().map(hits).max().unwrap_or(0);
    let shown: Vec<&Listed> = cx.directory.iter().filter(|it| hits(it) == best || named(it)).collect();
    let mut out = String::new();
    // Nothing in common, or no query: all of them, which is little.
    if best == 0 && !words.is_empty() {
        out.push_str("Nothing matches; these are all:\n");
    }
    shown.iter().filter(|it| !it.foreign).for_each(|it| write(&mut out, it));
    out.push_str(&ox_mcp::words::tools(shown.iter().filter(|it| it.foreign).map(|it| &it.spec), best > 0));
    for line in cx.missing.iter() {
        let _ = writeln!(out, "{line}");
    }
    out.push_str("[call one with use_tool]");
    Ok(Outcome::ok(out).into())
}

fn write(out: &mut String, tool: &Listed) {
    let _ = writeln!(out, "{}: {}\n  args: {}", tool.spec.name, tool.spec.description, tool.spec.schema);
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use ox_protocol::Mode;
    use serde_json::json;

    #[test]
    fn hidden_tools_are_found_by_what_they_do() {
        let fixture = Fixture::new();
        let names = |query: &str| {
            let output = fixture.ok("find_tools", json!({"query": query}));
            let names: Vec<&str> = output
                .lines()
                .filter(|it| !it.starts_with([' ', '[']))
                .map(|it| it.split(':').next().unwrap())
                .collect();
            names.join(" ")
        };
        assert_eq!(names("delete a folder"), "delete_file");
        assert_eq!(names("rename"), "move_file rename_symbol");
        assert_eq!(names("hover type of a symbol"), "language_server");
        assert_eq!(names("move delete"), "delete_file move_file");
        assert_eq!(names("git history"), "git_log");
        assert_eq!(names("uncommitted"), "git_diff");
        assert_eq!(names("SEARCH/REPLACE"), "replace_in_file");
        assert_eq!(names("who uses a symbol, references"), "find_references");
        assert_eq!(names("documentation of a module"), "language_server module_doc_read module_doc_write rag_query");
        assert_eq!(names("blame"), "git_blame");
        assert!(names("teleport").starts_with("Nothing matches; these are all"));
        expect![[r#"
            move_file: Move or rename a file or folder; folders on the way are made. References to it are not changed.
              args: {"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string","description":"the new path, or an existing folder to move into"},"why":{"type":"string","description":"in a few words"}},"required":["from","to"]}
            [call one with use_tool]"#]].assert_eq(&fixture.ok("find_tools", json!({"query": "move"})));
    }

    #[test]
    fn a_reading_mode_finds_only_tools_that_read() {
        let mut fixture = Fixture::new();
        fixture.cx.mode = Mode::Chat;
        let output = fixture.ok("find_tools", json!({}));
        assert!(
            output.contains("think:") && !output.contains("delete_file") && !output.contains("run_command"),
            "{output}"
        );
    }
}
