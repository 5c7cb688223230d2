//! The commands, one file each, and the arguments that they share.

mod batch;
pub mod checkpoints;
pub mod checks;
pub mod commit;
pub mod complete;
pub mod config;
pub mod context;
pub mod demo;
pub mod diff;
pub mod doctor;
pub mod edit;
pub mod history;
pub mod impact;
pub mod index;
pub mod init;
pub mod login;
pub mod memory;
pub mod models;
pub mod modules;
mod near;
pub mod permit;
mod print;
pub mod query;
pub mod record;
pub mod redo;
pub mod replay;
pub mod restore;
pub mod resume;
pub mod review;
pub mod run;
pub mod sandbox;
pub mod sessions;
pub mod shared;
pub mod start;
pub mod trust;
pub mod undo;

use clap::{Parser, Subcommand};
use ox_protocol::Problem;
use ox_protocol::locale::Language;

use crate::wire;

/// A coding agent that is exact where others guess.
#[derive(Debug, Parser)]
#[command(name = "ox", version, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    start: start::StartArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run one task without a terminal: the answer on stdout, everything else on stderr.
    Run(run::RunArgs),
    /// Show a whole task on a small sample project, with a recorded model; no key is needed.
    Demo(demo::DemoArgs),
    /// Go on with a stored conversation.
    Resume(resume::ResumeArgs),
    /// List, search, rename, delete and export stored conversations.
    Sessions(sessions::SessionsArgs),
    /// Show what a new conversation is told of earlier tasks, or have some of it forgotten.
    Memory(memory::MemoryArgs),
    /// Show what was done in this project: tasks, plans, changed files, checks.
    History(history::HistoryArgs),
    /// Show the checks that were found in this project.
    Checks(checks::ChecksArgs),
    /// Apply patches to this project, or try edits on texts.
    Edit(edit::EditArgs),
    /// Bring what is known of this project's code up to date, and tell what is in it.
    Index(index::IndexArgs),
    /// Find the files and lines that a text is about.
    Query(query::QueryArgs),
    /// Show what a change to a file or symbol reaches, and which tests.
    Impact(impact::ImpactArgs),
    /// List the documents of this project's modules, and tell which are out of date.
    Modules(modules::ModulesArgs),
    /// Show what a model would be told of a task before its first word, and why.
    Context(context::ContextArgs),
    /// List the recorded states of this project.
    Checkpoints(checkpoints::CheckpointsArgs),
    /// Show what changed since the last turn began, or between two checkpoints.
    Diff(diff::DiffArgs),
    /// Go back to the state before the last turn that changed something.
    Undo(undo::UndoArgs),
    /// Take the last undo back.
    Redo(redo::RedoArgs),
    /// Put the project, or some of its files, back to a checkpoint.
    Restore(restore::RestoreArgs),
    /// Walk through what the last run changed, by file and hunk, and take back what you reject.
    Review(review::ReviewArgs),
    /// Commit what the last run changed, with a message that says why.
    Commit(commit::CommitArgs),
    /// Tell what would become of a command or a path: allowed, asked about or denied, and why.
    Permit(permit::PermitArgs),
    /// Run a command behind the walls that the model's commands run behind.
    Sandbox(sandbox::SandboxArgs),
    /// Print a stored conversation's model traffic as a cassette.
    Record(record::RecordArgs),
    /// Run a recorded conversation once more, without a network.
    Replay(replay::ReplayArgs),
    /// Keep a provider's key.
    Login(login::LoginArgs),
    /// List models, explain one, or have one prove what it can do.
    Models(models::ModelsArgs),
    /// Show and change the configuration.
    Config(config::ConfigArgs),
    /// Look for what keeps Ox from working here.
    Doctor(doctor::DoctorArgs),
    /// Show what this folder brings of its own, and trust it or take that back.
    Trust(trust::TrustArgs),
    /// Prepare this project for Ox.
    Init(init::InitArgs),
    /// Print completions for a shell.
    Completions(complete::CompleteArgs),
}

/// Runs the command and returns the exit code.
pub fn dispatch(cli: Cli) -> u8 {
    let result = match cli.command {
        None => start::run(cli.start),
        Some(Command::Run(args)) => run::run(args),
        Some(Command::Demo(args)) => demo::run(args),
        Some(Command::Resume(args)) => resume::run(args),
        Some(Command::Sessions(args)) => sessions::run(args),
        Some(Command::Memory(args)) => memory::run(args),
        Some(Command::History(args)) => history::run(args),
        Some(Command::Checks(args)) => checks::run(args),
        Some(Command::Edit(args)) => edit::run(args),
        Some(Command::Index(args)) => index::run(args),
        Some(Command::Query(args)) => query::run(args),
        Some(Command::Impact(args)) => impact::run(args),
        Some(Command::Modules(args)) => modules::run(args),
        Some(Command::Context(args)) => context::run(args),
        Some(Command::Checkpoints(args)) => checkpoints::run(args),
        Some(Command::Diff(args)) => diff::run(args),
        Some(Command::Undo(args)) => undo::run(args),
        Some(Command::Redo(args)) => redo::run(args),
        Some(Command::Restore(args)) => restore::run(args),
        Some(Command::Review(args)) => review::run(args),
        Some(Command::Commit(args)) => commit::run(args),
        Some(Command::Sandbox(args)) => sandbox::run(args),
        Some(Command::Permit(args)) => permit::run(args),
        Some(Command::Record(args)) => record::run(args),
        Some(Command::Replay(args)) => replay::run(args),
        Some(Command::Login(args)) => login::run(args),
        Some(Command::Models(args)) => models::run(args),
        Some(Command::Config(args)) => config::run(args),
        Some(Command::Doctor(args)) => doctor::run(args),
        Some(Command::Trust(args)) => trust::run(args),
        Some(Command::Init(args)) => init::run(args),
        Some(Command::Completions(args)) => complete::run(args),
    };
    result.unwrap_or_else(|error| report(&error))
}

/// Says what went wrong on stderr, in the user's language, and gives the exit code that goes with it.
fn report(error: &anyhow::Error) -> u8 {
    let language = wire::language();
    let problem = wire::problem_of(error);
    let text = problem.as_ref().map_or_else(|| format!("{error:#}"), |it| language.problem(it));
    let head = language.say("error.head", &[]);
    print::err(&format!("{head} {text}"));
    problem.map_or(1, |it| code_of(&it))
}

/// The exit code of a problem that kept a command from doing anything.
fn code_of(problem: &Problem) -> u8 {
    const USAGE: [&str; 4] = ["model.bad_name", "model.unknown_provider", "model.bad_base_url", "model.no_base_url"];
    const USAGES: [&str; 3] = ["usage.", "config.", "replay."];
    match problem.code.as_str() {
        "no_model" | "model.no_key" => 41,
        code if USAGE.contains(&code) || USAGES.iter().any(|it| code.starts_with(it)) => 2,
        _ => 1,
    }
}

/// Prints a line on stderr, in which nothing does anything to a terminal.
pub(crate) fn say_line(line: &str) {
    print::err(line);
}

/// The language of messages that come before the configuration is read.
pub(crate) fn early_language() -> Language {
    wire::language()
}
