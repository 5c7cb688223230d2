//! The commands of vi over what is typed (POSIX `vi`, and the text objects of Vim).
//!
//! A command is read whole before it does anything: `[count] motion`, `[count] operator [count] motion` or a single letter.

use unicode_segmentation::UnicodeSegmentation;

use super::buffer::Buffer;

/// Vi's state.
#[derive(Debug, Default)]
pub(super) struct Vi {
    /// True where letters are commands.
    normal: bool,
    /// What was typed of a command that is not whole yet.
    pending: String,
    /// What was deleted or yanked last, and whether it is whole lines.
    register: (String, bool),
    /// The last search in a line: its letter, and what was searched.
    found: Option<(char, char)>,
}

/// What a key led to beyond the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beyond {
    Nothing,
    /// A row down or up, or through the history.
    Row {
        down: bool,
        count: usize,
    },
    /// The history is to be searched.
    Search,
}

/// A whole command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Command {
    /// 0 where none was typed.
    count: usize,
    operator: Option<char>,
    key: char,
    argument: char,
}

/// What a motion covers.
struct Covered {
    from: usize,
    /// The unit behind the last one.
    to: usize,
    /// Where the cursor goes where there is no operator.
    at: usize,
    lines: bool,
}

impl Vi {
    /// True in normal mode.
    pub(super) fn is_normal(&self) -> bool {
        self.normal
    }

    /// What is typed is text again.
    pub(super) fn insert(&mut self) {
        (self.normal, self.pending) = (false, String::new());
    }

    /// Escape. False where it means nothing here.
    pub(super) fn escape(&mut self, buffer: &mut Buffer) -> bool {
        if self.normal {
            return !std::mem::take(&mut self.pending).is_empty();
        }
        if buffer.is_empty() {
            return false;
        }
        self.normal = true;
        let text = Text::of(buffer);
        let at = text.cursor.max(text.line_start(text.cursor) + 1) - 1;
        buffer.go_to(text.offset(at));
        true
    }

    /// A letter in normal mode.
    pub(super) fn key(&mut self, letter: char, buffer: &mut Buffer) -> Beyond {
        self.pending.push(letter);
        let Some(command) = parsed(&self.pending) else { return Beyond::Nothing };
        self.pending.clear();
        let beyond = match command {
            Command { operator: None, key: key @ ('j' | 'k'), count, .. } => {
                return Beyond::Row { down: key == 'j', count: count.max(1) };
            }
            Command { operator: None, key: '/', .. } => Beyond::Search,
            command => {
                self.does(command, buffer);
                Beyond::Nothing
            }
        };
        if self.normal {
            settle(buffer);
        }
        beyond
    }

    fn does(&mut self, it: Command, buffer: &mut Buffer) {
        let again = |operator, key| Command { operator: Some(operator), key, ..it };
        match (it.operator, it.key) {
            (None, 'x') => self.operate(again('d', 'l'), buffer),
            (None, 'X') => self.operate(again('d', 'h'), buffer),
            (None, 's') => self.operate(again('c', 'l'), buffer),
            (None, 'D') => self.operate(again('d', '$'), buffer),
            (None, 'C') => self.operate(again('c', '$'), buffer),
            (None, 'S') => self.operate(again('c', 'c'), buffer),
            (None, 'Y') => self.operate(again('y', 'y'), buffer),
            (None, 'p' | 'P') => (0..it.count.max(1)).for_each(|_| self.put(it.key == 'p', buffer)),
            (None, 'u') => (0..it.count.max(1)).for_each(|_| buffer.undo()),
            (None, 'i' | 'a' | 'I' | 'A' | 'o' | 'O') => self.begin(it.key, buffer),
            (None, 'r' | '~') => replace(it, buffer),
            (None, 'J') => join(buffer),
            _ => self.operate(it, buffer),
        }
    }

    /// Goes by a motion, or does what the operator says with what it covers.
    fn operate(&mut self, it: Command, buffer: &mut Buffer) {
        let text = Text::of(buffer);
        let Some(covered) = self.covered(it, &text) else { return };
        let (from, to) = (text.offset(covered.from), text.offset(covered.to));
        let Some(operator) = it.operator else { return buffer.go_to(text.offset(covered.at)) };
        self.register =
            (buffer.text()[from..to].trim_end_matches(if covered.lines { "\n" } else { "" }).to_owned(), covered.lines);
        match (operator, covered.lines) {
            ('y', _) => return buffer.go_to(from),
            // Whole lines take their break with them; the last ones the one before.
            ('d', true) if to < buffer.text().len() => buffer.kill_span(from, to + 1),
            ('d', true) => buffer.kill_span(from.saturating_sub(1), to),
            _ => buffer.kill_span(from, to),
        }
        if operator == 'c' {
            self.insert();
        } else if covered.lines {
            let text = Text::of(buffer);
            buffer.go_to(text.offset(text.first_word(text.line_start(text.cursor))));
        }
    }

    fn begin(&mut self, key: char, buffer: &mut Buffer) {
        let text = Text::of(buffer);
        let (start, end) = (text.line_start(text.cursor), text.line_end(text.cursor));
        match key {
            'a' => buffer.go_to(text.offset((text.cursor + 1).min(end))),
            'I' => buffer.go_to(text.offset(text.first_word(start))),
            'A' => buffer.go_to(text.offset(end)),
            'o' => {
                buffer.go_to(text.offset(end));
                buffer.insert("\n");
            }
            'O' => {
                let at = text.offset(start);
                buffer.go_to(at);
                buffer.insert("\n");
                buffer.go_to(at);
            }
            _ => {}
        }
        self.insert();
    }

    fn put(&self, behind: bool, buffer: &mut Buffer) {
        let (put, lines) = &self.register;
        let text = Text::of(buffer);
        let (start, end) = (text.line_start(text.cursor), text.line_end(text.cursor));
        let (at, put, first) = match (lines, behind) {
            (true, true) => (end, format!("\n{put}"), 1),
            (true, false) => (start, format!("{put}\n"), 0),
            (false, _) => ((text.cursor + usize::from(behind)).min(end), put.clone(), 0),
        };
        let at = text.offset(at);
        buffer.go_to(at);
        buffer.insert(&put);
        if *lines {
            buffer.go_to(at + first);
        } else if !put.is_empty() {
            let text = Text::of(buffer);
            buffer.go_to(text.offset(text.cursor - 1));
        }
    }

    /// What a motion covers; none where there is nothing to go to.
    fn covered(&mut self, it: Command, text: &Text) -> Option<Covered> {
        let (at, count) = (text.cursor, it.count.max(1));
        let to = |to: usize| Some(Covered { from: at.min(to), to: at.max(to), at: to, lines: false });
        let through = |to: usize| Some(Covered { from: at.min(to), to: at.max(to) + 1, at: to, lines: false });
        let many = |from: usize, step: &dyn Fn(usize) -> usize| (0..count).fold(from, |at, _| step(at));
        let lines = |first: usize, last: usize, at: usize| {
            let (from, to) = (text.line_start(first), text.line_end(last));
            Some(Covered { from, to, at, lines: true })
        };
        let (start, end) = (text.line_start(at), text.line_end(at));
        match it.key {
            'h' => to(at.saturating_sub(count).max(start)),
            'l' | ' ' => to((at + count).min(end)),
            '0' => to(start),
            '^' => to(text.first_word(start)),
            '$' => to(end),
            'w' | 'W' if it.operator == Some('c') && !text.is_blank(at) => {
                through(many(at, &|at| text.word_end(at, it.key == 'W', at == text.cursor)))
            }
            'w' | 'W' => {
                let next = many(at, &|at| text.word_after(at, it.key == 'W'));
                // With an operator the last word of a line ends there.
                to(if it.operator.is_some() && at < end {
                    next.min(text.line_end(next.max(1) - 1).max(end))
                } else {
                    next
                })
            }
            'b' | 'B' => to(many(at, &|at| text.word_before(at, it.key == 'B'))),
            'e' | 'E' => through(many(at, &|at| text.word_end(at, it.key == 'E', false))),
            'f' | 'F' | 't' | 'T' => {
                self.found = Some((it.key, it.argument));
                self.searched(it.key, it.argument, count, text)
            }
            ';' | ',' => {
                let (key, what) = self.found?;
                let turned = if key.is_lowercase() { key.to_ascii_uppercase() } else { key.to_ascii_lowercase() };
                self.searched(if it.key == ';' { key } else { turned }, what, count, text)
            }
            '%' => through(text.partner(at)?),
            'G' | 'g' => {
                let last = it.key == 'G' && it.count == 0;
                let line = if last { text.line_start(text.units.len()) } else { text.line(count) };
                lines(at.min(line), at.max(line), text.first_word(line))
            }
            'j' => lines(at, many(at, &|at| text.line_after(at)), at),
            'k' => lines(many(at, &|at| text.line_start(at).saturating_sub(1)), at, at),
            'd' | 'c' | 'y' if it.operator == Some(it.key) => {
                lines(at, (1..count).fold(at, |at, _| text.line_after(at)), at)
            }
            'i' | 'a' if it.operator.is_some() => text.object(it.argument, it.key == 'a'),
            _ => None,
        }
    }

    /// `f`, `t` and their opposites.
    fn searched(&self, key: char, what: char, count: usize, text: &Text) -> Option<Covered> {
        let (at, forward) = (text.cursor, key.is_lowercase());
        let found = match forward {
            true => (at + 1..text.line_end(at)).filter(|it| text.units[*it].1 == what).nth(count - 1)?,
            false => (text.line_start(at)..at).rev().filter(|it| text.units[*it].1 == what).nth(count - 1)?,
        };
        let stop = match key {
            't' => found - 1,
            'T' => found + 1,
            _ => found,
        };
        let to = if forward { stop + 1 } else { at };
        Some(Covered { from: at.min(stop), to, at: stop, lines: false })
    }
}

/// The command that was typed; none where it is not whole yet. One that does not exist does nothing.
fn parsed(typed: &str) -> Option<Command> {
    let mut letters = typed.chars().peekable();
    let mut number = || {
        let mut count = 0usize;
        while let Some(digit) = letters.peek().and_then(|it| it.to_digit(10)).filter(|it| *it > 0 || count > 0) {
            count = (count * 10 + digit as usize).min(9_999);
            letters.next();
        }
        (count, letters.next())
    };
    let (mut count, key) = number();
    let (mut key, mut operator) = (key?, None);
    if matches!(key, 'd' | 'c' | 'y') {
        operator = Some(key);
        let (second, next) = number();
        key = next?;
        count = match (count, second) {
            (0, it) | (it, 0) => it,
            (first, second) => first.saturating_mul(second).min(9_999),
        };
    }
    let takes = matches!(key, 'f' | 'F' | 't' | 'T' | 'g')
        || key == 'r' && operator.is_none()
        || matches!(key, 'i' | 'a') && operator.is_some();
    let argument = if takes { letters.next()? } else { ' ' };
    Some(Command { count, operator, key, argument })
}

/// In normal mode the cursor stands on a letter, not behind the last one of its line.
fn settle(buffer: &mut Buffer) {
    let text = Text::of(buffer);
    if text.cursor > text.line_start(text.cursor) && text.cursor == text.line_end(text.cursor) {
        buffer.go_to(text.offset(text.cursor - 1));
    }
}

/// Other letters in the place of those at the cursor.
fn replace(it: Command, buffer: &mut Buffer) {
    let text = Text::of(buffer);
    let to = text.cursor + it.count.max(1);
    if to > text.line_end(text.cursor) {
        return;
    }
    let (from, to) = (text.offset(text.cursor), text.offset(to));
    let other = |c: char| if c.is_uppercase() { c.to_lowercase().to_string() } else { c.to_uppercase().to_string() };
    let new: String = match it.key {
        'r' => it.argument.to_string().repeat(it.count.max(1)),
        _ => buffer.text()[from..to].chars().map(other).collect(),
    };
    buffer.go_to(to);
    buffer.replace(from, &new);
    if it.key == 'r' {
        let text = Text::of(buffer);
        buffer.go_to(text.offset(text.cursor - 1));
    }
}

/// This line and the next become one.
fn join(buffer: &mut Buffer) {
    let text = Text::of(buffer);
    let end = text.line_end(text.cursor);
    if end == text.units.len() {
        return;
    }
    let (from, to) = (text.offset(end), text.offset(text.first_word(end + 1)));
    buffer.go_to(to);
    buffer.replace(from, " ");
    buffer.go_to(from);
}

/// What is typed, in units that the cursor goes over at once: graphemes, and marks.
struct Text {
    /// Byte offset and first character of each; a mark counts as a letter.
    units: Vec<(usize, char)>,
    length: usize,
    /// The unit at the cursor; their number at the end.
    cursor: usize,
}

impl Text {
    fn of(buffer: &Buffer) -> Text {
        let (text, marks) = (buffer.text(), buffer.marks().collect::<Vec<&str>>());
        let mut units = Vec::new();
        let mut at = 0;
        while let Some(first) = text[at..].graphemes(true).next() {
            let mark = marks.iter().find(|it| text[at..].starts_with(**it));
            units.push((at, if mark.is_some() { 'm' } else { first.chars().next().unwrap_or(' ') }));
            at += mark.map_or(first.len(), |it| it.len());
        }
        let cursor = units.iter().position(|it| it.0 >= buffer.cursor()).unwrap_or(units.len());
        Text { units, length: text.len(), cursor }
    }

    fn offset(&self, unit: usize) -> usize {
        self.units.get(unit).map_or(self.length, |it| it.0)
    }

    fn is_blank(&self, at: usize) -> bool {
        self.units.get(at).is_none_or(|it| it.1.is_whitespace())
    }

    /// What units of a word have in common: letters, other signs, or with `big` whatever is not blank.
    fn kind(&self, at: usize, big: bool) -> u8 {
        match self.units.get(at) {
            Some((_, c)) if c.is_whitespace() => 0,
            Some((_, c)) if big || c.is_alphanumeric() || *c == '_' => 1,
            Some(_) => 2,
            None => 0,
        }
    }

    fn word_after(&self, at: usize, big: bool) -> usize {
        let (all, kind) = (self.units.len(), self.kind(at, big));
        let behind = (at..all).find(|it| kind == 0 || self.kind(*it, big) != kind).unwrap_or(all);
        (behind..all).find(|it| self.kind(*it, big) != 0).unwrap_or(all)
    }

    fn word_before(&self, at: usize, big: bool) -> usize {
        let Some(last) = (0..at).rev().find(|it| self.kind(*it, big) != 0) else { return 0 };
        let kind = self.kind(last, big);
        (0..last).rev().find(|it| self.kind(*it, big) != kind).map_or(0, |it| it + 1)
    }

    /// The last unit of this word or the next one; with `here` of the word at the cursor, also where that is its end.
    fn word_end(&self, at: usize, big: bool, here: bool) -> usize {
        let all = self.units.len();
        let begins = if here { at } else { at + 1 };
        let Some(first) = (begins..all).find(|it| self.kind(*it, big) != 0) else { return all.max(1) - 1 };
        let kind = self.kind(first, big);
        (first..all).find(|it| self.kind(*it, big) != kind).unwrap_or(all) - 1
    }

    fn line_start(&self, at: usize) -> usize {
        (0..at).rev().find(|it| self.units[*it].1 == '\n').map_or(0, |it| it + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        (at..self.units.len()).find(|it| self.units[*it].1 == '\n').unwrap_or(self.units.len())
    }

    /// The beginning of the next line; the end where there is none.
    fn line_after(&self, at: usize) -> usize {
        (self.line_end(at) + 1).min(self.units.len())
    }

    /// The first unit of the line that begins at `start` that is not blank.
    fn first_word(&self, start: usize) -> usize {
        let end = self.line_end(start);
        (start..end).find(|it| !self.is_blank(*it)).unwrap_or(end)
    }

    /// The beginning of the line of this 1-based number, or of the last one.
    fn line(&self, number: usize) -> usize {
        let breaks = (0..self.units.len()).filter(|it| self.units[*it].1 == '\n').map(|it| it + 1);
        std::iter::once(0).chain(breaks).take(number).last().unwrap_or(0)
    }

    /// The bracket that belongs to the first one from here to the end of the line.
    fn partner(&self, at: usize) -> Option<usize> {
        const PAIRS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];
        let is = |it: &usize| PAIRS.iter().any(|(open, close)| [*open, *close].contains(&self.units[*it].1));
        let at = (at..self.line_end(at)).find(is)?;
        let (open, close) = PAIRS.into_iter().find(|(open, close)| [*open, *close].contains(&self.units[at].1))?;
        let forward = self.units[at].1 == open;
        let mut deep = 0i32;
        let steps: Vec<usize> = if forward { (at..self.units.len()).collect() } else { (0..=at).rev().collect() };
        steps.into_iter().find(|it| {
            deep += i32::from(self.units[*it].1 == open) - i32::from(self.units[*it].1 == close);
            deep == 0
        })
    }

    /// A word, or what stands in quotes or brackets; `around`: with the blanks behind it, or with quotes and brackets.
    fn object(&self, of: char, around: bool) -> Option<Covered> {
        let at = self.cursor;
        let (from, to) = match of {
            'w' | 'W' => self.word_object(of == 'W', around),
            '"' | '\'' | '`' => self.quoted(of, around)?,
            '(' | ')' | 'b' => self.bracketed('(', ')', around)?,
            '[' | ']' => self.bracketed('[', ']', around)?,
            '{' | '}' | 'B' => self.bracketed('{', '}', around)?,
            _ => return None,
        };
        Some(Covered { from, to, at, lines: false })
    }

    fn word_object(&self, big: bool, around: bool) -> (usize, usize) {
        let (at, all) = (self.cursor, self.units.len());
        let (first, last) = (self.line_start(at), self.line_end(at).min(all));
        let kind = self.kind(at, big);
        let from = (first..at).rev().find(|it| self.kind(*it, big) != kind).map_or(first, |it| it + 1);
        let to = (at..last).find(|it| self.kind(*it, big) != kind).unwrap_or(last);
        let blank = (to..last).find(|it| self.kind(*it, big) != 0).unwrap_or(last);
        (from, if around { blank } else { to })
    }

    fn quoted(&self, quote: char, around: bool) -> Option<(usize, usize)> {
        let (first, last) = (self.line_start(self.cursor), self.line_end(self.cursor));
        let quotes: Vec<usize> = (first..last).filter(|it| self.units[*it].1 == quote).collect();
        let pair = quotes.chunks_exact(2).find(|it| self.cursor <= it[1])?;
        Some(if around { (pair[0], pair[1] + 1) } else { (pair[0] + 1, pair[1]) })
    }

    fn bracketed(&self, open: char, close: char, around: bool) -> Option<(usize, usize)> {
        let mut deep = 0i32;
        let from = (0..=self.cursor.min(self.units.len().checked_sub(1)?)).rev().find(|it| {
            deep += i32::from(self.units[*it].1 == open) - i32::from(self.units[*it].1 == close && *it < self.cursor);
            deep > 0
        })?;
        let to = self.partner(from)?;
        Some(if around { (from, to + 1) } else { (from + 1, to) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands there after these commands on `text`, whose cursor is at `|`; with the mode.
    fn after(text: &str, keys: &str) -> String {
        let mut buffer = Buffer::default();
        let at = text.find('|').unwrap();
        buffer.insert(&text.replacen('|', "", 1));
        buffer.go_to(at);
        let mut vi = Vi { normal: true, ..Vi::default() };
        for key in keys.chars() {
            match key {
                '⎋' => drop(vi.escape(&mut buffer)),
                key if vi.normal => drop(vi.key(key, &mut buffer)),
                key => buffer.insert(&key.to_string()),
            }
        }
        let mut shown = buffer.text().to_owned();
        shown.insert(buffer.cursor(), '|');
        if vi.normal { shown } else { format!("{shown} …") }
    }

    /// Tries texts, keys, and what stands there then.
    fn check(cases: &[(&str, &str, &str)]) {
        for (text, keys, expected) in cases {
            assert_eq!(after(text, keys), *expected, "{text} {keys}");
        }
    }

    #[test]
    fn motions() {
        check(&[
            ("|one two.three", "w", "one |two.three"),
            ("|one two.three", "2w", "one two|.three"),
            ("|one two.three", "W", "one |two.three"),
            ("|one two.three", "e", "on|e two.three"),
            ("|one two.three", "2e", "one tw|o.three"),
            ("one two.thr|ee", "b", "one two.|three"),
            ("one two.thr|ee", "B", "one |two.three"),
            ("one t|wo", "0", "|one two"),
            ("  one t|wo", "^", "  |one two"),
            ("|one two", "$", "one tw|o"),
            ("|one two", "fz", "|one two"),
            ("|one two", "fw", "one t|wo"),
            ("|one two", "tw", "one |two"),
            ("o|o o o", "fo;", "oo o |o"),
            ("oo o |o", "Fo,", "oo o |o"),
            ("a\nb|b\nc", "gg", "|a\nbb\nc"),
            ("a\nb|b\nc", "G", "a\nbb\n|c"),
            ("|a\nbb\nc", "2G", "a\n|bb\nc"),
            ("|f(a[1], b)", "%", "f(a[1], b|)"),
            ("f(a[1|], b)", "%", "f(a|[1], b)"),
            ("|中文 字", "w", "中文 |字"),
            ("|a👩\u{200d}💻b", "ll", "a👩\u{200d}💻|b"),
            ("|ab", "5l", "a|b"),
            ("a|b", "3h", "|ab"),
        ]);
    }

    #[test]
    fn operators() {
        check(&[
            ("|one two three", "dw", "|two three"),
            ("|one two three", "2dw", "|three"),
            ("|one two three", "d2w", "|three"),
            ("one |two", "dw", "one| "),
            ("one |two\nthree", "dw", "one| \nthree"),
            ("|one two", "cwx", "x| two …"),
            ("|one two", "ciwx", "x| two …"),
            ("one t|wo three", "daw", "one |three"),
            ("one t|wo", "db", "one |wo"),
            ("one tw|o", "D", "one t|w"),
            ("on|e two", "C!", "on!| …"),
            ("one\nt|wo\nthree", "dd", "one\n|three"),
            ("one\nt|wo", "dd", "|one"),
            ("|one\ntwo\nthree", "2dd", "|three"),
            ("one\nt|wo\nthree", "ccx", "one\nx|\nthree …"),
            ("|one\ntwo\nthree", "dj", "|three"),
            ("one\ntwo\nth|ree", "dk", "|one"),
            ("one\nt|wo\nthree", "dG", "|one"),
            ("|one two", "yyp", "one two\n|one two"),
            ("|one two", "yyP", "|one two\none two"),
            ("|one two", "ywP", "one| one two"),
            ("|abc", "x", "|bc"),
            ("ab|c", "x", "a|b"),
            ("a|bc", "X", "|bc"),
            ("|ab", "xp", "b|a"),
            ("say(\"o|ne\", 2)", "ci\"x", "say(\"x|\", 2) …"),
            ("say(\"o|ne\", 2)", "di(", "say(|)"),
            ("say(\"o|ne\", 2)", "da(", "sa|y"),
            ("|one two", "dtw", "|wo"),
            ("a|bc", "rx", "a|xc"),
            ("|abc", "2~", "AB|c"),
            ("|one\n  two", "J", "one| two"),
            ("|one", "dwu", "|one"),
            ("|one two", "dw.", "|two"),
        ]);
    }

    #[test]
    fn inserting_and_leaving() {
        check(&[
            ("a|b", "ix", "ax|b …"),
            ("a|b", "ax", "abx| …"),
            ("  a|b", "Ix", "  x|ab …"),
            ("|ab", "Ax", "abx| …"),
            ("|ab\nc", "ox", "ab\nx|\nc …"),
            ("ab\n|c", "Ox", "ab\nx|\nc …"),
            ("|ab", "sx", "x|b …"),
            ("a|b", "ix⎋", "a|xb"),
            ("|", "ix⎋", "|x"),
            // What is not whole is given up by Escape; what does not exist does nothing.
            ("|ab", "d⎋x", "|b"),
            ("|ab", "Qx", "|b"),
        ]);
    }

    #[test]
    fn a_mark_is_one_letter() {
        let mut buffer = Buffer::default();
        buffer.insert("see ");
        buffer.mark("[Pasted text #1]".into(), "one\ntwo".into());
        let mut vi = Vi::default();
        assert!(vi.escape(&mut buffer));
        assert_eq!(buffer.cursor(), 4);
        vi.key('h', &mut buffer);
        vi.key('l', &mut buffer);
        vi.key('x', &mut buffer);
        assert_eq!((buffer.text(), buffer.cursor()), ("see ", 3));
        vi.key('u', &mut buffer);
        assert_eq!(buffer.whole(), "see one\ntwo");
    }
}
