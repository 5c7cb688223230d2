//! Writes what models are asked and answer to a cassette, entry by entry, as it happens.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ox_protocol::{BoxFuture, Failure, FailureKind, ModelFacts};
use serde::Serialize;

use super::entry::{Answer, Head, Line, NewInRequest, RecordedPiece, Secrets, VERSION};
use crate::failure::failure;
use crate::model::{Model, Piece, Reply, Request};

/// How many earlier requests are looked at for the one that has most in common with the next: conversations that are led
/// side by side mix in one recording.
const REMEMBERED: usize = 6;

/// A cassette that is being written. All models of a session write to the same one.
#[derive(Clone)]
pub struct Recorder(Arc<Mutex<Recording>>);

struct Recording {
    file: File,
    path: PathBuf,
    writer: Writer,
}

/// Makes the lines of a cassette.
#[derive(Debug, Default)]
struct Writer {
    head: Head,
    secrets: Secrets,
    count: usize,
    /// The last requests as they were, with their numbers.
    before: VecDeque<(usize, Request)>,
}

impl Recorder {
    /// Begins a new cassette at `path`, replacing what was there; a new file is for the user's eyes alone. The model of
    /// `head` is filled in with the first one that is recorded.
    pub fn create(path: &Path, head: Head) -> std::io::Result<Recorder> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let writer = Writer { head, ..Writer::default() };
        let recording = Recording { file: options.open(path)?, path: path.to_path_buf(), writer };
        Ok(Recorder(Arc::new(Mutex::new(recording))))
    }

    /// The model with its traffic recorded. `key` never appears in the cassette.
    pub(crate) fn around(&self, model: Arc<dyn Model>, key: Option<String>) -> Arc<dyn Model> {
        let mut recording = self.0.lock().expect("no holder of this lock panics");
        recording.writer.secrets.0.extend(key);
        Arc::new(Recorded { inner: model, recorder: self.clone() })
    }

    fn write(&self, request: &Request, answer: &Answer, facts: &ModelFacts) -> Result<(), Failure> {
        let mut recording = self.0.lock().expect("no holder of this lock panics");
        let Recording { file, path, writer } = &mut *recording;
        // A model that was only opened, to take over or for a part of the work, is not the one that was recorded.
        if writer.count == 0 {
            writer.head.model = facts.clone();
        }
        let text = writer.entry(request, answer, &facts.name);
        file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(|error| {
            let path = path.display();
            let words = format!("the cassette {path} cannot be written: {error}; free the place or stop recording");
            failure(FailureKind::Script, words)
        })
    }
}

/// A model whose traffic is recorded.
struct Recorded {
    inner: Arc<dyn Model>,
    recorder: Recorder,
}

impl Model for Recorded {
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
                    Piece::Text(text) => RecordedPiece::Text(text.to_string()),
                    Piece::Thinking(text) => RecordedPiece::Thinking(text.to_string()),
                });
                show(piece);
            };
            let done = self.inner.ask(request, &on).await;
            let answer = Answer { pieces: pieces.into_inner().expect("no holder of this lock panics"), done };
            self.recorder.write(request, &answer, self.inner.facts())?;
            answer.done
        })
    }
}

/// A cassette of requests and answers of which only the whole is known, as a stored conversation has them. `secrets`
/// never appear in it.
pub fn to_cassette(head: &Head, exchanges: &[(Request, Result<Reply, Failure>)], secrets: &[String]) -> String {
    let mut writer = Writer { head: head.clone(), secrets: Secrets(secrets.to_vec()), ..Writer::default() };
    let entries = exchanges.iter().map(|(request, done)| writer.entry(request, &Answer::whole(done.clone()), ""));
    entries.collect()
}

impl Writer {
    /// The line of the next entry, the head before the first. `model` is the one that was asked.
    fn entry(&mut self, request: &Request, answer: &Answer, model: &str) -> String {
        self.count += 1;
        let shared = |it: &Request| it.messages.iter().zip(&request.messages).take_while(|(a, b)| a == b).count();
        let base = self.before.iter().max_by_key(|(number, it)| (shared(it), *number));
        let (of, keeps) = base.map_or((0, 0), |(number, it)| (*number, shared(it)));
        let new = NewInRequest {
            keeps,
            of,
            tool_choice: request.tool_choice.clone(),
            system: base.is_none_or(|(_, it)| it.system != request.system).then(|| request.system.clone()),
            tools: base.is_none_or(|(_, it)| it.tools != request.tools).then(|| request.tools.clone()),
            messages: request.messages[keeps..].to_vec(),
        };
        let answer = answer.changed(&|it| self.secrets.hide(it));
        let (reply, failure) = match answer.done {
            Ok(reply) => (Some(reply), None),
            Err(failure) => (None, Some(failure)),
        };
        let model = if model == self.head.model.name { String::new() } else { model.to_string() };
        let line = Line { request: new, model, pieces: answer.pieces, reply, failure };
        let line = json(&self.secrets.hide_in(&line));
        self.before.push_back((self.count, request.clone()));
        if self.before.len() > REMEMBERED {
            self.before.pop_front();
        }
        if self.count > 1 {
            return line;
        }
        self.head.ox_cassette = VERSION;
        json(&self.head) + &line
    }
}

fn json(line: &impl Serialize) -> String {
    serde_json::to_string(line).expect("invariant: a cassette holds nothing that JSON cannot") + "\n"
}
