//! The store on PostgreSQL: many machines may use one database at a time.
//!
//! Only the database's clock and its transactions count. The methods wait as those of SQLite do; what they wait for runs on
//! one thread of the store's own, so that no caller's thread or runtime is needed for it, and an append that was sent is
//! never given up halfway.

mod address;
mod log;
mod mail;
mod queue;
mod tables;

use std::future::Future;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use deadpool_postgres::{
    Client, ClientWrapper, Hook, HookError, Manager, ManagerConfig, Pool, PoolError, RecyclingMethod, Runtime,
};
use tokio::runtime;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use crate::StoreError;
use crate::understood::Understood;
use address::Address;
use tables::Tables;

/// Connections of one process; it waits for a free one.
const CONNECTIONS: usize = 8;
/// How long it waits for one.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long it waits for an answer. The server gives up before, and says why.
const ANSWER: Duration = Duration::from_secs(40);

/// An append that returned is on the server's disk, whatever its administrator chose for others. Nothing lasts for ever, and
/// a client that stops inside a transaction holds up the others for a moment only; an administrator may have chosen less.
const SETTINGS: &str = "
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
SELECT set_config(name, most::text, false)
FROM (VALUES ('statement_timeout', 30000), ('lock_timeout', 10000), ('idle_in_transaction_session_timeout', 10000))
    AS bound (name, most) JOIN pg_settings USING (name)
WHERE setting::bigint NOT BETWEEN 1 AND most";

/// Conversations in one PostgreSQL database.
pub struct PostgresStore {
    /// None only while it is dropped.
    runtime: Option<runtime::Runtime>,
    server: Arc<Server>,
}

/// What the work on the store's own thread needs.
struct Server {
    pool: Pool,
    /// For messages.
    at: String,
    understood: Mutex<Understood>,
    /// The one connection over which tasks are claimed; none before the first claim and after a fault.
    watch: tokio::sync::Mutex<Option<Watch>>,
}

/// A connection, and since when it has held.
struct Watch {
    client: ClientWrapper,
    since: Instant,
}

/// The time in thousandths of a second, by the database's clock.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// A value of a statement.
type Value = Box<dyn ToSql + Send + Sync>;

/// The values of a statement, in order.
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$(Box::new($value) as $crate::postgres::Value),*] };
}
use values;

impl PostgresStore {
    /// Connects to the database that `source` names, a URL or a private file that holds one, and makes its tables where they
    /// are missing.
    pub fn open(source: &str) -> Result<PostgresStore, StoreError> {
        let Address { config, tls, shown } = Address::read(source)?;
        let unreachable = |why: String| StoreError::Unreachable { at: shown.clone(), why };
        let manager = Manager::from_config(config, tls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
        let settings = Hook::async_fn(|client: &mut ClientWrapper, _| {
            Box::pin(async move { client.batch_execute(SETTINGS).await.map_err(HookError::Backend) })
        });
        let pool = Pool::builder(manager)
            .max_size(CONNECTIONS)
            .wait_timeout(Some(PATIENCE))
            .create_timeout(Some(PATIENCE))
            .recycle_timeout(Some(PATIENCE))
            .runtime(Runtime::Tokio1)
            .post_create(settings)
            .build()
            .map_err(|error| unreachable(error.to_string()))?;
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("ox-store")
            .enable_all()
            .build()
            .map_err(|error| unreachable(error.to_string()))?;
        let server =
            Arc::new(Server { pool, at: shown.clone(), understood: Mutex::default(), watch: Default::default() });
        let store = PostgresStore { runtime: Some(runtime), server };
        let tables = store.run(|server| async move {
            let mut client = server.client().await?;
            tables::prepare(&mut client).await.map_err(|error| server.failed(&error))
        })?;
        match tables {
            Tables::Ready => Ok(store),
            Tables::Newer { found, known } => {
                Err(StoreError::NewerServer { at: shown, found: found.unsigned_abs(), known: known.unsigned_abs() })
            }
        }
    }

    /// Does some work on the store's own thread and waits for it.
    fn run<T, F>(&self, work: impl FnOnce(Arc<Server>) -> F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        let (sender, receiver) = sync_channel(1);
        let runtime = self.runtime.as_ref().expect("invariant: it is there until the store is dropped");
        let work = work(self.server.clone());
        runtime.spawn(async move { sender.send(work.await) });
        let stopped =
            |_| StoreError::Unreachable { at: self.server.at.clone(), why: "the work was cut off".to_string() };
        receiver.recv().unwrap_or_else(|error| Err(stopped(error)))
    }

    /// The rows of a statement that may be sent twice: where the connection had died unnoticed, it is.
    fn rows(&self, sql: &str, values: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        let (sql, values) = (sql.to_owned(), values);
        self.run(move |server| async move {
            match server.rows(&sql, &values).await {
                Err(StoreError::Unreachable { .. }) => server.rows(&sql, &values).await,
                rows => rows,
            }
        })
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        // It may be dropped where nobody may wait.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Server {
    /// A connection; one that is known to be dead is replaced.
    async fn client(&self) -> Result<Client, StoreError> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => self.failed(&error),
            error => StoreError::Unreachable { at: self.at.clone(), why: error.to_string() },
        })
    }

    async fn rows(&self, sql: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        let client = self.client().await?;
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|it| it.as_ref() as &(dyn ToSql + Sync)).collect();
        let rows = async {
            let statement = client.prepare_cached(sql).await?;
            client.query(&statement, &values).await
        };
        let rows = self.in_time(rows).await;
        self.give_back(client, rows)
    }

    /// What the work gives, where it does so before its time is up: a server that stands still does not even refuse.
    async fn in_time<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, StoreError> {
        match tokio::time::timeout(ANSWER, work).await {
            Ok(done) => done.map_err(|error| self.failed(&error)),
            Err(_) => {
                let why = format!("no answer within {} s", ANSWER.as_secs());
                Err(StoreError::Unreachable { at: self.at.clone(), why })
            }
        }
    }

    /// Gives the connection back to the pool, unless it may still be busy with an abandoned statement.
    fn give_back<T>(&self, client: Client, done: Result<T, StoreError>) -> Result<T, StoreError> {
        if matches!(done, Err(StoreError::Unreachable { .. })) {
            drop(Client::take(client));
        }
        done
    }

    fn understood(&self) -> MutexGuard<'_, Understood> {
        self.understood.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An error of the library: of the way to the server where the server itself did not answer.
    fn failed(&self, error: &Error) -> StoreError {
        let at = self.at.clone();
        let Some(answer) = error.as_db_error() else {
            return StoreError::Unreachable { at, why: address::said(error) };
        };
        let why = answer.message().to_string();
        let away = [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::TOO_MANY_CONNECTIONS,
            // Its own bounds, which `SETTINGS` sets.
            SqlState::QUERY_CANCELED,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
            // A standby that is to become the primary says so.
            SqlState::READ_ONLY_SQL_TRANSACTION,
        ];
        if away.contains(answer.code()) { StoreError::Unreachable { at, why } } else { StoreError::Server { at, why } }
    }

    fn damaged(&self, why: String) -> StoreError {
        StoreError::Server { at: self.at.clone(), why }
    }
}

/// PostgreSQL has signed numbers alone; none of ours comes near the end of those.
fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn unsigned(row: &Row, column: usize) -> u64 {
    row.get::<_, i64>(column).unsigned_abs()
}

fn small(row: &Row, column: usize) -> u32 {
    u32::try_from(unsigned(row, column)).unwrap_or(u32::MAX)
}
