//! The forms of standard output.

use std::io::Write;

use ox_client::result::RunResult;
use ox_client::stream_json::StreamJson;
use ox_client::view::View;
use ox_client::{Control, Lines, Update};
use ox_protocol::locale::Language;
use ox_protocol::{Frame, Stop};
use serde_json::Value;

use super::events;
use super::form::Output;
use crate::plain::{Plain, PlainOptions};
use crate::report::{self, Look};

/// One form, with what it knows of the session so far.
pub(super) enum Face {
    Text(Box<Plain>),
    Aside(Box<Plain>),
    Json,
    StreamJson(Box<StreamJson>),
    Events(Lines),
}

impl Face {
    pub(super) fn new(output: Output, options: PlainOptions) -> Face {
        match output {
            Output::Text => Face::Text(Box::new(Plain::new(options))),
            Output::Aside => Face::Aside(Box::new(Plain::new(options))),
            Output::Json => Face::Json,
            Output::StreamJson { partial } => Face::StreamJson(Box::new(StreamJson::new(partial))),
            Output::Events => Face::Events(Lines::default()),
        }
    }

    /// Takes in an event from before this run.
    pub(super) fn before(&mut self, frame: &Frame) {
        if let Face::StreamJson(stream) = self {
            stream.before(frame);
        }
    }

    /// True for a form that people read as it comes.
    pub(super) fn is_for_people(&self) -> bool {
        matches!(self, Face::Text(_) | Face::Aside(_))
    }

    /// Shows an update.
    pub(super) fn update(&mut self, update: &Update) -> std::io::Result<()> {
        match self {
            Face::Text(plain) | Face::Aside(plain) => {
                plain.show(update);
                Ok(())
            }
            Face::Json => Ok(()),
            Face::StreamJson(stream) => stream.lines(update).iter().try_for_each(print),
            // What becomes of commands is of no use to who sends none.
            Face::Events(_) if matches!(update, Update::Control(Control::Accepted { .. })) => Ok(()),
            Face::Events(lines) => events::write(&mut std::io::stdout(), lines, update),
        }
    }

    /// A line beside the updates, for the form that has such.
    pub(super) fn line(&mut self, line: &Value) -> std::io::Result<()> {
        if matches!(self, Face::StreamJson(_)) { print(line) } else { Ok(()) }
    }

    /// Why a turn ended, in a sentence.
    pub(super) fn verdict(&self, language: Language, view: &View, stop: Stop) -> String {
        let look = Look { apart: true, ..Look::new(language, usize::MAX) };
        report::verdict(&look, view, stop)
    }

    /// Tells what a turn amounts to. `answer`: what stands in the place of its words.
    pub(super) fn close(
        &mut self,
        result: &RunResult,
        language: Language,
        answer: Option<&str>,
    ) -> std::io::Result<()> {
        match self {
            Face::Text(plain) => {
                if result.mismatch().is_empty() {
                    let said = plain.take_answer();
                    return answer.map(str::to_owned).or(said).map_or(Ok(()), |it| text(&it));
                }
                for why in result.mismatch() {
                    // There is nowhere to tell of a broken standard error.
                    let _ = writeln!(std::io::stderr(), "{}", crate::text::clean(why));
                }
                let _ = writeln!(std::io::stderr(), "{}", language.say("script.mismatch", &[]));
                Ok(())
            }
            Face::Json | Face::StreamJson(_) => text(&result.line(language)?),
            Face::Aside(_) | Face::Events(_) => Ok(()),
        }
    }
}

fn print(line: &Value) -> std::io::Result<()> {
    text(&serde_json::to_string(line)?)
}

/// Writes a line at once.
fn text(line: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
