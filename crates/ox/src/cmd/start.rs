//! `ox "task"` and bare `ox`: the terminal experience; and the two ways of showing a session that `run` and `demo` use.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use ox_agent::{Session, Setup};
use ox_client::pair;
use ox_protocol::locale::Language;
use ox_protocol::{Approval, Command, Layer, Problem, Stop};
use ox_ui::{Opened, PlainOptions, Start, TerminalOptions};

use super::shared::{TurnArgs, images};
use crate::host::Project;
use crate::wire::{self, Extras, Opening, Told};

/// Arguments of `ox "task"`.
#[derive(Debug, Args)]
pub struct StartArgs {
    #[command(flatten)]
    turn: TurnArgs,
    /// What is to be done; without it a prompt asks.
    task: Vec<String>,
}

/// How a session is shown, and what it needs to open further ones.
pub struct Look {
    /// The user's language.
    pub language: Language,
    theme: String,
    history: PathBuf,
    root: PathBuf,
    added: Vec<PathBuf>,
    flags: Layer,
    start: Start,
}

impl Look {
    /// The look that the configuration gives.
    pub fn of(opening: &Opening) -> Look {
        Look {
            language: opening.settings.language,
            theme: opening.settings.theme.clone(),
            history: opening.paths.state_dir.join("history"),
            root: opening.root.clone(),
            added: opening.added.clone(),
            flags: Layer::default(),
            start: Start { mode: opening.settings.mode, model: String::new() },
        }
    }
}

/// Runs one task in the terminal, or talks until the user leaves.
pub fn run(args: StartArgs) -> anyhow::Result<u8> {
    if let Some(problem) = super::near::mistyped(&args.task) {
        return Err(Told(problem).into());
    }
    let task = args.task.join(" ");
    // A terminal's keys belong to the conversation.
    let task = if task.trim().is_empty() || ox_ui::is_interactive() { task } else { super::run::with_stdin(task)? };
    let attached = images(&args.turn.image).map_err(Told)?;
    let flags = args.turn.layer();
    let opening = args.turn.opening(true)?;
    wire::check_attached(&opening.settings, &attached).map_err(Told)?;
    let interactive = ox_ui::is_interactive();
    if task.trim().is_empty() && !interactive {
        return Err(Told(Problem::new("usage.no_task")).into());
    }
    let look = Look { flags, ..Look::of(&opening) };
    let extras = Extras {
        manual_dir: args.turn.manual_dir,
        record: args.turn.record,
        tape: None,
        name: args.turn.name,
        headless: !interactive,
        resume: None,
    };
    let setup = wire::setup(opening, extras)?;
    let prompt = Command::Prompt { text: task.clone(), images: attached, mode: None };
    match (task.trim().is_empty(), interactive) {
        (true, _) => self::interactive(setup, None, None, look),
        (false, true) => self::interactive(setup, None, Some(prompt), look),
        (false, false) => headless(setup, None, prompt, look.language, false),
    }
}

/// Runs one command to its completion with nobody to ask. Edits are then accepted unless somebody said otherwise: a run
/// that may not edit and cannot ask is of no use. `mode`: a change of mode that comes before.
pub fn headless(
    mut setup: Setup,
    mode: Option<Command>,
    first: Command,
    language: Language,
    json: bool,
) -> anyhow::Result<u8> {
    let theme = setup.settings.theme.clone();
    if !setup.settings.origins.contains_key("approval") {
        setup.settings.approval = Approval::AcceptEdits;
    }
    wire::runtime()?.block_on(async {
        let (mut client, side) = pair();
        let session = Session::open(setup, side)?;
        mode.into_iter().chain([first]).for_each(|it| client.send(it));
        let shown = async {
            let stop = match json {
                true => ox_ui::run_json(&mut client).await,
                false => ox_ui::run_plain(&mut client, PlainOptions::detect(language, &theme, false)).await,
            };
            client.send(Command::Close);
            stop.map_err(|error| Told(Problem::new("error.output").with("why", error)).into())
        };
        beside(session, shown).await
    })
}

/// Shows one turn in the terminal, or talks until the user leaves.
pub fn interactive(setup: Setup, mode: Option<Command>, first: Option<Command>, look: Look) -> anyhow::Result<u8> {
    wire::runtime()?.block_on(async {
        let (mut client, side) = pair();
        let start = Start { model: setup.world.model.facts().name.clone(), ..look.start.clone() };
        let session = Session::open(setup, side)?;
        mode.into_iter().for_each(|it| client.send(it));
        let past = session.past().to_vec();
        let mut options = TerminalOptions::detect(look.language, &look.theme);
        options.history = Some(look.history);
        options.version = env!("CARGO_PKG_VERSION").to_string();
        let host = Arc::new(Project { root: look.root, flags: look.flags, added: look.added });
        let shown = async {
            let Some(first) = first else {
                ox_ui::repl(Opened { client, past }, start, &options, host).await?;
                return Ok(Some(Stop::Answered));
            };
            client.send(with_pictures(first, host.as_ref()));
            let stop = ox_ui::run_terminal(&mut client, &options, host).await?;
            client.send(Command::Close);
            Ok(stop)
        };
        beside(session, shown).await
    })
}

/// Pictures that the task names by their path come along.
fn with_pictures(command: Command, host: &Project) -> Command {
    match command {
        Command::Prompt { text, mut images, mode } => {
            images.extend(ox_ui::attach(host, &text).0);
            Command::Prompt { text, images, mode }
        }
        other => other,
    }
}

/// Runs session and interface side by side; an error of the session counts more than the interface's silence.
async fn beside(session: Session, shown: impl Future<Output = anyhow::Result<Option<Stop>>>) -> anyhow::Result<u8> {
    let (served, shown) = tokio::join!(tokio::spawn(session.serve()), shown);
    served??;
    Ok(shown?.unwrap_or(Stop::Internal).exit_code())
}
