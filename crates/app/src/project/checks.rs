//! The checks that the project has, as a task would find them.

use ox_protocol::{Check, Problem};

use super::Project;

impl Project {
    /// The project's checks, cheap ones first. None of them is run.
    pub fn checks(&self) -> Result<Vec<Check>, Problem> {
        Ok(ox_checks::discover(&self.tree()?, self.settings.checks.as_deref().unwrap_or_default()))
    }
}
