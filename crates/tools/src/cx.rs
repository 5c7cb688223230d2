//! What a running tool may use, and nothing else.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use globset::GlobBuilder;
use ox_protocol::{Exit, Job, Mode, PathUse, Runner};
use ox_repo::Tree;

use crate::{Board, Reads, ToolError};

/// Receives each piece of a process's output.
type Live<'a> = &'a (dyn Fn(&[u8]) + Send + Sync);

/// How often a waiting call looks whether it is to stop.
const POLL: Duration = Duration::from_millis(20);

/// The world of one call. Cheap to clone.
#[derive(Clone)]
pub struct Cx {
    /// The working tree.
    pub tree: Tree,
    /// Starts processes.
    pub runner: Arc<dyn Runner>,
    /// What the model has read.
    pub reads: Arc<Reads>,
    /// The todo list and the plan; one board for all calls of a conversation.
    pub board: Arc<Board>,
    /// What the turn may do.
    pub mode: Mode,
    /// Globs that edits must stay within; empty means the whole project.
    pub scope: Vec<String>,
    /// Set when the call is to stop; long work polls it.
    pub cancel: Arc<AtomicBool>,
    /// Receives output while a command runs, to show it.
    pub live: Arc<dyn Fn(&str) + Send + Sync>,
}

impl Cx {
    /// True when the call is to stop.
    pub fn cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Runs a process to its end. None: the call was to stop, and the process is killed with all that it started.
    pub(crate) async fn start(&self, job: Job, live: Option<Live<'_>>) -> Result<Option<Exit>, ToolError> {
        let running = self.runner.run(job, live);
        tokio::select! {
            biased;
            exit = running => Ok(Some(exit?)),
            () = self.stopped() => Ok(None),
        }
    }

    async fn stopped(&self) {
        while !self.cancelled() {
            tokio::time::sleep(POLL).await;
        }
    }

    /// Refuses a write to `rel` (relative to the root) that the turn's scope does not cover.
    pub(crate) fn within_scope(&self, rel: &str) -> Result<(), ToolError> {
        match self.scope.is_empty() || self.scope.iter().any(|glob| covers(glob, rel)) {
            true => Ok(()),
            false => Err(ToolError::Scope { path: rel.to_string(), scope: self.scope.join(", ") }),
        }
    }

    /// The same world with the places outside the project that the user consented to for this call, and no others.
    pub(crate) fn reaching(&self, outside: &[PathUse]) -> Cx {
        let mut added = self.tree.added().to_vec();
        added.extend(outside.iter().filter_map(|it| nearest_folder(Path::new(&it.path))));
        match self.tree.with_added(&added) {
            Ok(tree) => Cx { tree, ..self.clone() },
            // Without the wider tree the tool itself says that the path is outside.
            Err(_) => self.clone(),
        }
    }
}

/// True when the glob matches the path, as permission sees it; a glob that cannot be read covers nothing.
fn covers(glob: &str, rel: &str) -> bool {
    let glob = GlobBuilder::new(glob).literal_separator(true).build();
    glob.is_ok_and(|it| it.compile_matcher().is_match(rel))
}

/// The folder itself, or the nearest existing one above.
fn nearest_folder(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|it| it.is_dir()).map(Path::to_path_buf)
}
