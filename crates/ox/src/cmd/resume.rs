//! `ox resume [ID]`: goes on with a stored conversation where it stopped.

use std::io::IsTerminal;

use clap::Args;
use ox_agent::config::Origin;
use ox_protocol::{Command, ConversationId, Problem};

use super::shared::TurnArgs;
use crate::wire::{self, Extras, Opening, Told};

/// Arguments of `ox resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    #[command(flatten)]
    turn: TurnArgs,
    /// The conversation, or the beginning of its id; the newest one of this project by default.
    id: Option<String>,
}

/// Resumes.
pub fn run(args: ResumeArgs) -> anyhow::Result<u8> {
    let opening = args.turn.opening(true)?;
    let id = match args.id.as_deref() {
        Some(id) => find(&opening, Some(id))?,
        None => latest(&opening)?,
    };
    let headless = !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal());
    let extras = Extras {
        manual_dir: args.turn.manual_dir,
        record: args.turn.record,
        tape: None,
        resume: id,
        name: args.turn.name,
        headless,
    };
    let mode = mode_given(&opening, true);
    let look = super::start::Look::of(&opening);
    let setup = wire::setup(opening, extras)?;
    if headless {
        return super::start::headless(setup, mode, Command::Continue, look.language, false);
    }
    super::start::interactive(setup, mode, None, look)
}

/// The change of mode for a conversation that has one already: what was said for this run counts, what files say does not.
pub fn mode_given(opening: &Opening, resumes: bool) -> Option<Command> {
    let said = |it: &Origin| matches!(it, Origin::Flag { .. } | Origin::Environment { .. });
    let is_given = resumes && opening.settings.origins_of("mode").iter().any(said);
    is_given.then_some(Command::SetMode { mode: opening.settings.mode })
}

/// The conversation whose id begins with `prefix`.
pub fn find(opening: &Opening, prefix: Option<&str>) -> anyhow::Result<Option<ConversationId>> {
    let Some(prefix) = prefix else { return Ok(None) };
    Ok(Some(wire::store(&opening.paths)?.find(prefix)?.id))
}

fn latest(opening: &Opening) -> anyhow::Result<Option<ConversationId>> {
    let root = opening.root.canonicalize().unwrap_or_else(|_| opening.root.clone());
    let all = wire::store(&opening.paths)?.list(Some(&root.to_string_lossy()), usize::MAX)?;
    match all.into_iter().find(ox_store::Info::has_begun) {
        Some(info) => Ok(Some(info.id)),
        None => Err(Told(Problem::new("usage.nothing_to_resume").with("root", root.display())).into()),
    }
}
