//! The text that is being typed: graphemes, a cursor, undo, killed text, and marks that stand for more than they show.
//!
//! Promise: the cursor is always at the edge of a grapheme and never inside a mark; undo gives back exactly what was there.

use unicode_segmentation::UnicodeSegmentation;

/// Texts that were killed and can be had back.
const KILLS: usize = 60;
/// Steps that can be undone.
const STEPS: usize = 500;

/// The text and where the cursor is.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    text: String,
    /// Byte offset.
    cursor: usize,
    /// States before the last changes, oldest first, and those that were undone.
    undone: Vec<(String, usize)>,
    done: Vec<(String, usize)>,
    kills: Vec<String>,
    /// What the last change was, since letters typed one after the other are one step, and kills one text.
    last: Change,
    /// Where the last yank stands and how many kills ago its text is.
    yanked: Option<(usize, usize, usize)>,
    /// Marks in the text and what they stand for.
    marks: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Change {
    #[default]
    Other,
    Typed,
    Killed,
}

/// Where to go, or up to where to delete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    Left,
    Right,
    /// To the beginning of this word or the one before.
    WordLeft,
    /// To the end of this word or the next.
    WordRight,
    LineStart,
    LineEnd,
    Start,
    End,
}

impl Buffer {
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn cursor(&self) -> usize {
        self.cursor
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text with what the marks stand for.
    pub fn whole(&self) -> String {
        self.marks.iter().fold(self.text.clone(), |text, (mark, full)| text.replacen(mark, full, 1))
    }

    /// Replaces everything; the cursor stands at the end.
    pub fn set(&mut self, text: &str) {
        self.remember(Change::Other);
        text.clone_into(&mut self.text);
        self.cursor = self.text.len();
    }

    /// Takes everything out: the text as it is shown, and the text with what the marks stand for.
    pub fn take(&mut self) -> String {
        let whole = self.whole();
        let kills = std::mem::take(&mut self.kills);
        *self = Buffer { kills, ..Buffer::default() };
        whole
    }

    /// Inserts at the cursor.
    pub fn insert(&mut self, text: &str) {
        let letters = text.chars().all(char::is_alphanumeric);
        if !(letters && self.last == Change::Typed) {
            self.remember(Change::Typed);
        }
        self.last = if letters { Change::Typed } else { Change::Other };
        self.undone.clear();
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    /// Inserts a mark that stands for `full`.
    pub fn mark(&mut self, mark: String, full: String) {
        self.insert(&mark);
        self.last = Change::Other;
        self.marks.push((mark, full));
    }

    /// The marks that are still in the text.
    pub fn marks(&self) -> impl Iterator<Item = &str> {
        self.marks.iter().map(|(mark, _)| mark.as_str()).filter(|mark| self.text.contains(*mark))
    }

    /// Replaces what stands between `from` and the cursor.
    pub fn replace(&mut self, from: usize, text: &str) {
        self.remember(Change::Other);
        self.text.replace_range(from..self.cursor, text);
        self.cursor = from + text.len();
    }

    /// Goes somewhere.
    pub fn go(&mut self, motion: Motion) {
        self.last = Change::Other;
        self.cursor = self.at(motion);
    }

    /// Goes to a byte offset, or to the nearest edge before it.
    pub fn go_to(&mut self, at: usize) {
        self.last = Change::Other;
        self.cursor = at.min(self.text.len());
        while !self.text.is_char_boundary(self.cursor) {
            self.cursor -= 1;
        }
        if let Some((from, _)) = self.mark_around(self.cursor) {
            self.cursor = from;
        }
    }

    /// Deletes up to there, for good.
    pub fn delete(&mut self, motion: Motion) {
        let (from, to) = self.span(motion);
        if from < to {
            self.remember(Change::Other);
            self.text.replace_range(from..to, "");
            self.cursor = from;
        }
    }

    /// Deletes up to there; it can be yanked. Kills in a row are one text.
    pub fn kill(&mut self, motion: Motion) {
        let (from, mut to) = self.span(motion);
        if from == to && motion == Motion::LineEnd && to < self.text.len() {
            to += 1; // At the end of a line its break goes.
        }
        self.kill_span(from, to);
    }

    /// The same for a stretch of the text.
    pub fn kill_span(&mut self, from: usize, to: usize) {
        if from >= to {
            return;
        }
        let (joins, backwards) = (self.last == Change::Killed, to == self.cursor);
        self.remember(Change::Killed);
        let text = self.text[from..to].to_string();
        self.text.replace_range(from..to, "");
        self.cursor = from;
        match self.kills.last_mut().filter(|_| joins) {
            Some(last) if backwards => last.insert_str(0, &text),
            Some(last) => last.push_str(&text),
            None => self.kills.push(text),
        }
        let over = self.kills.len().saturating_sub(KILLS);
        self.kills.drain(..over);
    }

    /// Inserts what was killed last.
    pub fn yank(&mut self) {
        let Some(text) = self.kills.last().cloned() else { return };
        self.remember(Change::Other);
        let from = self.cursor;
        self.text.insert_str(from, &text);
        self.cursor += text.len();
        self.yanked = Some((from, self.cursor, 0));
    }

    /// Replaces what was just yanked by what was killed before it.
    pub fn yank_before(&mut self) {
        let Some((from, to, ago)) = self.yanked.filter(|it| it.1 == self.cursor) else { return };
        let ago = (ago + 1) % self.kills.len().max(1);
        let Some(text) = self.kills.iter().rev().nth(ago).cloned() else { return };
        self.text.replace_range(from..to, &text);
        self.cursor = from + text.len();
        self.yanked = Some((from, self.cursor, ago));
    }

    pub fn undo(&mut self) {
        if let Some(before) = self.done.pop() {
            self.undone.push((std::mem::take(&mut self.text), self.cursor));
            (self.text, self.cursor) = before;
        }
        self.last = Change::Other;
    }

    pub fn redo(&mut self) {
        if let Some(after) = self.undone.pop() {
            self.done.push((std::mem::take(&mut self.text), self.cursor));
            (self.text, self.cursor) = after;
        }
        self.last = Change::Other;
    }

    /// Exchanges the two graphemes around the cursor; at the end of a line the two before it.
    pub fn transpose(&mut self) {
        if self.at(Motion::LineEnd) == self.cursor {
            self.go(Motion::Left);
        }
        let (from, to) = (self.at(Motion::Left), self.at(Motion::Right));
        if from < self.cursor && self.cursor < to {
            self.remember(Change::Other);
            let swapped = format!("{}{}", &self.text[self.cursor..to], &self.text[from..self.cursor]);
            self.text.replace_range(from..to, &swapped);
            self.cursor = to;
        }
    }

    /// Where a motion leads, as a byte offset.
    pub fn at(&self, motion: Motion) -> usize {
        let (before, behind) = self.text.split_at(self.cursor);
        let end_of_line = || behind.find('\n').map_or(self.text.len(), |at| self.cursor + at);
        match motion {
            Motion::Start => 0,
            Motion::End => self.text.len(),
            Motion::LineStart => before.rfind('\n').map_or(0, |at| at + 1),
            Motion::LineEnd => end_of_line(),
            Motion::Left => match self.marks().find(|mark| before.ends_with(mark)) {
                Some(mark) => self.cursor - mark.len(),
                None => self.cursor - before.graphemes(true).next_back().map_or(0, str::len),
            },
            Motion::Right => match self.marks().find(|mark| behind.starts_with(mark)) {
                Some(mark) => self.cursor + mark.len(),
                None => self.cursor + behind.graphemes(true).next().map_or(0, str::len),
            },
            Motion::WordLeft => {
                let at = before.split_word_bound_indices().rev().find(|(_, word)| is_word(word));
                self.outside(at.map_or(0, |(at, _)| at))
            }
            Motion::WordRight => {
                let at = behind.split_word_bound_indices().find(|(_, word)| is_word(word));
                let to = at.map_or(self.text.len(), |(at, word)| self.cursor + at + word.len());
                self.mark_around(to).map_or(to, |(_, to)| to)
            }
        }
    }

    fn span(&self, motion: Motion) -> (usize, usize) {
        let at = self.at(motion);
        (at.min(self.cursor), at.max(self.cursor))
    }

    fn outside(&self, at: usize) -> usize {
        self.mark_around(at).map_or(at, |(from, _)| from)
    }

    /// The mark that has this offset inside.
    fn mark_around(&self, at: usize) -> Option<(usize, usize)> {
        let spans = self.marks().filter_map(|mark| self.text.find(mark).map(|from| (from, from + mark.len())));
        spans.into_iter().find(|(from, to)| *from < at && at < *to)
    }

    fn remember(&mut self, change: Change) {
        self.done.push((self.text.clone(), self.cursor));
        let over = self.done.len().saturating_sub(STEPS);
        self.done.drain(..over);
        self.undone.clear();
        self.last = change;
        self.yanked = None;
    }
}

fn is_word(piece: &str) -> bool {
    piece.chars().any(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, cursor: usize) -> Buffer {
        let mut buffer = Buffer::default();
        buffer.insert(text);
        buffer.go_to(cursor);
        buffer
    }

    #[test]
    fn motions() {
        use Motion::*;
        let cases = [
            ("héllo wörld", 13, WordLeft, 7),
            ("héllo wörld", 0, WordRight, 6),
            ("a 👩\u{200d}💻 b", 13, Left, 2),
            ("a 👩\u{200d}💻 b", 2, Right, 13),
            ("e\u{301}x", 3, Left, 0),
            ("one\ntwo", 5, LineStart, 4),
            ("one\ntwo", 1, LineEnd, 3),
            ("one\ntwo", 5, Start, 0),
            ("one\ntwo", 1, End, 7),
            ("", 0, Left, 0),
            ("", 0, WordRight, 0),
            ("中文 字", 7, Left, 6),
        ];
        for (text, cursor, motion, expected) in cases {
            assert_eq!(at(text, cursor).at(motion), expected, "{text:?} {motion:?}");
        }
    }

    #[test]
    fn killed_text_comes_back_and_kills_in_a_row_are_one() {
        let mut buffer = at("one two three", 13);
        buffer.kill(Motion::WordLeft);
        buffer.kill(Motion::WordLeft);
        assert_eq!(buffer.text(), "one ");
        buffer.go(Motion::Start);
        buffer.yank();
        assert_eq!(buffer.text(), "two threeone ");
        buffer.kill(Motion::End);
        buffer.yank();
        buffer.yank_before();
        assert_eq!(buffer.text(), "two threetwo three");
        let mut lines = at("a\nb", 1);
        lines.kill(Motion::LineEnd);
        assert_eq!(lines.text(), "ab");
    }

    #[test]
    fn undo_goes_word_by_word_and_back() {
        let mut buffer = Buffer::default();
        for letter in ["a", "b", " ", "c"] {
            buffer.insert(letter);
        }
        buffer.undo();
        assert_eq!(buffer.text(), "ab ");
        buffer.undo();
        buffer.undo();
        assert_eq!(buffer.text(), "");
        buffer.redo();
        buffer.redo();
        buffer.redo();
        assert_eq!((buffer.text(), buffer.cursor()), ("ab c", 4));
    }

    #[test]
    fn a_mark_is_one_thing() {
        let mut buffer = at("see ", 4);
        buffer.mark("[Pasted text #1]".to_string(), "one\ntwo".to_string());
        assert_eq!(buffer.whole(), "see one\ntwo");
        assert_eq!(buffer.at(Motion::Left), 4);
        buffer.go(Motion::Left);
        assert_eq!(buffer.at(Motion::Right), 20);
        buffer.go(Motion::End);
        buffer.delete(Motion::Left);
        assert_eq!((buffer.text(), buffer.whole().as_str()), ("see ", "see "));
        buffer.undo();
        assert_eq!(buffer.take(), "see one\ntwo");
        assert!(buffer.is_empty());
    }

    #[test]
    fn letters_change_places() {
        let mut buffer = at("ab", 2);
        buffer.transpose();
        assert_eq!(buffer.text(), "ba");
        let mut buffer = at("abc", 1);
        buffer.transpose();
        assert_eq!((buffer.text(), buffer.cursor()), ("bac", 2));
    }
}
