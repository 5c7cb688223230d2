//! Where a session's documents are, and what of them is indexed. It opens nothing before somebody asks.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use ox_index::docs::Docs;

/// Documents beside the code, as they are configured. One for all calls of a session.
#[derive(Debug, Default)]
pub struct DocumentSources {
    /// Where the index of the documents is kept; without it documents are not searched.
    pub cache: Option<PathBuf>,
    /// Further folders with documents: absolute, or relative to the root.
    pub folders: Vec<String>,
    /// Servers that are asked for documents, by name: their addresses.
    pub servers: BTreeMap<String, String>,
    /// True while a call has the index of the code look at the tree.
    pub(crate) looking: Arc<AtomicBool>,
    /// True while a call has the documents read.
    pub(crate) reading: Arc<AtomicBool>,
    /// The index of the documents, once somebody has asked.
    pub(crate) docs: Mutex<Option<Docs>>,
}

impl DocumentSources {
    /// The documents of the project, kept in `cache`, of `folders` and of `servers`.
    pub fn new(cache: Option<PathBuf>, folders: Vec<String>, servers: BTreeMap<String, String>) -> DocumentSources {
        DocumentSources { cache, folders, servers, ..DocumentSources::default() }
    }
}

/// Those with the same configuration are the same, whatever was read meanwhile.
impl PartialEq for DocumentSources {
    fn eq(&self, other: &DocumentSources) -> bool {
        (&self.cache, &self.folders, &self.servers) == (&other.cache, &other.folders, &other.servers)
    }
}

impl Eq for DocumentSources {}
