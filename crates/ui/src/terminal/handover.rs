//! What the terminal is handed over to: the editor, the pager, the shell that suspended Ox.

use std::time::Duration;

use ox_app::project::{clipboard, editor};
use ox_client::Update;
use tokio::signal::unix::{SignalKind, signal};

use super::console::Console;
use super::options::size;
use super::taken::Taken;
use crate::UiError;
use crate::picker::Of;
use crate::report::Look;
use crate::screen::{Act, Screen};
use crate::text::{Role, wrap};

/// How long a process that was asked to stop may take to be stopped.
const STOPPING: Duration = Duration::from_millis(500);

impl Console {
    /// What takes the terminal away from the loop, or more than the screen's state.
    pub(super) async fn beyond(&mut self, act: Act, taken: &mut Taken) -> Result<(), UiError> {
        match act {
            Act::Suspend => self.suspend(taken).await?,
            Act::Editor => {
                let text = self.screen.composer.whole();
                if let Some(edited) = self.edit(taken, &text, ".md").await? {
                    self.screen.composer.set(edited.trim_end());
                }
            }
            Act::Redraw => {
                self.painter.forget();
                match &mut self.full {
                    Some(full) => full.forget(),
                    None => self.put("\u{1b}[?2026h\u{1b}[H\u{1b}[2J\u{1b}[?2026l")?,
                }
            }
            Act::PastePicture => match clipboard::picture(&self.project.root).await {
                Ok(Some(file)) => {
                    self.screen.composer.picture(&format!("\"{}\"", file.path().display()));
                    self.pictures.push(file);
                }
                Ok(None) => self.say("composer.no_picture", &[], Role::Dim)?,
                Err(problem) => self.problem(&problem)?,
            },
            Act::Expand => self.page(taken).await?,
            Act::Rewind => self.pick_turns(Of::Prompts),
            Act::Picked(picked) => self.picked(picked)?,
            _ => {}
        }
        Ok(())
    }

    /// Gives the terminal to the user's editor with this text; none where it was left as it was.
    async fn edit(&mut self, taken: &mut Taken, text: &str, suffix: &str) -> Result<Option<String>, UiError> {
        self.painter.close(size().0)?;
        taken.give();
        let edited = editor::edited(&self.project.root, text, suffix).await;
        taken.enter(self.options.moves)?;
        match edited {
            Ok(edited) => Ok(edited),
            Err(problem) => self.problem(&problem).map(|()| None),
        }
    }

    /// Shows the whole conversation with nothing folded, in the user's pager.
    async fn page(&mut self, taken: &mut Taken) -> Result<(), UiError> {
        let look = Look { expanded: true, live: false, links: false, ..self.screen.look };
        let mut screen = Screen::new(look);
        let past = self.client.history().unwrap_or_default();
        let all = past.into_iter().flat_map(|frame| screen.update(&Update::from(frame)));
        let all = all.flat_map(|line| wrap(&line, look.width));
        let text: String = all.map(|line| self.painter.theme().paint(&line) + "\n").collect();
        let file = tempfile::Builder::new().prefix("ox-").tempfile()?;
        std::fs::write(file.path(), text)?;
        let pager = editor::named(&["PAGER"]).unwrap_or_else(|| "less -R +G".to_string());
        self.painter.close(size().0)?;
        taken.give();
        let shown = editor::open(&pager, &self.project.root, file.path()).await;
        taken.enter(self.options.moves)?;
        shown.or_else(|problem| self.problem(&problem))
    }

    /// Stops the process as a shell's job control does, and takes the terminal again when it goes on.
    async fn suspend(&mut self, taken: &mut Taken) -> Result<(), UiError> {
        let Ok(mut goes_on) = signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw())) else {
            return Ok(());
        };
        self.painter.close(size().0)?;
        taken.give();
        let stopped = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TSTP);
        if stopped.is_ok() {
            // Where no shell controls the process, the signal does nothing.
            let _ = tokio::time::timeout(STOPPING, goes_on.recv()).await;
        }
        taken.enter(self.options.moves)
    }
}
