//! Reading patches between `*** Begin Patch` and `*** End Patch`. Markers may be indented or followed by blanks, and the
//! last one may be missing; a section of an unknown kind is refused rather than passed over.

use super::hunk::{Hunk, LastBreak, Line, Sign};
use super::patch::{Action, FilePatch, new_text};
use super::paths::plain;
use crate::refusal::{Reason, Refusal};

/// What opens a section.
const SECTIONS: [(&str, Kind); 3] =
    [("*** Add File:", Kind::Add), ("*** Update File:", Kind::Update), ("*** Delete File:", Kind::Delete)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Add,
    Update,
    Delete,
}

/// Whether a line (without blanks around it) opens a section.
pub(crate) fn is_section(line: &str) -> bool {
    section(line).is_some()
}

fn section(line: &str) -> Option<(Kind, &str)> {
    SECTIONS.iter().find_map(|(mark, kind)| Some((*kind, line.strip_prefix(mark)?.trim())))
}

/// The parts of a patch (line feeds only), file by file.
pub(crate) fn parse(text: &str) -> Result<Vec<FilePatch<'_>>, Refusal> {
    let lines: Vec<&str> = text.split_terminator('\n').collect();
    let mut at = match lines.iter().position(|line| line.trim() == "*** Begin Patch") {
        Some(begin) => begin + 1,
        None => lines.iter().position(|line| is_section(line.trim())).unwrap_or(lines.len()),
    };
    let end = end_of_patch(&lines, at);
    let mut patches = Vec::new();
    while at < end {
        let line = lines[at].trim();
        at += 1;
        if line.is_empty() {
            continue;
        }
        let Some((kind, path)) = section(line) else {
            let detail = format!("Line {at}: `{line}` opens no section.");
            return Err(Refusal::new(Reason::Malformed, detail));
        };
        let to_end = lines[at..end].iter().position(|line| opens_section(line)).map_or(end, |length| at + length);
        patches.push(file_patch(kind, path, &lines[at..to_end], at)?);
        at = to_end;
    }
    if patches.is_empty() {
        return Err(Refusal::new(Reason::Malformed, "There is no `*** Update File:` (or Add, Delete) in it."));
    }
    Ok(patches)
}

/// Where the patch ends: at its last line, or before what is left of the wrapping it came in.
fn end_of_patch(lines: &[&str], from: usize) -> usize {
    let marked = lines.iter().skip(from).position(|line| line.trim_end() == "*** End Patch").map(|at| from + at);
    let indented = || lines.iter().rposition(|line| line.trim() == "*** End Patch").filter(|&at| at >= from);
    if let Some(at) = marked.or_else(indented) {
        return at;
    }
    let mut end = lines.len();
    while end > from && (lines[end - 1].trim().is_empty() || matches!(lines[end - 1], "```" | "EOF")) {
        end -= 1;
    }
    end
}

/// Whether a line inside a section opens the next one. Any line that begins with the stars and a name for what is done
/// to a file counts, so that a kind which is not known is told and not taken for context.
fn opens_section(line: &str) -> bool {
    is_section(line) || line.starts_with("*** ") && line.contains(" File:") && !line.starts_with("*** End of File")
}

fn file_patch<'a>(kind: Kind, path: &'a str, lines: &[&'a str], first: usize) -> Result<FilePatch<'a>, Refusal> {
    if path.is_empty() {
        return Err(Refusal::new(Reason::Malformed, format!("Line {first} names no file.")));
    }
    let readings = vec![plain(path).to_owned()];
    let made = |action, to, hunks| Ok(FilePatch { action, readings, to, hunks });
    match kind {
        Kind::Delete => match lines.iter().find(|line| !line.trim().is_empty()) {
            None => made(Action::Delete, None, Vec::new()),
            Some(line) => Err(Refusal::new(Reason::Malformed, format!("A file that is deleted has no lines: {line}"))),
        },
        Kind::Add => {
            let mut hunk = Hunk { lines: lines.iter().map(|line| Line::read(line)).collect(), ..Hunk::default() };
            hunk.pop_empty();
            made(Action::Add(new_text(&[hunk])?), None, Vec::new())
        }
        Kind::Update => {
            let to = lines.first().and_then(|line| line.trim().strip_prefix("*** Move to:"));
            let hunks = hunks(&lines[usize::from(to.is_some())..])?;
            made(Action::Update, to.map(|to| plain(to).to_owned()), hunks)
        }
    }
}

/// The hunks of a section.
fn hunks<'a>(lines: &[&'a str]) -> Result<Vec<Hunk<'a>>, Refusal> {
    let mut done = Vec::new();
    let mut hunk = Hunk { last_break: LastBreak::Present, ..Hunk::default() };
    for line in lines {
        if line.starts_with("@@") {
            if !hunk.lines.is_empty() {
                push(&mut done, &mut hunk)?;
            }
            open(&mut hunk, line);
        } else if line.trim_end() == "*** End of File" {
            hunk.at_end = true;
        } else if !(hunk.at_end && line.trim().is_empty()) {
            hunk.lines.push(Line::read(line));
        }
    }
    if !hunk.lines.is_empty() || !hunk.anchors.is_empty() {
        push(&mut done, &mut hunk)?;
    }
    Ok(done)
}

/// Takes a line `@@`: an anchor, the numbers of a unified diff, or nothing.
fn open<'a>(hunk: &mut Hunk<'a>, line: &'a str) {
    let read = super::unified_header::hunk_of(line);
    if read.start.is_some() {
        (hunk.start, hunk.count) = (read.start, read.count);
        return;
    }
    hunk.anchors.extend(read.anchors);
}

fn push<'a>(done: &mut Vec<Hunk<'a>>, hunk: &mut Hunk<'a>) -> Result<(), Refusal> {
    let mut full = std::mem::replace(hunk, Hunk { last_break: LastBreak::Present, ..Hunk::default() });
    full.pop_empty();
    if full.lines.last().is_some_and(|line| line.sign == Sign::Context) {
        // The last line is left alone, and so is what comes behind it.
        full.last_break = LastBreak::AsIs;
    }
    if !full.changes() {
        // A hunk that shows lines and changes none asks for nothing; one without lines was cut short.
        return match full.anchors.last().filter(|_| full.lines.is_empty()) {
            Some(anchor) => Err(Refusal::new(Reason::Malformed, format!("Nothing follows `@@ {anchor}`."))),
            None => Ok(()),
        };
    }
    done.push(full);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_read_whatever_stands_around_them() {
        let body =
            "*** Update File: ./a b.rs\n*** Move to: c.rs\n@@ class A\n@@ def f\n x\n-y\n+z\n\n*** End of File\n";
        for text in [
            format!("*** Begin Patch\n{body}*** End Patch\n"),
            format!("apply_patch <<'EOF'\n*** Begin Patch\n{body}*** End Patch\nEOF\n"),
            format!("```\n *** Begin Patch \n{body} *** End Patch\n```\n"),
            format!("*** Begin Patch\n{body}```\n"),
            body.to_owned(),
        ] {
            let patches = parse(&text).unwrap();
            assert_eq!((patches.len(), patches[0].readings.as_slice()), (1, &["a b.rs".to_owned()][..]), "{text}");
            assert_eq!(patches[0].to.as_deref(), Some("c.rs"));
            let hunk = &patches[0].hunks[0];
            assert_eq!((hunk.anchors.as_slice(), hunk.at_end), (&["class A", "def f"][..], true));
            assert_eq!(hunk.lines.len(), 3, "{text}");
        }
    }

    #[test]
    fn what_is_no_patch_is_refused() {
        for text in [
            "*** Begin Patch\n*** End Patch\n",
            "*** Begin Patch\n*** Frobnicate File: a\n*** End Patch\n",
            "*** Begin Patch\n*** Update File:\n@@\n-a\n*** End Patch\n",
            "*** Begin Patch\n*** Add File: a\n+x\ny\n*** End Patch\n",
            "*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch\n",
            "*** Begin Patch\n*** Update File: a\n@@ f\n*** End Patch\n",
            "*** Begin Patch\n*** Update File: a\n@@\n-x\n*** Rename File: b\n*** End Patch\n",
            "x\n",
        ] {
            assert_eq!(parse(text).unwrap_err().reason, Reason::Malformed, "{text}");
        }
    }
}
