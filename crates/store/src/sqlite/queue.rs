//! The queue on SQLite: the same tables as on PostgreSQL, under the one lock that a SQLite file has.

use std::time::{Duration, Instant};

use ox_protocol::{ConversationId, Seq};
use rusqlite::{OptionalExtension, Row as SqlRow, Transaction, params};

use super::Store;
use crate::StoreError;
use crate::log::Owner;
use crate::queue::{
    Claim, Kept, NewTask, Outcome, ProjectLimits, Queue, Submitted, Task, TaskId, TaskState, after_silence,
    milliseconds, said_again,
};
use crate::schema::NOW;

const COLUMNS: &str = "id, project, conversation, priority, state, owner, generation, cancel, attempts, why, request";

impl Queue for Store {
    fn set_limits(&self, project: &str, limits: &ProjectLimits) -> Result<(), StoreError> {
        limits.checked()?;
        self.in_transaction(|transaction| {
            transaction.execute(
                "INSERT INTO projects (id, running_limit, queued_limit, weight) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (id) DO UPDATE SET running_limit = ?2, queued_limit = ?3, weight = ?4",
                params![project, limits.running, limits.queued, limits.weight],
            )
        })
        .map(drop)
    }

    fn submit(&self, task: &NewTask) -> Result<Submitted, StoreError> {
        self.in_transaction(|transaction| submit(transaction, task))?
    }

    fn claim(&self, worker: &str, lease: Duration) -> Result<Option<Claim>, StoreError> {
        // The file is always in view; what counts is that this process was there to see it.
        let has_watched = self.watched()? >= lease;
        self.in_transaction(|transaction| {
            loop {
                let silent = if has_watched { silent(transaction)? } else { None };
                let (task, attempts, request) = match silent {
                    Some((task, request)) => match after_silence(task.cancel, task.attempts) {
                        Some(outcome) => {
                            end(transaction, &task, &outcome)?;
                            continue;
                        }
                        None => (task.clone(), task.attempts + 1, request),
                    },
                    None => match next(transaction)? {
                        Some((task, request)) => (task.clone(), task.attempts, request),
                        None => return Ok(None),
                    },
                };
                return take(transaction, task, attempts, request, (worker, lease)).map(Some);
            }
        })
    }

    fn beat(&self, worker: &str, held: &[(TaskId, Owner)], lease: Duration) -> Result<Vec<Kept>, StoreError> {
        self.in_transaction(|transaction| {
            let mut statement = transaction.prepare_cached(&format!(
                "UPDATE tasks SET lease_until = {NOW} + ?4
                 WHERE id = ?1 AND generation = ?2 AND owner = ?3 AND state = 'running'
                     AND generation = (SELECT generation FROM conversations WHERE id = tasks.conversation)
                 RETURNING cancel"
            ))?;
            let mut kept = Vec::new();
            for (id, owner) in held {
                let values = params![id.0, owner.generation, worker, milliseconds(lease)];
                let cancel = statement.query_row(values, |row| row.get(0)).optional()?;
                kept.extend(cancel.map(|cancel| Kept { id: *id, cancel }));
            }
            Ok(kept)
        })
    }

    fn finish(&self, id: TaskId, owner: Owner, outcome: &Outcome) -> Result<(), StoreError> {
        let (state, why) = outcome.state();
        let changed = self.in_transaction(|transaction| {
            transaction.execute(
                "UPDATE tasks SET state = ?3, why = ?4, lease_until = NULL
                 WHERE id = ?1 AND generation = ?2 AND state = 'running'",
                params![id.0, owner.generation, state.name(), why],
            )
        })?;
        if changed == 1 { Ok(()) } else { said_again(&self.task(id)?, owner, state) }
    }

    fn release(&self, id: TaskId, owner: Owner) -> Result<(), StoreError> {
        let changed = self.in_transaction(|transaction| {
            transaction.execute(
                "UPDATE tasks SET state = CASE WHEN cancel THEN 'cancelled' ELSE 'queued' END, lease_until = NULL
                 WHERE id = ?1 AND generation = ?2 AND state = 'running'",
                params![id.0, owner.generation],
            )
        })?;
        if changed == 1 { Ok(()) } else { said_again(&self.task(id)?, owner, TaskState::Queued) }
    }

    fn cancel(&self, id: TaskId) -> Result<TaskState, StoreError> {
        self.in_transaction(|transaction| {
            transaction.execute(
                "UPDATE tasks SET state = CASE state WHEN 'queued' THEN 'cancelled' ELSE state END, cancel = 1
                 WHERE id = ?1 AND state IN ('queued', 'running')",
                [id.0],
            )
        })?;
        Ok(self.task(id)?.state)
    }

    fn tasks(&self, ended: usize) -> Result<Vec<Task>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM tasks WHERE state IN ('queued', 'running') OR id IN (
                 SELECT id FROM tasks WHERE state NOT IN ('queued', 'running') ORDER BY id DESC LIMIT ?1)
             ORDER BY id DESC"
        );
        let ended = i64::try_from(ended).unwrap_or(i64::MAX);
        self.in_transaction(|transaction| transaction.prepare_cached(&sql)?.query_map([ended], task)?.collect())
    }

    fn task(&self, id: TaskId) -> Result<Task, StoreError> {
        let found = self.in_transaction(|transaction| one(transaction, "WHERE id = ?1", [id.0]))?;
        found.map(|(task, _)| task).ok_or(StoreError::NoTask { id: id.0 })
    }
}

impl Store {
    /// For how long this process has seen without a gap who is there.
    fn watched(&self) -> Result<Duration, StoreError> {
        let mut inner = self.inner();
        let now = inner.connection.query_row(&format!("SELECT {NOW}"), [], |row| row.get(0));
        let now = now.map_err(|error| self.sql(error))?;
        Ok(inner.watch.lasted(Instant::now(), now))
    }
}

/// What is wrong with the task is the inner error, what is wrong with the database the outer one.
fn submit(transaction: &Transaction<'_>, task: &NewTask) -> rusqlite::Result<Result<Submitted, StoreError>> {
    let limits = ProjectLimits::default();
    transaction.execute(
        "INSERT INTO projects (id, running_limit, queued_limit, weight) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (id) DO NOTHING",
        params![task.project, limits.running, limits.queued, limits.weight],
    )?;
    let (ahead, limit): (u32, u32) = transaction.query_row(
        "SELECT (SELECT count(*) FROM tasks WHERE project = ?1 AND state = 'queued'), queued_limit
         FROM projects WHERE id = ?1",
        [&task.project],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    if ahead >= limit {
        return Ok(Err(StoreError::QueueFull { project: task.project.clone(), queued: ahead }));
    }
    let conversation = &task.conversation;
    let there = transaction.query_row(
        "SELECT EXISTS (SELECT 1 FROM conversations WHERE id = ?1 AND project IN ('', ?2)),
                EXISTS (SELECT 1 FROM tasks WHERE conversation = ?1 AND state IN ('queued', 'running'))",
        [&conversation.0, &task.project],
        |row| Ok((row.get::<_, bool>(0)?, row.get::<_, bool>(1)?)),
    )?;
    match there {
        (false, _) => return Ok(Err(StoreError::NotFound { id: conversation.0.clone() })),
        (true, true) => return Ok(Err(StoreError::TaskOpen { id: conversation.clone() })),
        (true, false) => {}
    }
    transaction.execute("UPDATE conversations SET project = ?2 WHERE id = ?1", [&conversation.0, &task.project])?;
    let id = transaction.query_row(
        &format!(
            "INSERT INTO tasks (project, conversation, priority, state, not_before, request)
             VALUES (?1, ?2, ?3, 'queued', {NOW} + ?4, ?5) RETURNING id"
        ),
        params![task.project, conversation.0, task.priority, milliseconds(task.delay), task.request],
        |row| row.get(0),
    )?;
    Ok(Ok(Submitted { id: TaskId(id), ahead }))
}

/// The first task whose worker went silent.
fn silent(transaction: &Transaction<'_>) -> rusqlite::Result<Option<(Task, String)>> {
    let rest = format!("WHERE state = 'running' AND lease_until < {NOW} ORDER BY priority DESC, id LIMIT 1");
    one(transaction, &rest, [])
}

/// The task that comes next of those that wait.
fn next(transaction: &Transaction<'_>) -> rusqlite::Result<Option<(Task, String)>> {
    let waits = format!("state = 'queued' AND not_before <= {NOW}");
    let rest = format!(
        "WHERE {waits} AND project = (
            SELECT project FROM (
                SELECT projects.id AS project, running_limit, weight, served,
                    (SELECT max(priority) FROM tasks WHERE project = projects.id AND {waits}) AS best,
                    (SELECT count(*) FROM tasks WHERE project = projects.id AND state = 'running') AS busy
                FROM projects)
            WHERE best IS NOT NULL AND busy < running_limit
            ORDER BY best DESC, busy / weight, served, project LIMIT 1)
         ORDER BY priority DESC, id LIMIT 1"
    );
    one(transaction, &rest, [])
}

fn take(
    transaction: &Transaction<'_>,
    task: Task,
    attempts: u32,
    request: String,
    (worker, lease): (&str, Duration),
) -> rusqlite::Result<Claim> {
    let (owner, last) = fence(transaction, &task.conversation)?;
    transaction.execute(
        &format!(
            "UPDATE tasks SET state = 'running', owner = ?2, generation = ?3, attempts = ?4, lease_until = {NOW} + ?5
             WHERE id = ?1"
        ),
        params![task.id.0, worker, owner.generation, attempts, milliseconds(lease)],
    )?;
    if task.state == TaskState::Queued {
        transaction.execute(
            "UPDATE projects SET served = 1 + (SELECT max(served) FROM projects) WHERE id = ?1",
            [&task.project],
        )?;
    }
    let Task { id, project, conversation, .. } = task;
    Ok(Claim { id, project, conversation, owner, last, attempts, request })
}

/// Ends a task whose worker went silent; whatever that one still says counts for nothing.
fn end(transaction: &Transaction<'_>, task: &Task, outcome: &Outcome) -> rusqlite::Result<()> {
    let (owner, _) = fence(transaction, &task.conversation)?;
    let (state, why) = outcome.state();
    transaction.execute(
        "UPDATE tasks SET state = ?2, why = ?3, generation = ?4, lease_until = NULL WHERE id = ?1",
        params![task.id.0, state.name(), why, owner.generation],
    )?;
    Ok(())
}

/// Makes a new owner of the conversation.
fn fence(transaction: &Transaction<'_>, id: &ConversationId) -> rusqlite::Result<(Owner, Seq)> {
    transaction.query_row(
        "UPDATE conversations SET generation = generation + 1 WHERE id = ?1 RETURNING generation, last",
        [&id.0],
        |row| Ok((Owner { generation: row.get(0)? }, Seq(row.get(1)?))),
    )
}

fn one(
    transaction: &Transaction<'_>,
    rest: &str,
    values: impl rusqlite::Params,
) -> rusqlite::Result<Option<(Task, String)>> {
    let mut statement = transaction.prepare_cached(&format!("SELECT {COLUMNS} FROM tasks {rest}"))?;
    statement.query_row(values, |row| Ok((task(row)?, row.get(10)?))).optional()
}

fn task(row: &SqlRow<'_>) -> rusqlite::Result<Task> {
    Ok(Task {
        id: TaskId(row.get(0)?),
        project: row.get(1)?,
        conversation: ConversationId(row.get(2)?),
        priority: row.get(3)?,
        state: TaskState::of(&row.get::<_, String>(4)?),
        worker: row.get(5)?,
        owner: Owner { generation: row.get(6)? },
        cancel: row.get(7)?,
        attempts: row.get(8)?,
        why: row.get(9)?,
    })
}
