//! Which key does what. The names are those of the configuration's `[keys]`.

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Something that a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // What each does is in the table below, in the user's words.
pub enum Action {
    Submit,
    NewLine,
    Left,
    Right,
    Up,
    Down,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    TextStart,
    TextEnd,
    DeleteLeft,
    DeleteRight,
    KillWordLeft,
    KillWordRight,
    KillToLineStart,
    KillToLineEnd,
    Yank,
    YankBefore,
    Undo,
    Redo,
    Transpose,
    Complete,
    HistoryBefore,
    HistoryAfter,
    HistorySearch,
    Editor,
    PasteImage,
    Expand,
    NextMode,
    NextApproval,
    Suspend,
    Redraw,
    PageUp,
    PageDown,
    ScrollUp,
    ScrollDown,
    ScrollTop,
    ScrollEnd,
    PromptBefore,
    PromptAfter,
    Find,
    Pane,
    PaneUp,
    PaneDown,
    Pager,
    Stop,
    Leave,
}

use Action::*;

/// Actions with their names and their keys; of two actions with one key the first counts.
pub const DEFAULTS: [(Action, &str, &str); 49] = [
    (Submit, "submit", "enter"),
    (NewLine, "new-line", "shift-enter alt-enter ctrl-j"),
    (Left, "left", "left ctrl-b"),
    (Right, "right", "right ctrl-f"),
    (Up, "up", "up"),
    (Down, "down", "down"),
    (WordLeft, "word-left", "alt-b ctrl-left alt-left"),
    (WordRight, "word-right", "alt-f ctrl-right alt-right"),
    (LineStart, "line-start", "ctrl-a home"),
    (LineEnd, "line-end", "ctrl-e end"),
    (TextStart, "text-start", "ctrl-home alt-<"),
    (TextEnd, "text-end", "ctrl-end alt->"),
    (DeleteLeft, "delete-left", "backspace ctrl-h shift-backspace"),
    (DeleteRight, "delete-right", "delete"),
    (KillWordLeft, "kill-word-left", "ctrl-w alt-backspace ctrl-backspace"),
    (KillWordRight, "kill-word-right", "alt-d ctrl-delete"),
    (KillToLineStart, "kill-to-line-start", "ctrl-u"),
    (KillToLineEnd, "kill-to-line-end", "ctrl-k"),
    (Yank, "yank", "ctrl-y"),
    (YankBefore, "yank-before", "alt-y"),
    (Undo, "undo", "ctrl-_ ctrl-/ ctrl-7"),
    (Redo, "redo", "alt-_ alt-/"),
    (Transpose, "transpose", "ctrl-t"),
    (Complete, "complete", "tab"),
    (HistoryBefore, "history-before", "ctrl-p"),
    (HistoryAfter, "history-after", "ctrl-n"),
    (HistorySearch, "history-search", "ctrl-r"),
    (Editor, "editor", "ctrl-g"),
    (PasteImage, "paste-image", "ctrl-v"),
    (Expand, "expand", "ctrl-o"),
    (NextMode, "next-mode", "tab"),
    (NextApproval, "next-approval", "backtab shift-tab"),
    (Suspend, "suspend", "ctrl-z"),
    (Redraw, "redraw", "ctrl-l"),
    (PageUp, "page-up", "page-up"),
    (PageDown, "page-down", "page-down"),
    (ScrollUp, "scroll-up", "ctrl-up"),
    (ScrollDown, "scroll-down", "ctrl-down"),
    (ScrollTop, "scroll-top", "ctrl-home home"),
    (ScrollEnd, "scroll-end", "ctrl-end end"),
    (PromptBefore, "prompt-before", "alt-up"),
    (PromptAfter, "prompt-after", "alt-down"),
    (Find, "find", "ctrl-f f3"),
    (Pane, "pane", "ctrl-t f2"),
    (PaneUp, "pane-up", "shift-page-up alt-page-up"),
    (PaneDown, "pane-down", "shift-page-down alt-page-down"),
    (Pager, "pager", "alt-o"),
    (Stop, "stop", "esc"),
    (Leave, "leave", "ctrl-d"),
];

/// Keys and what they do.
#[derive(Clone, Debug)]
pub struct Keymap {
    bound: Vec<((KeyCode, KeyModifiers), Action)>,
    /// The first key of each action, by its name.
    named: Vec<(Action, String)>,
}

impl Default for Keymap {
    fn default() -> Keymap {
        Keymap::with(&BTreeMap::new()).unwrap_or_else(|_| Keymap { bound: Vec::new(), named: Vec::new() })
    }
}

impl Keymap {
    /// The defaults with what the user changed: action to keys, separated by blanks. An error names what is not known.
    pub fn with(changed: &BTreeMap<String, String>) -> Result<Keymap, String> {
        if let Some(name) = changed.keys().find(|name| !DEFAULTS.iter().any(|(_, it, _)| it == name)) {
            return Err(name.clone());
        }
        let (mut bound, mut named) = (Vec::new(), Vec::new());
        // What the user binds wins over a default of another action.
        for own in [true, false] {
            for (action, name, keys) in DEFAULTS {
                let keys = match changed.get(name) {
                    Some(keys) if own => keys.as_str(),
                    None if !own => keys,
                    _ => continue,
                };
                named.extend(keys.split_whitespace().last().map(|it| (action, it.to_owned())));
                for key in keys.split_whitespace() {
                    bound.push((parsed(key).ok_or_else(|| key.to_string())?, action));
                }
            }
        }
        Ok(Keymap { bound, named })
    }

    /// What a key does: every action of it, the first counts where it applies.
    pub fn actions(&self, key: KeyEvent) -> impl Iterator<Item = Action> {
        let pressed = normal(key.code, key.modifiers);
        self.bound.iter().filter(move |(it, _)| *it == pressed).map(|(_, action)| *action)
    }

    /// The name of a key that does this, as every terminal knows it; none where no key does.
    pub fn key_of(&self, action: Action) -> Option<String> {
        self.named.iter().find(|(it, _)| *it == action).map(|(_, name)| name.clone())
    }

    /// True where the key does this.
    pub fn is(&self, key: KeyEvent, action: Action) -> bool {
        self.actions(key).any(|it| it == action)
    }
}

/// Terminals differ in whether a shifted letter has the shift beside it.
fn normal(code: KeyCode, modifiers: KeyModifiers) -> (KeyCode, KeyModifiers) {
    let known = modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
    match code {
        KeyCode::Char(c) if known.contains(KeyModifiers::CONTROL) => {
            (KeyCode::Char(c.to_ascii_lowercase()), known - KeyModifiers::SHIFT)
        }
        KeyCode::Char(_) | KeyCode::BackTab => (code, known - KeyModifiers::SHIFT),
        KeyCode::Tab if known.contains(KeyModifiers::SHIFT) => (KeyCode::BackTab, known - KeyModifiers::SHIFT),
        _ => (code, known),
    }
}

/// `ctrl-x`, `alt-enter`, `f2`.
fn parsed(key: &str) -> Option<(KeyCode, KeyModifiers)> {
    let mut modifiers = KeyModifiers::NONE;
    let mut rest = key;
    loop {
        let known = [("ctrl-", KeyModifiers::CONTROL), ("alt-", KeyModifiers::ALT), ("shift-", KeyModifiers::SHIFT)];
        let Some((name, modifier)) = known.into_iter().find(|(name, _)| rest.starts_with(name)) else { break };
        modifiers |= modifier;
        rest = &rest[name.len()..];
    }
    let code = match rest {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "backtab" => KeyCode::BackTab,
        "backspace" => KeyCode::Backspace,
        "delete" => KeyCode::Delete,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "page-up" => KeyCode::PageUp,
        "page-down" => KeyCode::PageDown,
        "space" => KeyCode::Char(' '),
        _ => match (rest.strip_prefix('f').and_then(|it| it.parse().ok()), rest.chars().count()) {
            (Some(number @ 1..=24), _) => KeyCode::F(number),
            (_, 1) => KeyCode::Char(rest.chars().next()?),
            _ => return None,
        },
    };
    Some(normal(code, modifiers))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn does(map: &Keymap, code: KeyCode, modifiers: KeyModifiers) -> Option<Action> {
        map.actions(KeyEvent::new(code, modifiers)).next()
    }

    #[test]
    fn every_default_is_a_key_and_every_name_is_there_once() {
        for (at, (_, name, keys)) in DEFAULTS.iter().enumerate() {
            keys.split_whitespace().for_each(|key| assert!(parsed(key).is_some(), "{key}"));
            let listed: Vec<String> = keys.split_whitespace().map(|key| format!("`{key}`")).collect();
            let row = format!("| `{name}` | {} |", listed.join(", "));
            assert!(include_str!("../../../../docs/src/terminal.md").contains(&row), "not in the book: {row}");
            assert!(DEFAULTS[..at].iter().all(|(_, before, _)| before != name), "{name}");
        }
    }

    #[test]
    fn keys_are_found_however_the_terminal_reports_them() {
        let map = Keymap::default();
        assert_eq!(does(&map, KeyCode::Enter, KeyModifiers::SHIFT), Some(NewLine));
        assert_eq!(does(&map, KeyCode::Char('A'), KeyModifiers::CONTROL | KeyModifiers::SHIFT), Some(LineStart));
        assert_eq!(does(&map, KeyCode::BackTab, KeyModifiers::SHIFT), Some(NextApproval));
        assert_eq!(does(&map, KeyCode::Tab, KeyModifiers::SHIFT), Some(NextApproval));
        assert_eq!(does(&map, KeyCode::Char('x'), KeyModifiers::NONE), None);
    }

    #[test]
    fn the_user_changes_keys() {
        let own = |name: &str, keys: &str| Keymap::with(&BTreeMap::from([(name.to_string(), keys.to_string())]));
        let map = own("new-line", "enter").unwrap();
        assert_eq!(does(&map, KeyCode::Enter, KeyModifiers::NONE), Some(NewLine));
        assert_eq!(does(&map, KeyCode::Enter, KeyModifiers::ALT), None);
        assert_eq!(own("fly", "enter").unwrap_err(), "fly");
        assert_eq!(own("submit", "ctrl-nothing").unwrap_err(), "ctrl-nothing");
    }
}
