//! The tags that open a call: the offered tools, the names that other agents have for such tools, and the `<edit>` block.

use ox_protocol::ToolSpec;
use serde_json::Value;

/// A block of this name is a call of `edit_file`; beside each of its tags the argument that it stands for.
pub(super) const EDIT: &str = "edit";
pub(super) const EDIT_TAGS: [(&str, &str); 4] =
    [("file", "path"), ("search", "old"), ("replace", "new"), ("description", "why")];
/// Tools of other agents whose calls models have learnt to write as tags. Whoever runs a call knows what they mean here.
const OTHERS: &[&str] = &[
    "read",
    "view",
    "write",
    "write_to_file",
    "create_file",
    "str_replace",
    "replace_in_file",
    "apply_diff",
    "apply_patch",
    "bash",
    "shell",
    "execute_command",
    "exec_shell",
    "run_command",
    "search_files",
    "grep",
    "glob",
    "list_dir",
    "list_files",
    "list_code_definition_names",
    "get_symbols",
    "get_project_structure",
    "ask_followup_question",
    "plan_mode_respond",
    "attempt_completion",
    "update_todo_list",
    "use_mcp_tool",
];
/// What their arguments are called.
const THEIR_ARGS: &[&str] = &[
    "path",
    "file_path",
    "content",
    "old_string",
    "new_string",
    "diff",
    "patch",
    "command",
    "requires_approval",
    "timeout",
    "query",
    "pattern",
    "regex",
    "file_pattern",
    "recursive",
    "start_line",
    "end_line",
    "offset",
    "limit",
    "line_count",
    "question",
    "options",
    "follow_up",
    "response",
    "result",
    "todos",
    "cwd",
];

/// A tag that opens a call.
#[derive(Debug)]
pub(super) struct Known {
    /// The tag.
    pub(super) name: String,
    /// The schema of the arguments; null where it is not known.
    pub(super) schema: Value,
    pub(super) args: Vec<String>,
    /// True for the block that stands for a call of `edit_file`.
    pub(super) is_block: bool,
}

/// The tags for `tools`; none at all where no tool is offered.
pub(super) fn known(tools: &[ToolSpec]) -> Vec<Known> {
    let texts = |names: &mut dyn Iterator<Item = &&str>| names.map(|it| it.to_string()).collect::<Vec<_>>();
    let mut known: Vec<Known> = tools
        .iter()
        .map(|it| {
            let args =
                it.schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
            Known { name: it.name.clone(), args, schema: it.schema.clone(), is_block: false }
        })
        .collect();
    let named = |name: &str| tools.iter().any(|it| it.name == name);
    if named("edit_file") && !named(EDIT) {
        let args = texts(&mut EDIT_TAGS.iter().map(|(tag, _)| tag));
        known.push(Known { name: EDIT.to_string(), schema: Value::Null, args, is_block: true });
    }
    let others = OTHERS.iter().filter(|it| !tools.is_empty() && !named(it));
    known.extend(others.map(|it| Known {
        name: it.to_string(),
        schema: Value::Null,
        args: texts(&mut THEIR_ARGS.iter()),
        is_block: false,
    }));
    known
}
