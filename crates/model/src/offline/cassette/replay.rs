//! Answers requests from a cassette, without any network.

use std::io::BufRead;
use std::path::Path;
use std::sync::Mutex;

use ox_protocol::{BoxFuture, Failure, FailureKind, Image, ModelFacts, Part, Role};
use tokio::sync::Notify;

pub use super::compare::Match;
use super::compare::{self, Difference};
use super::entry::{self, Answer, Entry, Head, RecordedPiece, RecordedRequest, Secrets};
use crate::failure::failure;
use crate::model::{Model, Piece, Reply, Request};

/// A model that answers from a cassette: each recorded answer once, to the request that it was given to.
#[derive(Debug)]
pub struct Replay {
    head: Head,
    entries: Vec<Entry>,
    state: Mutex<State>,
    matching: Match,
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
    pub(crate) fn read(mut from: impl BufRead, matching: Match) -> Result<Replay, String> {
        let mut text = String::new();
        from.read_to_string(&mut text).map_err(|error| error.to_string())?;
        let (head, entries) = entry::read(&text)?;
        let state = Mutex::new(State { used: vec![false; entries.len()], ..State::default() });
        Ok(Replay { head, entries, state, matching, interrupted: Notify::new() })
    }

    /// Replays in another folder than the recorded one: where one is named, the other is meant.
    #[must_use]
    pub fn at(mut self, root: &str) -> Replay {
        let old = std::mem::replace(&mut self.head.root, root.to_string());
        if old.len() < 2 || root.is_empty() || old == root {
            return self;
        }
        let name = |path: &str| format!("`{}`", path.rsplit('/').next().unwrap_or(path));
        let moved = |text: &str| text.replace(&old, root);
        // Requests also call the project by its name.
        let renamed = |text: &str| moved(text).replace(&name(&old), &name(root));
        for entry in &mut self.entries {
            entry.request = entry.request.changed(&renamed);
            entry.answer = entry.answer.changed(&moved);
        }
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
        let last = self.entries[at].request.messages.last().filter(|it| it.role == Role::User)?;
        let text =
            last.parts.iter().rev().find_map(|it| if let Part::Text { text } = it { Some(text) } else { None })?;
        let picture = |it: &Part| if let Part::Image { image } = it { Some(image.clone()) } else { None };
        Some((text.clone(), last.parts.iter().filter_map(picture).collect()))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("no holder of this lock panics")
    }

    /// The answer to a request: of the recorded requests that were not made yet, the first that says the same.
    fn answer(&self, request: &Request) -> Result<Answer, Failure> {
        let mut state = self.lock();
        state.asked += 1;
        let now = RecordedRequest::of(request, &Secrets::default());
        let open: Vec<usize> = (0..state.used.len()).filter(|at| !state.used[*at]).collect();
        let find = |matching: Match| open.iter().copied().find(|at| self.fits(matching, *at, &now));
        let found = find(Match::Exact).or_else(|| (self.matching == Match::Lenient).then(|| find(Match::Lenient))?);
        if let Some(at) = found {
            state.used[at] = true;
            return Ok(self.entries[at].answer.clone());
        }
        let words = self.why_not(&open, &now, state.asked);
        state.diverged = Some(words.clone());
        Err(failure(FailureKind::Script, words))
    }

    fn fits(&self, matching: Match, at: usize, now: &RecordedRequest) -> bool {
        let recorded = &self.entries[at].request;
        recorded.messages.len() == now.messages.len() && compare::difference(matching, recorded, now).is_none()
    }

    /// How the request differs from the one that resembles it most.
    fn why_not(&self, open: &[usize], now: &RecordedRequest, number: usize) -> String {
        let difference = |at: usize| compare::difference(self.matching, &self.entries[at].request, now);
        let differences = open.iter().filter_map(|at| Some((*at, difference(*at)?)));
        let length = |at: usize| self.entries[at].request.messages.len().abs_diff(now.messages.len());
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
            let answer = self.answer(request)?;
            if self.head.interrupted && self.left().is_none() {
                self.interrupted.notify_one();
                return std::future::pending().await;
            }
            for piece in &answer.pieces {
                match piece {
                    RecordedPiece::Text(text) => show(Piece::Text(text)),
                    RecordedPiece::Thinking(text) => show(Piece::Thinking(text)),
                }
                tokio::task::yield_now().await;
            }
            answer.done
        })
    }
}
