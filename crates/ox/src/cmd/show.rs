//! The two ways of showing a session: with nobody to ask, and in the terminal.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use ox_agent::{Session, Setup};
use ox_app::Project;
use ox_app::conversations::session::OpenedSession;
use ox_app::project::attachments::named_images;
use ox_protocol::locale::Language;
use ox_protocol::{Command, ConversationId, Problem, ScreenMode, Stop};
use ox_ui::{Output, OwnCommand, ScriptOptions, Start, TerminalOptions};

use super::shared::{self, ScreenFlags};

/// Runs the words behind `ox` as they would be run from a shell.
pub type Words = fn(Vec<String>) -> u8;

static OWN: OnceLock<Words> = OnceLock::new();

/// Has `/commit` and its like run by this.
pub fn run_words_with(run: Words) {
    // It is always the same.
    let _ = OWN.set(run);
}

/// How a session is shown, and what it needs to open further ones.
pub struct Look {
    /// The user's language.
    pub language: Language,
    theme: String,
    history: PathBuf,
    project: Project,
    fullscreen: bool,
}

impl Look {
    /// The same on a screen that flags may choose.
    pub fn on(mut self, screen: ScreenFlags) -> Look {
        self.fullscreen = screen.is_full(&self.project);
        self
    }

    /// For a run whose output is read by a program.
    pub fn script(&self, output: Output) -> ScriptOptions {
        ScriptOptions::new(self.language, &self.theme, output)
    }

    /// For a person at a terminal.
    fn terminal(&self) -> TerminalOptions {
        let options = TerminalOptions::detect(&self.project, env!("CARGO_PKG_VERSION"));
        TerminalOptions { history: Some(self.history.clone()), fullscreen: self.fullscreen, ..options }
    }

    /// The look that the configuration gives.
    pub fn of(project: &Project) -> Look {
        Look {
            language: project.settings.language,
            theme: project.settings.theme.clone(),
            history: project.paths.state_dir.join("history"),
            project: project.clone(),
            fullscreen: project.settings.screen == ScreenMode::Fullscreen,
        }
    }
}

/// Runs one command to its completion, or what standard input brings, with nobody at a terminal. `before`: what is sent before it.
pub fn headless(
    setup: Setup,
    before: Vec<Command>,
    first: Option<Command>,
    options: &ScriptOptions,
) -> anyhow::Result<u8> {
    shared::runtime()?.block_on(async {
        let OpenedSession { mut client, session } = OpenedSession::open(setup)?;
        before.into_iter().for_each(|it| drop(client.send(it)));
        let shown = async {
            let code = ox_ui::run_script(&mut client, first, options).await;
            client.send(Command::Close);
            code.map_err(|error| Problem::new("error.output").with("why", error).into())
        };
        beside(session, shown).await
    })
}

/// Talks in the terminal until the user leaves. `before`: what is sent before anything else; `first`: what is asked at once.
pub fn interactive(setup: Setup, before: Vec<Command>, first: Option<Command>, look: Look) -> anyhow::Result<u8> {
    let runtime = shared::runtime()?;
    let code = runtime.block_on(async {
        let model = setup.model.facts().name.clone();
        let start = Start { model, first: first.map(with_pictures), mode: look.project.settings.mode };
        let OpenedSession { client, session } = OpenedSession::open(setup)?;
        before.into_iter().for_each(|it| drop(client.send(it)));
        let mut options = look.terminal();
        options.own = OWN.get().map(|it| Arc::new(*it) as OwnCommand);
        let project = Arc::new(look.project);
        let shown = async {
            let left = ox_ui::converse(client, start, &options, project).await?;
            Ok(left.then_some(0))
        };
        beside(session, shown).await
    });
    // Who looks through files for a list is not waited for: a home folder has many.
    runtime.shutdown_background();
    code
}

/// The conversation that goes on where none is named: the user chooses it; none where they choose none.
pub fn choose(look: &Look) -> anyhow::Result<Option<ConversationId>> {
    // Without any there is nothing to choose from, and that is a problem with words of its own.
    look.project.conversation_to_resume(None)?;
    let options = look.terminal();
    if !options.moves {
        return Ok(Some(look.project.conversation_to_resume(None)?));
    }
    Ok(shared::runtime()?.block_on(ox_ui::choose_conversation(&options, &look.project))?)
}

/// Pictures that the task names by their path come along.
fn with_pictures(command: Command) -> Command {
    match command {
        Command::Prompt { text, mut images, mode, delivery } => {
            images.extend(named_images(&text).0);
            Command::Prompt { text, images, mode, delivery }
        }
        other => other,
    }
}

/// Runs session and interface side by side; an error of the session counts more than the interface's silence.
async fn beside(session: Session, shown: impl Future<Output = anyhow::Result<Option<u8>>>) -> anyhow::Result<u8> {
    let (served, shown) = tokio::join!(tokio::spawn(session.serve()), shown);
    served??;
    Ok(shown?.unwrap_or(Stop::Internal.exit_code()))
}
