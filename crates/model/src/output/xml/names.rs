//! The tags that open a call: the offered tools, the names that other agents have for such tools, and the `<edit>` block.

use ox_protocol::ToolSpec;
use serde_json::Value;

/// A block of this name is a call of the tool that says so; beside each of its tags the argument that it stands for.
pub(super) const EDIT: &str = "edit";
pub(super) const EDIT_TAGS: [(&str, &str); 4] =
    [("file", "path"), ("search", "old"), ("replace", "new"), ("description", "why")];
/// Tools of other agents whose calls models have learnt to write as tags. Whoever runs a call knows what they mean here.
const OTHERS: &str = "read view write write_to_file create_file str_replace replace_in_file apply_diff apply_patch bash \
    shell execute_command exec_shell run_command search_files grep glob list_dir list_files \
    list_code_definition_names get_symbols get_project_structure ask_followup_question plan_mode_respond \
    attempt_completion update_todo_list use_mcp_tool";
/// What their arguments are called.
const THEIR_ARGS: &str = "path file_path content old_string new_string diff patch command requires_approval timeout query \
    pattern regex file_pattern recursive start_line end_line offset limit line_count question options \
    follow_up response result todos cwd";

/// A tag that opens a call.
#[derive(Debug)]
pub(super) struct Known {
    /// The tag.
    pub(super) name: String,
    /// The schema of the arguments; null where it is not known.
    pub(super) schema: Value,
    pub(super) args: Vec<String>,
    /// The tool of which the block is a call; none for a tag that is a tool itself.
    pub(super) block_of: Option<String>,
}

/// The tags for `tools`; none at all where no tool is offered.
pub(super) fn known(tools: &[ToolSpec]) -> Vec<Known> {
    let mut known: Vec<Known> = tools
        .iter()
        .map(|it| {
            let args =
                it.schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
            Known { name: it.name.clone(), args, schema: it.schema.clone(), block_of: None }
        })
        .collect();
    let named = |name: &str| tools.iter().any(|it| it.name == name);
    if let Some(tool) = tools.iter().find(|it| it.edit_block && !named(EDIT)) {
        let args = EDIT_TAGS.iter().map(|(tag, _)| tag.to_string()).collect();
        known.push(Known { name: EDIT.to_string(), schema: Value::Null, args, block_of: Some(tool.name.clone()) });
    }
    let others = OTHERS.split_whitespace().filter(|it| !tools.is_empty() && !named(it));
    known.extend(others.map(|it| Known {
        name: it.to_string(),
        schema: Value::Null,
        args: THEIR_ARGS.split_whitespace().map(str::to_string).collect(),
        block_of: None,
    }));
    known
}
