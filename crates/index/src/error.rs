//! What can keep the index from working. A broken or full cache is none of it: then the index lives in memory.

/// Why the index could not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The full text engine failed on data that it made itself.
    #[error("the full text engine failed: {0}")]
    Engine(#[from] tantivy::TantivyError),
    /// A part of the cache cannot be read or written.
    #[error("cannot use the index in {place}: {why}")]
    Cache {
        /// The file or folder.
        place: String,
        /// The system's words.
        why: std::io::Error,
    },
    /// A part of the cache is not what was written.
    #[error("{place} of the index is damaged: {why}; it will be built again")]
    Damaged {
        /// The file.
        place: String,
        /// What does not fit.
        why: String,
    },
    /// A model that turns texts into vectors cannot be used, or failed.
    #[error("cannot use the embedding model in {place}: {why}")]
    Model {
        /// The file, the folder or the address.
        place: String,
        /// What is wrong with it.
        why: String,
    },
}

impl IndexError {
    /// An error of the system about `place`.
    pub(crate) fn cache(place: &std::path::Path, why: std::io::Error) -> IndexError {
        IndexError::Cache { place: place.display().to_string(), why }
    }

    /// `place` does not hold what was written.
    pub(crate) fn damaged(place: &std::path::Path, why: impl std::fmt::Display) -> IndexError {
        IndexError::Damaged { place: place.display().to_string(), why: why.to_string() }
    }

    /// The embedding model at `place` is not one that can be used, or it failed.
    pub fn model(place: &std::path::Path, why: impl std::fmt::Display) -> IndexError {
        IndexError::Model { place: place.display().to_string(), why: why.to_string() }
    }

    /// True when the disk has no more room.
    pub(crate) fn is_full(&self) -> bool {
        matches!(self, IndexError::Cache { why, .. } if why.kind() == std::io::ErrorKind::StorageFull)
    }
}
