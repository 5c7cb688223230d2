//! The rows that a line takes on the screen, each with its place in the text of the line.
//!
//! Promise: a place in a text stays the same place at every width, so selections and matches survive a resize.

use crate::text::{Line, Span, width, wrap};

/// One row.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    /// Which line of its entry it shows.
    pub(super) line: usize,
    /// Where in the line's text it begins, in bytes.
    pub(super) from: usize,
    /// What stands before the text: indents, bullets, line numbers.
    pub(super) lead: Vec<Span>,
    /// The text.
    pub(super) spans: Vec<Span>,
    /// True for the empty row before an entry.
    pub(super) is_gap: bool,
}

impl Row {
    /// Where in the line's text it ends.
    pub(super) fn end(&self) -> usize {
        self.from + self.spans.iter().map(|it| it.text.len()).sum::<usize>()
    }

    /// Columns before the text.
    pub(super) fn lead_width(&self) -> usize {
        self.lead.iter().map(|it| width(&it.text)).sum()
    }
}

/// The text of a line without what stands before it.
pub(super) fn text(line: &Line) -> String {
    line.spans.iter().map(|it| it.text.as_str()).collect()
}

/// Adds the rows of the line with this number at `limit` columns.
pub(super) fn add(out: &mut Vec<Row>, line: &Line, number: usize, limit: usize) {
    let mut wrapped = wrap(line, limit).into_iter();
    let Some(first) = wrapped.next() else { return };
    out.push(Row { line: number, from: 0, lead: first.lead, spans: first.spans, is_gap: false });
    let mut rest = wrapped.peekable();
    if rest.peek().is_none() {
        return;
    }
    let text = text(line);
    for row in rest {
        let mut from = out.last().map_or(0, Row::end);
        // Blanks at the end of a row are not shown, and none begins a row.
        from += text.get(from..).map_or(0, |it| it.len() - it.trim_start_matches(' ').len());
        out.push(Row { line: number, from, lead: row.lead, spans: row.spans, is_gap: false });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Role;

    #[test]
    fn each_row_knows_where_it_begins() {
        let cases = [
            ("one two  three four", 10),
            ("没有空格的一句很长的话也会折行", 9),
            ("unbreakablewordthat goes on", 10),
            ("", 10),
            ("مرحبا بالعالم الكبير", 9),
            (
                "👨\u{200d}👩\u{200d}👧👨\u{200d}👩\u{200d}👧👨\u{200d}👩\u{200d}👧👨\u{200d}👩\u{200d}👧👨\u{200d}👩\u{200d}👧",
                9,
            ),
        ];
        for (words, limit) in cases {
            let line = Line::of(words, Role::Plain).indented(1, 1);
            let mut rows = Vec::new();
            add(&mut rows, &line, 3, limit);
            for row in &rows {
                let shown: String = row.spans.iter().map(|it| it.text.as_str()).collect();
                assert_eq!(&words[row.from..row.end()], shown, "{words}");
            }
            assert!(rows.iter().all(|it| it.line == 3) && !rows.is_empty());
        }
    }
}
