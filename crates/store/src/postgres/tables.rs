//! The tables and their versions, as far as PostgreSQL has them: the same numbers as in SQLite.
//!
//! A database of a newer version is never touched. One process at a time brings the tables to a newer version, whole or not
//! at all; a copy of the database before that is its administrator's.

use tokio_postgres::{Client, Error};

/// What each version of the tables adds to the one before; the first with which PostgreSQL was supported makes all there was.
const STEPS: &[(i32, &str)] = &[(
    3,
    // Bytes are compared, as SQLite does: no order depends on the server's language.
    r#"
CREATE TABLE conversations (
    id         TEXT COLLATE "C" PRIMARY KEY,
    root       TEXT COLLATE "C" NOT NULL,
    name       TEXT COLLATE "C",
    prompt     TEXT COLLATE "C",
    created    BIGINT NOT NULL,
    updated    BIGINT NOT NULL,
    turns      BIGINT NOT NULL,
    stop       TEXT COLLATE "C",
    cost       BIGINT,
    tokens     BIGINT NOT NULL,
    last       BIGINT NOT NULL,
    version    BIGINT NOT NULL,
    project    TEXT COLLATE "C" NOT NULL DEFAULT '',
    generation BIGINT NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE TABLE events (
    conversation TEXT COLLATE "C" NOT NULL,
    seq          BIGINT NOT NULL,
    time         BIGINT NOT NULL,
    kind         TEXT COLLATE "C" NOT NULL,
    json         TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (conversation, seq)
);
CREATE TABLE forgotten (
    conversation TEXT COLLATE "C" NOT NULL,
    seq          BIGINT NOT NULL,
    PRIMARY KEY (conversation, seq)
);
CREATE INDEX conversations_of_root ON conversations (root, updated DESC, id DESC);
CREATE INDEX events_told ON events (conversation, seq) WHERE kind IN ('turn_start', 'summary', 'rewound');
CREATE TABLE projects (
    id            TEXT COLLATE "C" PRIMARY KEY,
    running_limit BIGINT NOT NULL,
    queued_limit  BIGINT NOT NULL,
    weight        DOUBLE PRECISION NOT NULL,
    served        BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE TABLE tasks (
    id           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project      TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL,
    priority     BIGINT NOT NULL,
    state        TEXT COLLATE "C" NOT NULL,
    owner        TEXT COLLATE "C",
    generation   BIGINT NOT NULL DEFAULT 0,
    lease_until  BIGINT,
    cancel       BOOLEAN NOT NULL DEFAULT FALSE,
    attempts     BIGINT NOT NULL DEFAULT 0,
    not_before   BIGINT NOT NULL,
    request      TEXT NOT NULL,
    why          TEXT
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE UNIQUE INDEX tasks_open ON tasks (conversation) WHERE state IN ('queued', 'running');
CREATE INDEX tasks_queued ON tasks (project, priority DESC, id) WHERE state = 'queued';
CREATE INDEX tasks_running ON tasks (project) WHERE state = 'running';
CREATE TABLE commands (
    number       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    sender       TEXT COLLATE "C" NOT NULL,
    json         TEXT NOT NULL,
    answer       TEXT,
    answered     BIGINT,
    UNIQUE (conversation, id)
);
CREATE SEQUENCE projects_served;
"#,
)];

/// `OxDB`: who holds this lock changes the tables.
const LOCK: i64 = 0x4f78_4442;

/// What came of it.
pub(super) enum Tables {
    /// They are as this Ox knows them.
    Ready,
    /// A newer Ox made them; nothing was changed.
    Newer {
        /// Their version.
        found: i32,
        /// The newest version that this Ox knows.
        known: i32,
    },
}

/// Brings the tables to the newest version.
pub(super) async fn prepare(client: &mut Client) -> Result<Tables, Error> {
    let known = STEPS.last().map_or(0, |it| it.0);
    let verdict = |found: i32| match found {
        found if found > known => Some(Tables::Newer { found, known }),
        found if found == known => Some(Tables::Ready),
        _ => None,
    };
    if let Some(tables) = verdict(version(client).await?) {
        return Ok(tables);
    }
    let transaction = client.transaction().await?;
    // Others change the tables first, and a large one takes its time.
    transaction.batch_execute("SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0").await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    // Another process may have done it while this one waited.
    let found = version(transaction.client()).await?;
    if let Some(tables) = verdict(found) {
        return Ok(tables);
    }
    for (_, step) in STEPS.iter().filter(|it| it.0 > found) {
        transaction.batch_execute(step).await?;
    }
    transaction
        .batch_execute("CREATE TABLE IF NOT EXISTS ox_version (version INTEGER NOT NULL); DELETE FROM ox_version;")
        .await?;
    transaction.execute("INSERT INTO ox_version (version) VALUES ($1)", &[&known]).await?;
    transaction.commit().await?;
    Ok(Tables::Ready)
}

/// The version of the tables; 0 where there are none.
async fn version(client: &Client) -> Result<i32, Error> {
    // `to_regclass` may remember that there was none before this process waited for the lock.
    let sql = "SELECT EXISTS (
        SELECT FROM pg_catalog.pg_tables WHERE tablename = 'ox_version' AND schemaname = ANY (current_schemas(FALSE)))";
    if !client.query_one(sql, &[]).await?.get::<_, bool>(0) {
        return Ok(0);
    }
    Ok(client.query_opt("SELECT version FROM ox_version", &[]).await?.map_or(0, |row| row.get(0)))
}
