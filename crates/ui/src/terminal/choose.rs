//! Choosing a stored conversation before one is open: `ox resume` and `ox --resume` without an id.
//!
//! Promise: nothing of the terminal is left changed, and no conversation is opened here.

use ox_app::Project;
use ox_app::conversations::listed::Listed;
use ox_app::conversations::stored::Conversations;
use ox_protocol::ConversationId;
use tokio::signal::unix::{SignalKind, signal};

use super::keys::Input;
use super::options::{TerminalOptions, now, size};
use super::painter::Painter;
use super::picked::{LISTED, changed, preview_of, running_now, runs_elsewhere};
use super::taken::Taken;
use crate::UiError;
use crate::picker::conversations::{self, Running};
use crate::picker::{Answer, Picked};
use crate::report::Look;
use crate::screen::{Act, Screen};
use crate::signals::Signals;
use crate::text::{Line, Role};

/// The list on its own terminal.
struct Chooser<'a> {
    project: &'a Project,
    screen: Screen,
    all: Vec<Listed>,
    running: Running,
}

/// Lets the user choose one of the project's conversations; none where they leave without choosing.
pub async fn choose_conversation(
    options: &TerminalOptions,
    project: &Project,
) -> Result<Option<ConversationId>, UiError> {
    let look = Look { live: true, ..Look::new(options.language, size().0 - 1) };
    let mut chooser = Chooser { project, screen: Screen::new(look), all: Vec::new(), running: Running::new() };
    chooser.read();
    chooser.screen.picker = Some(conversations::picker(&look, chooser.rows()));
    chooser.fill();
    let mut painter = Painter::new(std::io::stdout(), options.theme, options.moves);
    let mut taken = Taken::default();
    taken.enter(options.moves)?;
    let chosen = chooser.follow(&mut painter, &mut taken).await;
    painter.close(size().0)?;
    chosen
}

impl Chooser<'_> {
    async fn follow(
        &mut self,
        painter: &mut Painter<std::io::Stdout>,
        taken: &mut Taken,
    ) -> Result<Option<ConversationId>, UiError> {
        let mut signals = Signals::watch();
        let mut resized = signal(SignalKind::window_change()).ok();
        let paths = self.project.paths.clone();
        let mut looked = Some(tokio::spawn(async move { running_now(&paths).await }));
        loop {
            let (columns, rows) = size();
            self.screen.resize(columns);
            painter.draw(&[], self.screen.live(now(), columns, rows), columns)?;
            let resize = async {
                match &mut resized {
                    Some(it) => it.recv().await,
                    None => std::future::pending().await,
                }
            };
            let running = async {
                match &mut looked {
                    Some(it) => it.await.unwrap_or_default(),
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                input = taken.next() => match input {
                    Some(input) => if let Some(chosen) = self.input(input) { return Ok(chosen) },
                    None => return Ok(None),
                },
                found = running => {
                    (self.running, looked) = (found, None);
                    self.refresh();
                }
                _ = signals.next() => return Ok(None),
                _ = resize => {}
            }
        }
    }

    /// What a key leads to: the answer, where it is one.
    fn input(&mut self, input: Input) -> Option<Option<ConversationId>> {
        use crossterm::event::{Event, KeyEventKind};
        let act = match input {
            Input::Event(Event::Key(key)) if key.kind != KeyEventKind::Release => self.screen.key(key, now()).act,
            Input::Event(Event::Paste(text)) => {
                self.screen.paste(&text);
                None
            }
            _ => None,
        };
        let Some(Act::Picked(Picked { id, answer, .. })) = act else {
            self.fill();
            return None;
        };
        match answer {
            Answer::Chosen if self.running.keys().any(|it| it.0 == id) => {
                let mut picker = conversations::picker(&self.screen.look, self.rows());
                picker.say(runs_elsewhere(&self.screen.look, &id));
                self.screen.picker = Some(picker);
                self.fill();
                None
            }
            Answer::Chosen => Some(Some(ConversationId(id))),
            Answer::Closed => Some(None),
            Answer::Extra(key, text) => {
                self.change(key, &id, &text);
                None
            }
            Answer::Moved | Answer::Nothing => {
                self.fill();
                None
            }
        }
    }

    fn change(&mut self, key: crossterm::event::KeyCode, id: &str, text: &str) {
        let open = self.running.keys().any(|it| it.0 == id);
        let all = self.project.store().map(Conversations::of);
        let note = changed(&self.screen.look, &all, key, id, text, open);
        self.read();
        self.refresh();
        if let Some(picker) = &mut self.screen.picker {
            picker.say(note);
        }
    }

    /// Reads the conversations; what keeps them from being read stands in the foot.
    fn read(&mut self) {
        match self.project.listed_conversations(LISTED) {
            Ok(all) => self.all = all,
            Err(problem) => {
                let line = Line::of(&self.screen.look.language.problem(&problem), Role::Bad);
                self.screen.picker.iter_mut().for_each(|it| it.say(line.clone()));
            }
        }
    }

    fn rows(&self) -> Vec<crate::picker::Row> {
        conversations::rows(&self.screen.look, &self.all, &self.running, &ConversationId::default(), now())
    }

    fn refresh(&mut self) {
        let rows = self.rows();
        self.screen.picker.iter_mut().for_each(|it| it.set_rows(rows.clone()));
        self.fill();
    }

    fn fill(&mut self) {
        let Some(picker) = &mut self.screen.picker else { return };
        if let Some(id) = picker.wants_preview() {
            picker.preview(&id, preview_of(&self.screen.look, &self.all, &id));
        }
    }
}
