//! Facts that were read lately: questions about edges and names come back to the same files. Bounded; what is forgotten is
//! read again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ox_syntax::Facts;

/// Facts that are kept, in bytes as they lie on disk; in memory they take about three times as much.
const MOST: usize = 4 << 20;

/// A segment's number, and a content there.
type Place = (u64, u32);

/// The facts.
#[derive(Debug, Default)]
pub(crate) struct FactsCache {
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    all: HashMap<Place, Arc<Facts>>,
    bytes: usize,
}

impl FactsCache {
    /// The facts of a content; `read` gives them with their size.
    pub(crate) fn get(&self, place: Place, read: impl FnOnce() -> Option<(Facts, u32)>) -> Option<Arc<Facts>> {
        let held = || self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = held().all.get(&place) {
            return Some(known.clone());
        }
        let (facts, size) = read()?;
        let facts = Arc::new(facts);
        let mut held = held();
        if held.bytes > MOST {
            *held = Held::default();
        }
        held.bytes += size as usize;
        held.all.insert(place, facts.clone());
        Some(facts)
    }
}
