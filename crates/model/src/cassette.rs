//! Records a conversation's model traffic to a file and replays it without any network.
//!
//! A cassette is JSON lines: a header, then one entry for each request. An entry holds what is new in the request since
//! the one before, the pieces of the answer as they arrived, and the answer. Keys are never written.

mod compare;

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use ox_protocol::{BoxFuture, Failure, FailureKind, Message, ModelFacts, ToolChoice};
use serde::{Deserialize, Serialize};

use crate::failure::{failure, redact};
use crate::scripted::small_pieces;
use crate::{Model, Piece, Reply, Request};

/// The version that this code writes; it reads no later one.
const VERSION: u32 = 1;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    ox_cassette: u32,
    model: ModelFacts,
}

/// One request and what came of it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    request: Asked,
    /// The answer as it streamed.
    pieces: Vec<Recorded>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply: Option<Reply>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<Failure>,
}

/// A request without what it repeats of the one before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// The system prompt where it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    system: Option<String>,
    /// Names of the tools where they changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<String>>,
    tool_choice: ToolChoice,
    /// Messages in all.
    messages: usize,
    /// Those that are new, or all of them where the history was rewritten.
    new: Vec<Message>,
}

/// A recorded piece.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Recorded {
    Text(String),
    Thinking(String),
}

/// What the request before was, to tell what is new.
#[derive(Debug, Default)]
struct Before {
    system: Option<String>,
    tools: Option<Vec<String>>,
    messages: Vec<Message>,
}

impl Before {
    fn asked(&mut self, request: &Request) -> Asked {
        let tools: Vec<String> = request.tools.iter().map(|it| it.name.clone()).collect();
        let known = if request.messages.starts_with(&self.messages) { self.messages.len() } else { 0 };
        let asked = Asked {
            system: (self.system.as_ref() != Some(&request.system)).then(|| request.system.clone()),
            tools: (self.tools.as_ref() != Some(&tools)).then(|| tools.clone()),
            tool_choice: request.tool_choice.clone(),
            messages: request.messages.len(),
            new: request.messages[known..].to_vec(),
        };
        *self = Before { system: Some(request.system.clone()), tools: Some(tools), messages: request.messages.clone() };
        asked
    }
}

/// A model whose traffic is written to a cassette.
pub struct Recording<M> {
    inner: M,
    tape: Mutex<Tape>,
    secrets: Vec<String>,
}

struct Tape {
    file: File,
    path: PathBuf,
    before: Before,
}

impl<M: Model> Recording<M> {
    /// Begins a new cassette at `path`, replacing what was there. `secrets` never appear in it.
    pub fn create(inner: M, path: &Path, secrets: Vec<String>) -> std::io::Result<Recording<M>> {
        let mut file = File::create(path)?;
        let header = Header { ox_cassette: VERSION, model: inner.facts().clone() };
        writeln!(file, "{}", serde_json::to_string(&header)?)?;
        let tape = Tape { file, path: path.to_path_buf(), before: Before::default() };
        Ok(Recording { inner, tape: Mutex::new(tape), secrets })
    }

    fn write(&self, request: &Request, pieces: Vec<Recorded>, done: &Result<Reply, Failure>) -> Result<(), Failure> {
        let mut tape = self.tape.lock().expect("no holder of this lock panics");
        let secrets: Vec<&str> = self.secrets.iter().map(String::as_str).collect();
        let entry = Entry {
            request: tape.before.asked(request),
            pieces: clean(pieces, &secrets),
            reply: done.as_ref().ok().cloned(),
            failure: done.as_ref().err().cloned(),
        };
        let line = serde_json::to_string(&entry).expect("an entry always serialises");
        let written = writeln!(tape.file, "{}", redact(&line, &secrets)).and_then(|()| tape.file.flush());
        written.map_err(|error| {
            let path = tape.path.display();
            failure(
                FailureKind::Script,
                format!("the cassette {path} cannot be written: {error}; free the place or stop recording"),
            )
        })
    }
}

/// The pieces, cut anew where a secret was spread over several of them.
fn clean(pieces: Vec<Recorded>, secrets: &[&str]) -> Vec<Recorded> {
    let (mut text, mut thinking) = (String::new(), String::new());
    for piece in &pieces {
        match piece {
            Recorded::Text(it) => text += it,
            Recorded::Thinking(it) => thinking += it,
        }
    }
    let (clean_text, clean_thinking) = (redact(&text, secrets), redact(&thinking, secrets));
    if clean_text == text && clean_thinking == thinking {
        return pieces;
    }
    let thinking = small_pieces(&clean_thinking).map(|it| Recorded::Thinking(it.to_string()));
    thinking.chain(small_pieces(&clean_text).map(|it| Recorded::Text(it.to_string()))).collect()
}

impl<M: Model> Model for Recording<M> {
    fn facts(&self) -> &ModelFacts {
        self.inner.facts()
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let pieces = Mutex::new(Vec::new());
            let on = |piece: Piece<'_>| {
                pieces.lock().expect("no holder of this lock panics").push(match piece {
                    Piece::Text(text) => Recorded::Text(text.to_string()),
                    Piece::Thinking(text) => Recorded::Thinking(text.to_string()),
                });
                show(piece);
            };
            let done = self.inner.ask(request, &on).await;
            self.write(request, pieces.into_inner().expect("no holder of this lock panics"), &done)?;
            done
        })
    }
}

/// How closely a request must resemble the recorded one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Match {
    /// The new messages, the tools' names and the choice are equal.
    #[default]
    Exact,
    /// The new messages have the same roles, calls and outcomes; their words may differ, as paths and times do.
    Lenient,
}

/// A model that answers from a cassette, in the recorded order.
#[derive(Debug)]
pub struct Replay {
    facts: ModelFacts,
    place: Mutex<Place>,
    matching: Match,
    pace: Duration,
}

#[derive(Debug)]
struct Place {
    entries: std::vec::IntoIter<Entry>,
    taken: usize,
    before: Before,
}

impl Replay {
    /// Opens the cassette at `path`.
    pub fn open(path: &Path, matching: Match) -> Result<Replay, String> {
        let file = File::open(path).map_err(|error| error.to_string())?;
        Replay::read(BufReader::new(file), matching)
    }

    /// Reads a cassette from anywhere, for example from the binary itself.
    pub fn read(from: impl BufRead, matching: Match) -> Result<Replay, String> {
        let mut lines = from.lines().enumerate();
        let (_, first) = lines.next().ok_or("it is empty")?;
        let first = first.map_err(|error| error.to_string())?;
        let header: Header = serde_json::from_str(&first).map_err(|error| format!("line 1 is no header: {error}"))?;
        if header.ox_cassette > VERSION {
            return Err(format!("it has version {}, this Ox reads up to {VERSION}; update Ox", header.ox_cassette));
        }
        let mut entries = Vec::new();
        for (at, line) in lines {
            let line = line.map_err(|error| error.to_string())?;
            if !line.trim().is_empty() {
                entries.push(serde_json::from_str(&line).map_err(|error| format!("line {}: {error}", at + 1))?);
            }
        }
        let place = Place { entries: Vec::into_iter(entries), taken: 0, before: Before::default() };
        Ok(Replay { facts: header.model, place: Mutex::new(place), matching, pace: Duration::ZERO })
    }

    /// Waits this long after each piece, so that it can be watched.
    #[must_use]
    pub fn with_pace(mut self, pace: Duration) -> Replay {
        self.pace = pace;
        self
    }

    fn next(&self, request: &Request) -> Result<Entry, Failure> {
        let mut place = self.place.lock().expect("no holder of this lock panics");
        let asked = place.before.asked(request);
        place.taken += 1;
        let Some(entry) = place.entries.next() else {
            let taken = place.taken - 1;
            let message =
                format!("the cassette is at its end: it has {taken} replies and the model was asked once more");
            return Err(failure(FailureKind::Script, message));
        };
        match compare::difference(&entry.request, &asked, self.matching) {
            None => Ok(entry),
            Some(difference) => Err(failure(
                FailureKind::Script,
                format!(
                    "request {} differs from the recorded one; record the cassette anew\n{difference}",
                    place.taken
                ),
            )),
        }
    }
}

impl Model for Replay {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let entry = self.next(request)?;
            for piece in &entry.pieces {
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
            match (entry.reply, entry.failure) {
                (Some(reply), _) => Ok(reply),
                (None, Some(failure)) => Err(failure),
                (None, None) => Err(failure(FailureKind::Script, "the recorded entry has neither reply nor failure")),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::scripted::{Scripted, parse_script};
    use ox_protocol::{Part, Role};

    const SCRIPT: &str = "-- model --\n@@think Hm.\nI will look around here. The key is sk-abcdefgh12345.\n@read_file\npath: a.rs\n-- model: fail 529 slow --\n-- model --\nDone.\n";

    async fn play(model: &dyn Model, requests: &[Request]) -> Vec<(Result<Reply, Failure>, Vec<String>)> {
        let mut played = Vec::new();
        for request in requests {
            let pieces = Mutex::new(Vec::new());
            let show = |piece: Piece<'_>| pieces.lock().unwrap().push(format!("{piece:?}"));
            let done = model.ask(request, &show).await;
            played.push((done, pieces.into_inner().unwrap()));
        }
        played
    }

    fn requests() -> Vec<Request> {
        let first = sample::conversation();
        let mut second = first.clone();
        second.messages.push(Message::text(Role::Assistant, "I will look"));
        second.messages.push(Message::text(Role::User, "in /tmp/1"));
        vec![first, second.clone(), second]
    }

    async fn recorded(path: &Path) -> Vec<(Result<Reply, Failure>, Vec<String>)> {
        let scripted = Scripted::new(parse_script(SCRIPT));
        let recording = Recording::create(scripted, path, vec!["look around".into()]).unwrap();
        play(&recording, &requests()).await
    }

    #[tokio::test]
    async fn what_was_recorded_is_replayed_piece_by_piece() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let first = recorded(&path).await;
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 4);
        assert!(!text.contains("abcdefgh12345") && !text.contains("around"), "a secret was recorded");
        assert_eq!(text.matches("You are Ox.").count(), 1, "the system prompt stands there once");
        let replay = Replay::open(&path, Match::Exact).unwrap();
        let again = play(&replay, &requests()).await;
        assert_eq!(again[1], first[1]);
        assert_eq!(again[0].0.as_ref().unwrap().calls, first[0].0.as_ref().unwrap().calls);
        assert_eq!(again[2], first[2]);
        let end = play(&replay, &requests()[2..]).await.remove(0).0.unwrap_err();
        assert!(end.kind == FailureKind::Script && end.message.contains("3 replies"), "{}", end.message);
    }

    #[tokio::test]
    async fn a_different_request_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        recorded(&path).await;
        let mut changed = requests();
        changed[1].messages.pop();
        changed[1].messages.push(Message::text(Role::User, "in /tmp/2"));
        let strict = play(&Replay::open(&path, Match::Exact).unwrap(), &changed[..2]).await.remove(1).0.unwrap_err();
        expect_test::expect![[r#"
            request 2 differs from the recorded one; record the cassette anew
            message 6
              recorded: in /tmp/1
              now:      in /tmp/2"#]]
        .assert_eq(&strict.message);
        let lenient = play(&Replay::open(&path, Match::Lenient).unwrap(), &changed[..2]).await.remove(1).0.unwrap_err();
        assert_eq!(lenient.kind, FailureKind::Overloaded, "the recorded failure, not a difference");
        changed[1].messages.push(Message { role: Role::Tool, parts: vec![Part::text("x")] });
        let other = play(&Replay::open(&path, Match::Lenient).unwrap(), &changed[..2]).await.remove(1).0.unwrap_err();
        assert_eq!(other.kind, FailureKind::Script);
    }

    #[test]
    fn a_newer_or_broken_cassette_is_refused() {
        let open = |text: &str| Replay::read(text.as_bytes(), Match::Exact).unwrap_err();
        assert_eq!(open(""), "it is empty");
        assert!(open("hello\n").starts_with("line 1 is no header"));
        let header = serde_json::to_string(&Header { ox_cassette: 2, model: ModelFacts::default() }).unwrap();
        assert!(open(&header).contains("update Ox"));
        let header = header.replace(":2,", ":1,");
        assert!(open(&format!("{header}\n{{}}\n")).starts_with("line 2:"));
    }
}
