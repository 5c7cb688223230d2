//! A hunk: lines that stay, go and come, and what it says about its place. Plain data, and the texts it stands for;
//! it knows nothing of the file it is meant for.

pub(crate) use crate::engine::clean::Sign;

/// A line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub sign: Sign,
    /// The line without its sign.
    pub text: &'a str,
    /// The line as written: for a line of context, what it is if the blank that should mark it was forgotten.
    pub bare: &'a str,
}

impl<'a> Line<'a> {
    /// Reads a line by its first character. Without a sign it is context.
    pub fn read(line: &'a str) -> Self {
        let (sign, text) = match line.as_bytes().first() {
            Some(b'+') => (Sign::New, &line[1..]),
            Some(b'-') => (Sign::Old, &line[1..]),
            Some(b' ') => (Sign::Context, &line[1..]),
            _ => (Sign::Context, line),
        };
        Self { sign, text, bare: if sign == Sign::Context { line } else { text } }
    }
}

/// What is said of the line break at the end of the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum LastBreak {
    /// Nothing: it stays as it is.
    #[default]
    AsIs,
    /// It is there afterwards.
    Present,
    /// It is not there afterwards.
    Absent,
}

/// A hunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hunk<'a> {
    pub lines: Vec<Line<'a>>,
    /// The line of the old text (from 1) at which it says it starts; 0 for the top of the file.
    pub start: Option<usize>,
    /// How many lines of the old text it says it covers.
    pub count: Option<usize>,
    /// Lines above the place, from the outermost in.
    pub anchors: Vec<&'a str>,
    /// Whether the anchors are only what a tool printed beside the numbers, so that they never count against a place.
    pub headings: bool,
    /// Whether it says that it ends with the file.
    pub at_end: bool,
    pub last_break: LastBreak,
}

/// How lines of context are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The blank at their start is the sign.
    Signed,
    /// They were written without a sign; a blank at their start is indentation.
    Bare,
}

impl Hunk<'_> {
    /// The text which the hunk says is in the file, and the text it puts there; whole lines.
    pub fn texts(&self, reading: Reading) -> (String, String) {
        let (mut old, mut new) = (String::new(), String::new());
        for line in &self.lines {
            let text = match reading {
                Reading::Signed => line.text,
                Reading::Bare => line.bare,
            };
            if line.sign != Sign::New {
                old.push_str(text);
                old.push('\n');
            }
            if line.sign != Sign::Old {
                new.push_str(text);
                new.push('\n');
            }
        }
        (old, new)
    }

    /// Takes empty lines without a sign off its end; they only part it from what follows.
    pub fn pop_empty(&mut self) {
        while self.lines.pop_if(|line| line.bare.is_empty() && line.sign == Sign::Context).is_some() {}
    }

    /// Whether it only adds lines and shows none that is there.
    pub fn is_addition(&self) -> bool {
        self.lines.iter().all(|line| line.sign == Sign::New)
    }

    /// How many lines of the old text it shows.
    pub fn old_len(&self) -> usize {
        self.lines.iter().filter(|line| line.sign != Sign::New).count()
    }

    /// How many lines of the new text it shows.
    pub fn new_len(&self) -> usize {
        self.lines.iter().filter(|line| line.sign != Sign::Old).count()
    }

    /// Whether any line goes or comes.
    pub fn changes(&self) -> bool {
        self.lines.iter().any(|line| line.sign != Sign::Context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hunk_is_two_texts_in_each_reading() {
        let lines: Vec<Line<'_>> = ["  a", "-b", "+c", "", "d"].into_iter().map(Line::read).collect();
        let hunk = Hunk { lines, ..Hunk::default() };
        assert_eq!(hunk.texts(Reading::Signed), (" a\nb\n\nd\n".into(), " a\nc\n\nd\n".into()));
        assert_eq!(hunk.texts(Reading::Bare), ("  a\nb\n\nd\n".into(), "  a\nc\n\nd\n".into()));
        assert!(hunk.changes() && !hunk.is_addition());
    }
}
