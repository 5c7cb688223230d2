//! Plain output for scripts and CI: the answer on standard output, everything else on standard error.
//!
//! Promise: standard output gets the final answer and nothing else, once, at the end. Without colour there is no escape
//! in either. Nobody is ever waited for: a question is answered with a refusal.

use std::io::{IsTerminal, Write};

use ox_client::Update;
use ox_protocol::locale::Language;
use ox_protocol::{Decision, Delta, DeltaKind, Event, MessageId};

use crate::report::{self, Look};
use crate::session::Unattended;
use crate::text::{Line, Role, Theme, clean, each, wrap};
use ox_client::view::View;

/// How to print.
#[derive(Clone, Copy, Debug)]
pub struct PlainOptions {
    /// The user's language.
    pub language: Language,
    /// The theme of standard error; `Theme::None` where it is not a terminal.
    pub theme: Theme,
    /// Only problems are told.
    pub quiet: bool,
}

impl PlainOptions {
    /// Options for this process's standard error: colours by `setting` (see `detect`) and only on a terminal.
    pub fn detect(language: Language, setting: &str, quiet: bool) -> PlainOptions {
        let theme = match std::io::stderr().is_terminal() {
            true => crate::text::detect(setting, |name| std::env::var(name).ok()),
            false => Theme::None,
        };
        PlainOptions { language, theme, quiet }
    }
}

/// What one frame leads to.
#[derive(Debug, Default)]
struct Reported {
    log: Vec<Line>,
    answer: Option<String>,
}

pub(crate) struct Plain {
    look: Look,
    theme: Theme,
    /// The answer of the turn that is over.
    answered: Option<String>,
    quiet: bool,
    view: View,
    unattended: Unattended,
    /// What the model has said of a reply that is not complete.
    begun: Option<(MessageId, String)>,
}

impl Plain {
    pub(crate) fn new(options: PlainOptions) -> Plain {
        let look = Look { apart: true, ..Look::new(options.language, 100) };
        Plain {
            look,
            theme: options.theme,
            answered: None,
            quiet: options.quiet,
            view: View::default(),
            unattended: Unattended::default(),
            begun: None,
        }
    }

    /// Tells of an update on standard error; the answer is kept until it is taken.
    pub(crate) fn show(&mut self, update: &Update) {
        let lines = match update {
            Update::Frame(frame) => {
                let reported = self.frame(frame);
                self.answered = reported.answer.or(self.answered.take());
                reported.log
            }
            Update::Delta(delta) => {
                self.delta(delta);
                return;
            }
            Update::Control(control) => report::control(&self.look, control),
        };
        let mut log = std::io::stderr();
        let columns = if log.is_terminal() { crate::columns_of_terminal() } else { usize::MAX };
        for line in lines.iter().flat_map(|line| wrap(line, columns)) {
            // There is nowhere to tell of a broken standard error.
            let _ = writeln!(log, "{}", self.theme.paint(&line));
        }
    }

    /// The answer of the turn that is over.
    pub(crate) fn take_answer(&mut self) -> Option<String> {
        self.answered.take()
    }

    /// Keeps the words of a reply, for the case that no more of it comes.
    fn delta(&mut self, delta: &Delta) {
        if delta.kind != DeltaKind::Text || self.view.is_of_agent(&delta.conversation) {
            return;
        }
        let begun = self.begun.take().filter(|(id, _)| *id == delta.message_id);
        let (id, mut text) = begun.unwrap_or_else(|| (delta.message_id.clone(), String::new()));
        text.push_str(&delta.delta);
        self.begun = Some((id, text));
    }

    /// What an unfinished reply holds; it will not go on.
    fn broken_off(&mut self) -> Vec<Line> {
        let text = self.begun.take().map(|(_, text)| text).unwrap_or_default();
        if text.trim().is_empty() {
            return Vec::new();
        }
        let mut lines = each(text.trim(), Role::Plain);
        lines.push(Line::of(&self.look.say("ui.broken_off", &[]), Role::Dim));
        lines
    }

    fn frame(&mut self, frame: &ox_protocol::Frame) -> Reported {
        let mut reported = Reported { log: report::lines(&self.look, &self.view, frame), answer: None };
        self.unattended.note(&frame.event);
        let mut urgent = matches!(frame.event, Event::Error { .. });
        if self.view.is_of_agent(&frame.conversation) {
            self.view.apply(frame);
            if self.quiet && !urgent {
                reported.log.clear();
            }
            return reported;
        }
        match &frame.event {
            Event::StreamComplete { .. } => self.begun = None,
            Event::Interrupted | Event::Completion { .. } => {
                let partial = self.broken_off();
                urgent |= !partial.is_empty();
                reported.log.splice(0..0, partial);
            }
            _ => {}
        }
        match &frame.event {
            // What was said on the way is not the answer.
            Event::StreamComplete { text, calls, .. } if !calls.is_empty() => {
                reported.log.splice(0..0, each(text.trim(), Role::Plain));
            }
            Event::Approval { call, decision: Decision::Deny { .. }, .. } => {
                if let Some(request) = self.view.request(call).filter(|_| self.unattended.refuses()) {
                    reported.log = report::refused(&self.look, request);
                }
                urgent = true;
            }
            Event::Completion { stop, .. } => {
                urgent |= stop.exit_code() != 0;
                reported.answer = self.answer();
            }
            _ => {}
        }
        self.view.apply(frame);
        if self.quiet && !urgent {
            reported.log.clear();
        }
        reported
    }

    /// The last words: the summary's with how to verify it and what was left undone, or the last reply's where there is
    /// none.
    fn answer(&self) -> Option<String> {
        let Some(it) = &self.view.summary else {
            let text = self.view.reply.trim();
            return (!text.is_empty()).then(|| clean(text));
        };
        let mut parts = vec![it.text.trim().to_string()];
        if !it.verify.trim().is_empty() {
            parts.push(format!("{}\n{}", self.look.say("ui.summary.verify", &[]), it.verify.trim()));
        }
        if !it.undone.is_empty() {
            let undone: String = it.undone.iter().map(|text| format!("\n- {text}")).collect();
            parts.push(format!("{}{undone}", self.look.say("ui.summary.undone", &[])));
        }
        parts.retain(|it| !it.is_empty());
        (!parts.is_empty()).then(|| clean(&parts.join("\n\n")))
    }
}

#[cfg(test)]
mod tests;
