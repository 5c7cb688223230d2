//! A diff as data: hunks of numbered rows with classed spans.

use std::borrow::Cow;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hunks::{self, Kind};
use super::{changed, classes, with_line_ends};
use crate::document::TextSpan;
use crate::visible;

/// A part of a diff.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffHunk {
    /// Its rows.
    pub rows: Vec<DiffRow>,
}

/// A line of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffRow {
    /// What became of it.
    pub kind: RowKind,
    /// Its number in the old file, from 1.
    pub old: Option<u64>,
    /// Its number in the new file.
    pub new: Option<u64>,
    /// Its text.
    pub spans: Vec<TextSpan>,
}

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// Nothing.
    Same,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It is no line but says something of the file, such as that there is no line break at its end.
    Note,
}

/// The hunks of a unified diff of the file at `path`; by its headers where no path is given.
pub fn hunks(path: Option<&str>, diff: &str) -> Vec<DiffHunk> {
    let path = path.or_else(|| hunks::path(diff));
    let diff = visible(&with_line_ends(diff));
    let rows = hunks::rows(&diff);
    let (classes, parts) = (classes(path, &rows), changed(&rows));
    let mut out = Vec::new();
    let mut hunk = DiffHunk::default();
    for (row, (classes, parts)) in rows.iter().zip(classes.iter().zip(&parts)) {
        let number = |has: bool, number: u64| (has && number > 0).then_some(number);
        let (kind, old, new) = match row.kind {
            Kind::Gap => {
                out.push(std::mem::take(&mut hunk));
                continue;
            }
            Kind::Context => (RowKind::Same, true, true),
            Kind::Added => (RowKind::Added, false, true),
            Kind::Removed => (RowKind::Removed, true, false),
            Kind::Note => (RowKind::Note, false, false),
        };
        let spans = spans(row.text, classes.as_deref().unwrap_or_default(), parts);
        hunk.rows.push(DiffRow { kind, old: number(old, row.old), new: number(new, row.number), spans });
    }
    if !hunk.rows.is_empty() {
        out.push(hunk);
    }
    out
}

/// A line cut where its class or its having changed ends.
fn spans(text: &str, classes: &[(Range<usize>, ox_syntax::Class)], parts: &[Range<usize>]) -> Vec<TextSpan> {
    let mut looks = vec![(None, false); text.len()];
    for (range, class) in classes {
        looks[range.clone()].iter_mut().for_each(|it| it.0 = Some(class.name()));
    }
    for range in parts {
        looks[range.clone()].iter_mut().for_each(|it| it.1 = true);
    }
    let (mut out, mut at) = (Vec::new(), 0);
    for run in looks.chunk_by(|a, b| a == b) {
        let (class, changed) = run[0];
        out.extend(text.get(at..at + run.len()).map(|it| TextSpan {
            text: it.to_owned(),
            class: class.map(Cow::Borrowed),
            changed,
        }));
        at += run.len();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_both_numbers_and_what_changed_in_them() {
        let diff = "--- a/x.rs\n+++ b/x.rs\n@@ -3,3 +3,4 @@\n same\n-let a = 1;\n+let a = 2;\n+new\n same\n@@ -20 +21 @@\n-x\n+y\n";
        let all = hunks(None, diff);
        assert_eq!(all.iter().map(|it| it.rows.len()).collect::<Vec<_>>(), [5, 2]);
        let numbers: Vec<_> = all[0].rows.iter().map(|it| (it.old, it.new)).collect();
        let some = Some::<u64>;
        assert_eq!(
            numbers,
            [(some(3), some(3)), (some(4), None), (None, some(4)), (None, some(5)), (some(5), some(6))]
        );
        let changed: Vec<&str> =
            all[0].rows[2].spans.iter().filter(|it| it.changed).map(|it| it.text.as_str()).collect();
        assert_eq!(changed, ["2"]);
        assert_eq!(all[0].rows[1].spans[0].class.as_deref(), Some("keyword"));
        assert_eq!((all[1].rows[0].old, all[1].rows[1].new), (Some(20), Some(21)));
    }
}
