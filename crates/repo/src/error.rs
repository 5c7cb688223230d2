//! What can go wrong in the working tree, worded for whoever must act next.
//!
//! An error never carries file contents.

use std::io;

use rustix::io::Errno;

/// Why a path could not be read, written or listed.
#[derive(Debug, thiserror::Error)]
pub enum RepoError {
    /// Nothing is there.
    #[error("`{path}` does not exist{}", suggestion(.similar))]
    NotFound {
        /// As asked for.
        path: String,
        /// The nearest existing paths, best first.
        similar: Vec<String>,
    },
    /// A folder where a file was expected.
    #[error("`{path}` is a folder, not a file; list it instead")]
    IsDirectory {
        /// Relative to the root.
        path: String,
    },
    /// A file where a folder was expected.
    #[error("`{path}` is not a folder")]
    NotDirectory {
        /// Relative to the root.
        path: String,
    },
    /// A pipe, socket or device.
    #[error("`{path}` is neither a file nor a folder (a pipe, socket or device); it cannot be read or edited")]
    NotRegular {
        /// Relative to the root.
        path: String,
    },
    /// Not text.
    #[error("`{path}` is a binary file ({size} bytes), not text; it cannot be shown or edited as text")]
    Binary {
        /// Relative to the root.
        path: String,
        /// In bytes.
        size: u64,
    },
    /// Larger than what is read at once.
    #[error(
        "`{path}` has {size} bytes, more than the {limit} that are read at once; read a range of lines or search in it"
    )]
    TooLarge {
        /// Relative to the root.
        path: String,
        /// In bytes.
        size: u64,
        /// In bytes.
        limit: u64,
    },
    /// Outside the project.
    #[error("`{path}` is outside the project; only paths beneath `{root}` (and folders added to it) can be used")]
    Outside {
        /// As asked for.
        path: String,
        /// The project root.
        root: String,
    },
    /// Left out of the conversation.
    #[error("`{path}` was left out of this conversation by the user; it is neither read nor changed")]
    Excluded {
        /// Relative to the root.
        path: String,
    },
    /// Never written by Ox.
    #[error("`{path}` is protected and is never written: {why}")]
    Protected {
        /// Relative to the root.
        path: String,
        /// The reason.
        why: &'static str,
    },
    /// Used only with consent, which was not given for this place.
    #[error("`{path}` is used only with the user's consent, which this call does not have: {why}")]
    Consent {
        /// Relative to the root.
        path: String,
        /// What it is.
        why: &'static str,
    },
    /// Words that name no place here.
    #[error("`{path}` cannot be used as a path: {why}")]
    Spelling {
        /// As asked for.
        path: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Something is already there.
    #[error("`{path}` already exists; read it and edit it, or choose another path")]
    Exists {
        /// Relative to the root.
        path: String,
    },
    /// The file is not what it was when it was read.
    #[error("`{path}` changed on disk since it was read; nothing was written. Read it again and redo the change")]
    Changed {
        /// Relative to the root.
        path: String,
    },
    /// Writing is not permitted.
    #[error("`{path}` cannot be written: {why}")]
    ReadOnly {
        /// Relative to the root.
        path: String,
        /// The reason.
        why: &'static str,
    },
    /// Reading is not permitted.
    #[error("`{path}` cannot be read: permission denied; the user would have to change its permissions")]
    Denied {
        /// Relative to the root.
        path: String,
    },
    /// No room left.
    #[error(
        "no space is left on the disk (or the quota is used up) to write `{path}`; the file is unchanged. Free some space and try again"
    )]
    DiskFull {
        /// Relative to the root.
        path: String,
    },
    /// The new text cannot be said in the file's encoding.
    #[error("`{path}` is encoded as {encoding}, which has no character {character:?} (U+{code:04X}); use another character or convert the file to UTF-8 first", code = u32::from(*.character))]
    Encoding {
        /// Relative to the root.
        path: String,
        /// Name of the file's encoding.
        encoding: &'static str,
        /// The first character that does not fit.
        character: char,
    },
    /// Two changes of one transaction concern the same place.
    #[error("two changes of one call concern `{path}`{}; nothing was changed. Make them one change, or send two calls", within(.path, .other))]
    Overlap {
        /// Relative to the root.
        path: String,
        /// The other change's place: the same, or a folder that contains it.
        other: String,
    },
    /// Another process is changing this tree.
    #[error(
        "another process has been changing files of `{path}` for ten seconds; nothing was changed. Try again when it has ended"
    )]
    Busy {
        /// The root.
        path: String,
    },
    /// The journal of changes cannot be written or read.
    #[error("the journal of changes `{path}` cannot be used, without which no file is changed: {source}")]
    Journal {
        /// Absolute.
        path: String,
        /// The system's words.
        source: io::Error,
    },
    /// A transaction failed and could not be taken back at once.
    #[error(
        "{cause}\nWhat was changed before that could not be taken back yet; files of this call may be half changed. It will be taken back before the next change, or when the project is next opened"
    )]
    Unsettled {
        /// Why the transaction failed.
        cause: Box<RepoError>,
    },
    /// The store of checkpoints cannot be read or written.
    #[error("the checkpoints in `{path}` cannot be used: {source}")]
    Checkpoints {
        /// Absolute.
        path: String,
        /// The system's words.
        source: io::Error,
    },
    /// No room for a checkpoint.
    #[error(
        "no space is left on the disk (or the quota is used up) for checkpoints in `{path}`; free some, or run `ox checkpoints --prune`"
    )]
    CheckpointsFull {
        /// Absolute.
        path: String,
    },
    /// Another process is recording or restoring this tree.
    #[error("another process has been recording or restoring `{path}` for ten seconds; try again when it has ended")]
    CheckpointsBusy {
        /// The root.
        path: String,
    },
    /// The store of checkpoints is not what was written.
    #[error(
        "the checkpoints in `{path}` are damaged ({why}); the next checkpoint begins a new store and moves this one beside it"
    )]
    CheckpointsDamaged {
        /// Absolute.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// No such checkpoint.
    #[error("there is no checkpoint `{id}`{}", nearest(.near))]
    NoCheckpoint {
        /// As asked for.
        id: String,
        /// The nearest names, best first.
        near: Vec<String>,
    },
    /// Several checkpoints are called so.
    #[error("`{id}` could be {}; write more of its name", listed(.candidates))]
    ManyCheckpoints {
        /// As asked for.
        id: String,
        /// Their names.
        candidates: Vec<String>,
    },
    /// What was undone cannot be redone.
    #[error(
        "the files have been changed since the undo, and redo would undo that; what was undone is still there as checkpoint `{id}`: `ox restore {id}` goes back to it"
    )]
    RedoGone {
        /// The checkpoint.
        id: String,
    },
    /// Too many files.
    #[error("`{path}` has more than {limit} files and folders; no checkpoint is made of so many")]
    TooMany {
        /// The root.
        path: String,
        /// The most that there may be.
        limit: usize,
    },
    /// A glob that cannot be read.
    #[error("the glob `{glob}` is not valid: {reason}")]
    BadGlob {
        /// As given.
        glob: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Anything else that the system refused.
    #[error("`{path}`: {source}")]
    Io {
        /// Relative to the root, or as asked for.
        path: String,
        /// The system's words.
        source: io::Error,
    },
}

fn suggestion(similar: &[String]) -> String {
    match similar {
        [] => "; list the folder or search to find the right path".to_owned(),
        some => format!("; did you mean {}?", some.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")),
    }
}

fn nearest(near: &[String]) -> String {
    match near {
        [] => "; `ox checkpoints` lists them".to_owned(),
        some => format!("; did you mean {}?", listed(some)),
    }
}

fn listed(names: &[String]) -> String {
    names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
}

fn within(path: &str, other: &str) -> String {
    if path == other { String::new() } else { format!(" and the folder `{other}`") }
}

/// Words for a failed read of `path`. `NotFound` comes without suggestions; the tree adds them.
pub(crate) fn reading(path: &str, error: impl Into<io::Error>) -> RepoError {
    let source = error.into();
    let path = path.to_owned();
    match Errno::from_io_error(&source) {
        Some(Errno::NOENT) => RepoError::NotFound { path, similar: Vec::new() },
        Some(Errno::NOTDIR) => RepoError::NotDirectory { path },
        Some(Errno::ISDIR) => RepoError::IsDirectory { path },
        Some(Errno::ACCESS | Errno::PERM) => RepoError::Denied { path },
        Some(Errno::NXIO) => RepoError::NotRegular { path },
        _ => RepoError::Io { path, source },
    }
}

/// Words for a failed write of `path`.
pub(crate) fn writing(path: &str, error: impl Into<io::Error>) -> RepoError {
    let source = error.into();
    let errno = Errno::from_io_error(&source);
    let path = path.to_owned();
    match errno {
        Some(Errno::NOSPC | Errno::DQUOT) => RepoError::DiskFull { path },
        Some(Errno::XDEV) => RepoError::ReadOnly { path, why: "more than one file system is concerned" },
        Some(Errno::ROFS) => RepoError::ReadOnly { path, why: "its file system is mounted read-only" },
        Some(Errno::ACCESS | Errno::PERM) => {
            RepoError::ReadOnly { path, why: "permission denied; the user would have to change its permissions" }
        }
        Some(Errno::EXIST | Errno::NOTEMPTY) => RepoError::Exists { path },
        _ => reading(&path, source),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn refusals_of_the_system_are_worded() {
        let errors =
            [Errno::NOSPC, Errno::DQUOT, Errno::ROFS, Errno::ACCESS, Errno::EXIST, Errno::NOTDIR, Errno::NAMETOOLONG];
        let words: String = errors.iter().map(|it| format!("{}\n", writing("src/a.rs", *it))).collect();
        expect![[r#"
            no space is left on the disk (or the quota is used up) to write `src/a.rs`; the file is unchanged. Free some space and try again
            no space is left on the disk (or the quota is used up) to write `src/a.rs`; the file is unchanged. Free some space and try again
            `src/a.rs` cannot be written: its file system is mounted read-only
            `src/a.rs` cannot be written: permission denied; the user would have to change its permissions
            `src/a.rs` already exists; read it and edit it, or choose another path
            `src/a.rs` is not a folder
            `src/a.rs`: File name too long (os error 36)
        "#]].assert_eq(&words);
        expect!["`src/a.rs` cannot be read: permission denied; the user would have to change its permissions"]
            .assert_eq(&reading("src/a.rs", Errno::ACCESS).to_string());
    }
}
