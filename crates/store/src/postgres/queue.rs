//! The queue on PostgreSQL: whoever claims locks the project's row, so that its limit is exact, and passes over the projects
//! that others are claiming from.
//!
//! Tasks are claimed over one connection. Where it breaks, nothing that fell silent is taken over until the next one has held
//! for a whole lease: in an outage of the database the living were silent too.

use std::time::{Duration, Instant};

use deadpool_postgres::{ClientWrapper, Object, Transaction};
use ox_protocol::{ConversationId, Seq};
use tokio::sync::MutexGuard;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use super::{NOW, PostgresStore, Server, Watch, number, small, unsigned, values};
use crate::StoreError;
use crate::log::Owner;
use crate::queue::{
    Claim, Kept, NewTask, Outcome, ProjectLimits, Queue, Submitted, Task, TaskId, TaskState, after_silence,
    milliseconds, said_again,
};

const COLUMNS: &str = "id, project, conversation, priority, state, owner, generation, cancel, attempts, why, request";

/// Projects that are looked at before a claim gives up.
const CANDIDATES: i64 = 32;

impl Queue for PostgresStore {
    fn set_limits(&self, project: &str, limits: &ProjectLimits) -> Result<(), StoreError> {
        limits.checked()?;
        let sql = "INSERT INTO projects (id, running_limit, queued_limit, weight) VALUES ($1, $2, $3, $4)
             ON CONFLICT (id) DO UPDATE SET running_limit = $2, queued_limit = $3, weight = $4";
        let (running, queued) = (i64::from(limits.running), i64::from(limits.queued));
        self.rows(sql, values![project.to_owned(), running, queued, limits.weight]).map(drop)
    }

    fn submit(&self, task: &NewTask) -> Result<Submitted, StoreError> {
        let task = task.clone();
        // Once only: where the answer is lost, the task that the conversation has then tells.
        self.run(move |server| async move {
            let mut client = server.client().await?;
            let submitted = server.in_time(submit(&mut client, &task)).await;
            server.give_back(client, submitted)?
        })
    }

    fn claim(&self, worker: &str, lease: Duration) -> Result<Option<Claim>, StoreError> {
        let worker = worker.to_owned();
        // A claim whose answer is lost falls silent, and is taken over when its lease has ended.
        self.run(move |server| async move {
            let mut watch = server.watch().await?;
            let Some(Watch { client, since }) = watch.as_mut() else { return Ok(None) };
            let has_watched = since.elapsed() >= lease;
            let claimed = server.in_time(claim(client, &worker, lease, has_watched)).await;
            if claimed.is_err() {
                // Whatever went wrong, the view is no longer unbroken.
                *watch = None;
            }
            claimed
        })
    }

    fn beat(&self, worker: &str, held: &[(TaskId, Owner)], lease: Duration) -> Result<Vec<Kept>, StoreError> {
        let sql = format!(
            "UPDATE tasks SET lease_until = {NOW} + $4
             FROM unnest($1::bigint[], $2::bigint[]) AS held (id, generation)
             WHERE tasks.id = held.id AND tasks.generation = held.generation AND owner = $3 AND state = 'running'
                 AND tasks.generation = (SELECT generation FROM conversations WHERE id = tasks.conversation)
             RETURNING tasks.id, cancel"
        );
        let ids: Vec<i64> = held.iter().map(|(id, _)| number(id.0)).collect();
        let generations: Vec<i64> = held.iter().map(|(_, owner)| number(owner.generation)).collect();
        let rows = self.rows(&sql, values![ids, generations, worker.to_owned(), milliseconds(lease)])?;
        Ok(rows.iter().map(|row| Kept { id: TaskId(unsigned(row, 0)), cancel: row.get(1) }).collect())
    }

    fn finish(&self, id: TaskId, owner: Owner, outcome: &Outcome) -> Result<(), StoreError> {
        let (state, why) = outcome.state();
        let sql = "UPDATE tasks SET state = $3, why = $4, lease_until = NULL
             WHERE id = $1 AND generation = $2 AND state = 'running' RETURNING id";
        let values = values![number(id.0), number(owner.generation), state.name(), why.map(|it| it.replace('\0', ""))];
        if self.rows(sql, values)?.is_empty() { said_again(&self.task(id)?, owner, state) } else { Ok(()) }
    }

    fn release(&self, id: TaskId, owner: Owner) -> Result<(), StoreError> {
        let sql = "UPDATE tasks SET state = CASE WHEN cancel THEN 'cancelled' ELSE 'queued' END, lease_until = NULL
             WHERE id = $1 AND generation = $2 AND state = 'running' RETURNING id";
        let rows = self.rows(sql, values![number(id.0), number(owner.generation)])?;
        if rows.is_empty() { said_again(&self.task(id)?, owner, TaskState::Queued) } else { Ok(()) }
    }

    fn cancel(&self, id: TaskId) -> Result<TaskState, StoreError> {
        let sql = "UPDATE tasks SET state = CASE state WHEN 'queued' THEN 'cancelled' ELSE state END, cancel = TRUE
             WHERE id = $1 AND state IN ('queued', 'running')";
        self.rows(sql, values![number(id.0)])?;
        Ok(self.task(id)?.state)
    }

    fn tasks(&self, ended: usize) -> Result<Vec<Task>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM tasks WHERE state IN ('queued', 'running') OR id IN (
                 SELECT id FROM tasks WHERE state NOT IN ('queued', 'running') ORDER BY id DESC LIMIT $1)
             ORDER BY id DESC"
        );
        let ended = i64::try_from(ended).unwrap_or(i64::MAX);
        Ok(self.rows(&sql, values![ended])?.iter().map(task).collect())
    }

    fn task(&self, id: TaskId) -> Result<Task, StoreError> {
        let rows = self.rows(&format!("SELECT {COLUMNS} FROM tasks WHERE id = $1"), values![number(id.0)])?;
        rows.first().map(task).ok_or(StoreError::NoTask { id: id.0 })
    }
}

impl Server {
    /// The connection for claims; made again where it is known to be dead.
    pub(super) async fn watch(&self) -> Result<MutexGuard<'_, Option<Watch>>, StoreError> {
        let mut watch = self.watch.lock().await;
        if watch.as_ref().is_none_or(|it| it.client.is_closed()) {
            *watch = None;
            let client = Object::take(self.client().await?);
            // One that was made earlier may have missed what happened since.
            *watch = Some(Watch { client, since: Instant::now() });
        }
        Ok(watch)
    }
}

/// The rows of a statement within a transaction.
async fn ask(transaction: &Transaction<'_>, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, Error> {
    let statement = transaction.prepare_cached(sql).await?;
    transaction.query(&statement, values).await
}

/// What is wrong with the task is the inner error, what is wrong with the database the outer one.
async fn submit(client: &mut ClientWrapper, task: &NewTask) -> Result<Result<Submitted, StoreError>, Error> {
    let transaction = client.transaction().await?;
    let limits = ProjectLimits::default();
    let (running, queued) = (i64::from(limits.running), i64::from(limits.queued));
    let sql = "INSERT INTO projects (id, running_limit, queued_limit, weight) VALUES ($1, $2, $3, $4)
         ON CONFLICT (id) DO NOTHING";
    ask(&transaction, sql, &[&task.project, &running, &queued, &limits.weight]).await?;
    let sql = "SELECT queued_limit FROM projects WHERE id = $1 FOR UPDATE";
    let limit = ask(&transaction, sql, &[&task.project]).await?.first().map_or(0, |row| unsigned(row, 0));
    // Counted under the lock, so that the limit is exact.
    let sql = "SELECT count(*) FROM tasks WHERE project = $1 AND state = 'queued'";
    let ahead = ask(&transaction, sql, &[&task.project]).await?.first().map_or(0, |row| small(row, 0));
    if u64::from(ahead) >= limit {
        return Ok(Err(StoreError::QueueFull { project: task.project.clone(), queued: ahead }));
    }
    let id = &task.conversation;
    let sql = "UPDATE conversations SET project = $2 WHERE id = $1 AND project IN ('', $2) RETURNING id";
    if ask(&transaction, sql, &[&id.0, &task.project]).await?.is_empty() {
        return Ok(Err(StoreError::NotFound { id: id.0.clone() }));
    }
    let sql = format!(
        "INSERT INTO tasks (project, conversation, priority, state, not_before, request)
         VALUES ($1, $2, $3, 'queued', {NOW} + $4, $5) ON CONFLICT DO NOTHING RETURNING id"
    );
    let (priority, delay) = (i64::from(task.priority), milliseconds(task.delay));
    let request = task.request.replace('\0', "");
    let made = ask(&transaction, &sql, &[&task.project, &id.0, &priority, &delay, &request]).await?;
    let Some(made) = made.first().map(|row| TaskId(unsigned(row, 0))) else {
        return Ok(Err(StoreError::TaskOpen { id: id.clone() }));
    };
    transaction.commit().await?;
    Ok(Ok(Submitted { id: made, ahead }))
}

async fn claim(
    client: &mut ClientWrapper,
    worker: &str,
    lease: Duration,
    has_watched: bool,
) -> Result<Option<Claim>, Error> {
    let transaction = client.transaction().await?;
    while has_watched && let Some(row) = silent(&transaction).await? {
        let (task, request) = (task(&row), row.get(10));
        match after_silence(task.cancel, task.attempts) {
            Some(outcome) => end(&transaction, &task, &outcome).await?,
            None => {
                let attempts = task.attempts + 1;
                let claim = take(&transaction, task, attempts, request, (worker, lease)).await?;
                transaction.commit().await?;
                return Ok(Some(claim));
            }
        }
    }
    let claim = match next(&transaction).await? {
        Some(row) => {
            let (task, request) = (task(&row), row.get(10));
            let sql = "UPDATE projects SET served = nextval('projects_served') WHERE id = $1";
            ask(&transaction, sql, &[&task.project]).await?;
            let attempts = task.attempts;
            Some(take(&transaction, task, attempts, request, (worker, lease)).await?)
        }
        None => None,
    };
    transaction.commit().await?;
    Ok(claim)
}

/// The first task whose worker went silent and that nobody else is taking over.
async fn silent(transaction: &Transaction<'_>) -> Result<Option<Row>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM tasks WHERE state = 'running' AND lease_until < {NOW}
         ORDER BY priority DESC, id LIMIT 1 FOR UPDATE SKIP LOCKED"
    );
    Ok(ask(transaction, &sql, &[]).await?.into_iter().next())
}

/// The task that comes next of those that wait, with its project's row locked. Projects that others are claiming from are
/// passed over; where there is no other, the first of them is waited for.
async fn next(transaction: &Transaction<'_>) -> Result<Option<Row>, Error> {
    let sql = format!(
        "SELECT projects.id FROM projects
         CROSS JOIN LATERAL (
             SELECT priority FROM tasks WHERE project = projects.id AND state = 'queued' AND not_before <= {NOW}
             ORDER BY priority DESC LIMIT 1) best
         CROSS JOIN LATERAL (
             SELECT count(*) AS running FROM tasks WHERE project = projects.id AND state = 'running') busy
         WHERE busy.running < running_limit
         ORDER BY best.priority DESC, busy.running / weight, served, projects.id LIMIT $1"
    );
    let candidates = ask(transaction, &sql, &[&CANDIDATES]).await?;
    let mut passed_over = None;
    for candidate in &candidates {
        let project: &str = candidate.get(0);
        let sql = "SELECT id FROM projects WHERE id = $1 FOR UPDATE SKIP LOCKED";
        if ask(transaction, sql, &[&project]).await?.is_empty() {
            passed_over = passed_over.or(Some(project));
        } else if let Some(row) = of_project(transaction, project).await? {
            return Ok(Some(row));
        }
    }
    let Some(project) = passed_over else { return Ok(None) };
    ask(transaction, "SELECT id FROM projects WHERE id = $1 FOR UPDATE", &[&project]).await?;
    of_project(transaction, project).await
}

/// The project's first task, where it may have one more running. Its row is locked, so what is counted stays so.
async fn of_project(transaction: &Transaction<'_>, project: &str) -> Result<Option<Row>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM tasks WHERE project = $1 AND state = 'queued' AND not_before <= {NOW}
             AND (SELECT count(*) FROM tasks WHERE project = $1 AND state = 'running')
                 < (SELECT running_limit FROM projects WHERE id = $1)
         ORDER BY priority DESC, id LIMIT 1 FOR UPDATE"
    );
    Ok(ask(transaction, &sql, &[&project]).await?.into_iter().next())
}

async fn take(
    transaction: &Transaction<'_>,
    task: Task,
    attempts: u32,
    request: String,
    (worker, lease): (&str, Duration),
) -> Result<Claim, Error> {
    let (owner, last) = fence(transaction, &task.conversation).await?;
    let sql = format!(
        "UPDATE tasks SET state = 'running', owner = $2, generation = $3, attempts = $4, lease_until = {NOW} + $5
         WHERE id = $1"
    );
    let (id, generation, tries) = (number(task.id.0), number(owner.generation), i64::from(attempts));
    ask(transaction, &sql, &[&id, &worker, &generation, &tries, &milliseconds(lease)]).await?;
    let Task { id, project, conversation, .. } = task;
    Ok(Claim { id, project, conversation, owner, last, attempts, request })
}

/// Ends a task whose worker went silent; whatever that one still says counts for nothing.
async fn end(transaction: &Transaction<'_>, task: &Task, outcome: &Outcome) -> Result<(), Error> {
    let (owner, _) = fence(transaction, &task.conversation).await?;
    let (state, why) = outcome.state();
    let sql = "UPDATE tasks SET state = $2, why = $3, generation = $4, lease_until = NULL WHERE id = $1";
    let (id, generation) = (number(task.id.0), number(owner.generation));
    ask(transaction, sql, &[&id, &state.name(), &why, &generation]).await.map(drop)
}

/// Makes a new owner of the conversation.
async fn fence(transaction: &Transaction<'_>, id: &ConversationId) -> Result<(Owner, Seq), Error> {
    let sql = "UPDATE conversations SET generation = generation + 1 WHERE id = $1 RETURNING generation, last";
    let statement = transaction.prepare_cached(sql).await?;
    let row = transaction.query_one(&statement, &[&id.0]).await?;
    Ok((Owner { generation: unsigned(&row, 0) }, Seq(unsigned(&row, 1))))
}

fn task(row: &Row) -> Task {
    Task {
        id: TaskId(unsigned(row, 0)),
        project: row.get(1),
        conversation: ConversationId(row.get(2)),
        priority: i32::try_from(row.get::<_, i64>(3)).unwrap_or_default(),
        state: TaskState::of(row.get(4)),
        worker: row.get(5),
        owner: Owner { generation: unsigned(row, 6) },
        cancel: row.get(7),
        attempts: small(row, 8),
        why: row.get(9),
    }
}
