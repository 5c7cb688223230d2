//! `ox commit`: commits what the last run changed, and only that, with a message that says why.
//!
//! What the user has staged of other files stays staged and stays out. No model is asked, nothing is pushed, and unless
//! `--hooks` is given nothing of the repository runs: its hooks may be what the run has just changed.

mod edit;
mod git;
mod message;

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;
use ox_protocol::{ChangeKind, Problem};
use ox_repo::Point;

use self::git::Git;
use self::message::{Story, compose};
use super::print::{err, out};
use super::review::{self, Desk, last};
use super::trust::plain;
use crate::wire::Told;

/// Arguments of `ox commit`.
#[derive(Debug, Args)]
pub struct CommitArgs {
    /// Use this message instead of the one that is built from the run.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// Change the message in your editor first.
    #[arg(short, long)]
    edit: bool,
    /// Commit on a new branch of this name.
    #[arg(short, long, value_name = "NAME")]
    branch: Option<String>,
    /// Print the message and the files, and commit nothing.
    #[arg(long)]
    dry_run: bool,
    /// Run git's hooks and sign as you have set it up.
    #[arg(long)]
    hooks: bool,
    /// Commit the changes of this conversation; the newest that changed something by default.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

/// The files of a commit.
struct Chosen {
    /// Files that git knows.
    known: Vec<String>,
    /// New files.
    new: Vec<String>,
    /// Changed files that git ignores.
    ignored: Vec<String>,
}

/// Commits. Exit code 1: there is nothing to commit, or git refused.
pub fn run(args: CommitArgs) -> anyhow::Result<u8> {
    let desk = Desk::open(args.session.as_deref())?;
    let language = desk.opening.settings.language;
    let root = desk.tree.root();
    let git = Git::new(root, args.hooks);
    let born = ready(&git, root, args.branch.as_deref())?;
    let whys = changed(&desk)?;
    let paths: Vec<String> = whys.iter().map(|(path, _)| path.clone()).collect();
    let chosen = chosen(&git, &paths, born)?;
    let files: Vec<String> = chosen.known.iter().chain(&chosen.new).cloned().collect();
    if files.is_empty() {
        return Err(Told(Problem::new("commit.nothing").with("id", &desk.run.conversation)).into());
    }
    let told: Vec<(String, Vec<String>)> = whys.into_iter().filter(|(path, _)| files.contains(path)).collect();
    let run = &desk.run;
    let story = Story { text: &run.text, prompts: &run.prompts, files: &told, checks: &run.checks };
    let mut message = args.message.clone().unwrap_or_else(|| compose(&story, language));
    if args.edit && !args.dry_run {
        message = edit::edited(&git, root, &message, &files, language)?;
    }
    if message.trim().is_empty() {
        return Err(Told(Problem::new("commit.no_message")).into());
    }
    if args.dry_run {
        let list: String = files.iter().map(|it| format!("  {}\n", plain(it))).collect();
        out(&format!("{}\n{list}", message.trim_end()));
        return Ok(0);
    }
    let hash = commit(&git, &chosen, &message, args.branch.as_deref())?;
    let committed = |marks: &mut last::Marks| {
        marks.committed.insert(run.conversation.clone(), run.last);
    };
    last::mark(&desk.opening.paths.state_dir, &desk.opening.root, committed).map_err(Told)?;
    let subject = plain(message.lines().next().unwrap_or_default());
    out(&format!("{hash} {subject}"));
    err(&language.say("commit.done", &[("count", &files.len().to_string())]));
    if !chosen.ignored.is_empty() {
        err(&language.say("commit.ignored", &[("files", &plain(&chosen.ignored.join(", ")))]));
    }
    if !args.hooks && has_hooks(root)? {
        err(&language.say("commit.hooks_left", &[]));
    }
    Ok(0)
}

/// Checks that a commit can be made here. False where there is no commit yet.
fn ready(git: &Git, root: &Path, branch: Option<&str>) -> anyhow::Result<bool> {
    let problem = |code: &str| Err(Told(Problem::new(code).with("root", root.display())).into());
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
    if let Some(name) = branch {
        let named = |code: &str| Err(Told(Problem::new(code).with("name", name)).into());
        if name.starts_with('-') || !git.ask(&["check-ref-format", "--branch", name])?.ok {
            return named("commit.bad_branch");
        }
        if git.ask(&["rev-parse", "-q", "--verify", &format!("refs/heads/{name}")])?.ok {
            return named("commit.branch_exists");
        }
    }
    if !git.ask(&["var", "GIT_COMMITTER_IDENT"])?.ok || !git.ask(&["var", "GIT_AUTHOR_IDENT"])?.ok {
        return problem("commit.no_identity");
    }
    Ok(git.ask(&["rev-parse", "-q", "--verify", "HEAD"])?.ok)
}

/// The files that the run changed and that still differ from what they were, with the reasons that were given.
fn changed(desk: &Desk) -> anyhow::Result<Vec<(String, Vec<String>)>> {
    let run = &desk.run;
    let all = desk.store.diff(&Point::At(run.base.clone()), &Point::Now, None).map_err(review::failed)?;
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
fn chosen(git: &Git, paths: &[String], born: bool) -> anyhow::Result<Chosen> {
    let with = |args: &[&str]| -> anyhow::Result<Vec<String>> {
        let args: Vec<&str> = args.iter().copied().chain(paths.iter().map(String::as_str)).collect();
        if paths.is_empty() { Ok(Vec::new()) } else { git.names(&args) }
    };
    let known = match born {
        true => with(&["diff", "--name-only", "-z", "--no-renames", "--relative", "HEAD", "--"])?,
        false => with(&["ls-files", "-z", "--"])?,
    };
    let new = with(&["ls-files", "-z", "--others", "--exclude-standard", "--"])?;
    let ignored = with(&["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"])?;
    Ok(Chosen { known: known.into_iter().filter(|it| !new.contains(it)).collect(), new, ignored })
}

/// Makes the commit and gives its short name. Where git refuses, branch and index are as they were.
fn commit(git: &Git, chosen: &Chosen, message: &str, branch: Option<&str>) -> anyhow::Result<String> {
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

fn make(git: &Git, chosen: &Chosen, message: &str) -> anyhow::Result<String> {
    let words = |args: &[&str], files: &[String]| -> Vec<String> {
        args.iter().map(ToString::to_string).chain(files.iter().cloned()).collect()
    };
    let call = |args: Vec<String>, input: &str| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        git.must(&args, input)
    };
    if !chosen.new.is_empty() {
        call(words(&["add", "--intent-to-add", "--"], &chosen.new), "")?;
    }
    let files: BTreeSet<&String> = chosen.known.iter().chain(&chosen.new).collect();
    let files: Vec<String> = files.into_iter().cloned().collect();
    let done = call(words(&["commit", "--quiet", "--only", "--file=-", "--"], &files), message);
    if let Err(error) = done {
        if !chosen.new.is_empty() {
            call(words(&["rm", "--quiet", "--cached", "--force", "--"], &chosen.new), "")?;
        }
        return Err(error);
    }
    git.must(&["rev-parse", "--short", "HEAD"], "")
}

/// True where the repository has hooks that a commit would run.
fn has_hooks(root: &Path) -> anyhow::Result<bool> {
    const HOOKS: [&str; 4] = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"];
    // The hardened command line points this to nowhere; asked without it, git only names the folder.
    let folder = Git::new(root, true).must(&["rev-parse", "--git-path", "hooks"], "")?;
    Ok(HOOKS.iter().any(|it| root.join(&folder).join(it).is_file()))
}
