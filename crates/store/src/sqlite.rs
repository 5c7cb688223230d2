//! The store on SQLite: several processes may use one file at a time.
//!
//! Each append is one transaction that is on the disk when it returns. It never writes to a conversation that holds
//! events it does not understand.

mod mail;
mod queue;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ox_protocol::{ConversationId, Event, Frame, Money, Seq, Time, Tokens};
use rusqlite::{Connection, OptionalExtension, Row as SqlRow, Transaction, TransactionBehavior, params};

use crate::facts::Facts;
use crate::log::{Found, History, Info, Log, MATCHES, Outline, Owner, consecutive, one_of};
use crate::mail::Answer;
use crate::record;
use crate::schema::NOW;
use crate::understood::Understood;
use crate::{Options, StoreError, outline, schema, search};

const COLUMNS: &str = "id, root, name, prompt, created, updated, turns, stop, cost, tokens, last, version, project";
/// Holds for the conversations that a user began; sub-agents are named after theirs, with a dot between.
const OF_A_USER: &str = "instr(id, '.') = 0";

/// Conversations in one SQLite file.
pub struct Store {
    path: PathBuf,
    inner: Mutex<Inner>,
}

struct Inner {
    connection: Connection,
    understood: Understood,
    watch: Watch,
}

/// Since when this process could see who says that they are still there.
#[derive(Clone, Copy)]
struct Watch {
    since: Instant,
    /// The time of this process and that of the database, when they were compared last.
    compared: Option<(Instant, i64)>,
}

/// How far the two times may part before they count as broken.
const PARTED: Duration = Duration::from_secs(1);

impl Watch {
    fn begun(now: Instant) -> Watch {
        Watch { since: now, compared: None }
    }

    /// How long it has lasted. A machine that slept, and a clock that was set, ended every lease while nobody could say a word:
    /// the time of this process stood still then or went another way, and the watch begins anew.
    fn lasted(&mut self, now: Instant, database: i64) -> Duration {
        if let Some((then, clock)) = self.compared {
            let (own, other) = (crate::queue::milliseconds(now - then), database - clock);
            if own.abs_diff(other) > PARTED.as_millis() as u64 {
                self.since = now;
            }
        }
        self.compared = Some((now, database));
        now - self.since
    }
}

impl Store {
    /// Opens the database at `path`, making it and its folder where they are missing.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        Store::open_with(path, Options::default())
    }

    /// Opens the database at `path` with these options.
    pub fn open_with(path: &Path, options: Options) -> Result<Store, StoreError> {
        Ok(Store::over(path, schema::open(path, options)?))
    }

    /// A store in memory, gone when it is dropped.
    pub fn in_memory() -> Result<Store, StoreError> {
        Ok(Store::over(Path::new(":memory:"), schema::in_memory()?))
    }

    /// Where the database is; `:memory:` for one in memory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn over(path: &Path, connection: Connection) -> Store {
        let inner = Inner { connection, understood: Understood::default(), watch: Watch::begun(Instant::now()) };
        Store { path: path.to_path_buf(), inner: Mutex::new(inner) }
    }

    /// A panic elsewhere leaves no half of a transaction: SQLite rolls it back when its guard is dropped.
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sql(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sql(&self.path, &error)
    }

    fn infos(&self, rest: &str, values: impl rusqlite::Params) -> Result<Vec<Info>, StoreError> {
        let inner = self.inner();
        let query = || -> rusqlite::Result<Vec<Info>> {
            let mut statement =
                inner.connection.prepare_cached(&format!("SELECT {COLUMNS} FROM conversations {rest}"))?;
            statement.query_map(values, info)?.collect()
        };
        query().map_err(|error| self.sql(error))
    }

    fn read_rows(&self, inner: &Inner, id: &ConversationId, from: Seq) -> Result<History, StoreError> {
        let mut history = History::default();
        let mut each = |seq: Seq, json: String| match record::decode(&json) {
            Ok(frame) => {
                history.frames.push(Frame { conversation: id.clone(), ..frame });
                Ok(())
            }
            Err(why) => {
                let why = format!("event {seq} of {id} is not readable: {why}");
                Err(StoreError::Corrupt { path: self.path.clone(), why })
            }
        };
        let mut statement = inner
            .connection
            .prepare_cached("SELECT seq, json FROM events WHERE conversation = ?1 AND seq >= ?2 ORDER BY seq")
            .map_err(|error| self.sql(error))?;
        let mut rows = statement.query(params![id.0, from.0]).map_err(|error| self.sql(error))?;
        while let Some(row) = rows.next().map_err(|error| self.sql(error))? {
            let read = || Ok((Seq(row.get(0)?), row.get(1)?));
            let (seq, json) = read().map_err(|error| self.sql(error))?;
            each(seq, json)?;
        }
        Ok(history)
    }

    fn last(&self, inner: &Inner, id: &ConversationId) -> Result<Seq, StoreError> {
        self.last_and_owner(inner, id).map(|(last, _)| last)
    }

    fn last_and_owner(&self, inner: &Inner, id: &ConversationId) -> Result<(Seq, Owner), StoreError> {
        let mut statement = inner
            .connection
            .prepare_cached("SELECT last, generation FROM conversations WHERE id = ?1")
            .map_err(|error| self.sql(error))?;
        let read = |row: &SqlRow<'_>| Ok((Seq(row.get(0)?), Owner { generation: row.get(1)? }));
        let found = statement.query_row([&id.0], read).optional().map_err(|error| self.sql(error))?;
        found.ok_or_else(|| StoreError::NotFound { id: id.0.clone() })
    }

    /// Why nothing can be appended by this owner after `expected`; nothing where it can.
    fn refuse_others(&self, inner: &Inner, id: &ConversationId, owner: Owner, expected: Seq) -> Result<(), StoreError> {
        let (found, owned) = self.last_and_owner(inner, id)?;
        if owned != owner {
            return Err(StoreError::Lost { id: id.clone() });
        }
        if found != expected {
            return Err(StoreError::Conflict { id: id.clone(), expected, found });
        }
        Ok(())
    }

    /// Makes sure that every event before the append is understood; remembered, so that it costs one reading at most.
    fn refuse_unknown(&self, inner: &mut Inner, id: &ConversationId, last: Seq) -> Result<(), StoreError> {
        if inner.understood.has(id, last) {
            return Ok(());
        }
        let history = self.read_rows(inner, id, Seq(1))?;
        inner.understood.note(id, last, &history)
    }

    /// Does all of it or nothing.
    fn in_transaction<T>(&self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let mut inner = self.inner();
        let done = || -> rusqlite::Result<T> {
            let transaction = inner.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        done().map_err(|error| self.sql(error))
    }

    /// Appends and answers, all or nothing; false where the command was answered before.
    fn store(
        &self,
        id: &ConversationId,
        owner: Owner,
        expected_last: Seq,
        frames: &[Frame],
        answer: Option<&Answer>,
    ) -> Result<bool, StoreError> {
        consecutive(id, expected_last, frames)?;
        let mut inner = self.inner();
        self.refuse_others(&inner, id, owner, expected_last)?;
        self.refuse_unknown(&mut inner, id, expected_last)?;
        let fits = |transaction: &Transaction<'_>| append_rows(transaction, id, owner, expected_last, frames);
        let mut stored = || -> rusqlite::Result<Option<bool>> {
            let transaction = inner.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if !fits(&transaction)? {
                return Ok(None);
            }
            if let Some(Answer { command, json }) = answer {
                let sql = format!(
                    "UPDATE commands SET answer = ?3, answered = {NOW}
                     WHERE conversation = ?1 AND id = ?2 AND answer IS NULL"
                );
                if transaction.prepare_cached(&sql)?.execute([&id.0, &command.0, json])? == 0 {
                    return Ok(Some(false));
                }
            }
            transaction.commit()?;
            Ok(Some(true))
        };
        match stored().map_err(|error| self.sql(error))? {
            Some(true) => {}
            Some(false) => return Ok(false),
            None => {
                self.refuse_others(&inner, id, owner, expected_last)?;
                // It is gone and was made again meanwhile: the same numbers, and nobody's.
                return Err(StoreError::Lost { id: id.clone() });
            }
        }
        if let Some(last) = frames.last().map(|it| it.seq) {
            inner.understood.remember(id, last, frames.iter().map(|it| it.v).max().unwrap_or_default());
        }
        Ok(true)
    }

    fn changed_one(&self, id: &ConversationId, changed: usize) -> Result<(), StoreError> {
        if changed == 0 { Err(StoreError::NotFound { id: id.0.clone() }) } else { Ok(()) }
    }
}

impl Log for Store {
    fn create(&self, first: &Frame) -> Result<ConversationId, StoreError> {
        let Event::ConversationId { id, root, .. } = &first.event else {
            return Err(StoreError::Misplaced { id: ConversationId::default(), expected: Seq(1), found: first.seq });
        };
        consecutive(id, Seq(0), std::slice::from_ref(first))?;
        let mut inner = self.inner();
        let mut insert = || -> rusqlite::Result<bool> {
            let transaction = inner.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let made = transaction.execute(
                "INSERT INTO conversations (id, root, created, updated, turns, tokens, last, version, generation)
                 VALUES (?1, ?2, ?3, ?3, 0, 0, 1, ?4, ?5) ON CONFLICT (id) DO NOTHING",
                params![id.0, root, first.time.0, first.v, Owner::FIRST.generation],
            )?;
            insert_events(&transaction, id, std::slice::from_ref(first))?;
            transaction.commit()?;
            Ok(made == 1)
        };
        match insert() {
            Ok(true) => {
                inner.understood.remember(id, Seq(1), first.v);
                Ok(id.clone())
            }
            Ok(false) => Err(StoreError::Exists { id: id.clone() }),
            Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation) => {
                Err(StoreError::Exists { id: id.clone() })
            }
            Err(error) => Err(self.sql(error)),
        }
    }

    fn own(&self, id: &ConversationId) -> Result<Owner, StoreError> {
        let statement = format!(
            "UPDATE conversations SET generation = generation + 1 WHERE id = ?1 AND NOT EXISTS (
                 SELECT 1 FROM tasks WHERE conversation = ?1 AND state = 'running' AND lease_until >= {NOW})
             RETURNING generation"
        );
        // A task whose worker fell silent is over: the new owner goes on with the conversation.
        let silent =
            "UPDATE tasks SET state = 'cancelled', lease_until = NULL WHERE conversation = ?1 AND state = 'running'";
        let owned = self.in_transaction(|it| {
            let generation = it.query_row(&statement, [&id.0], |row| row.get(0)).optional()?;
            if generation.is_some() {
                it.execute(silent, [&id.0])?;
            }
            Ok(generation)
        })?;
        // It is the owner once that is stored: a row that comes back says less.
        match owned {
            Some(generation) => Ok(Owner { generation }),
            None => Err(self.info(id).map_or_else(|missing| missing, |_| StoreError::Taken { id: id.clone() })),
        }
    }

    fn append(
        &self,
        id: &ConversationId,
        owner: Owner,
        expected_last: Seq,
        frames: &[Frame],
    ) -> Result<(), StoreError> {
        if frames.is_empty() { Ok(()) } else { self.store(id, owner, expected_last, frames, None).map(drop) }
    }

    fn read_from(&self, id: &ConversationId, from: Seq) -> Result<History, StoreError> {
        let mut inner = self.inner();
        let last = self.last(&inner, id)?;
        let history = self.read_rows(&inner, id, from)?;
        let whole = from <= Seq(1) && history.frames.last().is_some_and(|it| it.seq == last);
        if whole {
            // What can only be read is read all the same.
            let _ = inner.understood.note(id, last, &history);
        }
        Ok(history)
    }

    fn list(&self, root: Option<&str>, limit: usize) -> Result<Vec<Info>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        match root {
            // Asked for by itself, so that the index of roots is used.
            Some(root) => self.infos(
                &format!("WHERE root = ?1 AND {OF_A_USER} ORDER BY updated DESC, id DESC LIMIT ?2"),
                params![root, limit],
            ),
            None => self.infos(&format!("WHERE {OF_A_USER} ORDER BY updated DESC, id DESC LIMIT ?1"), params![limit]),
        }
    }

    fn info(&self, id: &ConversationId) -> Result<Info, StoreError> {
        self.infos("WHERE id = ?1", [&id.0])?.pop().ok_or_else(|| StoreError::NotFound { id: id.0.clone() })
    }

    fn find(&self, prefix: &str) -> Result<Info, StoreError> {
        let found = self.infos(
            // The beginning of a conversation's id does not mean its sub-agents.
            &format!(
                "WHERE substr(id, 1, length(?1)) = ?1 AND ({OF_A_USER} OR instr(?1, '.') > 0) OR name = ?1
                 ORDER BY id = ?1 DESC, updated DESC, id DESC LIMIT ?2"
            ),
            params![prefix, MATCHES],
        )?;
        one_of(prefix, found)
    }

    fn rename(&self, id: &ConversationId, name: &str) -> Result<(), StoreError> {
        let changed = self
            .inner()
            .connection
            .execute("UPDATE conversations SET name = nullif(trim(?2), '') WHERE id = ?1", [&id.0, name])
            .map_err(|error| self.sql(error))?;
        self.changed_one(id, changed)
    }

    fn delete(&self, id: &ConversationId) -> Result<(), StoreError> {
        let mut inner = self.inner();
        inner.understood.forget(id);
        let mut remove = || -> rusqlite::Result<usize> {
            let transaction = inner.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Its sub-agents have no other place.
            let below = "substr(X, 1, length(?1) + 1) = ?1 || '.'";
            for table in ["events", "forgotten", "tasks", "commands"] {
                let of = format!("conversation = ?1 OR {}", below.replace('X', "conversation"));
                transaction.execute(&format!("DELETE FROM {table} WHERE {of}"), [&id.0])?;
            }
            let subagents = format!("DELETE FROM conversations WHERE {}", below.replace('X', "id"));
            transaction.execute(&subagents, [&id.0])?;
            let changed = transaction.execute("DELETE FROM conversations WHERE id = ?1", [&id.0])?;
            transaction.commit()?;
            Ok(changed)
        };
        let changed = remove().map_err(|error| self.sql(error))?;
        self.changed_one(id, changed)
    }

    fn search(&self, text: &str, root: Option<&str>, limit: usize) -> Result<Vec<Found>, StoreError> {
        let hits = search::hits(&self.inner().connection, text).map_err(|error| self.sql(error))?;
        let infos = self.list(root, usize::MAX)?;
        let found = infos.into_iter().filter_map(|info| search::found(info, &hits, text));
        Ok(found.take(limit).collect())
    }

    fn recent_turns(&self, id: &ConversationId, turns: usize) -> Result<Outline, StoreError> {
        let inner = self.inner();
        self.last(&inner, id)?;
        outline::read(&inner.connection, id, turns).map_err(|error| self.sql(error))
    }

    fn forget(&self, id: &ConversationId, begun: &[Seq]) -> Result<(), StoreError> {
        let mut inner = self.inner();
        self.last(&inner, id)?;
        outline::forget(&mut inner.connection, id, begun).map_err(|error| self.sql(error))
    }
}

/// False when the conversation is gone, has gone on or has another owner meanwhile; then nothing is stored.
fn append_rows(
    transaction: &Transaction<'_>,
    id: &ConversationId,
    owner: Owner,
    expected_last: Seq,
    frames: &[Frame],
) -> rusqlite::Result<bool> {
    let facts = Facts::of(frames);
    let last = expected_last.0 + frames.len() as u64;
    let changed = transaction
        .prepare_cached(
            "UPDATE conversations SET last = ?3, updated = max(updated, ?4), name = coalesce(?5, name),
                prompt = coalesce(prompt, ?6), turns = max(turns, ?7), stop = CASE WHEN ?8 THEN ?9 ELSE stop END,
                cost = CASE WHEN ?10 IS NULL THEN cost ELSE coalesce(cost, 0) + ?10 END, tokens = tokens + ?11,
                version = max(version, ?12)
             WHERE id = ?1 AND last = ?2 AND generation = ?13",
        )?
        .execute(params![
            id.0,
            expected_last.0,
            last,
            facts.updated,
            facts.name,
            facts.prompt,
            facts.turns,
            facts.stop.is_some(),
            facts.stop.flatten(),
            facts.cost,
            facts.tokens,
            facts.version,
            owner.generation,
        ])?;
    if changed == 0 {
        return Ok(false);
    }
    insert_events(transaction, id, frames)?;
    Ok(true)
}

fn insert_events(transaction: &Transaction<'_>, id: &ConversationId, frames: &[Frame]) -> rusqlite::Result<()> {
    let mut statement = transaction
        .prepare_cached("INSERT INTO events (conversation, seq, time, kind, json) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    for frame in frames {
        let json = record::encode(frame);
        statement.execute(params![id.0, frame.seq.0, frame.time.0, record::kind(&json), json])?;
    }
    Ok(())
}

fn info(row: &SqlRow<'_>) -> rusqlite::Result<Info> {
    let stop: Option<String> = row.get(7)?;
    Ok(Info {
        id: ConversationId(row.get(0)?),
        root: row.get(1)?,
        name: row.get(2)?,
        prompt: row.get::<_, Option<String>>(3)?.unwrap_or_default(),
        created: Time(row.get(4)?),
        updated: Time(row.get(5)?),
        turns: row.get(6)?,
        // A way to stop that a newer Ox knows is shown as unknown rather than refused.
        stop: stop.and_then(|it| serde_json::from_str(&it).ok()),
        cost: row.get::<_, Option<u64>>(8)?.map(Money),
        tokens: Tokens(row.get(9)?),
        last: Seq(row.get(10)?),
        version: row.get(11)?,
        project: row.get(12)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_is_broken_by_sleep_and_by_a_clock_that_is_set() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut watch = Watch::begun(start);
        assert_eq!(watch.lasted(at(10), 110_000), Duration::from_secs(10));
        assert_eq!(watch.lasted(at(20), 120_900), Duration::from_secs(20), "clocks never agree to the last");
        // The machine slept for an hour: its own time stood still.
        assert_eq!(watch.lasted(at(21), 3_721_000), Duration::ZERO);
        assert_eq!(watch.lasted(at(31), 3_731_000), Duration::from_secs(10));
        assert_eq!(watch.lasted(at(32), 1_000), Duration::ZERO, "set back");
    }
}
