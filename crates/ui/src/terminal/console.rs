//! The loop: what the session says, what the user types, and when to draw.

use std::collections::{HashMap, VecDeque};
use std::io::{Stdout, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::{Event as Key, KeyEventKind};
use ox_app::Project;
use ox_app::review::{Report, Review};
use ox_client::{Client, Control, Update};
use ox_protocol::{Command, CommandId, Event, Mode, Problem, Seq, Stop};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use super::keys::{Input, expect_answer};
use super::looked::Looked;
use super::notify;
use super::options::{TerminalOptions, now, size};
use super::painter::Painter;
use super::probe;
use super::raw::Raw;
use super::surface::Full;
use super::taken::{Owed, Taken};
use crate::UiError;
use crate::commands::{Typed, is_taken};
use crate::composer::{Composer, Keymap, Symbol};
use crate::picker::Picker;
use crate::picker::conversations::Running;
use crate::screen::{Act, Live, Questions, Screen, WorkTree};
use crate::session::{PATIENCE, completion};
use crate::signals::{Asked, Signals};
use crate::text::{Line, Role, set_ambiguous_wide};

/// How often the live area is drawn while text streams in.
const FRAME: Duration = Duration::from_millis(16);

/// Lines taken in before they are drawn.
const BATCH: usize = 500;

/// A turn that took longer, in milliseconds, is worth a notification where the terminal does not say who looks.
const LONG: u64 = 10_000;

/// How talking ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The user left.
    Left,
    /// The session ended.
    Gone,
}

/// What was found out beside the loop.
pub(super) enum Found {
    Files(Arc<Vec<String>>),
    /// What they define.
    Symbols(Arc<Vec<Symbol>>),
    Tree(WorkTree),
    /// What the user's own command for the line below the prompt printed.
    OwnLine(String),
    /// A change to be reviewed, and what a review found.
    Change(Box<Result<Review, Problem>>),
    Report(Result<Option<Report>, Problem>),
    /// How the conversations stand that processes work on.
    Running(Running),
}

/// The screen, the terminal that it is drawn on, and the session.
pub(super) struct Console {
    pub(super) screen: Screen,
    pub(super) project: Arc<Project>,
    pub(super) client: Client,
    pub(super) options: TerminalOptions,
    /// True where the session is another process's, which leaving does not end.
    pub(super) attached: bool,
    /// The last event that was shown as what happened before.
    pub(super) shown: Seq,
    /// Commands that were not answered yet.
    pub(super) sent: HashMap<CommandId, Command>,
    /// Pictures from the clipboard, as long as a prompt may name them.
    pub(super) pictures: Vec<tempfile::NamedTempFile>,
    /// Commands that wait for the end of the turn.
    pub(super) later: VecDeque<Typed>,
    pub(super) painter: Painter<Stdout>,
    /// When the live area was drawn last, and whether something has changed since.
    drawn: Instant,
    stale: bool,
    title: String,
    /// True once the terminal has said that it reports its focus.
    knows_focus: bool,
    /// A printed list from which the next line chooses.
    pub(super) offered: Option<Picker>,
    /// What was looked up for the open list.
    pub(super) looked: Looked,
    pub(super) finding: (mpsc::UnboundedSender<Found>, mpsc::UnboundedReceiver<Found>),
    /// True while files are being listed.
    lists: bool,
    /// What gets the terminal next.
    pub(super) owes: Option<Owed>,
    /// What the running turn reviews.
    pub(super) reviewing: Option<(Review, Mode)>,
    /// The full screen, where that is shown.
    pub(super) full: Option<Full>,
    /// True once the other kind of screen was asked for.
    pub(super) switches: bool,
}

/// What woke the loop.
enum Woken {
    Update(Option<Update>),
    Input(Option<Input>),
    Signal(Asked),
    Resized,
    Found(Found),
    Time,
}

impl Console {
    pub(super) fn new(client: Client, options: &TerminalOptions, project: Arc<Project>) -> Result<Console, UiError> {
        let full = options.moves && options.fullscreen;
        let look = options.look(&project, full);
        let mut screen = Screen::new(look);
        screen.has_composer = true;
        let held = if options.moves && look.live { Questions::Held } else { Questions::Printed };
        screen.questions = if full { Questions::Entry } else { held };
        let keymap = Keymap::with(&project.settings.keys).map_err(UiError::Key)?;
        screen.composer = Composer::new(options.history.clone(), keymap);
        if project.settings.terminal.editing_mode.as_deref() == Some("vi") {
            screen.composer = screen.composer.with_vi();
        }
        screen.list_commands(project.custom_commands(&is_taken));
        Ok(Console {
            screen,
            project,
            client,
            options: options.clone(),
            attached: false,
            shown: Seq(0),
            sent: HashMap::new(),
            later: VecDeque::new(),
            pictures: Vec::new(),
            painter: Painter::new(std::io::stdout(), options.theme, options.moves),
            drawn: Instant::now(),
            stale: false,
            title: String::new(),
            knows_focus: false,
            offered: None,
            looked: Looked::default(),
            finding: mpsc::unbounded_channel(),
            lists: false,
            owes: None,
            reviewing: None,
            full: full.then(|| Full::new(look)),
            switches: false,
        })
    }

    /// Talks with the user until they leave or the session ends.
    pub(super) async fn run(&mut self) -> Result<Ended, UiError> {
        let mut taken = Taken { full: self.full.is_some(), ..Taken::default() };
        if self.options.moves {
            let setting = self.project.settings.terminal.ambiguous_width.as_deref().unwrap_or("auto");
            set_ambiguous_wide(probe::is_wide(setting, |name| std::env::var(name).ok()));
        }
        taken.enter(self.options.moves)?;
        if self.options.setting == "auto" && self.options.moves {
            expect_answer();
            self.put("\u{1b}]11;?\u{7}")?;
        }
        self.look_tree();
        let ended = self.follow(&mut taken).await;
        self.painter.close(size().0)?;
        if self.options.moves {
            self.put("\u{1b}]2;\u{7}")?;
        }
        drop(taken);
        self.end_full()?;
        ended
    }

    async fn follow(&mut self, taken: &mut Taken) -> Result<Ended, UiError> {
        let mut signals = Signals::watch();
        let mut resize = signal(SignalKind::window_change()).ok();
        self.draw(&[])?;
        let mut lines = Vec::new();
        loop {
            let mut act = None;
            let woken = self.woken(taken, &mut signals, &mut resize).await;
            if !lines.is_empty() && !matches!(woken, Woken::Update(Some(_)) | Woken::Time) {
                self.draw(&std::mem::take(&mut lines))?;
            }
            match woken {
                Woken::Update(None) => return Ok(Ended::Gone),
                Woken::Update(Some(update)) => {
                    let was_silent = self.screen.is_silent();
                    self.take(update, &mut lines)?;
                    // The first piece of a reply is drawn at once, of the others and their finished lines as many as
                    // the eye can follow.
                    let begins = was_silent && !self.screen.is_silent();
                    let waits = lines.is_empty() || !self.screen.is_silent();
                    if waits && !begins && self.drawn.elapsed() < FRAME {
                        self.stale = true;
                        continue;
                    }
                }
                Woken::Input(None) | Woken::Signal(Asked::Leave) => return self.leave().await,
                Woken::Input(Some(input)) => act = self.input(input, &mut lines),
                Woken::Signal(Asked::Stop) => {
                    let reaction = self.screen.interrupt();
                    lines.extend(reaction.lines);
                    act = reaction.act;
                }
                Woken::Found(found) => self.found(found)?,
                Woken::Resized => {}
                Woken::Time => {
                    taken.raw.as_ref().map_or(Ok(()), Raw::keep)?;
                    self.hold_back();
                    let reaction = self.screen.tick(now());
                    lines.extend(reaction.lines);
                    act = reaction.act;
                }
            }
            self.follows(act.as_ref());
            match act {
                None => {}
                Some(Act::Leave) => return self.leave().await,
                Some(Act::Send(command)) => self.send_meant(command),
                Some(Act::Typed(text)) => {
                    self.draw(&std::mem::take(&mut lines))?;
                    if !self.entered(&text)? {
                        return self.leave().await;
                    }
                }
                Some(act) => self.beyond(act, taken).await?,
            }
            self.give_what_is_owed(taken, &mut lines).await?;
            if std::mem::take(&mut self.switches) {
                self.switch(taken, &mut lines)?;
            }
            self.draw(&std::mem::take(&mut lines))?;
            while !self.screen.view.busy
                && let Some(typed) = self.later.pop_front()
            {
                self.between(typed)?;
            }
        }
    }

    async fn woken(&mut self, taken: &mut Taken, signals: &mut Signals, resize: &mut Option<Signal>) -> Woken {
        let wakes = self.screen.wakes(now()).map(|at| Duration::from_millis(at.0.saturating_sub(now().0)));
        let draws = self.stale.then(|| FRAME.saturating_sub(self.drawn.elapsed()));
        let sleep = wakes.into_iter().chain(draws).min();
        let resized = async {
            match resize {
                Some(resize) => resize.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            update = self.client.next() => Woken::Update(update),
            input = taken.next() => Woken::Input(input),
            signal = signals.next() => Woken::Signal(signal),
            _ = resized => Woken::Resized,
            Some(found) = self.finding.1.recv() => Woken::Found(found),
            () = tokio::time::sleep(sleep.unwrap_or_default()), if sleep.is_some() => Woken::Time,
        }
    }

    /// Takes in an update and those that have arrived behind it.
    fn take(&mut self, first: Update, lines: &mut Vec<Line>) -> Result<(), UiError> {
        let (mut next, mut news) = (Some(first), false);
        while let Some(update) = next {
            news |= update.frame().is_some();
            lines.extend(self.lines_of(&update));
            if let Some(stop) = completion(&self.client, &update) {
                lines.push(Line::empty());
                self.ended(stop)?;
            }
            // A flood must not keep the keyboard waiting.
            next = if lines.len() < BATCH { self.client.ready() } else { None };
        }
        // A turn has ended, or something has changed between two.
        if news && !self.screen.view.busy {
            self.look_tree();
        }
        Ok(())
    }

    /// What an update shows; what was shown as the past is not shown again.
    pub(super) fn lines_of(&mut self, update: &Update) -> Vec<Line> {
        if matches!(update, Update::Frame(frame) if self.client.is_own(update) && frame.seq <= self.shown) {
            return Vec::new();
        }
        let mut lines = Vec::new();
        if let Update::Control(Control::Snapshot { view }) = update {
            lines.extend(self.earlier(view));
        }
        let was_asked = self.screen.is_asked();
        if let Update::Frame(frame) = update
            && let Event::TakenBack { count } = frame.event
            && frame.command.as_ref().is_some_and(|it| self.sent.contains_key(it))
        {
            self.screen.returned(count);
        }
        lines.extend(self.screen.update(update));
        self.refresh_jobs();
        if let Some(full) = &mut self.full {
            full.shown.take(&self.screen, update, std::mem::take(&mut lines));
        }
        if self.screen.is_asked() && !was_asked {
            let text = self.screen.look.say("notify.asks", &[]);
            // A terminal that is gone is noticed by the next draw.
            let _ = self.notify(&text, true);
        }
        let answered = match update {
            Update::Control(Control::Accepted { command, .. }) => Some((command, None)),
            Update::Control(Control::Rejected { command, why, .. }) => Some((command, Some(&why.code))),
            _ => None,
        };
        if let Some((id, code)) = answered
            && let Some(command) = self.sent.remove(id)
        {
            if matches!(command, Command::Rewind { .. }) {
                self.went_back(code.is_some());
            }
            // A turn that ended before it was stopped is what was wanted.
            let Some(code) = code.filter(|_| command != Command::Interrupt) else { return lines };
            // A prompt that was not taken begins no turn.
            if matches!(command, Command::Prompt { .. } | Command::Continue) && self.screen.view.stage.is_none() {
                self.screen.view.busy = false;
            }
            lines.extend(self.how(&command, code));
        }
        lines
    }

    /// A turn has ended: the files may have changed, and the user may look elsewhere.
    fn ended(&mut self, stop: Stop) -> Result<(), UiError> {
        self.screen.composer.forget_files();
        self.judge();
        self.pick_for_plan(stop);
        self.take_back();
        let took = now().0.saturating_sub(self.screen.view.began.0);
        let text = crate::report::verdict(&self.screen.look, &self.screen.view, stop);
        self.notify(&text, took > LONG)
    }

    /// Notifies a user who looks elsewhere; `anyway`: also where that is not known.
    fn notify(&mut self, text: &str, anyway: bool) -> Result<(), UiError> {
        let away = if self.knows_focus { !self.screen.focused } else { anyway };
        if away && self.options.moves {
            self.put(&notify::notification("Ox", text, |name| std::env::var(name).ok()))?;
        }
        Ok(())
    }

    /// Takes in a key, a paste, a change of focus.
    fn input(&mut self, input: Input, lines: &mut Vec<Line>) -> Option<Act> {
        // A terminal that is gone is noticed by the next draw.
        if self.full_input(&input).unwrap_or(true) {
            return None;
        }
        match input {
            Input::Event(Key::Key(key)) if key.kind != KeyEventKind::Release => {
                let reaction = self.screen.key(key, now());
                lines.extend(reaction.lines);
                if self.screen.composer.asks_for_files() && !self.lists {
                    self.list_files();
                }
                reaction.act
            }
            Input::Event(Key::Paste(text)) => {
                self.pasted(&text);
                None
            }
            Input::Event(Key::FocusGained | Key::FocusLost) => {
                self.knows_focus = true;
                self.screen.focused = input == Input::Event(Key::FocusGained);
                None
            }
            Input::Background(answer) => {
                self.background(&answer);
                None
            }
            Input::Event(_) => None,
        }
    }

    /// Closes the session and shows what it still says.
    async fn leave(&mut self) -> Result<Ended, UiError> {
        self.name_jobs()?;
        if self.attached || !self.screen.view.busy {
            return Ok(Ended::Left);
        }
        self.client.send(Command::Close);
        let deadline = tokio::time::Instant::now() + PATIENCE;
        while let Ok(Some(update)) = tokio::time::timeout_at(deadline, self.client.next()).await {
            let lines = self.screen.update(&update);
            self.draw(&lines)?;
            if completion(&self.client, &update).is_some() {
                break;
            }
        }
        Ok(Ended::Left)
    }

    pub(super) fn send(&mut self, command: Command) {
        if command == Command::Interrupt {
            self.take_back();
        }
        let id = self.client.send(command.clone());
        self.sent.insert(id, command);
    }

    /// Lists the files beside the loop: a large project takes its time.
    fn list_files(&mut self) {
        self.lists = true;
        let (project, found) = (Arc::clone(&self.project), self.finding.0.clone());
        // When the console is gone nobody needs them.
        tokio::task::spawn_blocking(move || {
            drop(found.send(Found::Files(Arc::new(project.paths()))));
            // Without an index there are files.
            drop(project.symbols().map(|it| found.send(Found::Symbols(Arc::new(it)))));
        });
    }

    /// Finds out where the project stands, beside the loop.
    pub(super) fn look_tree(&mut self) {
        let (project, found) = (Arc::clone(&self.project), self.finding.0.clone());
        if let Some(own) = self.own_line() {
            let found = found.clone();
            tokio::spawn(async move { drop(found.send(Found::OwnLine(own.await))) });
        }
        tokio::task::spawn_blocking(move || {
            let (branch, dirty) = (project.branch(), project.dirty_files().unwrap_or_default());
            drop(found.send(Found::Tree(WorkTree { branch, dirty, ..WorkTree::default() })));
        });
    }

    fn found(&mut self, found: Found) -> Result<(), UiError> {
        match found {
            Found::Files(files) => {
                self.lists = false;
                self.screen.composer.offer_files(files);
            }
            Found::Symbols(symbols) => self.screen.composer.offer_symbols(symbols),
            Found::Tree(tree) => {
                let own = self.screen.tree.own.take();
                self.screen.tree = WorkTree { own, ..tree };
            }
            Found::OwnLine(line) => self.screen.tree.own = Some(line),
            Found::Change(found) => self.change_found(*found)?,
            Found::Report(report) => self.report_found(report)?,
            Found::Running(running) => self.found_running(running),
        }
        Ok(())
    }

    pub(super) fn draw(&mut self, lines: &[Line]) -> Result<(), UiError> {
        let (columns, rows) = size();
        (self.drawn, self.stale) = (Instant::now(), false);
        self.screen.resize(columns);
        self.screen.rows = rows;
        if self.full.is_some() {
            self.draw_full(lines)?;
            return self.entitle();
        }
        let live = if self.options.moves { self.screen.live(now(), columns, rows) } else { Live::default() };
        self.painter.draw(lines, live, columns)?;
        self.entitle()?;
        Ok(self.painter.echo(self.screen.typing().as_deref())?)
    }

    /// Says in the window's title what goes on.
    fn entitle(&mut self) -> Result<(), UiError> {
        let title = notify::title(&self.screen.look, &self.screen.view, &self.project.root_name());
        if self.options.moves && title != self.title {
            self.put(&title)?;
            self.title = title;
        }
        Ok(())
    }

    /// Writes an escape.
    pub(super) fn put(&self, escape: &str) -> Result<(), UiError> {
        let mut out = std::io::stdout();
        out.write_all(escape.as_bytes())?;
        Ok(out.flush()?)
    }

    /// Prints lines above the live area.
    pub(super) fn print(&mut self, lines: &[Line]) -> Result<(), UiError> {
        self.draw(lines)
    }

    pub(super) fn say(&mut self, key: &str, args: &[(&str, &str)], role: Role) -> Result<(), UiError> {
        let line = Line::of(&self.screen.look.say(key, args), role);
        self.print(&[line])
    }
}
