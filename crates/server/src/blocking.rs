//! What may block runs on threads for that, and never on those that carry requests.

use ox_protocol::Problem;
use tokio::sync::Semaphore;

/// What reads the store at the same time: it has one connection, and a thread that waits for it would be held for nothing.
static READS: Semaphore = Semaphore::const_new(4);

/// Runs what reads the store and is soon done, in turn where many ask at once.
pub(crate) async fn reading<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    // It is never closed.
    let _turn = READS.acquire().await;
    blocking(work).await
}

/// Runs what may block on a thread for that.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let ran = tokio::task::spawn_blocking(work).await;
    ran.unwrap_or_else(|error| Err(Problem::new("server.failed").with("why", error)))
}
