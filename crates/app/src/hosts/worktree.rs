//! A linked worktree for one run, on a branch of its own, beside the project: `PROJECT.worktrees/BRANCH`.
//!
//! The user's own work tree is never touched: the worktree begins at its last commit. It does not lie among Ox's own files, which
//! no command may see. What nothing was changed in is taken away again with its branch; everything else stays.

use std::path::{Path, PathBuf};

use ox_protocol::Problem;

use crate::Project;
use crate::accept::RunChanges;
use crate::commit::git::Git;
use crate::commit::{CommitOptions, CommitPlan, unfit_branch};

/// Words of a task that name its branch.
const WORDS: usize = 5;
/// The longest name made of them, in characters.
const LONGEST: usize = 40;

/// A linked worktree.
#[derive(Clone, Debug)]
pub struct Worktree {
    /// The repository that it is linked to: the top of the user's work tree.
    home: PathBuf,
    /// Its own top.
    top: PathBuf,
    /// Its branch.
    branch: String,
    /// The commit that it began at.
    start: String,
}

/// What is left of a worktree at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// Nothing was changed, and nothing is left.
    Nothing,
    /// A branch with new commits; the worktree is gone.
    Branch(String),
    /// The worktree, with what is not committed.
    Tree {
        /// Where it is.
        path: PathBuf,
        /// Its branch.
        branch: String,
    },
}

impl Worktree {
    /// Makes one on a new branch of this name, or of one made from `task`. Problems: `worktree.*`, `commit.*`.
    pub fn make(project: &Project, branch: Option<&str>, task: &str) -> Result<Worktree, Problem> {
        let no_repository = || Problem::new("commit.no_repository").with("root", project.root.display());
        let home = ox_repo::git::work_tree(&project.root).ok_or_else(no_repository)?;
        let git = Git::new(&home, false).patient();
        let head = git.ask(&["rev-parse", "--verify", "--quiet", "HEAD"])?;
        if !head.ok {
            return Err(Problem::new("worktree.no_commit").with("root", home.display()));
        }
        let branch = match branch {
            Some(name) => free(&git, name)?,
            None => made_of(&git, &home, task)?,
        };
        let top = place(&home, &branch);
        let path = top.display().to_string();
        if top.exists() {
            return Err(Problem::new("worktree.taken").with("path", &path));
        }
        git.must(&["worktree", "add", "--quiet", "-b", &branch, "--", &path, "HEAD"], "")?;
        Ok(Worktree { home, top, branch, start: head.text })
    }

    /// The folder in it that is to `project` what the worktree is to the repository.
    pub fn root(&self, project: &Project) -> PathBuf {
        project.root.strip_prefix(&self.home).map_or_else(|_| self.top.clone(), |it| self.top.join(it))
    }

    /// Its branch.
    pub fn branch(&self) -> &str {
        &self.branch
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.top
    }

    /// True where something was changed in it, committed or not.
    pub fn is_changed(&self) -> Result<bool, Problem> {
        Ok(self.is_dirty()? || self.tip()? != self.start)
    }

    /// Commits what the last run in it changed, where it left something uncommitted. `project` is the one in the worktree.
    pub fn commit(&self, project: Project) -> Result<(), Problem> {
        if !self.is_dirty()? {
            return Ok(());
        }
        let plan = CommitPlan::of(RunChanges::open(project, None)?, CommitOptions::default())?;
        let message = plan.message.clone();
        plan.commit(&message).map(drop)
    }

    /// Takes away what nobody needs: all of it where nothing was changed, the folder where everything is committed and the
    /// branch is what was wanted.
    pub fn finish(&self, wants_branch: bool) -> Result<Left, Problem> {
        let (dirty, moved) = (self.is_dirty()?, self.tip()? != self.start);
        if dirty || moved && !wants_branch {
            return Ok(Left::Tree { path: self.top.clone(), branch: self.branch.clone() });
        }
        let git = Git::new(&self.home, false).patient();
        // Files that git ignores are what builds and tests leave.
        git.must(&["worktree", "remove", "--force", "--", &self.top.display().to_string()], "")?;
        // Where others still lie in it, it stays.
        drop(self.top.parent().map(std::fs::remove_dir));
        if moved {
            return Ok(Left::Branch(self.branch.clone()));
        }
        git.must(&["branch", "--quiet", "-D", "--", &self.branch], "")?;
        Ok(Left::Nothing)
    }

    fn is_dirty(&self) -> Result<bool, Problem> {
        let said =
            Git::new(&self.top, false).patient().must(&["status", "--porcelain", "--untracked-files=all"], "")?;
        Ok(!said.is_empty())
    }

    fn tip(&self) -> Result<String, Problem> {
        Git::new(&self.top, false).must(&["rev-parse", "HEAD"], "")
    }
}

/// A name that git takes and that no branch has.
fn free(git: &Git, name: &str) -> Result<String, Problem> {
    match unfit_branch(git, name)? {
        None => Ok(name.to_owned()),
        Some("commit.branch_exists") => Err(Problem::new("worktree.branch_exists").with("name", name)),
        Some(code) => Err(Problem::new(code).with("name", name)),
    }
}

/// A free name made of a task: `ox/fix-the-sign`.
fn made_of(git: &Git, home: &Path, task: &str) -> Result<String, Problem> {
    let first = format!("ox/{}", slug(task));
    let mut name = first.clone();
    for number in 2.. {
        if unfit_branch(git, &name)?.is_none() && !place(home, &name).exists() {
            break;
        }
        name = format!("{first}-{number}");
    }
    Ok(name)
}

fn slug(task: &str) -> String {
    let lower = task.to_ascii_lowercase();
    let words = lower.split(|it: char| !it.is_ascii_alphanumeric()).filter(|it| !it.is_empty()).take(WORDS);
    let name: String = words.collect::<Vec<_>>().join("-").chars().take(LONGEST).collect();
    let name = name.trim_end_matches('-');
    if name.is_empty() { "task".to_owned() } else { name.to_owned() }
}

fn place(home: &Path, branch: &str) -> PathBuf {
    let name = home.file_name().unwrap_or_default().to_string_lossy();
    home.with_file_name(format!("{name}.worktrees")).join(branch.replace('/', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_names_its_branch() {
        let table = [
            ("Fix the sign in `sum`, please: it subtracts", "fix-the-sign-in-sum"),
            ("修好它", "task"),
            ("", "task"),
            ("a-very-long-word-that-goes-on-and-on-and-on-for-ever", "a-very-long-word-that"),
            ("../../etc/passwd; rm -rf /", "etc-passwd-rm-rf"),
        ];
        for (task, expected) in table {
            assert_eq!(slug(task), expected, "{task}");
        }
        assert_eq!(place(Path::new("/a/project"), "ox/fix"), Path::new("/a/project.worktrees/ox-fix"));
    }
}
