//! Which lines of a text are new and which are gone.

use ox_edit::line_ops;
use similar::DiffTag;

/// Lines with their numbers, from 1.
pub(crate) type Lines<'a> = Vec<(u32, &'a str)>;

/// What differs between two texts, line by line.
#[derive(Debug, Default)]
pub(crate) struct Diff<'a> {
    /// Lines that are new, numbered as the text is now.
    pub added: Lines<'a>,
    /// Lines that are gone, numbered as the text was.
    pub removed: Lines<'a>,
}

impl<'a> Diff<'a> {
    pub fn of(before: &'a str, after: &'a str) -> Diff<'a> {
        let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
        let number = |it: usize| u32::try_from(it + 1).unwrap_or(u32::MAX);
        let mut out = Diff::default();
        for op in line_ops(&old, &new) {
            if op.tag() != DiffTag::Equal {
                out.removed.extend(op.old_range().map(|it| (number(it), old[it])));
                out.added.extend(op.new_range().map(|it| (number(it), new[it])));
            }
        }
        out
    }

    /// True for a line of the new text that is new.
    pub fn is_added(&self, line: u32) -> bool {
        self.added.binary_search_by_key(&line, |it| it.0).is_ok()
    }
}

/// How alike two texts are by their lines, from 0 to 1; blanks at the ends of lines do not count.
pub(crate) fn likeness(a: &str, b: &str) -> f32 {
    let lines =
        |text: &str| -> Vec<String> { text.lines().map(|it| it.trim().to_owned()).filter(|it| it.len() > 1).collect() };
    let (a, b) = (lines(a), lines(b));
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    let mut left = b.clone();
    let same =
        a.iter().filter(|it| left.iter().position(|other| other == *it).map(|at| left.swap_remove(at)).is_some());
    2.0 * same.count() as f32 / (a.len() + b.len()) as f32
}
