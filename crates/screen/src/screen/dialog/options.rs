//! A question with options: the arrow keys and Enter pick one, or its number alone.
//!
//! Any other key begins an answer of the user's own.

use crossterm::event::{KeyCode, KeyEvent};
use ox_client::view::Asked;
use ox_protocol::Command;

use super::{Answered, Dialog, Step, is_plain};
use crate::editor::Editor;
use crate::report::Look;
use crate::text::{Line, Role};

impl Dialog {
    fn options(&self) -> &[String] {
        match &self.asked {
            Asked::Question { options, .. } => options,
            Asked::Approval(_) => &[],
        }
    }

    /// The step that a question begins with.
    pub(super) fn first_step(asked: &Asked, live: bool) -> Step {
        match asked {
            Asked::Approval(_) => Step::Choice,
            // Where nothing is redrawn the options stand with the question.
            Asked::Question { options, .. } if live && !options.is_empty() => Step::Option,
            Asked::Question { .. } => Step::Answer,
        }
    }

    /// The option that a key stands for.
    pub(super) fn picked(&self, key: KeyEvent) -> Option<usize> {
        match key.code {
            KeyCode::Enter if key.modifiers.is_empty() => self.selected,
            KeyCode::Char(c) if is_plain(key) => {
                let at = (c.to_digit(10)? as usize).checked_sub(1)?;
                (at < self.options().len()).then_some(at)
            }
            _ => None,
        }
    }

    pub(super) fn pick(&mut self, key: KeyEvent) -> Answered {
        if let KeyCode::Up | KeyCode::Down = key.code {
            self.select(key.code == KeyCode::Down, self.options().len());
        } else if let Some(at) = self.picked(key) {
            let Asked::Question { call, options, .. } = &self.asked else { return Answered::default() };
            let command = Command::Answer { call: call.clone(), text: options[at].clone() };
            self.step = Step::Answered;
            return Answered { command: Some(command), ..Answered::default() };
        } else if key.code != KeyCode::Enter {
            self.types_on(key);
        }
        Answered::default()
    }

    /// The key is the first of an answer of the user's own. False where none is asked for.
    pub(in crate::screen) fn types_on(&mut self, key: KeyEvent) -> bool {
        if self.step != Step::Option {
            return false;
        }
        (self.step, self.editor) = (Step::Answer, Editor::default());
        self.editor.key(key);
        true
    }

    pub(super) fn option_lines(&self, look: &Look) -> Vec<Line> {
        let line = |(at, option): (usize, &String)| {
            Line::of(if self.selected == Some(at) { "❯ " } else { "  " }, Role::User)
                .with(&format!("{} ", at + 1), Role::Accent)
                .with(option, Role::Plain)
                .hanging(4)
        };
        let hint = Line::of(&look.say("ui.question.pick", &[]), Role::Dim);
        self.options().iter().enumerate().map(line).chain([hint]).collect()
    }
}
