//! Committing what a run changed, and only that.
//!
//! What the user has staged of other files stays staged and stays out; of the run's files nothing is staged afterwards. Lines
//! that the user changed in them stay uncommitted, as long as they are away from the run's own. No model is asked, nothing is
//! pushed, and unless hooks are asked for nothing of the repository runs: its hooks may be what the run has just changed.

pub(crate) mod git;
mod message;

use std::collections::BTreeMap;
use std::path::Path;

use git::Git;
use message::{Story, compose};
use ox_protocol::{ChangeKind, Problem};

use crate::accept::{OwnText, RunChanges, lines};

/// How a commit is made.
#[derive(Clone, Debug, Default)]
pub struct CommitOptions {
    /// Commit on a new branch of this name.
    pub branch: Option<String>,
    /// Run git's hooks and sign as the user has set it up.
    pub hooks: bool,
}

/// A commit that can be made: everything was looked at, nothing has changed.
pub struct CommitPlan {
    review: RunChanges,
    options: CommitOptions,
    git: Git,
    chosen: Chosen,
    /// The files of the commit.
    pub files: Vec<CommitFile>,
    /// The message that is built from the run.
    pub message: String,
    /// True where the repository has hooks that are left out.
    pub hooks_left_out: bool,
}

/// A file of a commit.
#[derive(Clone, Debug)]
pub struct CommitFile {
    /// From the root.
    pub path: String,
    /// Lines that the commit adds and removes; none where it is not text.
    pub lines: Option<(usize, usize)>,
    /// True where only a part is committed, since the user changed other lines.
    pub partial: bool,
    /// True where the user changed lines of the run's, which are committed with them.
    pub mixed: bool,
}

/// A commit that was made.
#[derive(Clone, Debug)]
pub struct Committed {
    /// Its short name.
    pub hash: String,
    /// False where git's index could not be brought up to the commit: `git reset` does that.
    pub staged: bool,
    /// Changed files that git ignores and that are not in it.
    pub ignored: Vec<String>,
}

/// The files of a commit.
struct Chosen {
    /// Files that git knows.
    known: Vec<String>,
    /// New files.
    new: Vec<String>,
    /// Changed files that git ignores.
    ignored: Vec<String>,
    /// What is committed in place of a file as it is.
    texts: BTreeMap<String, String>,
}

impl CommitPlan {
    /// Finds out what a commit of the run would hold. Problems: that there is nothing, or why none can be made here.
    pub fn of(review: RunChanges, options: CommitOptions) -> Result<CommitPlan, Problem> {
        let root = review.tree.root();
        let git = Git::new(root, options.hooks);
        let born = ready(&git, root, options.branch.as_deref())?;
        let reasons = changed(&review)?;
        let paths: Vec<String> = reasons.iter().map(|(path, _)| path.clone()).collect();
        let mut chosen = chosen(&git, &paths, born)?;
        let files = chosen.leave_the_users_lines(&git, &review)?;
        if files.is_empty() {
            return Err(Problem::new("commit.nothing").with("id", &review.run.conversation));
        }
        let reported: Vec<(String, Vec<String>)> =
            reasons.into_iter().filter(|(path, _)| files.iter().any(|it| it.path == *path)).collect();
        let run = &review.run;
        // They ran over other files than these.
        let checks = if review.changed_since()? { &[][..] } else { &run.checks };
        let story = Story { text: &run.text, prompts: &run.prompts, files: &reported, checks };
        let message = compose(&story, review.project.settings.language);
        let hooks_left_out = !options.hooks && has_hooks(root)?;
        Ok(CommitPlan { git, chosen, files, message, hooks_left_out, options, review })
    }

    /// The project's root.
    pub fn root(&self) -> &Path {
        self.review.tree.root()
    }

    /// The editor that the user's own git configuration names.
    pub fn configured_editor(&self) -> Result<Option<String>, Problem> {
        let said = self.git.ask(&["config", "--global", "core.editor"])?;
        Ok(Some(said.text).filter(|it| said.ok && !it.is_empty()))
    }

    /// Makes the commit with this message. Where git refuses, branch and index are as they were.
    pub fn commit(self, message: &str) -> Result<Committed, Problem> {
        if message.trim().is_empty() {
            return Err(Problem::new("commit.no_message"));
        }
        let (hash, staged) = commit(&self.git, &self.chosen, message, self.options.branch.as_deref())?;
        self.review.mark_committed()?;
        Ok(Committed { hash, staged, ignored: self.chosen.ignored })
    }
}

impl Chosen {
    /// Finds the files that hold lines of the user's away from the run's, and leaves out those that hold nothing else. What
    /// is committed of each file.
    fn leave_the_users_lines(&mut self, git: &Git, review: &RunChanges) -> Result<Vec<CommitFile>, Problem> {
        let mut files = Vec::new();
        for (path, is_new) in self.known.iter().map(|it| (it, false)).chain(self.new.iter().map(|it| (it, true))) {
            let head = match is_new {
                false => git.exact(&["cat-file", "--filters", &format!("HEAD:./{path}")])?,
                true => None,
            };
            let OwnText { text, mixed } = review.own_text(path, head.as_deref())?;
            if text.is_some() && text == head {
                continue;
            }
            let partial = text.is_some();
            let now = text.clone().map_or_else(|| text_now(&review.tree.root().join(path)), Some);
            let lines = now.map(|now| changed_lines(head.as_deref().unwrap_or_default(), &now));
            self.texts.extend(text.map(|it| (path.clone(), it)));
            files.push(CommitFile { path: path.clone(), lines, partial, mixed });
        }
        self.known.retain(|path| files.iter().any(|it| it.path == *path));
        Ok(files)
    }
}

/// A file's text, empty where there is no file; none where it is not text.
fn text_now(path: &Path) -> Option<String> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(String::new()),
        read => read.ok(),
    }
}

/// Lines that were added and removed.
fn changed_lines(before: &str, now: &str) -> (usize, usize) {
    let (before, now) = (lines(before), lines(now));
    let changes = ox_edit::line_changes(&before, &now);
    changes.iter().fold((0, 0), |(added, removed), (old, new)| (added + new.len(), removed + old.len()))
}

/// Checks that a commit can be made here. False where there is no commit yet.
fn ready(git: &Git, root: &Path, branch: Option<&str>) -> Result<bool, Problem> {
    let problem = |code: &str| Err(Problem::new(code).with("root", root.display()));
    if !ox_repo::git::is_repo(root) || !git.ask(&["rev-parse", "--is-inside-work-tree"])?.ok {
        return problem("commit.no_repository");
    }
    const BUSY: [(&str, &str); 5] = [
        ("MERGE_HEAD", "commit.merging"),
        ("CHERRY_PICK_HEAD", "commit.picking"),
        ("REVERT_HEAD", "commit.reverting"),
        ("rebase-merge", "commit.rebasing"),
        ("rebase-apply", "commit.rebasing"),
    ];
    for (name, code) in BUSY {
        let place = git.must(&["rev-parse", "--git-path", name], "")?;
        if root.join(place).exists() {
            return problem(code);
        }
    }
    let detached = !git.ask(&["symbolic-ref", "-q", "HEAD"])?.ok;
    if detached && branch.is_none() {
        return problem("commit.detached");
    }
    if let Some(name) = branch
        && let Some(code) = unfit_branch(git, name)?
    {
        return Err(Problem::new(code).with("name", name));
    }
    if !git.ask(&["var", "GIT_COMMITTER_IDENT"])?.ok || !git.ask(&["var", "GIT_AUTHOR_IDENT"])?.ok {
        return problem("commit.no_identity");
    }
    Ok(git.ask(&["rev-parse", "-q", "--verify", "HEAD"])?.ok)
}

/// Why no new branch can have this name; none where one can.
pub(crate) fn unfit_branch(git: &Git, name: &str) -> Result<Option<&'static str>, Problem> {
    if name.starts_with('-') || !git.ask(&["check-ref-format", "--branch", name])?.ok {
        return Ok(Some("commit.bad_branch"));
    }
    let exists = git.ask(&["rev-parse", "-q", "--verify", &format!("refs/heads/{name}")])?.ok;
    Ok(exists.then_some("commit.branch_exists"))
}

/// The files that the run changed and that still differ from what they were, with the reasons that were given.
fn changed(review: &RunChanges) -> Result<Vec<(String, Vec<String>)>, Problem> {
    let run = &review.run;
    let all = review.changes()?;
    let mut files: Vec<(String, Vec<String>)> = Vec::new();
    for change in all.iter().filter(|it| !it.path.ends_with('/')) {
        let from = change.from.iter().filter(|_| change.kind == ChangeKind::Renamed);
        for path in std::iter::once(&change.path).chain(from) {
            if run.changed(path) && !files.iter().any(|(it, _)| it == path) {
                files.push((path.clone(), run.why(path).to_vec()));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Tells the files apart by what git thinks of them; what is as in the last commit is left out.
fn chosen(git: &Git, paths: &[String], born: bool) -> Result<Chosen, Problem> {
    let with = |args: &[&str]| -> Result<Vec<String>, Problem> {
        let args: Vec<&str> = args.iter().copied().chain(paths.iter().map(String::as_str)).collect();
        if paths.is_empty() { Ok(Vec::new()) } else { git.names(&args) }
    };
    let known = match born {
        true => with(&["diff", "--name-only", "-z", "--no-renames", "--relative", "HEAD", "--"])?,
        false => with(&["ls-files", "-z", "--"])?,
    };
    let new = with(&["ls-files", "-z", "--others", "--exclude-standard", "--"])?;
    let ignored = with(&["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"])?;
    let known = known.into_iter().filter(|it| !new.contains(it)).collect();
    Ok(Chosen { known, new, ignored, texts: BTreeMap::new() })
}

/// Makes the commit, as [`make`] does. Where git refuses, branch and index are as they were.
fn commit(git: &Git, chosen: &Chosen, message: &str, branch: Option<&str>) -> Result<(String, bool), Problem> {
    let head = git.ask(&["symbolic-ref", "-q", "HEAD"])?;
    let detached = if head.ok { String::new() } else { git.must(&["rev-parse", "HEAD"], "")? };
    if let Some(name) = branch {
        git.must(&["symbolic-ref", "HEAD", &format!("refs/heads/{name}")], "")?;
        if let Some(from) = Some(&head.text).filter(|_| head.ok)
            && git.ask(&["rev-parse", "-q", "--verify", from])?.ok
        {
            git.must(&["update-ref", "HEAD", from], "")?;
        } else if !detached.is_empty() {
            git.must(&["update-ref", "HEAD", &detached], "")?;
        }
    }
    let made = make(git, chosen, message);
    if made.is_err()
        && let Some(name) = branch
    {
        match head.ok {
            true => git.ask(&["symbolic-ref", "HEAD", &head.text])?,
            false => git.ask(&["update-ref", "--no-deref", "HEAD", &detached])?,
        };
        git.ask(&["update-ref", "-d", &format!("refs/heads/{name}")])?;
    }
    made
}

/// Commits from an index of its own, so that the user's is touched only when all has gone well. The short name, and whether the
/// user's index knows of the commit.
fn make(git: &Git, chosen: &Chosen, message: &str) -> Result<(String, bool), Problem> {
    let index = git.must(&["rev-parse", "--path-format=absolute", "--git-path", "ox-commit-index"], "")?;
    let own = git.with_index(&index);
    let born = own.ask(&["read-tree", "HEAD"])?.ok;
    let made = stage(&own, chosen, born).and_then(|()| own.must(&["commit", "--quiet", "--file=-"], message));
    drop(std::fs::remove_file(&index));
    made?;
    let files = chosen.known.iter().chain(&chosen.new).map(String::as_str);
    // The commit is made: what fails from here on takes nothing back.
    let reset = git.ask(&["reset", "--quiet", "--"].into_iter().chain(files).collect::<Vec<&str>>());
    let hash = git.ask(&["rev-parse", "--short", "HEAD"]).map_or_else(|_| "HEAD".to_owned(), |it| it.text);
    Ok((hash, reset.is_ok_and(|it| it.ok)))
}

/// Puts what is to be committed into the index.
fn stage(git: &Git, chosen: &Chosen, born: bool) -> Result<(), Problem> {
    if !born {
        git.must(&["read-tree", "--empty"], "")?;
    }
    let files = chosen.known.iter().chain(&chosen.new).map(String::as_str);
    git.must(&["add", "--all", "--force", "--"].into_iter().chain(files).collect::<Vec<&str>>(), "")?;
    let folder = git.must(&["rev-parse", "--show-prefix"], "")?;
    for (path, text) in &chosen.texts {
        let entry = git.must(&["ls-files", "--stage", "--", path], "")?;
        let mode = entry.split(' ').next().unwrap_or_default();
        let blob = git.must(&["hash-object", "-w", "--stdin", "--path", path], text)?;
        git.must(&["update-index", "--cacheinfo", &format!("{mode},{blob},{folder}{path}")], "")?;
    }
    Ok(())
}

/// True where the repository has hooks that a commit would run.
fn has_hooks(root: &Path) -> Result<bool, Problem> {
    const HOOKS: [&str; 4] = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"];
    // The hardened command line points this to nowhere; asked without it, git only names the folder.
    let folder = Git::new(root, true).must(&["rev-parse", "--git-path", "hooks"], "")?;
    Ok(HOOKS.iter().any(|it| root.join(&folder).join(it).is_file()))
}
