//! Which conversations an agent has, without what was said in them.

use std::path::{Path, PathBuf};

use ox_store::OtherDatabase;

use crate::Unread;

/// What is there.
#[derive(Default)]
pub struct Listing {
    /// The conversations that a user held, oldest first as far as names tell.
    pub conversations: Vec<Stored>,
    /// Conversations of sub-agents, which are left out.
    pub of_agents: usize,
    /// What was not understood.
    pub unread: Unread,
    /// The database that they stand in, where they do.
    pub(crate) database: Option<OtherDatabase>,
}

/// A conversation that can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// The other agent's id of it.
    pub id: String,
    /// The folder that it was held in.
    pub folder: String,
    /// Its name, where the list has it.
    pub title: Option<String>,
    /// Its file; empty where it has none of its own.
    pub(crate) place: PathBuf,
}

impl Stored {
    pub(crate) fn of_file(id: &str, folder: &str, place: &Path) -> Stored {
        Stored { id: id.to_owned(), folder: folder.to_owned(), title: None, place: place.to_owned() }
    }
}
