//! What may block runs on threads for that, and never on those that carry requests.

use ox_protocol::Problem;

/// Runs what may block on a thread for that.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let ran = tokio::task::spawn_blocking(work).await;
    ran.unwrap_or_else(|error| Err(Problem::new("server.failed").with("why", error)))
}
