//! A person, or a program, as the model: at the terminal, or by files in a directory.
//!
//! Never invents a reply: a malformed one is answered with words that say what is wrong, and waited for again.

mod folder;

use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use ox_protocol::{BoxFuture, Failure, FailureKind, Message, ModelFacts, ModelLayer, Part, Role, Tokens};

use crate::catalogue::models as catalogue;
use crate::failure::failure;
use crate::model::{Model, Piece, Reply, Request};
use crate::offline::scripted::{parse_reply, small_pieces};

use folder::Folder;

/// The model is whoever sits at the other end.
pub struct Manual {
    facts: ModelFacts,
    seat: Seat,
}

enum Seat {
    Terminal(Arc<Mutex<Terminal>>),
    Folder(Folder),
}

struct Terminal {
    out: Box<dyn Write + Send>,
    input: Box<dyn BufRead + Send>,
    /// Messages that have been shown.
    shown: usize,
    /// The system prompt that has been shown.
    system: String,
}

impl Manual {
    /// Shows requests on `out` and reads replies, in the syntax of scripts and ended by a line `.`, from `input`.
    pub(crate) fn terminal(out: Box<dyn Write + Send>, input: Box<dyn BufRead + Send>) -> Manual {
        let terminal = Terminal { out, input, shown: 0, system: String::new() };
        Manual { facts: facts(), seat: Seat::Terminal(Arc::new(Mutex::new(terminal))) }
    }

    /// Writes `NNN.request.json` into `folder`, which is made if need be, and waits for `NNN.reply.json` or
    /// `NNN.reply.txt`. Numbers go on from the highest that is there.
    pub(crate) fn folder(folder: &Path) -> std::io::Result<Manual> {
        Ok(Manual { facts: facts(), seat: Seat::Folder(Folder::open(folder)?) })
    }

    /// The same seat under another name, and with what the user says of the model that sits there.
    pub(crate) fn named(mut self, name: &str, layer: Option<&ModelLayer>) -> Manual {
        self.facts.name = name.to_string();
        if let Some(layer) = layer {
            catalogue::apply(&mut self.facts, layer);
        }
        self
    }
}

fn facts() -> ModelFacts {
    ModelFacts {
        name: "manual".to_string(),
        window: Tokens(200_000),
        max_output: Tokens(32_000),
        ..ModelFacts::default()
    }
}

impl Model for Manual {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let reply = match &self.seat {
                Seat::Folder(folder) => folder.ask(request).await?,
                Seat::Terminal(terminal) => {
                    let (terminal, request) = (terminal.clone(), request.clone());
                    let asked = tokio::task::spawn_blocking(move || {
                        terminal.lock().expect("no holder of this lock panics").ask(&request)
                    });
                    asked.await.map_err(|error| failure(FailureKind::Script, error.to_string()))??
                }
            };
            reply.reasoning.iter().for_each(|it| show(Piece::Thinking(&it.text)));
            small_pieces(&reply.text).for_each(|piece| show(Piece::Text(piece)));
            Ok(reply)
        })
    }
}

impl Terminal {
    fn ask(&mut self, request: &Request) -> Result<Reply, Failure> {
        self.show(request)
            .map_err(|error| failure(FailureKind::Script, format!("cannot show the request: {error}")))?;
        let mut text = String::new();
        loop {
            let mut line = String::new();
            let read = self.input.read_line(&mut line);
            match read {
                Ok(0) if text.trim().is_empty() => {
                    let message = "the input ended where a reply was expected; type a reply and end it with a line `.`";
                    return Err(failure(FailureKind::Script, message));
                }
                Ok(0) => break,
                Ok(_) if line.trim_end() == "." => break,
                Ok(_) => text += &line,
                Err(error) => return Err(failure(FailureKind::Script, format!("cannot read the reply: {error}"))),
            }
        }
        Ok(parse_reply(&text))
    }

    fn show(&mut self, request: &Request) -> std::io::Result<()> {
        if self.system != request.system {
            let tools: Vec<&str> = request.tools.iter().map(|it| it.name.as_str()).collect();
            writeln!(self.out, "── system ──\n{}\n── tools: {} ──", request.system.trim_end(), tools.join(", "))?;
            self.system.clone_from(&request.system);
        }
        // A history that was rewritten is shown anew.
        let from = if request.messages.len() < self.shown { 0 } else { self.shown };
        for message in &request.messages[from..] {
            self.out.write_all(message_words(message).as_bytes())?;
        }
        self.shown = request.messages.len();
        writeln!(
            self.out,
            "── your reply ({:?}); text, then `@tool` and `key: value` lines; end with `.` ──",
            request.tool_choice
        )?;
        self.out.flush()
    }
}

/// A message for a person to read.
fn message_words(message: &Message) -> String {
    let who = match message.role {
        Role::User => "user",
        Role::Assistant => "model",
        Role::Tool => "results",
    };
    let mut out = format!("── {who} ──\n");
    for part in &message.parts {
        out += &match part {
            Part::Text { text } => format!("{}\n", text.trim_end()),
            Part::Image { image } => format!("[picture {}]\n", image.name),
            Part::Reasoning { .. } => String::new(),
            Part::Call { name, args, .. } => format!("@{name} {args}\n"),
            Part::Result { name, ok, text, .. } => {
                format!("[{name}{}]\n{}\n", if *ok { "" } else { " failed" }, text.trim_end())
            }
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use expect_test::expect;

    use super::*;
    use crate::sample;

    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_person_at_the_terminal() {
        let screen = Screen::default();
        let input = Cursor::new("I will look.\n@read_file\npath: a.rs\n.\nDone.\n.\n");
        let model = Manual::terminal(Box::new(screen.clone()), Box::new(input));
        let mut request = sample::conversation();
        let show = |_: Piece<'_>| {};
        let first = model.ask(&request, &show).await.unwrap();
        assert_eq!((first.text.as_str(), first.calls.len()), ("I will look.", 1));
        request.messages.push(Message::text(Role::User, "and now?").into());
        assert_eq!(model.ask(&request, &show).await.unwrap().text, "Done.");
        expect![[r#"
            ── system ──
            You are Ox.
            ── tools: read_file, run_checks ──
            ── user ──
            Context.
            Fix add.
            ── model ──
            I will look.
            @read_file {"path":"src/lib.rs"}
            @run_checks {}
            ── results ──
            [read_file]
            a picture
            [run_checks failed]
            1 test failed
            ── user ──
            Like this:
            [picture shot.png]
            ── your reply (Auto); text, then `@tool` and `key: value` lines; end with `.` ──
            ── user ──
            and now?
            ── your reply (Auto); text, then `@tool` and `key: value` lines; end with `.` ──
        "#]]
        .assert_eq(&String::from_utf8(screen.0.lock().unwrap().clone()).unwrap());
        let end = model.ask(&request, &show).await.unwrap_err();
        assert!(end.message.starts_with("the input ended"), "{}", end.message);
    }
}
