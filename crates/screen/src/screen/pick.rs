//! A list that has the keyboard.
//!
//! Promise: while it is open no key reaches the composer, and none answers a question of the agent.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{Act, Live, Reaction, Screen};
use crate::picker::{Answer, Of, Picked};
use crate::text::{Line, Role, clip};

impl Screen {
    /// Gives a key to the open list. What was chosen closes it.
    pub(super) fn pick(&mut self, key: KeyEvent) -> Reaction {
        let Some(picker) = &mut self.picker else { return Reaction::default() };
        // Whoever types goes on planning.
        if picker.of == Of::Plan && matches!(key.code, KeyCode::Char(c) if !c.is_ascii_digit()) {
            self.picker = None;
            self.composer.key(key);
            return Reaction::default();
        }
        let stops = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
        let answer = if stops { Answer::Closed } else { picker.key(key) };
        if answer == Answer::Nothing {
            return Reaction::default();
        }
        let picked = Picked { of: picker.of, id: picker.row().map(|it| it.id.clone()).unwrap_or_default(), answer };
        if matches!(picked.answer, Answer::Chosen | Answer::Closed) {
            self.picker = None;
        }
        Reaction::act(Act::Picked(picked))
    }

    /// The open list; above it that the agent waits for an answer.
    pub(super) fn picking(&self, columns: usize, rows: usize) -> Live {
        let Some(picker) = &self.picker else { return Live::default() };
        let waits = self.waits();
        let mut live = picker.live(&self.look, columns, rows - usize::from(waits));
        if waits {
            let line = Line::of(&self.look.say("ui.picker.waits", &[]), Role::Warn);
            live.above(vec![clip(&line, columns)]);
        }
        live
    }
}
