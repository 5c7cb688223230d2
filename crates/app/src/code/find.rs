//! The places in the code that a text is about, and what depends on a file.

use std::time::Duration;

use ox_index::embed::ALIKE;
use ox_index::{Answer, Impact, Options, query, reached, targets};
use ox_protocol::Problem;

use crate::project::Project;

/// How long the vector of a question is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

impl Project {
    /// The files and pieces of code that `text` is about, best first; `limit` of each. The index is brought up to date first.
    pub fn find(&self, text: &str, limit: usize) -> Result<Answer, Problem> {
        let index = self.refreshed_index(&|_| {})?;
        // Without vectors there is everything else.
        let similar = index.similar(text, ALIKE, PATIENCE).unwrap_or_default();
        let options = Options { limit, file: None, similar: &similar };
        Ok(query(&index.snapshot(), &|path| index.read(path), text, &options))
    }

    /// What depends on these files, the nearest first.
    pub fn dependents(&self, paths: &[String], limit: usize) -> Result<Impact, Problem> {
        let snapshot = self.refreshed_index(&|_| {})?.snapshot();
        let found: Vec<_> = paths.iter().flat_map(|it| targets(&snapshot, it)).collect();
        Ok(reached(&snapshot, &found, limit))
    }
}
