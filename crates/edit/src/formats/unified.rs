//! Reading unified diffs as models write them: with or without headers and numbers, with wrong counts, in fences, with
//! prose around. Counts are believed only where they tell a diff from the prose behind it; a line that adds or removes
//! is never left out.

use super::hunk::{Hunk, LastBreak, Line, Sign};
use super::patch::FilePatch;
use super::unified_header::{Header, hunk_of, new_count};
use crate::refusal::{Reason, Refusal};

/// The parts of a diff (line feeds only), file by file.
pub(crate) fn parse(text: &str) -> Result<Vec<FilePatch<'_>>, Refusal> {
    let lines: Vec<&str> = text.split_terminator('\n').collect();
    let mut reader =
        Reader { lines: &lines, at: 0, fenced: false, header: Header::default(), hunks: Vec::new(), done: Vec::new() };
    while reader.at < lines.len() {
        reader.step()?;
    }
    reader.close()?;
    if reader.done.is_empty() {
        return Err(Refusal::new(Reason::Malformed, "There is no hunk in it."));
    }
    Ok(reader.done)
}

struct Reader<'a, 'l> {
    lines: &'l [&'a str],
    at: usize,
    /// Whether a fence was opened above the diff.
    fenced: bool,
    header: Header,
    hunks: Vec<Hunk<'a>>,
    done: Vec<FilePatch<'a>>,
}

impl<'a> Reader<'a, '_> {
    fn line(&self, at: usize) -> &'a str {
        self.lines.get(at).copied().unwrap_or_default()
    }

    /// Reads what is at hand outside of a hunk.
    fn step(&mut self) -> Result<(), Refusal> {
        let line = self.line(self.at);
        if line.starts_with("@@@") {
            return Err(Refusal::new(Reason::Malformed, "Diffs of merges (`@@@`) cannot be applied."));
        }
        if line.starts_with("@@") {
            self.at += 1;
            return self.hunk(hunk_of(line), new_count(line));
        }
        if line.starts_with("diff --git ") {
            self.close()?;
            self.header = Header::of_git(line);
        } else if self.is_header(self.at) {
            self.names()?;
            let next = self.line(self.at);
            let begins = next.starts_with([' ', '+', '-']) && !self.is_header(self.at);
            return if begins { self.hunk(Hunk { headings: true, ..Hunk::default() }, None) } else { Ok(()) };
        } else if self.header.named && self.hunks.is_empty() {
            self.header.extend(line)?;
        } else if line.starts_with("```") {
            self.fenced = !self.fenced;
        }
        self.at += 1;
        Ok(())
    }

    /// Whether the names of a file begin here: both lines, or the first with a hunk below.
    fn is_header(&self, at: usize) -> bool {
        let (line, next, below) = (self.line(at), self.line(at + 1), self.line(at + 2));
        let hunk = |line: &str| line.starts_with("@@");
        line.starts_with("--- ") && (next.starts_with("+++ ") && (hunk(below) || !self.in_hunks()) || hunk(next))
            || line.starts_with("+++ ") && hunk(next) && !self.in_hunks()
    }

    fn in_hunks(&self) -> bool {
        !self.hunks.is_empty()
    }

    fn names(&mut self) -> Result<(), Refusal> {
        if self.in_hunks() {
            self.close()?;
        }
        let old = self.line(self.at).strip_prefix("--- ");
        self.at += usize::from(old.is_some());
        let new = self.line(self.at).strip_prefix("+++ ");
        self.at += usize::from(new.is_some());
        self.header.names(old, new);
        Ok(())
    }

    /// Reads the lines of a hunk.
    fn hunk(&mut self, mut hunk: Hunk<'a>, new_count: Option<usize>) -> Result<(), Refusal> {
        let counts = hunk.count.zip(new_count);
        let mut marks = (false, false);
        while self.at < self.lines.len() && !self.ends_hunk(&hunk, counts) {
            let line = self.line(self.at);
            self.at += 1;
            if line.starts_with('\\') {
                match hunk.lines.last().map(|line| line.sign) {
                    Some(Sign::Old) => marks.0 = true,
                    Some(Sign::New) => marks.1 = true,
                    _ => marks = (true, true),
                }
                continue;
            }
            hunk.lines.push(Line::read(line));
        }
        drop_separators(&mut hunk, counts);
        hunk.last_break = match marks {
            (true, false) => LastBreak::Present,
            (false, true) => LastBreak::Absent,
            _ => LastBreak::AsIs,
        };
        if hunk.changes() {
            self.hunks.push(hunk);
        }
        Ok(())
    }

    /// Whether the hunk is over before the line at hand.
    fn ends_hunk(&self, hunk: &Hunk<'a>, counts: Option<(usize, usize)>) -> bool {
        let line = self.line(self.at);
        if line.starts_with("@@") || line.starts_with("diff --git ") || self.fenced && line.starts_with("```") {
            return true;
        }
        let (next, below) = (self.line(self.at + 1), self.line(self.at + 2));
        if line.starts_with("--- ") && next.starts_with("+++ ") && (below.starts_with("@@") || below.is_empty()) {
            return true;
        }
        if line == "-- " && hunk.changes() {
            // What mail programs put before a signature, as `git format-patch` does.
            return self.lines.len() - self.at <= 3;
        }
        let complete = counts.is_some_and(|(old, new)| hunk.old_len() == old && hunk.new_len() == new);
        complete && !line.starts_with([' ', '+', '-', '\\']) && !self.goes_on()
    }

    /// Whether lines with a sign come before the next hunk or file.
    fn goes_on(&self) -> bool {
        let rest = self.lines[self.at..].iter();
        let ends = |line: &&&str| {
            !(line.starts_with("@@")
                || line.starts_with("diff ")
                || line.starts_with("--- ")
                || line.starts_with("```"))
        };
        rest.take_while(ends).any(|line| line.starts_with(['+', '-', ' ']))
    }

    /// Ends the file at hand.
    fn close(&mut self) -> Result<(), Refusal> {
        let header = std::mem::take(&mut self.header);
        let hunks = std::mem::take(&mut self.hunks);
        if header.named || !hunks.is_empty() {
            self.done.push(header.patch(hunks)?);
        }
        Ok(())
    }
}

/// Takes empty lines off the end that only separate the hunk from what follows: no blank marks them as context, and
/// the counts, if they fit otherwise, do not ask for them.
fn drop_separators(hunk: &mut Hunk<'_>, counts: Option<(usize, usize)>) {
    let asked = |hunk: &Hunk<'_>| counts.is_some_and(|(old, new)| hunk.old_len() <= old && hunk.new_len() <= new);
    while hunk.lines.last().is_some_and(|line| line.sign == Sign::Context && line.bare.is_empty()) && !asked(hunk) {
        hunk.lines.pop();
    }
}
