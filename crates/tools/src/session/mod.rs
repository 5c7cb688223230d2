//! What the calls of a session share.

pub(crate) mod checkpoints;
pub(crate) mod code_index;
pub(crate) mod entry;
pub(crate) mod outline;
pub(crate) mod project_files;
pub(crate) mod read_log;
pub(crate) mod read_texts;
pub(crate) mod sandbox_policy;
pub(crate) mod sources;
pub(crate) mod todo_board;
