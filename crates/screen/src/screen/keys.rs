//! The most used keys, shown below an empty prompt while one wants to see them.

use crossterm::event::{KeyCode, KeyEvent};

use super::Screen;
use crate::composer::Action;
use crate::text::{Line, Role, clip, width};

/// What is shown: a key that is typed as it stands, or that of an action, and what it does.
const SHOWN: [(Result<&str, Action>, &str); 12] = [
    (Ok("/"), "composer.keys.slash"),
    (Ok("@"), "composer.keys.at"),
    (Ok("!"), "composer.keys.shell"),
    (Ok("#"), "composer.keys.remember"),
    (Err(Action::NewLine), "composer.keys.newline"),
    (Err(Action::NextApproval), "composer.keys.policy"),
    (Err(Action::NextMode), "composer.keys.mode"),
    (Err(Action::HistorySearch), "composer.keys.history"),
    (Err(Action::Editor), "composer.keys.editor"),
    (Err(Action::Expand), "composer.keys.expand"),
    (Ok("esc"), "composer.keys.stop"),
    (Ok("/keys"), "composer.keys.keys"),
];

impl Screen {
    /// Shows the keys at `?` on an empty prompt, and hides them again at any key; true where it did nothing else.
    pub(super) fn overlay(&mut self, key: KeyEvent) -> bool {
        let asks = key.code == KeyCode::Char('?') && self.look.live && self.has_composer;
        if std::mem::take(&mut self.shows_keys) {
            return asks || key.code == KeyCode::Esc;
        }
        let is_free = self.composer.is_empty() && !self.is_asked() && self.composer.is_normal() != Some(true);
        self.shows_keys = asks && is_free;
        self.shows_keys
    }

    /// The keys in two columns; none while nobody wants to see them.
    pub(super) fn shown_keys(&self, columns: usize) -> Vec<Line> {
        if !self.shows_keys {
            return Vec::new();
        }
        let name = |of: &Result<&str, Action>| match of {
            Ok(typed) => Some((*typed).to_owned()),
            Err(action) => self.composer.keymap().key_of(*action),
        };
        let named: Vec<(String, String)> =
            SHOWN.iter().filter_map(|(of, key)| Some((name(of)?, self.look.say(key, &[])))).collect();
        let half = columns / 2;
        let cell = |(name, about): &(String, String)| {
            let gap = " ".repeat(10usize.saturating_sub(width(name)).max(1));
            (format!(" {name}{gap}"), about.clone())
        };
        let line = |pair: &[(String, String)]| {
            let mut line = Line::empty();
            for cells in pair.iter().map(cell) {
                let used = width(&line.text());
                let gap = if used == 0 { String::new() } else { " ".repeat(half.saturating_sub(used).max(1)) };
                line = line.with(&gap, Role::Plain).with(&cells.0, Role::Accent).with(&cells.1, Role::Dim);
            }
            clip(&line, columns)
        };
        named.chunks(2).map(line).collect()
    }
}
