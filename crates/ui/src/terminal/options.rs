//! What the terminal is and how it is to be used.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use ox_app::Project;
use ox_app::project::editor;
use ox_protocol::locale::Language;
use ox_protocol::{Command, Mode, Time};

use crate::report::Look;
use crate::text::{Theme, hyperlinks};

/// Runs a command of Ox in the terminal and gives its exit code.
pub type OwnCommand = Arc<dyn Fn(Vec<String>) -> u8 + Send + Sync>;

/// How to use the terminal.
#[derive(Clone)]
pub struct TerminalOptions {
    /// The user's language.
    pub language: Language,
    /// Colours.
    pub theme: Theme,
    /// The setting that they come from; where it is `auto`, the terminal is asked for its background.
    pub setting: String,
    /// False for terminals without cursor movement, and for screen readers: lines are printed one after the other, without
    /// any escape that moves.
    pub moves: bool,
    /// Where what was entered is kept.
    pub history: Option<PathBuf>,
    /// Shown in the greeting.
    pub version: String,
    /// What `/commit` and other commands are done by, which have the terminal to themselves.
    pub own: Option<OwnCommand>,
    /// True for the full screen; a terminal whose cursor cannot be moved has none.
    pub fullscreen: bool,
}

impl TerminalOptions {
    /// Options for this process's terminal. A dumb terminal means lines without escapes; NO_COLOR means no colours.
    pub fn detect(project: &Project, version: &str) -> TerminalOptions {
        let settings = &project.settings;
        let env = |name: &str| std::env::var(name).ok();
        let reads_aloud = settings.terminal.screen_reader == Some(true);
        TerminalOptions {
            language: settings.language,
            theme: crate::text::detect(&settings.theme, env),
            setting: settings.theme.clone(),
            moves: !reads_aloud && env("TERM").is_some_and(|it| it != "dumb"),
            history: None,
            version: version.to_string(),
            own: None,
            fullscreen: false,
        }
    }

    /// The same where the output is no terminal: lines of text.
    #[must_use]
    pub fn plain(self) -> TerminalOptions {
        TerminalOptions { theme: Theme::None, moves: false, ..self }
    }

    /// How a conversation is told on this terminal; `full`: on the full screen, which has no links of its own.
    pub(super) fn look(&self, project: &Project, full: bool) -> Look {
        Look {
            live: self.moves,
            echo: true,
            links: !full && hyperlinks(|name| std::env::var(name).ok()),
            still: project.settings.terminal.motion.as_deref() == Some("reduced"),
            has_editor: editor::named(&["VISUAL", "EDITOR"]).is_some(),
            ..Look::new(self.language, size().0 - 1)
        }
    }
}

/// What a conversation begins with.
#[derive(Clone, Debug)]
pub struct Start {
    /// The mode of the first turn.
    pub mode: Mode,
    /// `provider/model`.
    pub model: String,
    /// What is asked at once.
    pub first: Option<Command>,
}

/// Columns and rows; 80 × 24 where the terminal does not say.
pub(crate) fn size() -> (usize, usize) {
    match crossterm::terminal::size() {
        Ok((columns, rows)) if columns > 8 && rows > 2 => (columns.into(), rows.into()),
        _ => (80, 24),
    }
}

pub(crate) fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
