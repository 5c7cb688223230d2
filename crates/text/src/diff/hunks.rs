//! A unified diff taken apart: which lines are context, gone and new, and their numbers.
//!
//! Promise: no line of a hunk is lost. What looks like a header inside a hunk is a line of it, because hunks are counted.

/// A row of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row<'a> {
    pub kind: Kind,
    /// The line number: of the old file for what is gone, else of the new one; 0 where there is none.
    pub number: u64,
    /// The line number in the old file; 0 where there is none.
    pub old: u64,
    /// Without the sign.
    pub text: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Context,
    Removed,
    Added,
    /// The place where a further hunk begins.
    Gap,
    /// What stands outside of the lines, such as that there is no line break at the end.
    Note,
}

/// The rows of a diff. File headers are left out: what they name stands above the diff.
pub(super) fn rows(diff: &str) -> Vec<Row<'_>> {
    let mut out: Vec<Row<'_>> = Vec::new();
    let mut hunk = Hunk::default();
    let mut begun = false;
    for line in diff.lines() {
        // No line of a hunk begins like this, but a hunk may have been cut short.
        if let Some(next) = Hunk::open(line) {
            hunk = next;
            if begun {
                out.push(Row { kind: Kind::Gap, number: 0, old: 0, text: "" });
            }
            begun = true;
        } else if let Some(row) = hunk.row(line) {
            out.push(row);
        } else if !is_file_header(line) {
            out.push(note(line));
        }
    }
    out
}

/// The path of the new file, or of the old one where it was deleted, as the headers name it.
pub(super) fn path(diff: &str) -> Option<&str> {
    let headers = || diff.lines().take_while(|line| !line.starts_with("@@"));
    let named = |mark: &str, folder: &str| {
        let line = headers().find_map(|line| line.strip_prefix(mark))?;
        Some(line.strip_prefix(folder).unwrap_or(line)).filter(|it| *it != "/dev/null")
    };
    named("+++ ", "b/").or_else(|| named("--- ", "a/"))
}

fn is_file_header(line: &str) -> bool {
    line.starts_with("--- ") || line.starts_with("+++ ") || line.starts_with("diff --git") || line.starts_with("index ")
}

/// Where the next line of each file is, and how many are left.
#[derive(Debug, Default)]
struct Hunk {
    old: (u64, u64),
    new: (u64, u64),
    /// True once lines were left out of it.
    cut: bool,
}

impl Hunk {
    fn open(line: &str) -> Option<Hunk> {
        let mut parts = line.strip_prefix("@@ -")?.split(' ');
        let old = range(parts.next()?)?;
        Some(Hunk { old, new: range(parts.next()?.strip_prefix('+')?)?, cut: false })
    }

    /// The line as a row; none once the hunk is over.
    fn row<'a>(&mut self, line: &'a str) -> Option<Row<'a>> {
        if self.old.1 == 0 && self.new.1 == 0 {
            return None;
        }
        let (kind, text) = match line.as_bytes().first() {
            Some(b'-') => (Kind::Removed, &line[1..]),
            Some(b'+') => (Kind::Added, &line[1..]),
            Some(b' ') => (Kind::Context, &line[1..]),
            // Some programs leave the space of an empty line out.
            None => (Kind::Context, line),
            _ => {
                // How many lines of which file were left out there cannot be known.
                self.cut |= line.starts_with('…');
                return Some(note(line));
            }
        };
        let number = match kind {
            _ if self.cut => 0,
            Kind::Removed => self.old.0,
            _ => self.new.0,
        };
        let old = if self.cut { 0 } else { self.old.0 };
        for (side, other) in [(&mut self.old, Kind::Added), (&mut self.new, Kind::Removed)] {
            if kind != other {
                *side = (side.0 + 1, side.1.saturating_sub(1));
            }
        }
        Some(Row { kind, number, old, text })
    }
}

/// What stands outside of the lines.
fn note(line: &str) -> Row<'_> {
    Row { kind: Kind::Note, number: 0, old: 0, text: line.strip_prefix("\\ ").unwrap_or(line) }
}

/// `12,3` as first line and count; a count of one may be left out.
fn range(text: &str) -> Option<(u64, u64)> {
    let (from, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((from.parse().ok()?, count.parse().ok()?))
}
