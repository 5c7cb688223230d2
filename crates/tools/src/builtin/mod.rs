//! The tools that Ox brings: one file or folder each, listed in `all` in the order in which requests have them.

pub(crate) mod apply_patch;
pub(crate) mod ask_user;
pub(crate) mod attempt_completion;
pub(crate) mod delete_file;
pub(crate) mod edit_file;
pub(crate) mod edit_lines;
pub(crate) mod edit_symbol;
pub(crate) mod find_references;
pub(crate) mod find_symbol;
pub(crate) mod find_tools;
pub(crate) mod generate_image;
pub(crate) mod git_blame;
pub(crate) mod git_commit;
pub(crate) mod git_diff;
pub(crate) mod git_log;
pub(crate) mod impact;
pub(crate) mod language_server;
pub(crate) mod list_definitions;
pub(crate) mod list_files;
pub(crate) mod mcp_resource;
pub(crate) mod module_doc_read;
pub(crate) mod module_doc_write;
pub(crate) mod move_file;
pub(crate) mod open_pull_request;
pub(crate) mod plan_respond;
pub(crate) mod project_structure;
pub(crate) mod rag_query;
pub(crate) mod read_file;
pub(crate) mod read_output;
pub(crate) mod recall;
pub(crate) mod rename_symbol;
pub(crate) mod replace_in_file;
pub(crate) mod revert_file;
pub(crate) mod run_checks;
pub(crate) mod run_command;
pub(crate) mod search_code;
pub(crate) mod search_semantic;
pub(crate) mod stop_command;
pub(crate) mod think;
pub(crate) mod todo_read;
pub(crate) mod todo_write;
pub(crate) mod use_tool;
pub(crate) mod web_fetch;
pub(crate) mod web_search;
pub(crate) mod write_file;
pub(crate) mod write_stdin;

use crate::call::tool::Tool;

/// Every built-in tool, in the order of a request.
pub(crate) fn all() -> Vec<Tool> {
    vec![
        read_file::tool(),
        edit_file::tool(),
        write_file::tool(),
        search_code::tool(),
        list_files::tool(),
        run_command::tool(),
        run_checks::tool(),
        todo_write::tool(),
        ask_user::tool(),
        attempt_completion::tool(),
        find_tools::tool(),
        use_tool::tool(),
        plan_respond::tool(),
        project_structure::tool(),
        git_diff::tool(),
        git_log::tool(),
        replace_in_file::tool(),
        edit_lines::tool(),
        edit_symbol::tool(),
        apply_patch::tool(),
        delete_file::tool(),
        move_file::tool(),
        todo_read::tool(),
        think::tool(),
        read_output::tool(),
        write_stdin::tool(),
        stop_command::tool(),
        git_commit::tool(),
        revert_file::tool(),
        web_fetch::tool(),
        web_search::tool(),
        generate_image::tool(),
        language_server::tool(),
        rename_symbol::tool(),
        recall::tool(),
        search_semantic::tool(),
        find_symbol::tool(),
        list_definitions::tool(),
        find_references::tool(),
        impact::tool(),
        git_blame::tool(),
        module_doc_read::tool(),
        module_doc_write::tool(),
        rag_query::tool(),
        mcp_resource::tool(),
        open_pull_request::tool(),
    ]
}
