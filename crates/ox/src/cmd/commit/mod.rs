//! `ox commit`: commits what the last run changed, and only that, with a message that says why.
//!
//! What the user has staged of other files stays staged and stays out. No model is asked, nothing is pushed, and unless
//! `--hooks` is given nothing of the repository runs: its hooks may be what the run has just changed.

mod ask;
mod edit;
mod files;

use clap::Args;
use ox_app::accept::RunChanges;
use ox_app::commit::{CommitFile, CommitOptions, CommitPlan};
use ox_protocol::Problem;

use super::print::{err, out};
use super::shared;
use super::trust::plain;

/// Arguments of `ox commit`.
#[derive(Debug, Args)]
pub struct CommitArgs {
    /// Use this message instead of the generated one.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// Edit the message before committing.
    #[arg(short, long)]
    edit: bool,
    /// Commit on a new branch with this name.
    #[arg(short, long, value_name = "NAME")]
    branch: Option<String>,
    /// Show the message and files, and ask before committing.
    #[arg(long, conflicts_with = "dry_run")]
    ask: bool,
    /// Show the message and files, and commit nothing.
    #[arg(long)]
    dry_run: bool,
    /// Run git hooks, and sign commits if git is set up to.
    #[arg(long)]
    hooks: bool,
    /// Commit the changes of this conversation; by default, the newest with changes.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

/// Commits. Exit code 1: there is nothing to commit, or git refused.
pub fn run(args: CommitArgs) -> anyhow::Result<u8> {
    let changes = RunChanges::open(shared::open()?, args.session.as_deref())?;
    let language = changes.project.settings.language;
    let plan = CommitPlan::of(changes, CommitOptions { branch: args.branch, hooks: args.hooks })?;
    let mut message = args.message.unwrap_or_else(|| plan.message.clone());
    if args.edit && !args.dry_run {
        message = edit::edited(&plan, &message, language)?;
    }
    if message.trim().is_empty() {
        return Err(Problem::new("commit.no_message").into());
    }
    if args.dry_run {
        out(&ask::shown(&plan, &message, language));
        return Ok(0);
    }
    if args.ask {
        match ask::confirmed(&plan, message, language)? {
            Some(confirmed) => message = confirmed,
            None => {
                err(&language.say("commit.not_done", &[]));
                return Ok(1);
            }
        }
    }
    let files = plan.files.clone();
    let hooks_left_out = plan.hooks_left_out && !args.ask;
    let committed = plan.commit(&message)?;
    let subject = plain(message.lines().next().unwrap_or_default());
    out(&format!("{} {subject}", committed.hash));
    err(&language.say("commit.done", &[("count", &files.len().to_string())]));
    if !committed.staged {
        err(&language.say("commit.index_busy", &[]));
    }
    let named = |chosen: fn(&CommitFile) -> bool| {
        files.iter().filter(|it| chosen(it)).map(|it| it.path.as_str()).collect::<Vec<&str>>().join(", ")
    };
    let partial = named(|it| it.partial);
    let mixed = named(|it| it.mixed);
    let notes =
        [("commit.partial", partial), ("commit.with_yours", mixed), ("commit.ignored", committed.ignored.join(", "))];
    for (key, files) in notes.iter().filter(|it| !it.1.is_empty()) {
        err(&language.say(key, &[("files", &plain(files))]));
    }
    if hooks_left_out {
        err(&language.say("commit.hooks_left", &[]));
    }
    Ok(0)
}
