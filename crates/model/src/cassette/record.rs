//! Writes what models are asked and answer to a cassette, entry by entry, as it happens.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ox_protocol::{BoxFuture, Failure, FailureKind, ModelFacts};

use super::form::{Writer, head};
use super::{Head, Heard, Recorded, Secrets, cut_anew};
use crate::failure::failure;
use crate::{Model, Piece, Reply, Request};

/// A cassette that is being written. All models of a session write to the same one.
#[derive(Clone)]
pub struct Tape(Arc<Mutex<Reel>>);

struct Reel {
    file: File,
    path: PathBuf,
    head: Head,
    /// Whether the head is written: it names the first model.
    begun: bool,
    writer: Writer,
    secrets: Secrets,
}

impl Tape {
    /// Begins a new cassette at `path`, replacing what was there; a new file is for the user's eyes alone. The model of
    /// `head` is filled in with the first one that is recorded.
    pub fn create(path: &Path, head: Head) -> std::io::Result<Tape> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        let (path, writer, secrets) = (path.to_path_buf(), Writer::default(), Secrets::default());
        Ok(Tape(Arc::new(Mutex::new(Reel { file, path, head, begun: false, writer, secrets }))))
    }

    /// The model with its traffic recorded. `key` never appears on the tape.
    pub fn around(&self, model: Arc<dyn Model>, key: Option<String>) -> Arc<dyn Model> {
        let mut reel = self.0.lock().expect("no holder of this lock panics");
        reel.secrets.0.extend(key);
        Arc::new(Recording { inner: model, tape: self.clone() })
    }

    fn write(&self, request: &Request, heard: &Heard, facts: &ModelFacts) -> Result<(), Failure> {
        let mut reel = self.0.lock().expect("no holder of this lock panics");
        let Reel { file, path, head: first, begun, writer, secrets } = &mut *reel;
        // A model that was only opened, to take over or for a part of the work, is not the one that the tape is of.
        if !*begun {
            first.model = facts.clone();
        }
        let beginning = if *begun { String::new() } else { head(first) };
        let model = if first.model.name == facts.name { "" } else { facts.name.as_str() };
        let text = beginning + &writer.entry(request, heard, model, secrets);
        *begun = true;
        file.write_all(text.as_bytes()).and_then(|()| file.flush()).map_err(|error| {
            let path = path.display();
            let words = format!("the cassette {path} cannot be written: {error}; free the place or stop recording");
            failure(FailureKind::Script, words)
        })
    }
}

/// A model whose traffic is recorded.
struct Recording {
    inner: Arc<dyn Model>,
    tape: Tape,
}

impl Model for Recording {
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
            let heard = Heard { pieces: pieces.into_inner().expect("no holder of this lock panics"), done };
            self.tape.write(request, &heard, self.inner.facts())?;
            heard.done
        })
    }
}

/// A cassette of requests and answers of which only the whole is known, as a stored conversation has them. `secrets`
/// never appear in it.
pub fn written(first: &Head, asked: &[(Request, Result<Reply, Failure>)], secrets: &[String]) -> String {
    let (mut writer, secrets) = (Writer::default(), Secrets(secrets.to_vec()));
    let mut text = head(first);
    for (request, done) in asked {
        let said = done.as_ref().map_or_else(|it| &it.partial, |it| &it.text);
        let thought: String = done.iter().flat_map(|it| &it.reasoning).map(|it| it.text.as_str()).collect();
        let heard = Heard { pieces: cut_anew(&thought, said), done: done.clone() };
        text += &writer.entry(request, &heard, "", &secrets);
    }
    text
}
