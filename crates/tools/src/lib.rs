//! The tools: one file each with its schema, the words a model reads, what it does, and its tests.
//!
//! A tool never decides whether it may run (it states facts, the core decides), starts no process but through the
//! runner it is handed, and writes no file but through the tree. Whatever goes wrong is told to the model as text.

mod args;
mod board;
mod call;
mod change;
mod code;
mod consent;
mod cx;
mod draft;
mod environment;
mod error;
mod facts;
mod implied;
mod jobs;
mod list;
mod lsp;
mod names;
mod outline;
mod patch;
mod places;
mod reads;
mod run;
mod scan;
mod sources;
mod stale;
mod text;
mod texts;
mod tool;
mod walls;

mod apply_patch;
mod ask_user;
mod attempt_completion;
mod delete_file;
mod edit_file;
mod edit_lines;
mod edit_symbol;
mod find_references;
mod find_symbol;
mod find_tools;
mod generate_image;
mod git_blame;
mod git_commit;
mod git_diff;
mod git_log;
mod impact;
mod language_server;
mod list_definitions;
mod list_files;
mod module_doc_read;
mod module_doc_write;
mod move_file;
mod plan_respond;
mod project_structure;
mod rag_query;
mod read_file;
mod read_output;
mod recall;
mod rename_symbol;
mod replace_in_file;
mod revert_file;
mod run_checks;
mod run_command;
mod search_code;
mod search_semantic;
mod stop_command;
mod think;
mod todo_read;
mod todo_write;
mod use_tool;
mod web_fetch;
mod write_file;
mod write_stdin;

#[cfg(test)]
mod catalogue;
#[cfg(test)]
mod random;
#[cfg(test)]
mod testing;

pub use board::{Board, Notes};
pub use call::{amended, call};
pub use code::{Code, Now, ReadFile, Refresh};
pub use cx::{Cx, Paint};
pub use draft::Draft;
pub use environment::{Environment, Hidden, Interpreter, environment};
pub use error::ToolError;
pub use jobs::Jobs;
pub use list::{find, list, specs};
pub use lsp::{Before, Limits, Servers, installed, introduced};
pub use patch::plan;
pub use reads::Reads;
pub use revert_file::Past;
pub use run::run;
pub use run_command::runs_tests;
pub use sources::Sources;
pub use tool::{Offered, Ran, Run, Tool, Touch};
pub use walls::{Surroundings, Walls};
