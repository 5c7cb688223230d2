//! The lines of a unified diff that are not part of a hunk: names of files, what git says about them, `@@` lines.

use super::hunk::Hunk;
use super::patch::{Action, FilePatch};
use super::paths::{header_name, plain, readings};
use crate::refusal::{Reason, Refusal};

/// What is known of a file before its hunks.
#[derive(Debug, Default)]
pub(crate) struct Header {
    old: Option<String>,
    new: Option<String>,
    /// The two names of a line `diff --git`, which count where no others come.
    git: Option<(String, String)>,
    /// Whether a line `--- /dev/null` or `+++ /dev/null` was there.
    no_old: bool,
    no_new: bool,
    created: bool,
    deleted: bool,
    renamed: Option<(String, String)>,
    copied: bool,
    pending_from: Option<String>,
    /// Whether anything was said about the file at all.
    pub named: bool,
}

impl Header {
    /// Begins with a line `diff --git a/x b/x`.
    pub fn of_git(line: &str) -> Self {
        Self { git: git_names(line.trim_start_matches("diff --git ")), named: true, ..Self::default() }
    }

    /// Takes the names of a pair `--- x`, `+++ y`, of which one may be missing.
    pub fn names(&mut self, old: Option<&str>, new: Option<&str>) {
        self.named = true;
        if let Some(rest) = old {
            self.old = header_name(rest);
            self.no_old = self.old.is_none();
        }
        if let Some(rest) = new {
            self.new = header_name(rest);
            self.no_new = self.new.is_none();
        }
    }

    /// Takes one of git's lines between the names and the hunks.
    ///
    /// # Errors
    /// For a binary file, which has no lines to change.
    pub fn extend(&mut self, line: &str) -> Result<(), Refusal> {
        let after = |prefix: &str| line.strip_prefix(prefix).and_then(header_name);
        if line.starts_with("new file mode") {
            self.created = true;
        } else if line.starts_with("deleted file mode") {
            self.deleted = true;
        } else if let Some(from) = after("rename from ").or_else(|| after("copy from ")) {
            self.copied = line.starts_with("copy");
            self.pending_from = Some(from);
        } else if let Some(to) = after("rename to ").or_else(|| after("copy to ")) {
            self.renamed = self.pending_from.take().map(|from| (from, to));
        } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
            return Err(Refusal::new(Reason::Malformed, "It changes a binary file, which cannot be edited as text."));
        }
        Ok(())
    }

    /// The part of the patch for this file.
    pub fn patch(self, hunks: Vec<Hunk<'_>>) -> Result<FilePatch<'_>, Refusal> {
        if let Some((from, to)) = self.renamed {
            let action = if self.copied { Action::Copy } else { Action::Update };
            return Ok(FilePatch { action, readings: vec![from], to: Some(to), hunks });
        }
        let (mut old, mut new) = (self.old, self.new);
        if let (None, None, Some((first, second))) = (&old, &new, self.git) {
            (old, new) = (Some(first), Some(second));
        }
        let names = readings(old.as_deref(), new.as_deref());
        let action = if self.created || self.no_old && !self.no_new {
            Action::Add(super::patch::new_text(&hunks)?)
        } else if self.deleted || self.no_new && !self.no_old {
            Action::Delete
        } else {
            Action::Update
        };
        let hunks = if matches!(action, Action::Add(_)) { Vec::new() } else { hunks };
        Ok(FilePatch { action, readings: names, to: None, hunks })
    }
}

/// The two names of `a/x b/x`; where blanks make them unclear, the halves that name the same file.
fn git_names(rest: &str) -> Option<(String, String)> {
    if rest.starts_with('"') {
        let (first, second) = rest.split_once("\" ")?;
        return Some((header_name(first)?, header_name(second)?));
    }
    let spaces = rest.match_indices(' ').map(|(at, _)| (&rest[..at], &rest[at + 1..]));
    let bare = |name: &str| name.split_once('/').map(|(_, rest)| rest.trim_end().to_owned());
    let halves: Vec<(&str, &str)> = spaces.collect();
    let same = halves.iter().find(|(old, new)| bare(old).is_some() && bare(old) == bare(new));
    let (old, new) = same.or(halves.first())?;
    Some((plain(old).to_owned(), plain(new).to_owned()))
}

/// A hunk with what its `@@` line says: numbers, no numbers, the heading that tools print behind them.
pub(crate) fn hunk_of(line: &str) -> Hunk<'_> {
    let inner = line.trim_start_matches('@').trim();
    let (first, rest) = match inner.split_once("@@") {
        Some((first, rest)) => (first.trim(), rest.trim()),
        None => (inner, ""),
    };
    let mut hunk = Hunk { headings: true, ..Hunk::default() };
    let numbers = old_range(first);
    (hunk.start, hunk.count) = numbers.map_or((None, None), |(start, count)| (Some(start), Some(count)));
    let dots = first.chars().all(|c| matches!(c, '.' | '\u{2026}' | ' ' | '-' | '+' | ','));
    let words = if numbers.is_some() || dots { rest } else { first };
    let words = match (numbers, inner.split_once("@@")) {
        // Numbers without the closing mark: what follows them is the heading.
        (Some(_), None) => inner.split_whitespace().nth(2).and_then(|word| inner.find(word).map(|at| &inner[at..])),
        _ => Some(words),
    };
    hunk.anchors.extend(words.filter(|words| !words.is_empty()));
    hunk
}

/// The line and the count of `-12,3 +12,4`; a count left out is 1.
fn old_range(text: &str) -> Option<(usize, usize)> {
    let old = text.strip_prefix('-')?.split([' ', '+']).next()?;
    let mut parts = old.split(',');
    let start = parts.next()?.trim().parse().ok()?;
    let count = parts.next().map_or(Some(1), |count| count.trim().parse().ok())?;
    Some((start, count))
}

/// The count of new lines in `-12,3 +12,4`.
pub(crate) fn new_count(line: &str) -> Option<usize> {
    let new = line.trim_start_matches('@').trim_start().split_once('+')?.1;
    let new = new.split([' ', '@']).next()?;
    new.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunk_lines_say_more_or_less() {
        type Case<'a> = (&'a str, Option<usize>, Option<usize>, &'a [&'a str]);
        let cases: [Case<'_>; 9] = [
            ("@@ -12,3 +12,4 @@", Some(12), Some(3), &[]),
            ("@@ -12 +12,4 @@ fn f() {", Some(12), Some(1), &["fn f() {"]),
            ("@@ -0,0 +1 @@", Some(0), Some(0), &[]),
            ("@@ ... @@", None, None, &[]),
            ("@@ ... @@ class A:", None, None, &["class A:"]),
            ("@@", None, None, &[]),
            ("@@ def f(): @@", None, None, &["def f():"]),
            ("@@ def f():", None, None, &["def f():"]),
            ("@@ -x,y +z @@", None, None, &["-x,y +z"]),
        ];
        for (line, start, count, anchors) in cases {
            let hunk = hunk_of(line);
            assert_eq!((hunk.start, hunk.count, hunk.anchors.as_slice()), (start, count, anchors), "{line}");
        }
        assert_eq!(new_count("@@ -1,2 +1,30 @@ x"), Some(30));
        assert_eq!(new_count("@@ -1 +1 @@"), Some(1));
    }

    #[test]
    fn the_names_of_git_may_hold_blanks() {
        let pair = |old: &str, new: &str| Some((old.to_owned(), new.to_owned()));
        assert_eq!(git_names("a/x.rs b/x.rs"), pair("a/x.rs", "b/x.rs"));
        assert_eq!(git_names("a/x y.rs b/x y.rs"), pair("a/x y.rs", "b/x y.rs"));
    }
}
