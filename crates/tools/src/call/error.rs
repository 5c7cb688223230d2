//! Why a tool could not do what it was asked, in words for the model: what failed, why, what to try.

use ox_edit::Refusal;
use ox_protocol::RunError;
use ox_repo::RepoError;

/// Why a call failed. Nothing has changed then, except where a commit could neither be ended nor taken back.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The working tree refused.
    #[error("{0}")]
    Repo(#[from] RepoError),
    /// The edit engine refused.
    #[error("{} {}{}", not_edited(.path), .refusal.message(), others(*.files))]
    Edit {
        /// The file; empty where the request names none.
        path: String,
        /// The engine's reason.
        refusal: Box<Refusal>,
        /// How many files the call named.
        files: usize,
    },
    /// A process could not be started.
    #[error("{0}")]
    Run(#[from] RunError),
    /// The mode or the scope of the turn does not allow it.
    #[error("{0}")]
    Denied(String),
    /// A whole-file write over a file that is no longer what the model saw.
    #[error(
        "`{path}` changed on disk after you read it (the user, a command or a formatter wrote it); nothing was written. Read it again, or change only the part you mean with edit_file."
    )]
    Stale {
        /// The file.
        path: String,
    },
    /// Somebody else changed the place of an edit after the model read it.
    #[error(
        "`{path}` changed on disk after you read it, at the very place of this edit; nothing was changed.\n{there}\nSend the edit again for the text as it is now."
    )]
    Clash {
        /// The file.
        path: String,
        /// The lines there now, in words.
        there: String,
    },
    /// The changes of one call could not be made together.
    #[error("{cause}{}", as_they_were(.cause, *.files))]
    Commit {
        /// What failed.
        cause: RepoError,
        /// How many files the call changes.
        files: usize,
    },
    /// Anything else that stands against it, in words.
    #[error("{0}")]
    Wrong(String),
    /// The user stopped the turn.
    #[error("stopped by the user before it was done")]
    Cancelled,
    /// A fault in Ox.
    #[error("`{tool}` broke down inside Ox: {what}. Nothing more is known; try another way.")]
    Broke {
        /// The tool.
        tool: String,
        /// The panic's words.
        what: String,
    },
}

impl ToolError {
    /// The engine's refusal to edit `path` in a call that names `files` files.
    pub(crate) fn edit(path: &str, refusal: Refusal, files: usize) -> ToolError {
        ToolError::Edit { path: path.to_string(), refusal: Box::new(refusal), files }
    }

    /// The same error in a call over `files` files.
    pub(crate) fn among(self, files: usize) -> ToolError {
        match self {
            ToolError::Edit { path, refusal, .. } => ToolError::Edit { path, refusal, files },
            other => other,
        }
    }

    /// True when files may be half changed for now.
    pub(crate) fn leaves_changes(&self) -> bool {
        let (ToolError::Repo(cause) | ToolError::Commit { cause, .. }) = self else { return false };
        matches!(cause, RepoError::Unsettled { .. })
    }
}

fn not_edited(path: &str) -> String {
    if path.is_empty() { "Nothing was edited.".to_string() } else { format!("`{path}` was not edited.") }
}

fn others(files: usize) -> &'static str {
    if files > 1 { "\nNone of the files of this call was changed." } else { "" }
}

fn as_they_were(cause: &RepoError, files: usize) -> &'static str {
    match cause {
        RepoError::Unsettled { .. } => "",
        _ if files > 1 => "\nThe other files of this call are as they were.",
        _ => "",
    }
}
