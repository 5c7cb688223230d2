//! Answers requests from a cassette, without any network.

use std::io::BufRead;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use ox_protocol::{BoxFuture, Failure, FailureKind, Image, ModelFacts, Part, Role};
use tokio::sync::Notify;

use super::compare::{Difference, Eye};
use super::form::{self, MARK};
use super::{Asked, Entry, Head, Heard, Recorded, VERSION, cut_anew, joined, lines};
use crate::failure::failure;
use crate::{Model, Piece, Reply, Request};

/// How closely a request must resemble a recorded one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Match {
    /// Everything is equal but what varies from run to run: durations, times, hexadecimal ids, the project's folder.
    #[default]
    Exact,
    /// The messages have the same roles, calls and outcomes; their words may differ.
    Lenient,
}

/// A model that answers from a cassette: each recorded answer once, to the request that it was given to.
#[derive(Debug)]
pub struct Replay {
    head: Head,
    /// The project's folder now; empty where it does not matter.
    root: String,
    entries: Vec<Entry>,
    state: Mutex<State>,
    matching: Match,
    pace: Duration,
    /// Told once the run is where the recorded one was interrupted.
    interrupted: Notify,
}

#[derive(Debug, Default)]
struct State {
    used: Vec<bool>,
    /// How often the model was asked.
    asked: usize,
    /// What diverged, once something has.
    diverged: Option<String>,
}

impl Replay {
    /// Opens the cassette at `path`.
    pub fn open(path: &Path, matching: Match) -> Result<Replay, String> {
        let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
        Replay::read(std::io::BufReader::new(file), matching)
    }

    /// Reads a cassette from anywhere, for example from the binary itself. Errors name the line.
    pub fn read(mut from: impl BufRead, matching: Match) -> Result<Replay, String> {
        let mut text = String::new();
        from.read_to_string(&mut text).map_err(|error| error.to_string())?;
        let (head, entries) = parsed(&text)?;
        let state = Mutex::new(State { used: vec![false; entries.len()], ..State::default() });
        Ok(Replay {
            head,
            root: String::new(),
            entries,
            state,
            matching,
            pace: Duration::ZERO,
            interrupted: Notify::new(),
        })
    }

    /// Waits this long after each piece, so that it can be watched.
    #[must_use]
    pub fn with_pace(mut self, pace: Duration) -> Replay {
        self.pace = pace;
        self
    }

    /// Replays in another folder than the recorded one: where one is named, the other is meant.
    #[must_use]
    pub fn at(mut self, root: &str) -> Replay {
        self.root = root.to_string();
        self
    }

    /// What the cassette says of itself.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// How many answers it holds.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True where it holds none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many answers were not asked for yet, and the line of the first of them.
    pub fn left(&self) -> Option<(usize, usize)> {
        let state = self.lock();
        let mut left = self.entries.iter().zip(&state.used).filter(|(_, used)| !**used).map(|(it, _)| it.line);
        let line = left.next()?;
        Some((1 + left.count(), line))
    }

    /// Comes back when the run is where the recorded one was interrupted: the model is silent from then on.
    pub async fn interrupted(&self) {
        self.interrupted.notified().await;
    }

    /// What diverged, where something has.
    pub fn diverged(&self) -> Option<String> {
        self.lock().diverged.clone()
    }

    /// What the user says next: the last words of the first request that was not made yet, and their pictures. None where
    /// it does not end with words of the user's.
    pub fn next_prompt(&self) -> Option<(String, Vec<Image>)> {
        let at = self.lock().used.iter().position(|used| !used)?;
        let last = self.entries[at].asked.messages.last().filter(|it| it.role == Role::User)?;
        let text =
            last.parts.iter().rev().find_map(|it| if let Part::Text { text } = it { Some(text) } else { None })?;
        let picture = |it: &Part| if let Part::Image { image } = it { Some(image.clone()) } else { None };
        Some((self.here(text), last.parts.iter().filter_map(picture).collect()))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("no holder of this lock panics")
    }

    /// A text of the cassette with this folder in the place of the recorded one.
    fn here(&self, text: &str) -> String {
        let moved = self.head.root.len() > 1 && !self.root.is_empty() && self.head.root != self.root;
        if moved { text.replace(&self.head.root, &self.root) } else { text.to_string() }
    }

    /// The answer to a request: of the recorded requests that were not made yet, the first that says the same.
    fn answer(&self, request: &Request) -> Result<Heard, Failure> {
        let mut state = self.lock();
        state.asked += 1;
        let looks = |matching| Eye { matching, roots: (&self.head.root, &self.root) };
        let unused = |used: &[bool]| (0..used.len()).filter(|at| !used[*at]).collect::<Vec<usize>>();
        let open = unused(&state.used);
        let find = |eye: &Eye<'_>| open.iter().copied().find(|at| self.fits(eye, *at, request));
        let found = find(&looks(Match::Exact))
            .or_else(|| (self.matching == Match::Lenient).then(|| find(&looks(Match::Lenient))).flatten());
        if let Some(at) = found {
            state.used[at] = true;
            return Ok(self.moved(&self.entries[at].heard));
        }
        let words = self.why_not(&looks(self.matching), &open, request, state.asked);
        state.diverged = Some(words.clone());
        Err(failure(FailureKind::Script, words))
    }

    fn fits(&self, eye: &Eye<'_>, at: usize, request: &Request) -> bool {
        let asked: &Asked = &self.entries[at].asked;
        asked.messages.len() == request.messages.len() && eye.difference(asked, request).is_none()
    }

    /// How the request differs from the one that resembles it most.
    fn why_not(&self, eye: &Eye<'_>, open: &[usize], request: &Request, number: usize) -> String {
        let differences = open.iter().filter_map(|at| Some((*at, eye.difference(&self.entries[*at].asked, request)?)));
        let length = |at: usize| self.entries[at].asked.messages.len().abs_diff(request.messages.len());
        let near = |(at, it): &(usize, Difference)| (it.alike, std::cmp::Reverse((length(*at), *at)));
        let Some((at, difference)) = differences.max_by_key(near) else {
            let count = self.entries.len();
            return format!("the cassette is at its end: it has {count} replies and the model was asked once more");
        };
        let (line, words) = (self.entries[at].line, difference.words);
        format!(
            "request {number} is not among the recorded ones; the nearest is request {} (line {line} of the cassette), \
             which differs in\n{words}",
            at + 1
        )
    }

    fn moved(&self, heard: &Heard) -> Heard {
        let mut heard = heard.clone();
        let (thinking, text) = joined(&heard.pieces);
        if self.here(&thinking) != thinking || self.here(&text) != text {
            heard.pieces = cut_anew(&self.here(&thinking), &self.here(&text));
        }
        match &mut heard.done {
            Ok(reply) => {
                reply.text = self.here(&reply.text);
                reply.calls.iter_mut().for_each(|it| it.args = self.here(&it.args));
            }
            Err(failure) => failure.partial = self.here(&failure.partial),
        }
        heard
    }
}

/// The head and entries of a text of either version.
fn parsed(text: &str) -> Result<(Head, Vec<Entry>), String> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let first = first.trim_end();
    if text.trim().is_empty() {
        return Err("it is empty".to_string());
    }
    let version = match first.strip_prefix(MARK) {
        Some(number) => number.trim().parse().ok(),
        None => lines::version(first),
    };
    let version = version.ok_or_else(|| {
        format!(
            "it is no cassette: its first line must be `{MARK} {VERSION}`, not `{}`",
            first.chars().take(60).collect::<String>()
        )
    })?;
    match version {
        1 => lines::read(text),
        2 => form::read(rest),
        _ => Err(format!("it has version {version}, and this Ox reads up to {VERSION}; update Ox, or record it anew")),
    }
}

impl Model for Replay {
    fn facts(&self) -> &ModelFacts {
        &self.head.model
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let heard = self.answer(request)?;
            if self.head.interrupted && self.left().is_none() {
                self.interrupted.notify_one();
                return std::future::pending().await;
            }
            for piece in &heard.pieces {
                match piece {
                    Recorded::Text(text) => show(Piece::Text(text)),
                    Recorded::Thinking(text) => show(Piece::Thinking(text)),
                }
                if self.pace.is_zero() {
                    tokio::task::yield_now().await;
                } else {
                    tokio::time::sleep(self.pace).await;
                }
            }
            heard.done
        })
    }
}
