//! Opening the database: its folder, its settings, its tables and their versions.
//!
//! A database of a newer version is never touched, and one of an older version is copied before it is. Files are private to the user: they hold what was said.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use crate::StoreError;
use crate::holder::with_end;

/// `OxDB`: marks the file as ours, so that another program's database is not taken for an empty one.
const APPLICATION: i64 = 0x4f78_4442;

/// One step per version of the tables: `STEPS[n]` turns version `n` into version `n + 1`; version 0 is an empty file.
const STEPS: &[&str] = &[
    "
CREATE TABLE conversations (
    id      TEXT PRIMARY KEY,
    root    TEXT NOT NULL,
    name    TEXT,
    prompt  TEXT,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    turns   INTEGER NOT NULL,
    stop    TEXT,
    cost    INTEGER,
    tokens  INTEGER NOT NULL,
    last    INTEGER NOT NULL,
    version INTEGER NOT NULL
);
CREATE TABLE events (
    conversation TEXT NOT NULL,
    seq          INTEGER NOT NULL,
    time         INTEGER NOT NULL,
    kind         TEXT NOT NULL,
    json         TEXT NOT NULL,
    PRIMARY KEY (conversation, seq)
);
",
    "
CREATE INDEX conversations_of_root ON conversations (root, updated DESC, id DESC);
CREATE INDEX events_told ON events (conversation, seq) WHERE kind IN ('turn_start', 'summary', 'rewound');
CREATE TABLE forgotten (
    conversation TEXT NOT NULL,
    seq          INTEGER NOT NULL,
    PRIMARY KEY (conversation, seq)
) WITHOUT ROWID;
",
    "
ALTER TABLE conversations ADD COLUMN project TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
CREATE TABLE projects (
    id            TEXT PRIMARY KEY,
    running_limit INTEGER NOT NULL,
    queued_limit  INTEGER NOT NULL,
    weight        REAL NOT NULL,
    served        INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE tasks (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    project      TEXT NOT NULL,
    conversation TEXT NOT NULL,
    priority     INTEGER NOT NULL,
    state        TEXT NOT NULL,
    owner        TEXT,
    generation   INTEGER NOT NULL DEFAULT 0,
    lease_until  INTEGER,
    cancel       INTEGER NOT NULL DEFAULT 0,
    attempts     INTEGER NOT NULL DEFAULT 0,
    not_before   INTEGER NOT NULL,
    request      TEXT NOT NULL,
    why          TEXT
);
CREATE UNIQUE INDEX tasks_open ON tasks (conversation) WHERE state IN ('queued', 'running');
CREATE INDEX tasks_queued ON tasks (project, priority DESC, id) WHERE state = 'queued';
CREATE INDEX tasks_running ON tasks (project) WHERE state = 'running';
CREATE TABLE commands (
    number       INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation TEXT NOT NULL,
    id           TEXT NOT NULL,
    sender       TEXT NOT NULL,
    json         TEXT NOT NULL,
    answer       TEXT,
    answered     INTEGER,
    UNIQUE (conversation, id)
);
",
];

/// The time in thousandths of a second, by the database's clock.
pub(crate) const NOW: &str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/// How a store behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How long it waits for another process before it reports `Locked`.
    pub busy: Duration,
    /// Largest size of the database in pages of 4 KiB; none for no limit but the disk's.
    pub max_pages: Option<u32>,
}

impl Default for Options {
    fn default() -> Options {
        Options { busy: Duration::from_secs(5), max_pages: None }
    }
}

/// Opens or creates the database at `path`.
pub(crate) fn open(path: &Path, options: Options) -> Result<Connection, StoreError> {
    prepare_file(path)?;
    let sql = |error: rusqlite::Error| StoreError::sql(path, &error);
    let mut connection = Connection::open(path).map_err(sql)?;
    connection.busy_timeout(options.busy).map_err(sql)?;
    refuse_foreign(&connection, path)?;
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).map_err(sql)?;
    if mode != "wal" {
        if is_new(&connection).map_err(sql)? {
            // A journal of what a file of no bytes held would be written and waited for in vain.
            let _: String =
                connection.pragma_update_and_check(None, "journal_mode", "memory", |row| row.get(0)).map_err(sql)?;
        }
        let _: String =
            connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0)).map_err(sql)?;
    }
    let found = version(&connection).map_err(sql)?;
    if (1..STEPS.len()).contains(&found) {
        back_up(&connection, path, found)?;
    }
    set_up(&mut connection, options).map_err(sql)?;
    Ok(connection)
}

/// What the name of a copy begins with until it is whole.
const DRAFT: &str = ".ox-copy-";
/// How old a draft is that nobody writes any more.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Removes what killed processes have left of their copies.
fn remove_drafts(folder: &Path) {
    let is_old = |it: &fs::DirEntry| {
        it.metadata().and_then(|it| it.modified()).is_ok_and(|it| it.elapsed().is_ok_and(|it| it > ABANDONED))
    };
    let drafts = fs::read_dir(folder).into_iter().flatten().flatten();
    for draft in drafts.filter(|it| it.file_name().to_string_lossy().starts_with(DRAFT)).filter(is_old) {
        // The next start tries again.
        let _ = fs::remove_file(draft.path());
    }
}

/// Copies the database beside itself, as it was written by the Ox that used it before: `ox.db.v2` is one of version 2.
fn back_up(connection: &Connection, path: &Path, version: usize) -> Result<(), StoreError> {
    let copy = with_end(path, &format!(".v{version}"));
    let io = |error: std::io::Error| StoreError::io(&copy, &error);
    let sql = |error: rusqlite::Error| StoreError::sql(&copy, &error);
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    remove_drafts(folder);
    // Only the user can read it, and it is gone again where the copy fails.
    let draft = tempfile::Builder::new().prefix(DRAFT).tempfile_in(folder).map_err(io)?;
    connection.execute("VACUUM INTO ?1", [draft.path().to_string_lossy()]).map_err(sql)?;
    // Another process may have brought the tables to a newer version meanwhile, after a copy of its own.
    if self::version(&Connection::open(draft.path()).map_err(sql)?).map_err(sql)? == version {
        draft.as_file().sync_all().map_err(io)?;
        draft.persist(&copy).map_err(|error| io(error.error))?;
    }
    Ok(())
}

/// True for a file in which nothing has ever been written.
fn is_new(connection: &Connection) -> rusqlite::Result<bool> {
    connection.pragma_query_value(None, "page_count", |row| row.get::<_, i64>(0)).map(|pages| pages == 0)
}

/// A database in memory, for tests and for a conversation that nobody wants kept.
pub(crate) fn in_memory() -> Result<Connection, StoreError> {
    let sql = |error: rusqlite::Error| StoreError::sql(Path::new(":memory:"), &error);
    let mut connection = Connection::open_in_memory().map_err(sql)?;
    set_up(&mut connection, Options::default()).map_err(sql)?;
    Ok(connection)
}

/// Makes the folder and the file, readable by the user alone; SQLite gives its companions the rights of the file.
fn prepare_file(path: &Path) -> Result<(), StoreError> {
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        make_private_folder(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(|error| StoreError::io(path, &error))
}

/// Makes `folder` and its parents; only the user may enter what is newly made.
pub(crate) fn make_private_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| StoreError::io(folder, &error))
}

/// Refuses a database of a newer version and one of another program before anything is written.
fn refuse_foreign(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let sql = |error: rusqlite::Error| StoreError::sql(path, &error);
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(sql);
    let (found, application) = (number("user_version")?, number("application_id")?);
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(sql)?;
    if application != APPLICATION && (application != 0 || found != 0 || tables != 0) {
        return Err(StoreError::Corrupt { path: path.into(), why: "another program's database".to_string() });
    }
    let known = u32::try_from(STEPS.len()).expect("invariant: versions are few");
    let found = u32::try_from(found).unwrap_or(u32::MAX);
    if found > known {
        return Err(StoreError::Newer { path: path.into(), found, known });
    }
    Ok(())
}

fn set_up(connection: &mut Connection, options: Options) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(16);
    // The cache is small because logs are read once, in order. Tables that a power cut takes are made again.
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -512;")?;
    if let Some(pages) = options.max_pages {
        let _: i64 = connection.pragma_update_and_check(None, "max_page_count", pages, |row| row.get(0))?;
    }
    if version(connection)? < STEPS.len() {
        migrate(connection)?;
    }
    // An append that returned survives a power cut, and so does all that stands before it in the log.
    connection.execute_batch("PRAGMA synchronous = FULL;")
}

/// Brings the tables to the newest version. The version is read again inside the transaction: another process may have
/// done it meanwhile.
fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for step in &STEPS[version(&transaction)?.min(STEPS.len())..] {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", STEPS.len())?;
    transaction.commit()
}

fn version(connection: &Connection) -> rusqlite::Result<usize> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
