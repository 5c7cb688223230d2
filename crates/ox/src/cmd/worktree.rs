//! `--worktree`, `--branch`, `--pr` and `--repo` of `ox run`: a run in a linked worktree or in a clone, and what becomes of its
//! result.
//!
//! The user's own files are left alone. Whatever happens, the last line says where the result is.

use clap::Args;
use ox_app::Project;
use ox_app::hosts::{CloneFolder, Left, Publisher, Repository, Worktree};
use ox_protocol::Problem;
use ox_protocol::locale::Language;

use super::print::err;
use super::shared::TurnArgs;

/// Where a run works, and where its result goes.
#[derive(Clone, Debug, Default, Args)]
pub struct WorktreeFlags {
    /// Work in a linked git worktree beside the project and leave your own files alone.
    #[arg(long, conflicts_with_all = ["newest", "resume"])]
    pub worktree: bool,
    /// Like `--worktree`, and commit the result on a new branch with this name.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["newest", "resume", "ephemeral"])]
    pub branch: Option<String>,
    /// Like `--branch`, and push the branch and open a pull request for it.
    #[arg(long, conflicts_with_all = ["newest", "resume", "ephemeral"])]
    pub pr: bool,
    /// Clone this repository (https, http, ssh, git or file) and work in the clone, which is not trusted.
    #[arg(long, value_name = "URL[#BRANCH]", conflicts_with_all = ["newest", "resume", "plan", "trust"])]
    pub repo: Option<String>,
}

/// Says where a clone is with what a run left in it, or that it is gone.
pub fn say_where_it_is(clone: &CloneFolder, project: &Project) {
    let (place, language) = (clone.path().display().to_string(), project.settings.language);
    err(&match clone.finish() {
        Ok(true) => language.say("repo.left", &[("path", &place)]),
        Ok(false) => language.say("repo.nothing", &[]),
        Err(problem) => {
            format!("{}\n{}", language.problem(&problem), language.say("repo.left", &[("path", &place)]))
        }
    });
}

/// A run in a worktree of its own.
pub struct Apart {
    /// The project in the worktree.
    pub project: Project,
    worktree: Worktree,
    publisher: Option<Publisher>,
    wants_branch: bool,
    language: Language,
}

impl WorktreeFlags {
    /// Clones the repository where one is named, and opens the clone as one that nobody trusts.
    pub fn clone_repository(&self, turn: &TurnArgs) -> anyhow::Result<Option<(CloneFolder, Project)>> {
        let Some(repository) = self.repo.as_deref().map(Repository::parse).transpose()? else { return Ok(None) };
        let clone = repository.clone_beside()?;
        match turn.open_clone(clone.path()) {
            Ok(project) => {
                let place = clone.path().display().to_string();
                err(&project.settings.language.say("repo.begins", &[("path", &place)]));
                Ok(Some((clone, project)))
            }
            Err(problem) => {
                clone.finish()?;
                Err(problem)
            }
        }
    }

    /// Makes the worktree where one is wanted, once it is known that its result can go where it is to go.
    pub fn begin(&self, project: &Project, task: &str) -> anyhow::Result<Option<Apart>> {
        if !(self.worktree || self.pr || self.branch.is_some()) {
            return Ok(None);
        }
        let language = project.settings.language;
        let publisher = self.pr.then(|| Publisher::of(project)).transpose()?;
        let worktree = Worktree::make(project, self.branch.as_deref(), task)?;
        let place = worktree.path().display().to_string();
        err(&language.say("worktree.begins", &[("path", &place), ("branch", worktree.branch())]));
        if project.is_dirty()? {
            err(&language.say("worktree.dirty", &[]));
        }
        let inside = project.opened_alike(&worktree.root(project));
        let inside = match inside {
            Ok(inside) => inside,
            Err(problem) => {
                worktree.finish(true)?;
                return Err(problem.into());
            }
        };
        let wants_branch = self.pr || self.branch.is_some();
        Ok(Some(Apart { project: inside, worktree, publisher, wants_branch, language }))
    }
}

impl Apart {
    /// Brings the result where it is to go, and says where it is. The code is that of the run, or 1 where that failed.
    pub fn end(self, done: anyhow::Result<u8>) -> anyhow::Result<u8> {
        // With these two the task is done, and perhaps not proved.
        let settled = done.as_ref().ok().copied().filter(|it| matches!(it, 0 | 3));
        let brought = match settled {
            Some(code) if self.wants_branch => self.bring(code == 0),
            Some(_) => Ok(()),
            None => {
                if self.wants_branch {
                    err(&self.language.say("worktree.not_done", &[]));
                }
                Ok(())
            }
        };
        self.say_left();
        brought?;
        done
    }

    fn bring(&self, proven: bool) -> Result<(), Problem> {
        if !self.worktree.is_changed()? {
            return Ok(());
        }
        self.worktree.commit(self.project.clone())?;
        let Some(publisher) = &self.publisher else { return Ok(()) };
        let opened = publisher.publish(&self.project, self.worktree.branch(), proven)?;
        let key = if opened.was_open { "githost.was_open" } else { "githost.opened" };
        err(&self.language.say(key, &[("url", &opened.url)]));
        Ok(())
    }

    fn say_left(&self) {
        let branch = self.worktree.branch();
        let said = match self.worktree.finish(self.wants_branch) {
            Ok(Left::Nothing) => self.language.say("worktree.nothing", &[]),
            Ok(Left::Branch(branch)) => self.language.say("worktree.branch", &[("branch", &branch)]),
            Ok(Left::Tree { path, branch }) => {
                self.language.say("worktree.left", &[("path", &path.display().to_string()), ("branch", &branch)])
            }
            Err(problem) => {
                let path = self.worktree.path().display().to_string();
                let left = self.language.say("worktree.left", &[("path", &path), ("branch", branch)]);
                format!("{}\n{left}", self.language.problem(&problem))
            }
        };
        err(&said);
    }
}
