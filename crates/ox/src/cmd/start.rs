//! `ox "task"` and bare `ox`: the terminal experience.

use clap::Args;
use ox_protocol::{Command, Delivery, Problem};
use ox_ui::Output;

use super::first_run;
use super::near::mistyped;
use super::shared::{ResumeFlags, ScreenFlags, TurnArgs, images, mode_given, with_stdin};
use super::show::{self, Look};

/// Arguments of `ox "task"`.
#[derive(Debug, Args)]
pub struct StartArgs {
    #[command(flatten)]
    turn: TurnArgs,
    #[command(flatten)]
    resume: ResumeFlags,
    #[command(flatten)]
    screen: ScreenFlags,
    /// The task; without one, a conversation starts.
    task: Vec<String>,
}

/// Runs one task in the terminal, or talks until the user leaves. `cli`: all commands, for a task that looks like one.
pub fn run(args: StartArgs, cli: clap::Command) -> anyhow::Result<u8> {
    if let Some(problem) = mistyped(&args.task, cli) {
        return Err(problem.into());
    }
    let task = args.task.join(" ");
    // A terminal's keys belong to the conversation.
    let task = if task.trim().is_empty() || ox_ui::is_interactive() { task } else { with_stdin(task)? };
    let attached = images(&args.turn.image)?;
    let mut project = args.turn.open(true)?;
    project.check_attached(&attached)?;
    let interactive = ox_ui::is_interactive();
    if task.trim().is_empty() && !interactive && !args.resume.any() {
        return Err(Problem::new("usage.no_task").into());
    }
    project = match first_run::in_folder(project)? {
        Some(project) => project,
        None => return Ok(0),
    };
    let look = Look::of(&project).on(args.screen);
    let resume = match args.resume.resume.as_deref() {
        Some("") if interactive => match show::choose(&look)? {
            Some(id) => Some(id),
            None => return Ok(0),
        },
        _ => args.resume.conversation(&project)?,
    };
    let mode = mode_given(&project, resume.is_some());
    let before = mode.into_iter().chain(args.turn.files(&project)?).collect();
    let options = || args.turn.session(resume.clone(), !interactive);
    let Some(setup) = first_run::setup(&mut project, options)? else { return Ok(0) };
    let look = Look::of(&project).on(args.screen);
    let prompt = Command::Prompt { text: task.clone(), images: attached, mode: None, delivery: Delivery::Steer };
    match (task.trim().is_empty(), interactive) {
        (true, true) => show::interactive(setup, before, None, look),
        (true, false) => show::headless(setup, before, Some(Command::Continue), &look.script(Output::Text)),
        (false, true) => show::interactive(setup, before, Some(prompt), look),
        (false, false) => show::headless(setup, before, Some(prompt), &look.script(Output::Text)),
    }
}
