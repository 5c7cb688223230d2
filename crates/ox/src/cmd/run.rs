//! `ox run`: one task for scripts and CI. The answer alone on stdout, everything else on stderr, a documented exit code.

use std::io::IsTerminal;

use clap::Args;
use ox_protocol::{Command, Delivery, Mode, Problem};

use super::shared::{TurnArgs, images, mode_given, read_stdin, with_stdin};

/// The task of a run that is given a plan and no words.
const CARRY_OUT: &str = "Carry out the plan.";

/// Arguments of `ox run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// What shapes the turn.
    #[command(flatten)]
    pub turn: TurnArgs,
    /// Print events as JSON, one per line.
    #[arg(long)]
    pub json: bool,
    /// Run this command after each conclusion; the task is done when it passes.
    #[arg(long, value_name = "CMD")]
    pub until: Option<String>,
    /// Carry out a plan of this project: the one of this ID, or the current one.
    #[arg(long, value_name = "ID", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub plan: Option<String>,
    /// Continue this conversation.
    #[arg(long, value_name = "ID")]
    pub resume: Option<String>,
    /// The task; `-` or nothing reads it from stdin.
    pub task: Vec<String>,
}

/// Runs one task.
pub fn run(args: RunArgs) -> anyhow::Result<u8> {
    let text = task(&args.task, args.resume.is_some() || args.plan.is_some())?;
    let images = images(&args.turn.image)?;
    let project = args.turn.open(false)?;
    project.check_attached(&images)?;
    let language = project.settings.language;
    let resume = args.resume.as_deref().map(|it| project.conversation_to_resume(Some(it))).transpose()?;
    // What was said for this run counts before anything else; a plan is carried out by a build.
    let mode = mode_given(&project, resume.is_some() || args.plan.is_some())
        .or_else(|| args.plan.is_some().then_some(Command::SetMode { mode: Mode::Build }));
    let files = args.turn.files(&project)?;
    let mut options = args.turn.session(resume, true);
    options.until = args.until.filter(|it| !it.trim().is_empty());
    let plan = args.plan.as_deref().map(|it| project.plan(Some(it).filter(|it| !it.is_empty()))).transpose()?;
    let plan = plan.map(|it| it.plan);
    if let Some(done) = plan.as_ref().filter(|it| !it.is_open()) {
        return Err(Problem::new("plan.done").with("id", &done.id).into());
    }
    let setup = project.setup(options)?;
    let text = text.or_else(|| plan.is_some().then(|| CARRY_OUT.to_string()));
    let first = match text {
        Some(text) => Command::Prompt { text, images, mode: None, delivery: Delivery::Steer },
        None => Command::Continue,
    };
    let plan = plan.map(|plan| Command::SetPlan { plan });
    let before = mode.into_iter().chain(plan).chain(files).collect();
    super::show::headless(setup, before, first, language, args.json)
}

/// The task from the arguments with what stdin brings beside it, or from stdin where there is none.
fn task(words: &[String], resumes: bool) -> anyhow::Result<Option<String>> {
    let given = words.join(" ");
    if given != "-" && !given.trim().is_empty() {
        return Ok(Some(with_stdin(given)?));
    }
    if given != "-" && (resumes || std::io::stdin().is_terminal()) {
        return if resumes { Ok(None) } else { Err(Problem::new("usage.no_task").into()) };
    }
    match read_stdin()?.trim() {
        "" => Err(Problem::new("usage.no_task").into()),
        text => Ok(Some(text.to_string())),
    }
}
