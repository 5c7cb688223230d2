//! What the terminal is handed over to: the editor, the pager, the shell that suspended Ox.

use std::time::Duration;

use ox_app::project::{clipboard, editor};
use ox_client::Update;
use ox_protocol::Problem;
use tokio::signal::unix::{SignalKind, signal};

use super::console::Console;
use super::options::size;
use super::taken::Taken;
use crate::UiError;
use crate::picker::Of;
use crate::report::Look;
use crate::screen::{Act, Screen};
use crate::text::{Line, Role, wrap};

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
            Act::Draft => self.edit_asked(taken).await?,
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
            Act::Expand => self.expand(taken).await?,
            Act::Rewind => self.pick_turns(Of::Prompts)?,
            Act::Picked(picked) => self.picked(picked)?,
            _ => {}
        }
        Ok(())
    }

    /// Gives what the user is asked about to their editor, and answers with what they made of it.
    async fn edit_asked(&mut self, taken: &mut Taken) -> Result<(), UiError> {
        let root = self.project.root.clone();
        let current = |path: &str| std::fs::read_to_string(root.join(path)).ok();
        let Some(draft) = self.screen.draft(&current) else { return Ok(()) };
        let text = self.edit(taken, &draft.text, &draft.suffix).await?;
        let reaction = self.screen.edited(&draft, text);
        if let Some(Act::Send(command)) = reaction.act {
            self.send(command);
        }
        self.print(&reaction.lines)
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
    async fn expand(&mut self, taken: &mut Taken) -> Result<(), UiError> {
        let look = Look { expanded: true, live: false, links: false, ..self.screen.look };
        let mut screen = Screen::new(look);
        let past = self.client.history().unwrap_or_default();
        let all = past.into_iter().flat_map(|frame| screen.update(&Update::from(frame)));
        let all: Vec<Line> = all.collect();
        self.page(taken, &all, "less -R +G").await?.or_else(|problem| self.problem(&problem))
    }

    /// Gives the terminal to the user's pager with these lines; to `usual` where they named none.
    pub(super) async fn page(
        &mut self,
        taken: &mut Taken,
        lines: &[Line],
        usual: &str,
    ) -> Result<Result<(), Problem>, UiError> {
        let wrapped = lines.iter().flat_map(|line| wrap(line, self.screen.look.width));
        let text: String = wrapped.map(|line| self.painter.theme().paint(&line) + "\n").collect();
        let folder = tempfile::Builder::new().prefix("ox-").tempdir()?;
        // A pager shows the name.
        let file = folder.path().join("ox");
        std::fs::write(&file, text)?;
        let pager = editor::named(&["PAGER"]).unwrap_or_else(|| usual.to_string());
        self.painter.close(size().0)?;
        taken.give();
        let shown = editor::open(&pager, &self.project.root, &file).await;
        taken.enter(self.options.moves)?;
        Ok(shown)
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
