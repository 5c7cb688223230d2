//! `ox "task"` and bare `ox`: the terminal experience; and the two ways of showing a session that `run` and `demo` use.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use ox_agent::{Session, Setup};
use ox_app::Project;
use ox_app::conversations::session::Conversation;
use ox_protocol::locale::Language;
use ox_protocol::{Command, Delivery, Problem, Stop};
use ox_ui::{PlainOptions, Start, TerminalOptions};

use super::shared::{TurnArgs, images};
use crate::cmd::shared;
use crate::host::TerminalHost;

/// Arguments of `ox "task"`.
#[derive(Debug, Args)]
pub struct StartArgs {
    #[command(flatten)]
    turn: TurnArgs,
    /// The task; without one, a conversation starts.
    task: Vec<String>,
}

/// How a session is shown, and what it needs to open further ones.
pub struct Look {
    /// The user's language.
    pub language: Language,
    theme: String,
    history: PathBuf,
    project: Project,
    start: Start,
}

impl Look {
    /// The look that the configuration gives.
    pub fn of(project: &Project) -> Look {
        Look {
            language: project.settings.language,
            theme: project.settings.theme.clone(),
            history: project.paths.state_dir.join("history"),
            project: project.clone(),
            start: Start { mode: project.settings.mode, model: String::new() },
        }
    }
}

/// Runs one task in the terminal, or talks until the user leaves.
pub fn run(args: StartArgs) -> anyhow::Result<u8> {
    if let Some(problem) = super::near::mistyped(&args.task) {
        return Err(problem.into());
    }
    let task = args.task.join(" ");
    // A terminal's keys belong to the conversation.
    let task = if task.trim().is_empty() || ox_ui::is_interactive() { task } else { super::run::with_stdin(task)? };
    let attached = images(&args.turn.image)?;
    let project = args.turn.open(true)?;
    project.check_attached(&attached)?;
    let interactive = ox_ui::is_interactive();
    if task.trim().is_empty() && !interactive {
        return Err(Problem::new("usage.no_task").into());
    }
    let look = Look::of(&project);
    let options = args.turn.session(None, !interactive);
    let setup = project.setup(options)?;
    let prompt = Command::Prompt { text: task.clone(), images: attached, mode: None, delivery: Delivery::Steer };
    match (task.trim().is_empty(), interactive) {
        (true, _) => self::interactive(setup, None, None, look),
        (false, true) => self::interactive(setup, None, Some(prompt), look),
        (false, false) => headless(setup, None, prompt, look.language, false),
    }
}

/// Runs one command to its completion with nobody to ask. `mode`: a change of mode that comes before.
pub fn headless(
    setup: Setup,
    mode: Option<Command>,
    first: Command,
    language: Language,
    json: bool,
) -> anyhow::Result<u8> {
    let theme = setup.settings.theme.clone();
    shared::runtime()?.block_on(async {
        let Conversation { mut client, session } = Conversation::open(setup)?;
        mode.into_iter().chain([first]).for_each(|it| drop(client.send(it)));
        let shown = async {
            let stop = match json {
                true => ox_ui::run_json(&mut client).await,
                false => ox_ui::run_plain(&mut client, PlainOptions::detect(language, &theme, false)).await,
            };
            client.send(Command::Close);
            stop.map_err(|error| Problem::new("error.output").with("why", error).into())
        };
        beside(session, shown).await
    })
}

/// Shows one turn in the terminal, or talks until the user leaves.
pub fn interactive(setup: Setup, mode: Option<Command>, first: Option<Command>, look: Look) -> anyhow::Result<u8> {
    shared::runtime()?.block_on(async {
        let start = Start { model: setup.model.facts().name.clone(), ..look.start.clone() };
        let Conversation { mut client, session } = Conversation::open(setup)?;
        mode.into_iter().for_each(|it| drop(client.send(it)));
        let mut options = TerminalOptions::detect(look.language, &look.theme);
        options.history = Some(look.history);
        options.version = env!("CARGO_PKG_VERSION").to_string();
        let host = Arc::new(TerminalHost(look.project));
        let shown = async {
            let Some(first) = first else {
                ox_ui::repl(client, start, &options, host).await?;
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
fn with_pictures(command: Command, host: &TerminalHost) -> Command {
    match command {
        Command::Prompt { text, mut images, mode, delivery } => {
            images.extend(ox_ui::attach(host, &text).0);
            Command::Prompt { text, images, mode, delivery }
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
