//! The log on PostgreSQL: an append is one statement, which shows its owner and the number that it continues.
//!
//! Whether an append whose answer was lost is stored is found out by reading; it is never stored twice.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ox_protocol::{ConversationId, Event, Frame, Money, Seq, Time, Tokens};
use tokio_postgres::Row;

use super::{NOW, PATIENCE, PostgresStore, Server, Value, number, small, unsigned, values};
use crate::facts::Facts;
use crate::log::{Found, History, Info, Log, Outline, Owner, consecutive, one_of};
use crate::mail::Answer;
use crate::{StoreError, outline, record, search};

/// How long it waits before it asks a server again that was away.
const PAUSE: Duration = Duration::from_millis(100);

const COLUMNS: &str = "id, root, name, prompt, created, updated, turns, stop, cost, tokens, last, version, project";
/// Holds for the conversations that a user began; sub-agents are named after theirs, with a dot between.
const OF_A_USER: &str = "strpos(id, '.') = 0";

const CREATE: &str = "
WITH made AS (
    INSERT INTO conversations (id, root, created, updated, turns, tokens, last, version, generation)
    VALUES ($1, $2, $3, $3, 0, 0, 1, $4, $5) ON CONFLICT (id) DO NOTHING RETURNING id)
INSERT INTO events (conversation, seq, time, kind, json) SELECT id, 1, $3, $6, $7 FROM made RETURNING seq";

/// One row where it is stored. The first part is that of an append without an answer.
const APPEND: [&str; 2] = [
    "
WITH owned AS (
    UPDATE conversations SET last = $4, updated = greatest(updated, $5), name = coalesce($6, name),
        prompt = coalesce(prompt, $7), turns = greatest(turns, $8), stop = CASE WHEN $9 THEN $10 ELSE stop END,
        cost = CASE WHEN $11::bigint IS NULL THEN cost ELSE coalesce(cost, 0) + $11 END, tokens = tokens + $12,
        version = greatest(version, $13)
    WHERE id = $1 AND generation = $2 AND last = $3",
    "RETURNING id),
stored AS (
    INSERT INTO events (conversation, seq, time, kind, json)
    SELECT owned.id, it.seq, it.time, it.kind, it.json
    FROM owned, unnest($14::bigint[], $15::bigint[], $16::text[], $17::text[]) AS it (seq, time, kind, json))
SELECT id FROM owned",
];

/// What stands between the two parts of an append that answers a command.
const ANSWERS: &str =
    "AND EXISTS (SELECT FROM commands WHERE conversation = $1 AND commands.id = $18 AND answer IS NULL)";

/// Beginnings, summaries and takings-back of the last turns, the last reply of those that have no summary, and what is told
/// soon after them: what `outline::read` says of SQLite, in one statement.
const OUTLINE: &str = "
WITH begun AS (
    SELECT coalesce((
        SELECT seq FROM events WHERE conversation = $1 AND kind IN ('turn_start', 'summary', 'rewound')
            AND kind = 'turn_start' ORDER BY seq DESC LIMIT 1 OFFSET $2), 1) AS seq),
told AS MATERIALIZED (
    SELECT events.seq, kind, json FROM events, begun
    WHERE conversation = $1 AND events.seq >= begun.seq AND kind IN ('turn_start', 'summary', 'rewound')),
turns AS (
    SELECT seq, lead(seq, 1, 9223372036854775807) OVER (ORDER BY seq) AS next FROM told WHERE kind = 'turn_start')
SELECT seq, json FROM told
UNION ALL
SELECT reply.seq, reply.json FROM turns CROSS JOIN LATERAL (
    SELECT seq, json FROM events WHERE conversation = $1 AND events.seq > turns.seq AND events.seq < turns.next
        AND kind = 'stream_complete' ORDER BY seq DESC LIMIT 1) reply
WHERE NOT EXISTS (SELECT FROM told WHERE kind = 'summary' AND told.seq > turns.seq AND told.seq < turns.next)
UNION ALL
SELECT soon.seq, soon.json FROM told CROSS JOIN LATERAL (
    SELECT seq, json FROM events WHERE conversation = $1 AND events.seq > told.seq AND events.seq <= told.seq + $3
        AND events.kind = CASE told.kind WHEN 'turn_start' THEN 'intent' ELSE 'completion' END
    ORDER BY seq LIMIT 1) soon
WHERE told.kind IN ('turn_start', 'summary')
ORDER BY seq";

impl Log for PostgresStore {
    fn create(&self, first: &Frame) -> Result<ConversationId, StoreError> {
        let Event::ConversationId { id, root, .. } = &first.event else {
            return Err(StoreError::Misplaced { id: ConversationId::default(), expected: Seq(1), found: first.seq });
        };
        consecutive(id, Seq(0), std::slice::from_ref(first))?;
        let json = record::encode(first);
        let (time, version) = (number(first.time.0), i64::from(first.v));
        let generation = number(Owner::FIRST.generation);
        let values = values![id.0.clone(), text(root), time, version, generation, record::kind(&json), json];
        // Once only: where the answer is lost, nobody knows whose conversation is found there.
        let made = self.run(move |server| async move { server.rows(CREATE, &values).await })?;
        if made.is_empty() {
            return Err(StoreError::Exists { id: id.clone() });
        }
        self.server.understood().remember(id, Seq(1), first.v);
        Ok(id.clone())
    }

    fn own(&self, id: &ConversationId) -> Result<Owner, StoreError> {
        let sql = format!(
            "WITH owned AS (
                 UPDATE conversations SET generation = generation + 1 WHERE id = $1 AND NOT EXISTS (
                     SELECT FROM tasks WHERE conversation = $1 AND state = 'running' AND lease_until >= {NOW})
                 RETURNING id, generation),
             silent AS (
                 UPDATE tasks SET state = 'cancelled', lease_until = NULL FROM owned
                 WHERE conversation = owned.id AND state = 'running')
             SELECT generation FROM owned"
        );
        // A task whose worker fell silent is over: the new owner goes on with the conversation.
        // Twice is as good as once: whoever was the owner is so no more.
        match self.rows(&sql, values![id.0.clone()])?.first() {
            Some(row) => Ok(Owner { generation: unsigned(row, 0) }),
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
        let last = self.last(id)?;
        let sql = "SELECT seq, json FROM events WHERE conversation = $1 AND seq >= $2 ORDER BY seq";
        let mut history = History::default();
        for row in self.rows(sql, values![id.0.clone(), number(from.0)])? {
            let (seq, json): (i64, &str) = (row.get(0), row.get(1));
            let frame = record::decode(json)
                .map_err(|why| self.server.damaged(format!("event {seq} of {id} is not readable: {why}")))?;
            history.frames.push(Frame { conversation: id.clone(), ..frame });
        }
        if from <= Seq(1) && history.frames.last().is_some_and(|it| it.seq == last) {
            // What can only be read is read all the same.
            let _ = self.server.understood().note(id, last, &history);
        }
        Ok(history)
    }

    fn list(&self, root: Option<&str>, limit: usize) -> Result<Vec<Info>, StoreError> {
        let order = "ORDER BY updated DESC, id DESC";
        match root {
            // Asked for by itself, so that the index of roots is used.
            Some(root) => self.infos(
                &format!("WHERE root = $1 AND {OF_A_USER} {order} LIMIT $2"),
                values![text(root), limited(limit)],
            ),
            None => self.infos(&format!("WHERE {OF_A_USER} {order} LIMIT $1"), values![limited(limit)]),
        }
    }

    fn info(&self, id: &ConversationId) -> Result<Info, StoreError> {
        self.infos("WHERE id = $1", values![id.0.clone()])?.pop().ok_or_else(|| missing(id))
    }

    fn find(&self, prefix: &str) -> Result<Info, StoreError> {
        let sql = format!(
            "WHERE left(id, length($1)) = $1 AND ({OF_A_USER} OR strpos($1, '.') > 0) OR name = $1
             ORDER BY id = $1 DESC, updated DESC, id DESC LIMIT $2"
        );
        one_of(prefix, self.infos(&sql, values![text(prefix), limited(crate::log::MATCHES)])?)
    }

    fn rename(&self, id: &ConversationId, name: &str) -> Result<(), StoreError> {
        let sql = "UPDATE conversations SET name = nullif(btrim($2), '') WHERE id = $1 RETURNING id";
        let rows = self.rows(sql, values![id.0.clone(), text(name)])?;
        rows.first().map(drop).ok_or_else(|| missing(id))
    }

    fn delete(&self, id: &ConversationId) -> Result<(), StoreError> {
        self.server.understood().forget(id);
        // Its sub-agents have no other place: `/` comes after `.`.
        let of = |key: &str| format!("{key} = $1 OR {key} > $1 || '.' AND {key} < $1 || '/'");
        let sql = format!(
            "WITH told AS (DELETE FROM events WHERE {0}), left_out AS (DELETE FROM forgotten WHERE {0}),
                  ended AS (DELETE FROM tasks WHERE {0}),
                  asked AS (DELETE FROM commands WHERE {0})
             DELETE FROM conversations WHERE {1} RETURNING id",
            of("conversation"),
            of("id")
        );
        // Whoever queues a task holds the conversation's row meanwhile. What it left is seen by the statement after the lock.
        let lock = format!("SELECT FROM conversations WHERE {} FOR UPDATE", of("id"));
        let name = id.0.clone();
        let rows = self.run(move |server| async move {
            let mut client = server.client().await?;
            let deleted = server.in_time(async {
                let transaction = client.transaction().await?;
                transaction.query(&lock, &[&name]).await?;
                let rows = transaction.query(&sql, &[&name]).await?;
                transaction.commit().await?;
                Ok(rows)
            });
            let deleted = deleted.await;
            server.give_back(client, deleted)
        })?;
        if rows.iter().any(|row| row.get::<_, &str>(0) == id.0) { Ok(()) } else { Err(missing(id)) }
    }

    fn search(&self, wanted: &str, root: Option<&str>, limit: usize) -> Result<Vec<Found>, StoreError> {
        let sql = format!(
            "SELECT conversation, seq, json FROM events
             WHERE kind IN {} AND json ILIKE $1 ESCAPE '\\' ORDER BY conversation, seq",
            search::KINDS
        );
        let mut hits = search::Hits::new();
        for row in self.rows(&sql, values![search::pattern(wanted)])? {
            search::look(&mut hits, row.get(0), Seq(unsigned(&row, 1)), row.get(2), wanted);
        }
        let infos = self.list(root, usize::MAX)?;
        let found = infos.into_iter().filter_map(|info| search::found(info, &hits, wanted));
        Ok(found.take(limit).collect())
    }

    fn recent_turns(&self, id: &ConversationId, turns: usize) -> Result<Outline, StoreError> {
        self.last(id)?;
        let skipped = limited(turns.saturating_sub(1));
        let rows = self.rows(OUTLINE, values![id.0.clone(), skipped, number(outline::SOON)])?;
        let frames = rows.iter().filter_map(|row| outline::known(row.get(1))).collect();
        let sql = "SELECT seq FROM forgotten WHERE conversation = $1 ORDER BY seq";
        let forgotten = self.rows(sql, values![id.0.clone()])?.iter().map(|row| Seq(unsigned(row, 0))).collect();
        Ok(Outline { frames, forgotten })
    }

    fn forget(&self, id: &ConversationId, begun: &[Seq]) -> Result<(), StoreError> {
        self.last(id)?;
        let begun: Vec<i64> = begun.iter().map(|it| number(it.0)).collect();
        let sql = "INSERT INTO forgotten (conversation, seq) SELECT $1, unnest($2::bigint[]) ON CONFLICT DO NOTHING";
        self.rows(sql, values![id.0.clone(), begun]).map(drop)
    }
}

impl PostgresStore {
    fn infos(&self, rest: &str, values: Vec<Value>) -> Result<Vec<Info>, StoreError> {
        let rows = self.rows(&format!("SELECT {COLUMNS} FROM conversations {rest}"), values)?;
        Ok(rows.iter().map(info).collect())
    }

    /// Appends and answers, all or nothing; false where the command was answered before.
    pub(super) fn store(
        &self,
        id: &ConversationId,
        owner: Owner,
        expected_last: Seq,
        frames: &[Frame],
        answer: Option<&Answer>,
    ) -> Result<bool, StoreError> {
        consecutive(id, expected_last, frames)?;
        if !self.server.understood().has(id, expected_last) {
            let whole = self.read(id)?;
            if whole.frames.last().is_some_and(|it| it.seq == expected_last) {
                self.server.understood().note(id, expected_last, &whole)?;
            }
        }
        let append = Append::of(id, owner, expected_last, frames, answer);
        if !self.run(move |server| append.store(server))? {
            return Ok(false);
        }
        if let Some(last) = frames.last().map(|it| it.seq) {
            let version = frames.iter().map(|it| it.v).max().unwrap_or_default();
            self.server.understood().remember(id, last, version);
        }
        Ok(true)
    }

    fn last(&self, id: &ConversationId) -> Result<Seq, StoreError> {
        let rows = self.rows("SELECT last FROM conversations WHERE id = $1", values![id.0.clone()])?;
        rows.first().map(|row| Seq(unsigned(row, 0))).ok_or_else(|| missing(id))
    }
}

/// An append on its way, and the answer to a command that goes with it.
struct Append {
    id: ConversationId,
    owner: Owner,
    expected: Seq,
    /// The number of its last event, and that event as it is stored; none where a command is answered alone.
    last: (i64, Option<String>),
    answer: Option<Answer>,
    sql: String,
    values: Vec<Value>,
}

impl Append {
    fn of(id: &ConversationId, owner: Owner, expected: Seq, frames: &[Frame], answer: Option<&Answer>) -> Append {
        let facts = Facts::of(frames);
        let last = number(expected.0 + frames.len() as u64);
        let json: Vec<String> = frames.iter().map(record::encode).collect();
        let last_json = json.last().cloned();
        let mut values = values![
            id.0.clone(),
            number(owner.generation),
            number(expected.0),
            last,
            number(facts.updated),
            facts.name.as_deref().map(text),
            facts.prompt.as_deref().map(text),
            i64::from(facts.turns),
            facts.stop.is_some(),
            facts.stop.flatten(),
            facts.cost.map(number),
            number(facts.tokens),
            i64::from(facts.version),
            frames.iter().map(|it| number(it.seq.0)).collect::<Vec<i64>>(),
            frames.iter().map(|it| number(it.time.0)).collect::<Vec<i64>>(),
            json.iter().map(|it| record::kind(it)).collect::<Vec<String>>(),
            json,
        ];
        let [owned, stored] = APPEND;
        let answer = answer.map(|it| Answer { command: it.command.clone(), json: text(&it.json) });
        let sql = match &answer {
            None => format!("{owned} {stored}"),
            Some(Answer { command, json }) => {
                values.extend(values![command.0.clone(), json.clone()]);
                // The update runs whether or not its rows are read.
                let answered = format!(
                    "answered AS (
                         UPDATE commands SET answer = $19, answered = {NOW} FROM owned
                         WHERE conversation = owned.id AND commands.id = $18)
                     SELECT id FROM owned"
                );
                format!("{owned} {ANSWERS} {}", stored.replace("SELECT id FROM owned", &format!(", {answered}")))
            }
        };
        Append { id: id.clone(), owner, expected, last: (last, last_json), answer, sql, values }
    }

    /// Sends it until it is known what became of it. Whoever owns the conversation is the only one who appends, so what stands
    /// there in its place is its own.
    async fn store(self, server: Arc<Server>) -> Result<bool, StoreError> {
        let begun = Instant::now();
        let mut doubtful = false;
        loop {
            let answer = match server.rows(&self.sql, &self.values).await {
                Ok(stored) if !stored.is_empty() => return Ok(true),
                Ok(_) => self.look(&server, doubtful).await,
                Err(error) => Err(error),
            };
            match answer {
                Ok(stored) => return stored,
                Err(StoreError::Unreachable { .. }) if begun.elapsed() < PATIENCE => {
                    doubtful = true;
                    tokio::time::sleep(PAUSE).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Why it did not fit; true where it is stored already. The outer error where that cannot be found out.
    async fn look(&self, server: &Server, doubtful: bool) -> Result<Result<bool, StoreError>, StoreError> {
        let sql = "SELECT last, generation, (SELECT json FROM events WHERE conversation = $1 AND seq = $2),
                       (SELECT answer FROM commands WHERE conversation = $1 AND commands.id = $3)
                   FROM conversations WHERE id = $1";
        let id = self.id.clone();
        let command = self.answer.as_ref().map(|it| it.command.0.clone());
        let values = values![id.0.clone(), self.last.0, command];
        let rows = server.rows(sql, &values).await?;
        let Some(row) = rows.first() else { return Ok(Err(missing(&id))) };
        let (json, answered): (Option<&str>, Option<&str>) = (row.get(2), row.get(3));
        let is_there = self.last.1.as_deref().is_none_or(|it| json == Some(it));
        let is_answered = self.answer.as_ref().is_none_or(|it| answered == Some(&it.json));
        if doubtful && is_there && is_answered {
            return Ok(Ok(true));
        }
        let found = Seq(unsigned(row, 0));
        Ok(match unsigned(row, 1) == self.owner.generation {
            false => Err(StoreError::Lost { id }),
            true if found != self.expected || self.answer.is_none() => {
                Err(StoreError::Conflict { id, expected: self.expected, found })
            }
            true => Ok(false),
        })
    }
}

fn info(row: &Row) -> Info {
    let stop: Option<&str> = row.get(7);
    Info {
        id: ConversationId(row.get(0)),
        root: row.get(1),
        name: row.get(2),
        prompt: row.get::<_, Option<String>>(3).unwrap_or_default(),
        created: Time(unsigned(row, 4)),
        updated: Time(unsigned(row, 5)),
        turns: small(row, 6),
        // A way to stop that a newer Ox knows is shown as unknown rather than refused.
        stop: stop.and_then(|it| serde_json::from_str(it).ok()),
        cost: row.get::<_, Option<i64>>(8).map(|it| Money(it.unsigned_abs())),
        tokens: Tokens(unsigned(row, 9)),
        last: Seq(unsigned(row, 10)),
        version: small(row, 11),
        project: row.get(12),
    }
}

fn missing(id: &ConversationId) -> StoreError {
    StoreError::NotFound { id: id.0.clone() }
}

fn limited(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// A text without the one character that PostgreSQL stores in none.
fn text(value: &str) -> String {
    value.replace('\0', "")
}
