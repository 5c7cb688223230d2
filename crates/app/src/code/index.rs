//! The index of a project, opened and brought up to date.

use std::sync::Arc;

use ox_agent::project_index::{ProjectIndex, Refreshed, folder};
use ox_index::Progress;
use ox_protocol::Problem;

use crate::project::{Project, wait};

impl Project {
    /// The index of the project, not yet brought up to date.
    pub fn index(&self) -> Result<ProjectIndex, Problem> {
        let runner = Arc::new(self.sandbox()?);
        ProjectIndex::open(&self.tree()?, &folder(&self.settings, &self.paths), runner).map_err(failed)
    }

    /// Brings the index up to date with the tree and with what git knows; what is found is on disk then.
    pub fn refresh(
        &self,
        index: &ProjectIndex,
        count_ignored: bool,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Refreshed, Problem> {
        let refreshed = index.refresh(count_ignored, progress).map_err(failed)?;
        wait(index.learn_history())?;
        index.save();
        Ok(refreshed)
    }

    /// What the project defines as it is now: each name, and where it stands, `path:from-to`.
    pub fn symbols(&self) -> Result<Vec<(String, String)>, Problem> {
        let index = self.index()?;
        index.refresh(false, &|_| {}).map_err(failed)?;
        let known = index.snapshot();
        let symbols = |path: &str| {
            let facts = known.facts(path);
            let all = facts.iter().flat_map(|it| &it.symbols);
            all.map(|it| (it.qualified.clone(), format!("{path}:{}-{}", it.line, it.end))).collect::<Vec<_>>()
        };
        Ok(known.paths().flat_map(symbols).collect())
    }

    /// The index as the tree is now, with vectors where something makes them.
    pub fn refreshed_index(&self, progress: &(dyn Fn(Progress) + Sync)) -> Result<ProjectIndex, Problem> {
        let index = self.index()?;
        self.refresh(&index, false, progress)?;
        self.embed_or_tell(&index);
        Ok(index)
    }
}

fn failed(why: impl std::fmt::Display) -> Problem {
    Problem::new("index.failed").with("why", why)
}
