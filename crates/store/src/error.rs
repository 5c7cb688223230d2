//! What can go wrong with the store, worded for whoever must act next.
//!
//! The words live in the catalogue, so that each interface speaks its user's language; `Display` is the English one.

use std::io;
use std::path::{Path, PathBuf};

use ox_protocol::locale::Language;
use ox_protocol::{CommandId, ConversationId, Problem, Seq};
use rusqlite::ErrorCode;

use crate::disk::free_space;
use crate::holder::holders;

/// Below this many free bytes an I/O fault is taken for a full disk; SQLite's own page and WAL header need about as much.
const NEARLY_NOTHING: u64 = 64 * 1024;

/// An error of the store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", Language::En.problem(&self.problem()))]
pub enum StoreError {
    /// Another process held the database for longer than the busy limit.
    Locked {
        /// The database.
        path: PathBuf,
        /// Who holds it, as far as the system tells; empty when it does not.
        holder: String,
    },
    /// The disk is full; nothing of the append is stored.
    Full {
        /// The database.
        path: PathBuf,
    },
    /// The folder or the database cannot be written.
    ReadOnlyFolder {
        /// The folder.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
    /// The file is not a database of Ox or is damaged.
    Corrupt {
        /// The database.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A newer Ox wrote the database.
    Newer {
        /// The database.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest version that this Ox knows.
        known: u32,
    },
    /// The conversation holds an event that this Ox does not understand; it can be read and not continued.
    ReadOnly {
        /// The conversation.
        id: ConversationId,
        /// What stands in the way, for example the kind of the event.
        what: String,
    },
    /// Someone else appended first; nothing was stored.
    Conflict {
        /// The conversation.
        id: ConversationId,
        /// The last event that the writer knew.
        expected: Seq,
        /// The last event that is there.
        found: Seq,
    },
    /// The conversation has another owner by now; nothing was stored.
    Lost {
        /// The conversation.
        id: ConversationId,
    },
    /// A worker is at the conversation; nothing was changed.
    Taken {
        /// The conversation.
        id: ConversationId,
    },
    /// A project has as many tasks waiting as it may; none was queued.
    QueueFull {
        /// The project.
        project: String,
        /// Tasks that wait.
        queued: u32,
    },
    /// The conversation has a task that has not ended; none was queued.
    TaskOpen {
        /// The conversation.
        id: ConversationId,
    },
    /// A project's share beside others is not a number above zero; nothing was changed.
    BadWeight {
        /// What was given.
        weight: String,
    },
    /// There is no such task.
    NoTask {
        /// Its number.
        id: u64,
    },
    /// There is no such command.
    NoCommand {
        /// Its id.
        id: CommandId,
    },
    /// The frames do not continue the log: numbers must follow without a gap and the first event names the conversation.
    Misplaced {
        /// The conversation.
        id: ConversationId,
        /// The number that must come next.
        expected: Seq,
        /// The number that came.
        found: Seq,
    },
    /// A conversation of this id is there already.
    Exists {
        /// The conversation.
        id: ConversationId,
    },
    /// There is no such conversation.
    NotFound {
        /// What was asked for.
        id: String,
    },
    /// Several conversations match.
    Ambiguous {
        /// What was asked for.
        prefix: String,
        /// The ids that match, newest first.
        matches: Vec<String>,
    },
    /// Another turn is changing this working tree.
    TreeBusy {
        /// The tree's root.
        root: PathBuf,
        /// Who has it; empty when unknown.
        holder: String,
    },
    /// The conversation is open in another session.
    ConversationBusy {
        /// The conversation.
        id: ConversationId,
        /// Who has it; empty when unknown.
        holder: String,
    },
    /// The database cannot be reached. What was being stored is stored whole or not at all.
    Unreachable {
        /// The server and the database.
        at: String,
        /// What went wrong on the way.
        why: String,
    },
    /// The database refused, or what it holds is damaged.
    Server {
        /// The server and the database.
        at: String,
        /// Its words.
        why: String,
    },
    /// A newer Ox made the tables of the database.
    NewerServer {
        /// The server and the database.
        at: String,
        /// Their version.
        found: u32,
        /// The newest version that this Ox knows.
        known: u32,
    },
    /// What says where the database is, is of no use.
    BadAddress {
        /// What is wrong with it.
        why: String,
    },
    /// A password stands where others see it.
    PasswordShown {
        /// The server and the database.
        at: String,
    },
    /// Others can read the file with the address of the database.
    NotPrivate {
        /// The file.
        path: PathBuf,
    },
    /// The address asks for a way to another machine that is not encrypted.
    NotEncrypted {
        /// The server and the database.
        at: String,
    },
    /// Any other fault of the disk or the database.
    Io {
        /// Where.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        error.problem()
    }
}

impl StoreError {
    /// The error as a code of the catalogue and its arguments.
    pub fn problem(&self) -> Problem {
        let at = |code: &str, path: &Path| Problem::new(code).with("path", path.display());
        match self {
            StoreError::Locked { path, holder } if holder.is_empty() => at("store.locked", path),
            StoreError::Locked { path, holder } => at("store.locked_by", path).with("holder", holder),
            StoreError::Full { path } => at("store.full", path),
            StoreError::ReadOnlyFolder { path, why } => at("store.read_only_folder", path).with("why", why),
            StoreError::Corrupt { path, why } => at("store.corrupt", path).with("why", why),
            StoreError::Newer { path, found, known } => {
                at("store.newer", path).with("found", found).with("known", known)
            }
            StoreError::ReadOnly { id, what } => {
                Problem::new("store.read_only_conversation").with("id", id).with("what", what)
            }
            StoreError::Conflict { id, expected, found } => {
                Problem::new("store.conflict").with("id", id).with("expected", expected).with("found", found)
            }
            StoreError::Lost { id } => Problem::new("store.lost").with("id", id),
            StoreError::Taken { id } => Problem::new("store.taken").with("id", id),
            StoreError::QueueFull { project, queued } => {
                Problem::new("store.queue_full").with("project", project).with("queued", queued)
            }
            StoreError::BadWeight { weight } => Problem::new("store.bad_weight").with("weight", weight),
            StoreError::TaskOpen { id } => Problem::new("store.task_open").with("id", id),
            StoreError::NoCommand { id } => Problem::new("store.no_command").with("id", id),
            StoreError::NoTask { id } => Problem::new("store.no_task").with("id", id),
            StoreError::Misplaced { id, expected, found } => {
                Problem::new("store.misplaced").with("id", id).with("expected", expected).with("found", found)
            }
            StoreError::Exists { id } => Problem::new("store.exists").with("id", id),
            StoreError::NotFound { id } => Problem::new("store.not_found").with("id", id),
            StoreError::Ambiguous { prefix, matches } => {
                Problem::new("store.ambiguous").with("prefix", prefix).with("matches", matches.join(", "))
            }
            StoreError::TreeBusy { root, holder } if holder.is_empty() => {
                Problem::new("store.tree_busy").with("root", root.display())
            }
            StoreError::TreeBusy { root, holder } => {
                Problem::new("store.tree_busy_by").with("root", root.display()).with("holder", holder)
            }
            StoreError::ConversationBusy { id, holder } => {
                Problem::new("store.conversation_busy").with("id", id).with("holder", holder)
            }
            StoreError::Unreachable { at, why } => Problem::new("store.unreachable").with("at", at).with("why", why),
            StoreError::Server { at, why } => Problem::new("store.server").with("at", at).with("why", why),
            StoreError::NewerServer { at, found, known } => {
                Problem::new("store.newer_server").with("at", at).with("found", found).with("known", known)
            }
            StoreError::BadAddress { why } => Problem::new("store.bad_address").with("why", why),
            StoreError::PasswordShown { at } => Problem::new("store.password_shown").with("at", at),
            StoreError::NotPrivate { path } => at("store.not_private", path),
            StoreError::NotEncrypted { at } => Problem::new("store.not_encrypted").with("at", at),
            StoreError::Io { path, why } => at("store.io", path).with("why", why),
        }
    }

    /// An error of SQLite while it worked on `path`.
    pub(crate) fn sql(path: &Path, error: &rusqlite::Error) -> StoreError {
        let (path, why) = (path.to_path_buf(), error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                let holder = holders(&path).join(", ");
                StoreError::Locked { path, holder }
            }
            Some(ErrorCode::DiskFull) => StoreError::Full { path },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                StoreError::ReadOnlyFolder { path: folder(&path), why }
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Corrupt { path, why },
            Some(ErrorCode::SystemIoFailure) if free_space(&path).is_some_and(|it| it < NEARLY_NOTHING) => {
                StoreError::Full { path }
            }
            _ => StoreError::Io { path, why },
        }
    }

    /// An error of the file system at `path`.
    pub(crate) fn io(path: &Path, error: &io::Error) -> StoreError {
        use io::ErrorKind::{
            AlreadyExists, NotADirectory, NotFound, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
        };
        let why = error.to_string();
        match error.kind() {
            StorageFull | QuotaExceeded => StoreError::Full { path: path.to_path_buf() },
            // A file where a folder is needed, or a file system that takes no folders, is a wrong place as well.
            PermissionDenied | ReadOnlyFilesystem | AlreadyExists | NotADirectory | NotFound => {
                StoreError::ReadOnlyFolder { path: folder(path), why }
            }
            _ => StoreError::Io { path: path.to_path_buf(), why },
        }
    }
}

/// The nearest existing folder that `path` lies in; the one whose rights decide.
fn folder(path: &Path) -> PathBuf {
    path.ancestors().find(|it| it.is_dir()).unwrap_or(path).to_path_buf()
}

impl From<&StoreError> for Problem {
    fn from(error: &StoreError) -> Problem {
        error.problem()
    }
}
