//! A one-line editor for what is typed while a turn runs.
//!
//! Promise: pure; it never reads keys or draws. Pasted line breaks are kept and shown as `⏎`.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::text::{clean, width};

/// What is typed and where the cursor is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Editor {
    chars: Vec<char>,
    /// 0 to the number of characters.
    cursor: usize,
}

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edited {
    /// The text or the cursor changed, or could have.
    Yes,
    /// Enter: here is the text; the editor is empty again.
    Entered(String),
    /// The key is not one of the editor's.
    No,
}

impl Editor {
    /// An editor that holds `text`, the cursor at its end.
    pub fn with(text: &str) -> Editor {
        let chars: Vec<char> = text.chars().collect();
        Editor { cursor: chars.len(), chars }
    }

    /// Inserts pasted text.
    pub fn paste(&mut self, text: &str) {
        for c in text.replace("\r\n", "\n").replace('\r', "\n").chars() {
            self.insert(c);
        }
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent) -> Edited {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match key.code {
            KeyCode::Char('a') if control => self.cursor = 0,
            KeyCode::Char('e') if control => self.cursor = self.chars.len(),
            KeyCode::Char('b') if control => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Char('f') if control => self.cursor = (self.cursor + 1).min(self.chars.len()),
            KeyCode::Char('u') if control => self.cut(0, self.cursor),
            KeyCode::Char('k') if control => self.cut(self.cursor, self.chars.len()),
            KeyCode::Char('w') if control => self.cut(self.word_start(), self.cursor),
            KeyCode::Char('j') if control => self.insert('\n'),
            KeyCode::Char('h') if control => self.cut(self.cursor.saturating_sub(1), self.cursor),
            KeyCode::Char(_) if control => return Edited::No,
            KeyCode::Enter if alt => self.insert('\n'),
            KeyCode::Char(c) if !alt => self.insert(c),
            KeyCode::Backspace if alt || control => self.cut(self.word_start(), self.cursor),
            KeyCode::Backspace => self.cut(self.cursor.saturating_sub(1), self.cursor),
            KeyCode::Delete => self.cut(self.cursor, (self.cursor + 1).min(self.chars.len())),
            KeyCode::Left => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Right => self.cursor = (self.cursor + 1).min(self.chars.len()),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.chars.len(),
            KeyCode::Enter => return Edited::Entered(self.take()),
            _ => return Edited::No,
        }
        Edited::Yes
    }

    /// The text; the editor is empty afterwards.
    pub fn take(&mut self) -> String {
        self.cursor = 0;
        self.chars.drain(..).collect()
    }

    /// What is shown in `columns` columns, and the column of the cursor in it. Long text scrolls.
    pub fn view(&self, columns: usize) -> (String, usize) {
        let columns = columns.max(4);
        let shown = |c: char| if c == '\n' { "⏎".to_string() } else { clean(&c.to_string()) };
        let mut start = 0;
        while self.chars[start..self.cursor].iter().map(|c| width(&shown(*c))).sum::<usize>() + 1 > columns {
            start += 1;
        }
        let mut text = String::new();
        let mut at = 0;
        for (index, c) in self.chars.iter().enumerate().skip(start) {
            let piece = shown(*c);
            if width(&text) + width(&piece) > columns {
                break;
            }
            text += &piece;
            if index < self.cursor {
                at = width(&text);
            }
        }
        (text, at)
    }

    fn insert(&mut self, c: char) {
        self.chars.insert(self.cursor, c);
        self.cursor += 1;
    }

    fn cut(&mut self, from: usize, to: usize) {
        self.chars.drain(from..to);
        self.cursor = from;
    }

    fn word_start(&self) -> usize {
        let before = &self.chars[..self.cursor];
        let spaces = before.iter().rev().take_while(|c| c.is_whitespace()).count();
        let word = before.iter().rev().skip(spaces).take_while(|c| !c.is_whitespace()).count();
        self.cursor - spaces - word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(editor: &mut Editor, keys: &str) {
        for c in keys.chars() {
            let (code, modifiers) = match c {
                '<' => (KeyCode::Left, KeyModifiers::NONE),
                '⌫' => (KeyCode::Backspace, KeyModifiers::NONE),
                'W' | 'U' | 'K' | 'A' | 'E' => (KeyCode::Char(c.to_ascii_lowercase()), KeyModifiers::CONTROL),
                c => (KeyCode::Char(c), KeyModifiers::NONE),
            };
            assert_eq!(editor.key(KeyEvent::new(code, modifiers)), Edited::Yes);
        }
    }

    #[test]
    fn keys_edit() {
        let cases = [
            ("ab<c", "acb"),
            ("abc⌫⌫d", "ad"),
            ("one two W", "one "),
            ("one two<<<U", "two"),
            ("one two<<<K", "one "),
            ("bcAaEd", "abcd"),
            ("⌫x", "x"),
        ];
        for (keys, expected) in cases {
            let mut editor = Editor::default();
            press(&mut editor, keys);
            assert_eq!(editor.take(), expected, "{keys}");
        }
    }

    #[test]
    fn enter_gives_the_text_and_empties_the_editor() {
        let mut editor = Editor::with("go");
        editor.paste("\r\non");
        assert_eq!(editor.key(KeyEvent::from(KeyCode::Enter)), Edited::Entered("go\non".to_string()));
        assert_eq!(editor.take(), "");
        assert_eq!(editor.key(KeyEvent::from(KeyCode::F(1))), Edited::No);
    }

    #[test]
    fn the_view_follows_the_cursor() {
        let mut editor = Editor::with("abcdefghij");
        assert_eq!(editor.view(20), ("abcdefghij".to_string(), 10));
        assert_eq!(editor.view(5), ("ghij".to_string(), 4));
        press(&mut editor, "A");
        assert_eq!(editor.view(5), ("abcde".to_string(), 0));
        assert_eq!(Editor::with("中文\n字").view(20), ("中文⏎字".to_string(), 7));
    }
}
