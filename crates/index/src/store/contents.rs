//! The table of a segment's contents: where each one's chunks and facts are, and how long its texts are.

use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::schema::TEXTS;
use crate::IndexError;

/// What a content is known by: its hash together with how it was read.
pub(crate) type Key = [u8; 16];

/// One content of a segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Content {
    pub(crate) key: Key,
    /// Its first document; the others follow.
    pub(crate) first: u32,
    /// One for each chunk, and at least one.
    pub(crate) docs: u32,
    /// Words in each text field.
    pub(crate) lengths: [u32; TEXTS],
    /// Where its facts begin in the blob.
    pub(crate) at: u64,
    /// How long they are.
    pub(crate) len: u32,
    /// Their checksum.
    pub(crate) sum: u32,
    /// The size of the text.
    pub(crate) bytes: u32,
    pub(crate) symbols: u32,
    pub(crate) references: u32,
    pub(crate) imports: u32,
    pub(crate) chunks: u32,
}

/// All contents of a segment in the order of their documents.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) all: Vec<Content>,
    known: std::sync::OnceLock<HashMap<Key, u32>>,
}

impl Contents {
    pub(crate) fn new(all: Vec<Content>) -> Contents {
        Contents { all, known: std::sync::OnceLock::new() }
    }

    /// The position of the content with this key.
    pub(crate) fn find(&self, key: &Key) -> Option<u32> {
        let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        let all = || self.all.iter().enumerate().map(|(at, it)| (it.key, number(at))).collect();
        self.known.get_or_init(all).get(key).copied()
    }

    /// The number of documents.
    pub(crate) fn docs(&self) -> u32 {
        self.all.last().map_or(0, |it| it.first + it.docs)
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.all).expect("a table of numbers can be written")
    }

    pub(crate) fn decode(bytes: &[u8], place: &Path) -> Result<Contents, IndexError> {
        let all: Vec<Content> = postcard::from_bytes(bytes).map_err(|it| IndexError::damaged(place, it))?;
        let mut next = 0u32;
        for content in &all {
            if content.first != next || content.docs == 0 {
                return Err(IndexError::damaged(place, "its documents do not follow each other"));
            }
            next = next.saturating_add(content.docs);
        }
        Ok(Contents::new(all))
    }
}
