//! The three-way line merge: what the request changes is carried out on the lines the file has. A line which the
//! request leaves alone keeps the file's bytes, a line which only the file has survives, and where that cannot be
//! decided the merge gives up rather than choose.

use std::ops::Range;

use similar::DiffOp;

use crate::engine::align::Alignment;
use crate::engine::clean::Sign;
use crate::engine::respell::Respelling;
use crate::engine::slide::slide;
use crate::text::document::Change;
use crate::text::fold::key;
use crate::text::indent::Indenter;
use crate::text::lines::{Lines, is_blank};
use crate::text::ops::ops;
use crate::text::target::Target;
use crate::text::tokens::likeness;

/// The search text, the replacement and the script of a request (which lines stay, go and come; empty if it is not
/// said), line by line.
pub(crate) type Texts<'a> = (&'a [&'a str], &'a [&'a str], &'a [Sign]);

/// The file has lines which the request does not know, just where it changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The line of the file, as an index.
    pub line: usize,
}

/// A line of the result: one of the file's, or a new one.
enum Piece {
    Keep(usize),
    New(String),
}

impl Piece {
    fn new_text(&self) -> Option<&str> {
        match self {
            Self::New(text) => Some(text),
            Self::Keep(_) => None,
        }
    }
}

/// One line of what both sides know: a line of the search text, a line of the file, or both.
#[derive(Debug, Clone, Copy)]
struct Base<'a> {
    text: &'a str,
    search: Option<usize>,
    file: Option<usize>,
}

/// How new lines are written: indented and spelt as the file does.
struct Style<'a> {
    indenter: Indenter<'a>,
    respelling: Respelling,
}

impl<'a> Style<'a> {
    fn learn(search: &[&'a str], target: &'a Target<'_>, alignment: &Alignment) -> Self {
        let aligned = || {
            let known = alignment.pairs.iter().enumerate();
            known.filter_map(|(at, pair)| Some((at, search[at], target.lines().get((*pair)?))))
        };
        Self {
            indenter: Indenter::learn(aligned()),
            respelling: Respelling::learn(aligned().map(|(_, search, line)| (search, line)), target.text()),
        }
    }

    fn apply(&self, line: &str, near: usize, first: bool) -> String {
        self.indenter.apply(&self.respelling.apply(line), near, first)
    }
}

/// The changes which turn the aligned region into what the replacement asks for; empty where it already is so.
pub(crate) fn merge(
    (search, replace, script): Texts<'_>,
    target: &Target<'_>,
    alignment: &Alignment,
) -> Result<Vec<Change>, Conflict> {
    let style = Style::learn(search, target, alignment);
    let file = target.lines();
    let base = base_lines(search, replace, file, alignment);
    let ops = match scripted(script, &base, replace.len()) {
        Some(ops) => ops,
        None => found_out(&base, replace),
    };
    let pieces = pieces(&base, replace, &ops, file, alignment, &style)?;
    Ok(changes(&pieces, file, &alignment.region))
}

/// The search text, and between its lines those which only the file and the replacement have: the model left them
/// out of the search text by mistake, and they must not appear twice.
fn base_lines<'a>(search: &[&'a str], replace: &[&str], file: &Lines<'a>, alignment: &Alignment) -> Vec<Base<'a>> {
    let count = |lines: &[&str], wanted: u64| lines.iter().filter(|line| key(line) == wanted).count();
    let mut base = Vec::new();
    let mut next = alignment.region.start;
    for (at, pair) in alignment.pairs.iter().enumerate() {
        if let Some(line) = *pair {
            for only in next..line {
                let text = file.get(only);
                let wanted = key(text);
                if wanted != 0 && count(replace, wanted) > count(search, wanted) {
                    base.push(Base { text, search: None, file: Some(only) });
                }
            }
            next = line + 1;
        }
        base.push(Base { text: search[at], search: Some(at), file: *pair });
    }
    base
}

/// What the request changes, found out by comparing its two texts.
fn found_out(base: &[Base<'_>], replace: &[&str]) -> Vec<DiffOp> {
    let old: Vec<&str> = base.iter().map(|line| line.text.trim_end()).collect();
    let new: Vec<&str> = replace.iter().map(|line| line.trim_end()).collect();
    let mut ops = ops(&old, &new);
    slide(&mut ops, &new);
    ops
}

/// What the request says it changes. None if it does not say, or if lines came to the base that it does not know.
fn scripted(script: &[Sign], base: &[Base<'_>], new_len: usize) -> Option<Vec<DiffOp>> {
    let (mut old_index, mut new_index) = (0, 0);
    let mut out = Vec::new();
    for run in script.chunk_by(|a, b| (*a == Sign::Context) == (*b == Sign::Context)) {
        let old_len = run.iter().filter(|sign| **sign != Sign::New).count();
        let new_len = run.iter().filter(|sign| **sign != Sign::Old).count();
        out.push(match (run[0], old_len, new_len) {
            (Sign::Context, len, _) => DiffOp::Equal { old_index, new_index, len },
            (_, 0, _) => DiffOp::Insert { old_index, new_index, new_len },
            (_, _, 0) => DiffOp::Delete { old_index, old_len, new_index },
            _ => DiffOp::Replace { old_index, old_len, new_index, new_len },
        });
        old_index += old_len;
        new_index += new_len;
    }
    (!script.is_empty() && old_index == base.len() && new_index == new_len).then_some(out)
}

fn pieces(
    base: &[Base<'_>],
    replace: &[&str],
    ops: &[DiffOp],
    file: &Lines<'_>,
    alignment: &Alignment,
    style: &Style<'_>,
) -> Result<Vec<Piece>, Conflict> {
    let Range { start: next, end } = alignment.region.clone();
    let mut walk = Walk { file, next, end, removing: false, added: None, pieces: Vec::new() };
    for op in ops {
        match *op {
            DiffOp::Equal { old_index, len, .. } => {
                for line in &base[old_index..old_index + len] {
                    walk.keep(line)?;
                }
            }
            DiffOp::Delete { old_index, old_len, .. } => walk.remove_all(&base[old_index..old_index + old_len])?,
            DiffOp::Insert { old_index, new_index, new_len } => {
                walk.add(replace, new_index..new_index + new_len, near(base, old_index), style);
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                walk.remove_all(&base[old_index..old_index + old_len])?;
                walk.add(replace, new_index..new_index + new_len, near(base, old_index), style);
            }
        }
    }
    Ok(walk.pieces)
}

/// The search line beside a position of the base.
fn near(base: &[Base<'_>], at: usize) -> usize {
    base[at.min(base.len())..].iter().chain(base.iter().rev()).find_map(|line| line.search).unwrap_or(0)
}

/// The way through the region, line by line.
struct Walk<'a> {
    file: &'a Lines<'a>,
    /// The next line of the file which has no decision yet.
    next: usize,
    /// The end of the paired lines; what the request has after it anchors nothing.
    end: usize,
    /// Whether the last paired line was removed.
    removing: bool,
    /// Where in the pieces the lines added since then start.
    added: Option<usize>,
    pieces: Vec<Piece>,
}

impl Walk<'_> {
    /// Decides the lines which only the file has, before `line`.
    fn pass(&mut self, line: usize, removing: bool) -> Result<(), Conflict> {
        let only = self.next..line;
        let dropped = self.removing && removing;
        if let Some(at) = only.clone().find(|&at| !is_blank(self.file.get(at)))
            && (self.added.is_some() || dropped)
        {
            return Err(Conflict { line: at });
        }
        if !dropped {
            let at = match self.added {
                Some(added) if !self.removing && self.belongs_below(added, line) => added,
                _ => self.pieces.len(),
            };
            self.pieces.splice(at..at, only.map(Piece::Keep));
        }
        self.next = line + 1;
        (self.removing, self.added) = (removing, None);
        Ok(())
    }

    /// Whether lines added beside blank lines which only the file has belong to the text below the blank lines
    /// rather than to the text above.
    fn belongs_below(&self, added: usize, line: usize) -> bool {
        let new: Vec<&str> = self.pieces[added..].iter().filter_map(Piece::new_text).collect();
        let (Some(first), Some(last)) = (new.first(), new.last()) else { return false };
        if is_blank(first) || is_blank(last) {
            return !is_blank(first);
        }
        let above = self.next.checked_sub(1).map_or("", |at| self.file.get(at));
        likeness(last, self.file.get(line)) > likeness(first, above)
    }

    fn keep(&mut self, line: &Base<'_>) -> Result<(), Conflict> {
        if let Some(at) = line.file {
            self.pass(at, false)?;
            self.pieces.push(Piece::Keep(at));
        } else if self.added.is_some() && self.next >= self.end && self.next < self.file.len() {
            // Lines added before a line that the file lacks, with nothing below to hold on to.
            return Err(Conflict { line: self.next });
        }
        Ok(())
    }

    fn remove_all(&mut self, lines: &[Base<'_>]) -> Result<(), Conflict> {
        for line in lines {
            if let Some(at) = line.file {
                self.pass(at, true)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, replace: &[&str], range: Range<usize>, near: usize, style: &Style<'_>) {
        self.added.get_or_insert(self.pieces.len());
        for at in range {
            self.pieces.push(Piece::New(style.apply(replace[at], near, at == 0)));
        }
    }
}

/// The smallest runs of lines to exchange.
fn changes(pieces: &[Piece], file: &Lines<'_>, region: &Range<usize>) -> Vec<Change> {
    let mut out = Vec::new();
    let mut cursor = region.start;
    let mut pending: Vec<&str> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::New(line) => pending.push(line),
            Piece::Keep(line) => {
                push_change(&mut out, file, cursor..*line, &pending);
                pending.clear();
                cursor = line + 1;
            }
        }
    }
    push_change(&mut out, file, cursor..region.end, &pending);
    out
}

fn push_change(out: &mut Vec<Change>, file: &Lines<'_>, lines: Range<usize>, new: &[&str]) {
    let mut text: String = new.iter().flat_map(|line| [line, "\n"]).collect();
    let at_open_end = lines.end == file.len() && file.open_ended();
    if at_open_end && !new.is_empty() {
        text.pop();
        if lines.is_empty() {
            text.insert(0, '\n');
        }
    }
    let range = file.start(lines.start)..file.start(lines.end);
    if range.is_empty() && text.is_empty() || file.slice(lines) == text {
        return;
    }
    out.push(Change { range, new: text });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::document::Document;

    /// Merges with the pairs given as line indices of the file; shows the result, or the conflicting line.
    fn run(search: &str, replace: &str, text: &str, pairs: &[Option<usize>]) -> Result<String, usize> {
        let document = Document::new(text);
        let (search, replace): (Vec<&str>, Vec<&str>) = (search.lines().collect(), replace.lines().collect());
        let known: Vec<usize> = pairs.iter().flatten().copied().collect();
        let region = known[0]..known[known.len() - 1] + 1;
        let changes =
            merge((&search, &replace, &[]), &Target::new(&document), &Alignment { pairs: pairs.to_vec(), region });
        let changes = changes.map_err(|conflict| conflict.line)?;
        Ok(document.splice(&changes))
    }

    #[test]
    fn kept_lines_keep_the_bytes_of_the_file() {
        assert_eq!(run("a\nb\n", "a\nc\n", "a  \nb  \n", &[Some(0), Some(1)]).unwrap(), "a  \nc\n");
        assert_eq!(run("a\nb", "a\nc", "a\nb", &[Some(0), Some(1)]).unwrap(), "a\nc");
        assert_eq!(run("a\nb", "a\nb\nc", "a\nb", &[Some(0), Some(1)]).unwrap(), "a\nb\nc");
    }

    #[test]
    fn lines_which_only_the_file_has_survive() {
        let text = "a\nonly\nb\nc\n";
        assert_eq!(run("a\nb\nc", "a\nb\nd", text, &[Some(0), Some(2), Some(3)]).unwrap(), "a\nonly\nb\nd\n");
        assert_eq!(run("a\nb", "a\nonly\nb\nd", text, &[Some(0), Some(2)]).unwrap(), "a\nonly\nb\nd\nc\n");
    }

    #[test]
    fn an_addition_stands_before_blank_lines_which_only_the_file_has() {
        assert_eq!(run("a\nb", "a\nx\nb", "a\n\nb\n", &[Some(0), Some(2)]).unwrap(), "a\nx\n\nb\n");
    }

    #[test]
    fn an_undecidable_place_is_a_conflict() {
        assert_eq!(run("a\nb", "a\nx\nb", "a\nonly\nb\n", &[Some(0), Some(2)]), Err(1));
        assert_eq!(run("a\nb", "x", "a\nonly\nb\n", &[Some(0), Some(2)]), Err(1));
    }
}
