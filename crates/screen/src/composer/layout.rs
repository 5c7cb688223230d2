//! Where each part of the text that is being typed stands on the screen.

use unicode_segmentation::UnicodeSegmentation;

use crate::text::{clean, width};

/// Rows of a text and where the cursor is in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// Bytes of the text, without the line break or the blank at which it was wrapped.
    pub rows: Vec<(usize, usize)>,
    /// Row and column.
    pub cursor: (usize, usize),
}

/// Lays `text` out in `columns`: words stay whole where they fit.
pub fn rows(text: &str, cursor: usize, columns: usize) -> Rows {
    let columns = columns.max(2);
    let mut rows = Vec::new();
    let mut from = 0;
    for line in text.split('\n') {
        wrap(text, from, from + line.len(), columns, &mut rows);
        from += line.len() + 1;
    }
    // The end of a full row is the beginning of the next: an input method needs a cell.
    let row = rows.iter().rposition(|(start, _)| *start <= cursor).unwrap_or(0);
    let (start, end) = rows[row];
    let column = columns_of(&text[start..cursor.clamp(start, end.max(start))]);
    let mut at = (row, column);
    if column >= columns {
        at = (row + 1, 0);
        if row + 1 == rows.len() {
            rows.push((end, end));
        }
    }
    Rows { rows, cursor: at }
}

/// Columns that text takes as it is shown.
pub fn columns_of(text: &str) -> usize {
    text.graphemes(true).map(|it| width(&clean(it))).sum()
}

/// The byte offset that stands at this row and column, or nearest before it.
pub fn offset(text: &str, rows: &[(usize, usize)], row: usize, column: usize) -> usize {
    let Some((start, end)) = rows.get(row).copied() else { return text.len() };
    let mut at = start;
    let mut seen = 0;
    for grapheme in text[start..end].graphemes(true) {
        seen += width(&clean(grapheme));
        if seen > column {
            break;
        }
        at += grapheme.len();
    }
    at
}

fn wrap(text: &str, from: usize, to: usize, columns: usize, rows: &mut Vec<(usize, usize)>) {
    let mut start = from;
    let mut used = 0;
    // Behind the last blank of the row, where it may be broken.
    let mut blank = None;
    let mut at = from;
    for grapheme in text[from..to].graphemes(true) {
        let wide = width(&clean(grapheme));
        if used + wide > columns {
            let next = blank.filter(|it| *it > start).unwrap_or(at);
            rows.push((start, next));
            used = columns_of(&text[next..at]);
            (start, blank) = (next, None);
        }
        used += wide;
        at += grapheme.len();
        if grapheme == " " {
            blank = Some(at);
        }
    }
    rows.push((start, to));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(text: &str, cursor: usize, columns: usize) -> (Vec<&str>, (usize, usize)) {
        let it = rows(text, cursor, columns);
        (it.rows.iter().map(|(from, to)| &text[*from..*to]).collect(), it.cursor)
    }

    #[test]
    fn text_is_wrapped_and_the_cursor_found() {
        type Case = (&'static str, usize, usize, &'static [&'static str], (usize, usize));
        let cases: [Case; 9] = [
            ("", 0, 10, &[""], (0, 0)),
            ("abc", 3, 10, &["abc"], (0, 3)),
            ("one two three", 13, 8, &["one two ", "three"], (1, 5)),
            ("abcdefghij", 10, 5, &["abcde", "fghij", ""], (2, 0)),
            ("abcdefghij", 5, 5, &["abcde", "fghij"], (1, 0)),
            ("a\n\nb", 2, 5, &["a", "", "b"], (1, 0)),
            ("中文字", 9, 5, &["中文", "字"], (1, 2)),
            ("x👩\u{200d}💻y", 13, 3, &["x👩\u{200d}💻", "y"], (1, 1)),
            ("a\n", 2, 5, &["a", ""], (1, 0)),
        ];
        for (text, cursor, columns, expected, at) in cases {
            assert_eq!(laid(text, cursor, columns), (expected.to_vec(), at), "{text:?}");
        }
    }

    #[test]
    fn a_place_on_the_screen_is_a_place_in_the_text() {
        let text = "one two three";
        let it = rows(text, 0, 8);
        assert_eq!(offset(text, &it.rows, 1, 2), 10);
        assert_eq!(offset(text, &it.rows, 0, 99), 8);
        assert_eq!(offset(text, &it.rows, 9, 0), 13);
        assert_eq!(offset("中文", &[(0, 6)], 0, 3), 3);
    }
}
