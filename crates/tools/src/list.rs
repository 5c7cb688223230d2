//! All tools. A new one is its file and a line here.

use ox_protocol::{CallKind, Mode, ToolSpec};

use crate::tool::Tool;

/// Every tool, those that are offered in build mode first. The order is the order in a request and never changes
/// within a version, so that prompt caches hit.
const LIST: &[&Tool] = &[
    &crate::read_file::TOOL,
    &crate::edit_file::TOOL,
    &crate::write_file::TOOL,
    &crate::search_code::TOOL,
    &crate::list_files::TOOL,
    &crate::run_command::TOOL,
    &crate::run_checks::TOOL,
    &crate::todo_write::TOOL,
    &crate::ask_user::TOOL,
    &crate::attempt_completion::TOOL,
    &crate::find_tools::TOOL,
    &crate::use_tool::TOOL,
    &crate::plan_respond::TOOL,
    &crate::project_structure::TOOL,
    &crate::git_diff::TOOL,
    &crate::git_log::TOOL,
    &crate::replace_in_file::TOOL,
    &crate::edit_lines::TOOL,
    &crate::edit_symbol::TOOL,
    &crate::apply_patch::TOOL,
    &crate::delete_file::TOOL,
    &crate::move_file::TOOL,
    &crate::todo_read::TOOL,
    &crate::think::TOOL,
    &crate::read_output::TOOL,
    &crate::write_stdin::TOOL,
    &crate::stop_command::TOOL,
    &crate::git_commit::TOOL,
    &crate::revert_file::TOOL,
    &crate::web_fetch::TOOL,
    &crate::generate_image::TOOL,
    &crate::language_server::TOOL,
    &crate::rename_symbol::TOOL,
    &crate::recall::TOOL,
    &crate::search_semantic::TOOL,
    &crate::find_symbol::TOOL,
    &crate::list_definitions::TOOL,
    &crate::find_references::TOOL,
    &crate::impact::TOOL,
    &crate::git_blame::TOOL,
    &crate::module_doc_read::TOOL,
    &crate::module_doc_write::TOOL,
    &crate::rag_query::TOOL,
];

/// Every tool, offered or not.
pub fn list() -> &'static [&'static Tool] {
    LIST
}

/// The tool of that name, or of one that is accepted for it.
pub fn find(name: &str) -> Option<&'static Tool> {
    crate::names::find(name)
}

/// The tools that are part of a request in `mode`, in a stable order; where nobody can answer, none that asks.
pub fn specs(mode: Mode, headless: bool) -> Vec<ToolSpec> {
    let answerable = |it: &&&Tool| !(headless && it.kind == CallKind::Question);
    list().iter().filter(|it| it.is_offered(mode)).filter(answerable).map(|it| it.spec()).collect()
}
