//! The terminal: a `Screen` drawn as a session goes on, and the keyboard.
//!
//! Promise: the terminal is given back as it was found. While a turn runs everything typed is the user's: it answers
//! what is asked, or steers.

mod attached;
mod keys;
mod painter;
mod raw;

use std::io::Stdout;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossterm::event::{Event as Input, KeyEventKind};
use ox_app::Project;
use ox_app::project::attachments::named_images;
use ox_client::{Client, Update};
use ox_protocol::locale::Language;
use ox_protocol::{Command, Delivery, Stop, Time};

use crate::UiError;
use crate::commands::{self, Typed};
use crate::report::Look;
use crate::screen::{Act, Live, Screen};
use crate::session::{PATIENCE, completion};
use crate::signals::{Asked, Signals};
use crate::text::{Line, Role, Theme};
pub use attached::run_attached;
use keys::Keys;
pub(crate) use painter::Painter;
use raw::Raw;

/// How often the live area moves on.
const TICK: Duration = Duration::from_millis(50);

/// How often the live area is drawn while text streams in.
const FRAME: Duration = Duration::from_millis(16);

/// Lines taken in before they are drawn.
const BATCH: usize = 500;

/// How to use the terminal.
#[derive(Clone, Debug)]
pub struct TerminalOptions {
    /// The user's language.
    pub language: Language,
    /// Colours.
    pub theme: Theme,
    /// False for terminals without cursor movement: lines are printed one after the other, without any escape.
    pub moves: bool,
    /// Where the line prompt keeps its history.
    pub history: Option<PathBuf>,
    /// Shown in the greeting.
    pub version: String,
}

impl TerminalOptions {
    /// Options for this process's terminal. NO_COLOR and a dumb terminal mean lines without escapes.
    pub fn detect(language: Language, setting: &str) -> TerminalOptions {
        let env = |name: &str| std::env::var(name).ok();
        let theme = crate::text::detect(setting, env);
        let plain = env("NO_COLOR").is_some_and(|it| !it.is_empty()) || env("TERM").is_none_or(|it| it == "dumb");
        TerminalOptions { language, theme, moves: !plain, history: None, version: String::new() }
    }
}

/// How following a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With its completion.
    Turn(Stop),
    /// The user left.
    Left,
    /// The session ended.
    Gone,
}

/// Shows one turn that was already asked for, to its completion. `None` when the session ended without one.
pub async fn run_terminal(
    client: &mut Client,
    options: &TerminalOptions,
    project: Arc<Project>,
) -> Result<Option<Stop>, UiError> {
    let mut console = Console::new(options, project);
    Ok(match console.turn(client).await? {
        Ended::Turn(stop) => Some(stop),
        Ended::Left => Some(Stop::Interrupted),
        Ended::Gone => None,
    })
}

/// The screen and the terminal that it is drawn on.
pub(crate) struct Console {
    pub(crate) screen: Screen,
    pub(crate) project: Arc<Project>,
    painter: Painter<Stdout>,
    moves: bool,
    /// When the live area was drawn last.
    drawn: Instant,
}

impl Console {
    pub(crate) fn new(options: &TerminalOptions, project: Arc<Project>) -> Console {
        let look = Look { live: options.moves, ..Look::new(options.language, size().0 - 1) };
        let painter = Painter::new(std::io::stdout(), options.theme, options.moves);
        Console { screen: Screen::new(look), project, painter, moves: options.moves, drawn: Instant::now() }
    }

    /// Follows a turn to its completion.
    pub(crate) async fn turn(&mut self, client: &mut Client) -> Result<Ended, UiError> {
        let raw = Raw::enter(self.moves)?;
        let mut keys = Keys::read();
        let ended = self.follow(client, &raw, &mut keys).await;
        self.painter.close(size().0)?;
        for event in keys.finish() {
            self.leftover(event);
        }
        drop(raw);
        ended
    }

    async fn follow(&mut self, client: &mut Client, raw: &Raw, keys: &mut Keys) -> Result<Ended, UiError> {
        let mut signals = Signals::watch();
        let mut tick = tokio::time::interval(TICK);
        // A turn that was asked for and has not begun is busy too.
        self.screen.view.busy = true;
        self.screen.view.began = now();
        loop {
            let mut lines = Vec::new();
            let mut act = None;
            tokio::select! {
                update = client.next() => {
                    let Some(update) = update else { return Ok(Ended::Gone) };
                    let was_silent = self.screen.is_silent();
                    if let Some(stop) = self.take(client, update, &mut lines) {
                        self.draw(&lines)?;
                        return Ok(Ended::Turn(stop));
                    }
                    // The first piece of a reply is drawn at once; of the others as many as the eye can follow.
                    let begins = was_silent && !self.screen.is_silent();
                    if lines.is_empty() && !begins && self.drawn.elapsed() < FRAME {
                        continue; // The live area waits for the next piece or the next tick.
                    }
                }
                event = keys.next() => {
                    let Some(event) = event else { return self.leave(client).await };
                    act = self.input(event, &mut lines);
                }
                signal = signals.next() => {
                    if signal == Asked::Leave {
                        return self.leave(client).await;
                    }
                    let reaction = self.screen.interrupt();
                    lines = reaction.lines;
                    act = reaction.act;
                }
                _ = tick.tick() => {
                    raw.keep()?;
                    let reaction = self.screen.tick(now());
                    lines = reaction.lines;
                    act = reaction.act;
                }
            }
            match act {
                Some(Act::Leave) => return self.leave(client).await,
                Some(Act::Send(command)) => drop(client.send(command)),
                Some(Act::Typed(text)) if self.typed(client, &text, &mut lines) => return self.leave(client).await,
                Some(Act::Typed(_)) | None => {}
            }
            self.draw(&lines)?;
        }
    }

    /// Takes in an update and those that have arrived behind it.
    fn take(&mut self, client: &mut Client, first: Update, lines: &mut Vec<Line>) -> Option<Stop> {
        let mut next = Some(first);
        while let Some(update) = next {
            lines.extend(self.screen.update(&update));
            if let Some(stop) = completion(client, &update) {
                return Some(stop);
            }
            // A flood must not keep the keyboard waiting.
            next = if lines.len() < BATCH { client.ready() } else { None };
        }
        None
    }

    /// Takes in a key, a paste or a new size.
    fn input(&mut self, event: Input, lines: &mut Vec<Line>) -> Option<Act> {
        match event {
            Input::Key(key) if key.kind != KeyEventKind::Release => {
                let reaction = self.screen.key(key, now());
                lines.extend(reaction.lines);
                reaction.act
            }
            Input::Paste(text) => {
                self.screen.paste(&text);
                None
            }
            _ => None,
        }
    }

    /// A line typed while the turn runs. True when it asks to leave.
    fn typed(&mut self, client: &mut Client, text: &str, lines: &mut Vec<Line>) -> bool {
        match commands::parse(text) {
            Typed::Prompt(text) => {
                let (images, problems) = named_images(&text);
                lines.extend(problems.iter().map(|it| Line::of(&self.screen.look.language.problem(it), Role::Bad)));
                client.send(Command::Prompt { text, images, mode: None, delivery: Delivery::Steer });
                false
            }
            Typed::Exit => true,
            Typed::Mode(Some(mode)) => {
                client.send(Command::SetMode { mode });
                false
            }
            Typed::Model(Some(model)) => {
                client.send(Command::SetModel { model });
                false
            }
            other => {
                let busy = || vec![Line::of(&self.screen.look.say("repl.busy", &[]), Role::Warn)];
                lines.extend(commands::view(&self.screen, &other).unwrap_or_else(busy));
                false
            }
        }
    }

    /// Closes the session and shows what it still says.
    async fn leave(&mut self, client: &mut Client) -> Result<Ended, UiError> {
        client.send(Command::Close);
        let deadline = tokio::time::Instant::now() + PATIENCE;
        while let Ok(Some(update)) = tokio::time::timeout_at(deadline, client.next()).await {
            let lines = self.screen.update(&update);
            self.draw(&lines)?;
            if completion(client, &update).is_some() {
                break;
            }
        }
        Ok(Ended::Left)
    }

    /// Keys that were read and not used when the turn ended belong to the next prompt.
    fn leftover(&mut self, event: Input) {
        if let Input::Key(key) = event
            && key.kind != KeyEventKind::Release
            && !self.screen.view.busy
        {
            self.screen.late_key(key);
        }
    }

    fn draw(&mut self, lines: &[Line]) -> Result<(), UiError> {
        let (columns, rows) = size();
        self.drawn = Instant::now();
        self.screen.look.width = columns - 1;
        let live = if self.moves { self.screen.live(now(), columns, rows) } else { Live::default() };
        self.painter.draw(lines, live, columns)?;
        Ok(self.painter.echo(self.screen.typing().as_deref())?)
    }

    /// Prints lines while no turn runs.
    pub(crate) fn print(&mut self, lines: &[Line]) -> Result<(), UiError> {
        Ok(self.painter.draw(lines, Live::default(), size().0)?)
    }
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
