//! The commands, one file each, and the arguments that they share.

pub mod accept;
pub mod acp;
mod answer;
pub mod attach;
mod bar;
mod batch;
pub mod bug;
pub mod checkpoints;
pub mod checks;
pub mod commit;
pub mod compare;
pub mod complete;
pub mod config;
pub mod context;
pub mod demo;
pub mod diff;
pub mod doctor;
pub mod edit;
mod first_run;
pub mod history;
pub mod impact;
pub mod import;
pub mod index;
pub mod init;
pub mod login;
pub mod mcp;
pub mod memory;
pub mod models;
pub mod modules;
mod near;
pub mod permit;
mod pick;
pub mod plan;
pub mod play;
pub mod plugin;
pub(crate) mod print;
pub mod ps;
pub mod query;
pub mod record;
pub mod redo;
pub mod replay;
pub mod restore;
pub mod resume;
pub mod review;
pub mod run;
pub mod sandbox;
pub mod scenario;
pub mod serve;
pub mod sessions;
pub mod shared;
pub mod show;
pub mod start;
pub mod trust;
pub mod undo;
pub mod update;
mod worktree;

use clap::{CommandFactory, Parser, Subcommand};
use ox_protocol::Problem;
use ox_store::StoreError;

/// A coding agent for the terminal. Run `ox` for a conversation, or `ox "fix the failing test"` for one task.
#[derive(Debug, Parser)]
#[command(name = "ox", version, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Work in this folder.
    #[arg(short = 'C', long = "cd", value_name = "DIR", global = true)]
    folder: Option<std::path::PathBuf>,
    #[command(flatten)]
    start: start::StartArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run one task without a terminal: answer on stdout, everything else on stderr.
    #[command(short_flag = 'p', long_flag = "print")]
    Run(Box<run::RunArgs>),
    /// Run a demo task on a sample project with a recorded model; needs no key.
    Demo(demo::DemoArgs),
    /// Continue a stored conversation.
    Resume(resume::ResumeArgs),
    /// List the conversations that run now, in all projects.
    Ps(ps::PsArgs),
    /// Join a running conversation from another terminal.
    Attach(attach::AttachArgs),
    /// Serve the conversations of this machine over HTTP, with a web page.
    Serve(Box<serve::ServeArgs>),
    /// Serve an editor over the Agent Client Protocol.
    Acp(acp::AcpArgs),
    /// List, search, rename, delete and export conversations.
    Sessions(sessions::SessionsArgs),
    /// Take over conversations and settings of another agent.
    Import(import::ImportArgs),
    /// Play a stored conversation as if it happened now.
    Play(play::PlayArgs),
    /// Write a stored conversation as a scenario, which replays it as a test.
    Scenario(scenario::ScenarioArgs),
    /// Compare two conversations: what they did, what it took, and where they part.
    Compare(compare::CompareArgs),
    /// Show or forget what new conversations remember from earlier tasks.
    Memory(memory::MemoryArgs),
    /// Show the plan of this project; edit it, comment on it, drop it.
    Plan(plan::PlanArgs),
    /// Show past tasks of this project: plans, changed files, checks.
    History(history::HistoryArgs),
    /// Show the checks found in this project, or run them.
    Checks(checks::ChecksArgs),
    /// Apply patches to this project, or test edits on texts.
    Edit(edit::EditArgs),
    /// Update the code index of this project and show its statistics.
    Index(index::IndexArgs),
    /// Find files and lines related to a text.
    Query(query::QueryArgs),
    /// Show what a change to a file or symbol affects, including tests.
    Impact(impact::ImpactArgs),
    /// List the module documents of this project, and which are out of date.
    Modules(modules::ModulesArgs),
    /// Show what a model would be sent for a task, and why.
    Context(context::ContextArgs),
    /// List the checkpoints of this project.
    Checkpoints(checkpoints::CheckpointsArgs),
    /// Show changes since the last turn began, or between two checkpoints.
    Diff(diff::DiffArgs),
    /// Undo the last turn that changed files.
    Undo(undo::UndoArgs),
    /// Redo the last undo.
    Redo(redo::RedoArgs),
    /// Restore the project, or some files, to a checkpoint.
    Restore(restore::RestoreArgs),
    /// Accept the changes of the last run hunk by hunk, and take back what you reject.
    Accept(accept::AcceptArgs),
    /// Have a model look for faults in your changes, a branch or a pull request.
    #[command(after_help = "To accept or take back the changes of the last run hunk by hunk, use `ox accept`.")]
    Review(Box<review::ReviewArgs>),
    /// Commit the changes of the last run, with a message that says why.
    Commit(commit::CommitArgs),
    /// Check whether a command or path would be allowed, need approval or be denied.
    Permit(permit::PermitArgs),
    /// Run a command in the sandbox.
    Sandbox(sandbox::SandboxArgs),
    /// Print the model requests and replies of a conversation as a cassette.
    Record(record::RecordArgs),
    /// Replay a recorded conversation, without a network.
    Replay(replay::ReplayArgs),
    /// Store a provider's API key.
    Login(login::LoginArgs),
    /// Add, list, remove and test MCP servers, whose tools a model can then use; alone, serve Ox to other agents.
    Mcp(mcp::McpArgs),
    /// Add, list and remove plugins; list skills, custom commands, sub-agents and hooks.
    Plugin(plugin::PluginArgs),
    /// List models, explain one, or test what one supports.
    Models(models::ModelsArgs),
    /// Show and change the configuration.
    Config(config::ConfigArgs),
    /// Check the installation and this project for problems.
    Doctor(doctor::DoctorArgs),
    /// Write a report about a fault of Ox to a file, without secrets; nothing is sent.
    Bug(bug::BugArgs),
    /// Show how this copy of Ox was installed, and the command that updates it.
    #[command(alias = "upgrade")]
    Update(update::UpdateArgs),
    /// Show this project's own configuration; trust it or revoke trust.
    Trust(trust::TrustArgs),
    /// Have a model write AGENTS.md from what it reads, and create a configuration file.
    Init(Box<init::InitArgs>),
    /// Print shell completions.
    #[command(alias = "completion")]
    Completions(complete::CompleteArgs),
}

impl Cli {
    /// The same in this folder, where none is named.
    pub fn in_folder(mut self, folder: Option<std::path::PathBuf>) -> Cli {
        self.folder = self.folder.or(folder);
        self
    }
}

/// Runs the command and returns the exit code.
pub fn dispatch(cli: Cli) -> u8 {
    show::run_words_with(run_words);
    ox_app::notice::listen(|it| print::err(&ox_app::project::language().problem(it)));
    if let Some(folder) = &cli.folder
        && let Err(error) = std::env::set_current_dir(folder)
    {
        return report(&Problem::new("usage.no_folder").with("path", folder.display()).with("why", error).into());
    }
    let result = match cli.command {
        None => start::run(cli.start, Cli::command()),
        Some(Command::Run(args)) => run::run(*args),
        Some(Command::Demo(args)) => demo::run(args),
        Some(Command::Resume(args)) => resume::run(args),
        Some(Command::Ps(args)) => ps::run(args),
        Some(Command::Attach(args)) => attach::run(args),
        Some(Command::Serve(args)) => serve::run(*args),
        Some(Command::Acp(args)) => acp::run(args),
        Some(Command::Sessions(args)) => sessions::run(args),
        Some(Command::Import(args)) => import::run(args),
        Some(Command::Play(args)) => play::run(args),
        Some(Command::Scenario(args)) => scenario::run(args),
        Some(Command::Compare(args)) => compare::run(args),
        Some(Command::Memory(args)) => memory::run(args),
        Some(Command::Plan(args)) => plan::run(args),
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
        Some(Command::Accept(args)) => accept::run(args),
        Some(Command::Review(args)) => review::run(*args),
        Some(Command::Commit(args)) => commit::run(args),
        Some(Command::Sandbox(args)) => sandbox::run(args),
        Some(Command::Permit(args)) => permit::run(args),
        Some(Command::Record(args)) => record::run(args),
        Some(Command::Replay(args)) => replay::run(args),
        Some(Command::Login(args)) => login::run(args),
        Some(Command::Mcp(args)) => mcp::run(args),
        Some(Command::Plugin(args)) => plugin::run(args),
        Some(Command::Models(args)) => models::run(args),
        Some(Command::Config(args)) => config::run(args),
        Some(Command::Doctor(args)) => doctor::run(args),
        Some(Command::Bug(args)) => bug::run(args),
        Some(Command::Update(args)) => update::run(args),
        Some(Command::Trust(args)) => trust::run(args),
        Some(Command::Init(args)) => init::run(*args),
        Some(Command::Completions(args)) => complete::run(args, Cli::command()),
    };
    result.unwrap_or_else(|error| report(&error))
}

/// Runs a command of Ox inside of a conversation, which has given the terminal back meanwhile.
fn run_words(words: Vec<String>) -> u8 {
    match Cli::try_parse_from(std::iter::once("ox".to_owned()).chain(words)) {
        Ok(cli) => dispatch(cli),
        Err(error) => {
            // There is nowhere to tell of a broken terminal.
            let _ = error.print();
            2
        }
    }
}

/// Says what went wrong on stderr, in the user's language, and gives the exit code that goes with it.
fn report(error: &anyhow::Error) -> u8 {
    let language = ox_app::project::language();
    let problem = problem_of(error);
    let text = problem.as_ref().map_or_else(|| format!("{error:#}"), |it| language.problem(it));
    let head = language.say("error.head", &[]);
    print::err(&format!("{head} {text}"));
    problem.map_or(1, |it| code_of(&it))
}

/// The problem that an error carries, if it carries one.
fn problem_of(error: &anyhow::Error) -> Option<Problem> {
    error.downcast_ref::<Problem>().cloned().or_else(|| Some(error.downcast_ref::<StoreError>()?.problem()))
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
