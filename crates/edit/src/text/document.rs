//! A text as the engine sees it: line feeds only, no byte-order mark. Putting changes back never alters the mark,
//! nor the ending of a line that no change names.

use std::borrow::Cow;
use std::ops::Range;

use similar::DiffTag;

use crate::text::ops::ops;

/// The byte-order mark as a char.
pub(crate) const BOM: char = '\u{feff}';

/// A byte range of [`Document::text`] and the text (line feeds only) which takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub range: Range<usize>,
    pub new: String,
}

/// A file's text, normalised for searching.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    pub text: Cow<'a, str>,
    bom: bool,
    /// For each line break in order: whether it is CRLF; empty if none is.
    crlf: Vec<bool>,
}

impl<'a> Document<'a> {
    pub fn new(raw: &'a str) -> Self {
        let (bom, body) = match raw.strip_prefix(BOM) {
            Some(rest) => (true, rest),
            None => (false, raw),
        };
        let crlf = match body.contains("\r\n") {
            true => line_breaks(body).map(|at| body[..at].ends_with('\r')).collect(),
            false => Vec::new(),
        };
        Self { text: to_lf(body), bom, crlf }
    }

    /// The raw text with the changes (sorted, disjoint) in place.
    pub fn splice(&self, changes: &[Change]) -> String {
        let added: usize = changes.iter().map(|change| change.new.len()).sum();
        let mut out = String::with_capacity(self.text.len() + added + 3);
        if self.bom {
            out.push(BOM);
        }
        if self.crlf.is_empty() {
            self.splice_lf(changes, &mut out);
        } else {
            self.splice_each(changes, &mut out);
        }
        out
    }

    fn splice_lf(&self, changes: &[Change], out: &mut String) {
        let mut done = 0;
        for change in changes {
            out.push_str(&self.text[done..change.range.start]);
            out.push_str(&change.new);
            done = change.range.end;
        }
        out.push_str(&self.text[done..]);
    }

    fn splice_each(&self, changes: &[Change], out: &mut String) {
        let crlf = &self.crlf;
        let mut done = 0;
        let mut line = 0;
        for change in changes {
            push_with(&self.text[done..change.range.start], &mut line, crlf, out);
            let old = &self.text[change.range.clone()];
            push_changed(old, &change.new, &mut line, crlf, out);
            done = change.range.end;
        }
        push_with(&self.text[done..], &mut line, crlf, out);
    }
}

/// The text with every CRLF as a line feed; a lone carriage return is content and stays.
pub(crate) fn to_lf(text: &str) -> Cow<'_, str> {
    if text.as_bytes().contains(&b'\r') { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

fn line_breaks(text: &str) -> impl Iterator<Item = usize> {
    text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at)
}

/// Copies `piece`, giving each of its line breaks the ending of the old break at `line`, which moves on with it.
fn push_with(piece: &str, line: &mut usize, crlf: &[bool], out: &mut String) {
    for part in piece.split_inclusive('\n') {
        let Some(content) = part.strip_suffix('\n') else {
            out.push_str(part);
            continue;
        };
        let ending = crlf.get(*line).or(crlf.last());
        out.extend([content, if ending == Some(&true) { "\r\n" } else { "\n" }]);
        *line += 1;
    }
}

/// Copies the new text of a change: lines it shares with the old text keep their ending, a replaced line takes the
/// ending of the one it replaces, and an added line that of the line before it.
fn push_changed(old: &str, new: &str, line: &mut usize, crlf: &[bool], out: &mut String) {
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let start = *line;
    for op in ops(&old_lines, &new_lines) {
        let (tag, old_range, new_range) = op.as_tag_tuple();
        if tag == DiffTag::Delete {
            continue;
        }
        for (offset, index) in new_range.enumerate() {
            let mut at = match tag {
                DiffTag::Insert => (start + old_range.start).saturating_sub(1),
                _ => start + old_range.start + offset.min(old_range.len().saturating_sub(1)),
            };
            push_with(new_lines[index], &mut at, crlf, out);
        }
    }
    *line = start + line_breaks(old).count();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(raw: &str, old: &str, new: &str) -> String {
        let document = Document::new(raw);
        let at = document.text.find(old).unwrap();
        document.splice(&[Change { range: at..at + old.len(), new: new.into() }])
    }

    #[test]
    fn every_line_keeps_its_own_ending() {
        let cases = [
            ("a\nb\nc\n", "b\n", "x\ny\n", "a\nx\ny\nc\n"),
            ("a\r\nb\r\nc\r\n", "b\n", "x\ny\n", "a\r\nx\r\ny\r\nc\r\n"),
            ("a\r\nb\nc\r\nd", "b\n", "x\n", "a\r\nx\nc\r\nd"),
            ("a\r\nb\nc\r\nd", "b\nc\n", "b\nnew\nc\n", "a\r\nb\nnew\nc\r\nd"),
            ("a\r\nb\nc\r\nd", "a\nb\n", "b\n", "b\nc\r\nd"),
            ("a\r\nb\nc\r\nd", "", "x\n", "x\r\na\r\nb\nc\r\nd"),
            ("a\r\nb\nc\nd", "b\n", "x\nb\n", "a\r\nx\r\nb\nc\nd"),
            ("\u{feff}a\r\nb", "b", "c", "\u{feff}a\r\nc"),
            ("a\rb\nc", "c", "d", "a\rb\nd"),
        ];
        for (raw, old, new, expected) in cases {
            assert_eq!(change(raw, old, new), expected, "{raw:?} {old:?}");
        }
    }
}
