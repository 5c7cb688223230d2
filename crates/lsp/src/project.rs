//! What a question needs of the project: its files, and how processes are started there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ox_protocol::{Rights, Runner};

use crate::error::{Error, FileError};

/// How often a waiting question looks whether it is to stop.
const POLL: Duration = Duration::from_millis(20);

/// The files of a project as they are now.
pub trait Files: Send + Sync {
    /// The text of a file, by its path relative to the root.
    ///
    /// # Errors
    /// Whatever the reader says.
    fn read(&self, path: &str) -> Result<String, FileError>;

    /// Every file that counts, by its path relative to the root, with a stamp that differs when the file has changed.
    fn stamps(&self) -> BTreeMap<String, String>;
}

/// A project, and what may be done there for one question. Cheap to clone.
#[derive(Clone)]
pub struct Project {
    /// The root, absolute.
    pub root: PathBuf,
    /// Further folders that belong to it.
    pub added: Vec<PathBuf>,
    /// Its files.
    pub files: Arc<dyn Files>,
    /// Starts servers.
    pub runner: Arc<dyn Runner>,
    /// What commands of the project may do; a server may do less.
    pub rights: Rights,
    /// Set when the question is to stop.
    pub cancel: Arc<AtomicBool>,
}

impl Project {
    /// The path as the project names it; none where it is outside.
    pub fn relative(&self, path: &Path) -> Option<String> {
        let inside = path.strip_prefix(&self.root).ok()?;
        Some(inside.to_str()?.to_string()).filter(|it| !it.is_empty())
    }

    /// The stamps of all files, looked up on a thread for blocking work.
    pub(crate) async fn stamps(&self) -> BTreeMap<String, String> {
        let files = self.files.clone();
        tokio::task::spawn_blocking(move || files.stamps()).await.unwrap_or_default()
    }

    /// The result of `work`, unless the question is to stop before that.
    pub(crate) async fn unless_cancelled<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let stopped = async {
            while !self.cancel.load(Ordering::Relaxed) {
                tokio::time::sleep(POLL).await;
            }
        };
        tokio::select! {
            biased;
            () = stopped => Err(Error::Cancelled),
            done = work => done,
        }
    }
}
