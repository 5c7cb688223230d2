//! From the name that a model used to a tool, or to words that name what there is instead.

use serde_json::{Map, Value};

use crate::args::alias::snake;
use crate::list::list;
use crate::tool::Tool;

/// Tools of other agents that have no equal here, with what to use instead.
const SUBSTITUTES: &[(&str, &str)] = &[
    (
        "insert_content",
        "Use edit_file: take a line beside the place as `old`, and give it with the new lines as `new`.",
    ),
    ("notebook_edit", "Use edit_file on the notebook's JSON."),
    ("web_search", "Nothing searches the web here; web_fetch reads a page whose address you know."),
    ("browser_action", "There is no browser here."),
    ("use_mcp_tool", "No MCP server is connected."),
    ("access_mcp_resource", "No MCP server is connected."),
    ("task", "There are no sub-agents here; do it yourself, step by step."),
    ("spawn_subagent", "There are no sub-agents here; do it yourself, step by step."),
    ("new_task", "There are no sub-agents here; do it yourself, step by step."),
    ("switch_mode", "Only the user changes the mode."),
];

/// One tool that does several things, told apart by `command`.
const EDITORS: &[&str] = &[
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "text_editor",
    "text_editor_20250124",
    "editor",
    "file_editor",
];

/// The tool of that name or accepted name, whatever its case, prefix or separators.
pub(crate) fn find(name: &str) -> Option<&'static Tool> {
    let plain = plain(name);
    let tools = list();
    tools
        .iter()
        .find(|it| it.name == plain)
        .or_else(|| tools.iter().find(|it| it.also.contains(&plain.as_str())))
        .copied()
}

/// Like [`find`], looking at the arguments where a name stands for several tools; otherwise the words for the model.
pub(crate) fn resolve(name: &str, args: &Map<String, Value>) -> Result<&'static Tool, String> {
    if !EDITORS.contains(&plain(name).as_str()) {
        return find(name).ok_or_else(|| unknown(name));
    }
    let action = args.get("command").and_then(Value::as_str).unwrap_or_default();
    let name = match action {
        "view" => "read_file",
        "create" => "write_file",
        "str_replace" => "edit_file",
        "insert" => "edit_lines",
        "undo_edit" => "revert_file",
        _ => return Err(unknown(name)),
    };
    Ok(find(name).expect("these five are in the list"))
}

/// `functions.ReadFile` as `read_file`.
fn plain(name: &str) -> String {
    let bare = name.trim().rsplit(['.', ':', '/']).next().unwrap_or(name);
    snake(bare)
}

/// Words for a tool that does not exist: the substitute, else the nearest names.
pub(crate) fn unknown(name: &str) -> String {
    let plain = plain(name);
    let shown: String = name.trim().chars().take(60).collect();
    if let Some((_, instead)) = SUBSTITUTES.iter().find(|(known, _)| *known == plain) {
        return format!("There is no tool `{shown}`. {instead}");
    }
    let near = nearest(&plain);
    if near.is_empty() {
        return format!(
            "There is no tool `{shown}`. find_tools lists the tools there are beside those of the request."
        );
    }
    format!("There is no tool `{shown}`. Did you mean {}? find_tools lists all others.", near.join(" or "))
}

/// Up to three tools whose name or accepted name is near, best first.
fn nearest(name: &str) -> Vec<&'static str> {
    let mut scored: Vec<(usize, &'static str)> = Vec::new();
    for tool in list() {
        let names = std::iter::once(&tool.name).chain(tool.also);
        let best = names.map(|known| distance(name, known)).min().unwrap_or(usize::MAX);
        let shares_word = name.split('_').any(|word| word.len() > 3 && tool.name.split('_').any(|it| it == word));
        match (best, shares_word) {
            (best, _) if best <= name.len() / 3 => scored.push((best, tool.name)),
            (best, true) => scored.push((100 + best, tool.name)),
            _ => {}
        }
    }
    scored.sort_unstable();
    let best = scored.first().map_or(0, |it| it.0);
    scored.retain(|it| it.0 <= best + 1 || best >= 100);
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

/// How many characters must be inserted, removed or changed to make one of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, c) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for j in 0..b.len() {
            let changed = diagonal + usize::from(c != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn names_of_other_agents_find_our_tools() {
        let cases = [
            ("read_file Read functions.read_file ReadFile view_file cat open_file", "read_file"),
            ("Edit str_replace search_replace MultiEdit multi_edit edit replace", "edit_file"),
            ("Write write_to_file create_file new_file", "write_file"),
            (
                "Bash bash shell exec_shell execute_command run_terminal_cmd run_shell_command local_shell exec",
                "run_command",
            ),
            ("grep Grep search_files grep_search ripgrep search_file_content", "search_code"),
            ("list_dir LS ls Glob glob list_directory find_files file_search", "list_files"),
            ("get_project_structure tree", "project_structure"),
            ("run_build run_tests", "run_checks"),
            ("ask_followup_question request_user_input AskUserQuestion", "ask_user"),
            ("plan_mode_respond exit_plan_mode ExitPlanMode", "plan_respond"),
            ("finish submit task_complete", "attempt_completion"),
            ("TodoWrite update_plan update_todo_list", "todo_write"),
            ("rename_file mv", "move_file"),
            ("remove_file rm", "delete_file"),
            ("applyPatch apply_diff functions.apply_patch", "apply_patch"),
            ("replace_lines line_edit", "edit_lines"),
        ];
        for (names, tool) in cases {
            for name in names.split(' ') {
                assert_eq!(find(name).map(|it| it.name), Some(tool), "{name}");
            }
        }
    }

    #[test]
    fn an_accepted_name_belongs_to_one_tool() {
        let mut seen = std::collections::BTreeSet::new();
        for tool in list() {
            for name in std::iter::once(&tool.name).chain(tool.also) {
                assert!(seen.insert(*name), "{name} twice");
                assert_eq!(*name, snake(name), "{name} is not snake case and would never be found");
            }
        }
    }

    #[test]
    fn one_editor_stands_for_several_tools() {
        let tool = |action: &str| {
            let Value::Object(args) = json!({"command": action}) else { unreachable!("an object was written") };
            resolve("str_replace_based_edit_tool", &args).map(|it| it.name)
        };
        assert_eq!(tool("view"), Ok("read_file"));
        assert_eq!(tool("create"), Ok("write_file"));
        assert_eq!(tool("str_replace"), Ok("edit_file"));
        assert_eq!(tool("insert"), Ok("edit_lines"));
        assert_eq!(tool("undo_edit"), Ok("revert_file"));
        assert!(tool("dance").unwrap_err().contains("no tool"));
    }

    #[test]
    fn an_unknown_tool_is_answered_with_what_there_is() {
        let words: Vec<String> =
            ["raed_file", "insert_content", "semantic_search_code", "frobnicate", "git_status"].map(unknown).to_vec();
        expect![[r#"
            There is no tool `raed_file`. Did you mean read_file or revert_file or write_file? find_tools lists all others.
            There is no tool `insert_content`. Use edit_file: take a line beside the place as `old`, and give it with the new lines as `new`.
            There is no tool `semantic_search_code`. Did you mean search_semantic? find_tools lists all others.
            There is no tool `frobnicate`. find_tools lists the tools there are beside those of the request.
            There is no tool `git_status`. Did you mean git_diff? find_tools lists all others."#]]
        .assert_eq(&words.join("\n"));
    }
}
