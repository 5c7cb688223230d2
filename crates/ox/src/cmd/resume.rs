//! `ox resume [ID]`: goes on with a stored conversation where it stopped.

use std::io::IsTerminal;

use clap::Args;
use ox_protocol::Command;
use ox_ui::Output;

use super::first_run;
use super::shared::{ScreenFlags, TurnArgs, mode_given};
use super::show::{self, Look};

/// Arguments of `ox resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    #[command(flatten)]
    turn: TurnArgs,
    #[command(flatten)]
    screen: ScreenFlags,
    /// Conversation id, or its beginning; without one, choose it in a terminal, else the newest of this project.
    id: Option<String>,
}

/// Resumes.
pub fn run(args: ResumeArgs) -> anyhow::Result<u8> {
    let Some(mut project) = first_run::in_folder(args.turn.open(true)?)? else { return Ok(0) };
    let headless = !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal());
    let look = Look::of(&project).on(args.screen);
    let id = match args.id {
        None if !headless => match show::choose(&look)? {
            Some(id) => id,
            None => return Ok(0),
        },
        id => project.conversation_to_resume(id.as_deref())?,
    };
    let options = || args.turn.session(Some(id.clone()), headless);
    let before = mode_given(&project, true).into_iter().chain(args.turn.files(&project)?).collect();
    let Some(setup) = first_run::setup(&mut project, options)? else { return Ok(0) };
    let look = Look::of(&project).on(args.screen);
    if headless {
        return show::headless(setup, before, Some(Command::Continue), &look.script(Output::Text));
    }
    show::interactive(setup, before, None, look)
}
