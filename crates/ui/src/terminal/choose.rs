//! Choosing something before a conversation is open: a stored conversation (`ox resume`, `ox --resume` without an id), or
//! an answer of a few.
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
use crate::picker::{Answer, Of, Picked, Picker, Row};
use crate::report::Look;
use crate::screen::{Act, Screen};
use crate::signals::Signals;
use crate::text::{Line, Role, each};

/// One of a few answers.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What it is known by.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What it means, shown while it is the chosen one.
    pub about: String,
}

/// Lets the user choose one of these answers to `question`, by its number or with arrows; the id. None where they leave
/// without choosing.
pub async fn choose_answer(
    options: &TerminalOptions,
    question: &str,
    answers: &[Choice],
) -> Result<Option<String>, UiError> {
    let (mut screen, look) = listing(options);
    let row = |it: &Choice| Row { id: it.id.clone(), title: it.name.clone(), ..Row::default() };
    let enter = look.say("picker.answer.enter", &[]);
    let mut picker = Picker::numbered(Of::Answers, question.to_owned(), enter)
        .with_rows(answers.iter().map(row).collect(), String::new())
        .with_previews();
    for it in answers {
        picker.preview(&it.id, each(&it.about, Role::Dim));
    }
    screen.picker = Some(picker);
    follow(options, &mut screen, std::future::pending::<()>(), |_, happened| match happened {
        Happened::Picked(Picked { id, answer: Answer::Chosen, .. }) => Some(Some(id)),
        Happened::Picked(Picked { answer: Answer::Closed, .. }) => Some(None),
        _ => None,
    })
    .await
}

/// Lets the user choose one of the project's conversations; none where they leave without choosing.
pub async fn choose_conversation(
    options: &TerminalOptions,
    project: &Project,
) -> Result<Option<ConversationId>, UiError> {
    let (mut screen, look) = listing(options);
    let mut all = Stored { project, all: Vec::new(), running: Running::new() };
    all.read(&mut screen);
    screen.picker = Some(conversations::picker(&look, all.rows(&look)));
    all.fill(&mut screen);
    let paths = project.paths.clone();
    let running = async move { running_now(&paths).await };
    follow(options, &mut screen, running, |screen, happened| match happened {
        Happened::Picked(picked) => all.picked(screen, picked),
        Happened::Moved => {
            all.fill(screen);
            None
        }
        Happened::Beside(running) => {
            all.running = running;
            all.refresh(screen);
            None
        }
    })
    .await
    .map(|it| it.map(ConversationId))
}

fn listing(options: &TerminalOptions) -> (Screen, Look) {
    let look = Look { live: true, ..Look::new(options.language, size().0 - 1) };
    (Screen::new(look), look)
}

/// What happened at a list.
enum Happened<T> {
    /// A key had an effect.
    Picked(Picked),
    /// A key that has none, or changes what is seen.
    Moved,
    /// What was looked up beside it is there.
    Beside(T),
}

/// Shows the list of the screen until `then` knows what was chosen.
async fn follow<T>(
    options: &TerminalOptions,
    screen: &mut Screen,
    beside: impl Future<Output = T>,
    mut then: impl FnMut(&mut Screen, Happened<T>) -> Option<Option<String>>,
) -> Result<Option<String>, UiError> {
    let mut painter = Painter::new(std::io::stdout(), options.theme, options.moves);
    let mut taken = Taken::default();
    taken.enter(options.moves)?;
    let mut signals = Signals::watch();
    let mut resized = signal(SignalKind::window_change()).ok();
    let (mut beside, mut waits) = (std::pin::pin!(beside), true);
    let chosen = loop {
        let (columns, rows) = size();
        screen.resize(columns);
        painter.draw(&[], screen.live(now(), columns, rows), columns)?;
        let resize = async {
            match &mut resized {
                Some(it) => it.recv().await,
                None => std::future::pending().await,
            }
        };
        let happened = tokio::select! {
            input = taken.next() => match input {
                Some(input) => happened(screen, input),
                None => break None,
            },
            found = &mut beside, if waits => {
                waits = false;
                Happened::Beside(found)
            }
            _ = signals.next() => break None,
            _ = resize => Happened::Moved,
        };
        if let Some(chosen) = then(screen, happened) {
            break chosen;
        }
    };
    painter.close(size().0)?;
    Ok(chosen)
}

/// What a key leads to.
fn happened<T>(screen: &mut Screen, input: Input) -> Happened<T> {
    use crossterm::event::{Event, KeyEventKind};
    let act = match input {
        Input::Event(Event::Key(key)) if key.kind != KeyEventKind::Release => screen.key(key, now()).act,
        Input::Event(Event::Paste(text)) => {
            screen.paste(&text);
            None
        }
        _ => None,
    };
    match act {
        Some(Act::Picked(picked)) => Happened::Picked(picked),
        _ => Happened::Moved,
    }
}

/// The project's conversations.
struct Stored<'a> {
    project: &'a Project,
    all: Vec<Listed>,
    running: Running,
}

impl Stored<'_> {
    fn picked(&mut self, screen: &mut Screen, Picked { id, answer, .. }: Picked) -> Option<Option<String>> {
        match answer {
            Answer::Chosen if self.running.keys().any(|it| it.0 == id) => {
                let mut picker = conversations::picker(&screen.look, self.rows(&screen.look));
                picker.say(runs_elsewhere(&screen.look, &id));
                screen.picker = Some(picker);
            }
            Answer::Chosen => return Some(Some(id)),
            Answer::Closed => return Some(None),
            Answer::Extra(key, text) => {
                self.change(screen, key, &id, &text);
                return None;
            }
            Answer::Moved | Answer::Nothing => {}
        }
        self.fill(screen);
        None
    }

    fn change(&mut self, screen: &mut Screen, key: crossterm::event::KeyCode, id: &str, text: &str) {
        let open = self.running.keys().any(|it| it.0 == id);
        let all = self.project.store().map(Conversations::of);
        let note = changed(&screen.look, &all, key, id, text, open);
        self.read(screen);
        self.refresh(screen);
        if let Some(picker) = &mut screen.picker {
            picker.say(note);
        }
    }

    /// Reads the conversations; what keeps them from being read stands in the foot.
    fn read(&mut self, screen: &mut Screen) {
        match self.project.listed_conversations(LISTED) {
            Ok(all) => self.all = all,
            Err(problem) => {
                let line = Line::of(&screen.look.language.problem(&problem), Role::Bad);
                screen.picker.iter_mut().for_each(|it| it.say(line.clone()));
            }
        }
    }

    fn rows(&self, look: &Look) -> Vec<Row> {
        conversations::rows(look, &self.all, &self.running, &ConversationId::default(), now())
    }

    fn refresh(&mut self, screen: &mut Screen) {
        let rows = self.rows(&screen.look);
        screen.picker.iter_mut().for_each(|it| it.set_rows(rows.clone()));
        self.fill(screen);
    }

    fn fill(&mut self, screen: &mut Screen) {
        let look = screen.look;
        let Some(picker) = &mut screen.picker else { return };
        if let Some(id) = picker.wants_preview() {
            picker.preview(&id, preview_of(&look, &self.all, &id));
        }
    }
}
