//! `ox run`: one task for scripts and CI. The answer alone on stdout, everything else on stderr, a documented exit code.

use std::io::{IsTerminal, Read};
use std::time::Duration;

use clap::Args;
use ox_protocol::{Command, Delivery, Problem};

use super::shared::{TurnArgs, images};

/// Arguments of `ox run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// What shapes the turn.
    #[command(flatten)]
    pub turn: TurnArgs,
    /// Print events as JSON, one per line.
    #[arg(long)]
    pub json: bool,
    /// Continue this conversation.
    #[arg(long, value_name = "ID")]
    pub resume: Option<String>,
    /// The task; `-` or nothing reads it from stdin.
    pub task: Vec<String>,
}

/// Runs one task.
pub fn run(args: RunArgs) -> anyhow::Result<u8> {
    let text = task(&args.task, args.resume.is_some())?;
    let images = images(&args.turn.image)?;
    let project = args.turn.open(false)?;
    project.check_attached(&images)?;
    let language = project.settings.language;
    let resume = args.resume.as_deref().map(|it| project.conversation_to_resume(Some(it))).transpose()?;
    let mode = super::resume::mode_given(&project, resume.is_some());
    let options = args.turn.session(resume, true);
    let setup = project.setup(options)?;
    let first = match text {
        Some(text) => Command::Prompt { text, images, mode: None, delivery: Delivery::Steer },
        None => Command::Continue,
    };
    super::start::headless(setup, mode, first, language, args.json)
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

/// The task, and below it what was piped in. A pipe in which nothing comes is left alone after a while, and that is said:
/// programs that start Ox often leave one open.
pub(super) fn with_stdin(task: String) -> anyhow::Result<String> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Ok(task);
    }
    let mut ready = [rustix::event::PollFd::new(&stdin, rustix::event::PollFlags::IN)];
    let patience = rustix::event::Timespec::try_from(PATIENCE).ok();
    if matches!(rustix::event::poll(&mut ready, patience.as_ref()), Ok(0)) {
        super::print::err(&ox_app::project::language().say("usage.silent_stdin", &[]));
        return Ok(task);
    }
    Ok(match read_stdin()?.trim_end() {
        "" => task,
        text => format!("{task}\n\n<stdin>\n{text}\n</stdin>"),
    })
}

/// How long a pipe may stay silent beside a task.
const PATIENCE: Duration = Duration::from_secs(3);

fn read_stdin() -> anyhow::Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| Problem::new("usage.stdin").with("why", error))?;
    Ok(text)
}
