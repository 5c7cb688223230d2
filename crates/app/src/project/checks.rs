//! The checks that the project has, as a task would find and run them.

use std::time::Duration;

use ox_checks::{LiveCheck, Scratch};
use ox_protocol::{Check, CheckReport, Fixer, Problem, Runner};
use ox_repo::git;

use super::sandbox::safe_path;
use super::{Project, wait};

/// A check with the narrower form for what is not committed, where there is one.
#[derive(Clone, Debug)]
pub struct FoundCheck {
    /// The whole check; with why it cannot run here, where that can be seen.
    pub check: Check,
    /// What would run first after the changes that are not committed.
    pub narrow: Option<Check>,
}

impl Project {
    /// The project's checks, cheap ones first. None of them is run.
    pub fn checks(&self) -> Result<Vec<Check>, Problem> {
        Ok(ox_checks::discover(&self.tree()?, self.settings.checks.as_deref().unwrap_or_default()))
    }

    /// The fixers that the project requires, in the order in which they run. None of them is run.
    pub fn fixers(&self) -> Result<Vec<Fixer>, Problem> {
        Ok(ox_checks::fixers(&self.tree()?, self.settings.fixers.as_deref()))
    }

    /// The checks with what lacks, and with the narrower forms for the files `changed`; the index is brought up to date for these.
    pub fn seen_checks(&self, changed: &[String]) -> Result<Vec<FoundCheck>, Problem> {
        let (tree, sandbox) = (self.tree()?, self.sandbox()?);
        let rights = self.sandbox_policy().rights(tree.root(), tree.added(), Duration::MAX);
        let checks = wait(ox_checks::seen_from_inside(self.checks()?, &tree, &sandbox, &rights))?;
        let forms = match changed {
            [] => vec![None; checks.len()],
            _ => ox_checks::narrow(&checks, &tree, &self.refreshed_index(&|_| {})?.snapshot(), changed),
        };
        Ok(checks.into_iter().zip(forms).map(|(check, narrow)| FoundCheck { check, narrow }).collect())
    }

    /// Runs checks in the sandbox, one after the other.
    pub fn run_checks(&self, checks: &[Check], live: LiveCheck<'_>) -> Result<CheckReport, Problem> {
        let (tree, sandbox) = (self.tree()?, self.sandbox()?);
        let rights = self.sandbox_policy().rights(tree.root(), tree.added(), Duration::MAX);
        wait(ox_checks::run(checks, &tree, &sandbox, &rights, &Scratch::default(), live))
    }

    /// The files that git knows as changed or new since the last commit, under the names that they have now. Git is asked in the
    /// sandbox: the folder may bring filters of its own, which git runs.
    pub fn uncommitted(&self) -> Result<Vec<String>, Problem> {
        if !git::is_repo(&self.root) {
            return Ok(Vec::new());
        }
        let mut job = git::question(&self.root, &["status", "--porcelain", "-z", "--untracked-files=all", "--", "."]);
        job.env.push(("PATH".to_owned(), safe_path(&self.root)));
        let answer = match wait(self.sandbox()?.run(job, None))? {
            Ok(exit) if exit.code == Some(0) => exit.output.text(|_| String::new()),
            // Where there is no git, nothing is known of changes.
            _ => String::new(),
        };
        Ok(changed(&answer))
    }
}

/// The files of a status: two letters, a blank and a path, after a renamed one also its old name.
fn changed(status: &str) -> Vec<String> {
    let mut entries = status.split('\0');
    let mut found = Vec::new();
    while let Some(entry) = entries.next() {
        let Some((letters, path)) = entry.split_at_checked(3) else { continue };
        if letters.starts_with(['R', 'C']) {
            entries.next();
        }
        if !letters.contains('D') {
            found.push(path.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_files_have_the_names_that_they_have_now() {
        let status = " M src/a.rs\0R  new name.rs\0old.rs\0?? b/c.py\0 D gone.rs\0";
        assert_eq!(changed(status), ["src/a.rs", "new name.rs", "b/c.py"]);
        assert_eq!(changed(""), Vec::<String>::new());
    }
}
