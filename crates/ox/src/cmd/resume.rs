//! `ox resume [ID]`: goes on with a stored conversation where it stopped.

use std::io::IsTerminal;

use clap::Args;
use ox_app::Project;
use ox_config::Origin;
use ox_protocol::Command;

use super::shared::TurnArgs;

/// Arguments of `ox resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    #[command(flatten)]
    turn: TurnArgs,
    /// Conversation id, or its beginning; the newest of this project by default.
    id: Option<String>,
}

/// Resumes.
pub fn run(args: ResumeArgs) -> anyhow::Result<u8> {
    let project = args.turn.open(true)?;
    let id = project.conversation_to_resume(args.id.as_deref())?;
    let headless = !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal());
    let options = args.turn.session(Some(id), headless);
    let mode = mode_given(&project, true);
    let look = super::start::Look::of(&project);
    let setup = project.setup(options)?;
    if headless {
        return super::start::headless(setup, mode, Command::Continue, look.language, false);
    }
    super::start::interactive(setup, mode, None, look)
}

/// The change of mode for a conversation that has one already: what was said for this run counts, what files say does not.
pub fn mode_given(project: &Project, resumes: bool) -> Option<Command> {
    let said = |it: &Origin| matches!(it, Origin::Flag { .. } | Origin::Environment { .. });
    let is_given = resumes && project.settings.origins_of("mode").iter().any(said);
    is_given.then_some(Command::SetMode { mode: project.settings.mode })
}
