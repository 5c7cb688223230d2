//! How long one waits for a server.

use std::time::Duration;

/// How long one waits for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For its greeting.
    pub start: Duration,
    /// For it to have seen the whole project.
    pub ready: Duration,
    /// For an answer.
    pub answer: Duration,
    /// For its end.
    pub quit: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        let [start, ready, answer, quit] = [20, 25, 20, 2].map(Duration::from_secs);
        Limits { start, ready, answer, quit }
    }
}
