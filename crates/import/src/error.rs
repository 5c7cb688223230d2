//! What can go wrong while the files of another agent are read.

use std::path::PathBuf;

use ox_protocol::Problem;
use ox_protocol::locale::Language;
use ox_store::StoreError;

/// An error of reading.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", Language::En.problem(&self.problem()))]
pub enum ImportError {
    /// A file or folder could not be read.
    Unreadable {
        /// Which.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
    /// The database of opencode could not be read.
    Database(StoreError),
}

impl ImportError {
    pub(crate) fn io(path: &std::path::Path, error: impl std::fmt::Display) -> ImportError {
        ImportError::Unreadable { path: path.to_owned(), why: error.to_string() }
    }

    /// The same for whoever shows it.
    pub fn problem(&self) -> Problem {
        match self {
            ImportError::Unreadable { path, why } => {
                Problem::new("import.unreadable").with("path", path.display()).with("why", why)
            }
            ImportError::Database(error) => error.problem(),
        }
    }
}

impl From<ImportError> for Problem {
    fn from(error: ImportError) -> Problem {
        error.problem()
    }
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> ImportError {
        ImportError::Database(error)
    }
}
