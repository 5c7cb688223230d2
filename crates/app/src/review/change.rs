//! A change as git shows it: its files, and the lines of each that are new.

use std::fmt::Write as _;

use ox_core::secrets::redact;
use ox_protocol::Problem;
use ox_protocol::names::is_secret;
use ox_repo::Tree;

use super::git::Repository;
use super::subject::Found;

/// Lines around a change that are shown: a function is seldom longer, and what is not shown can be read.
const AROUND: &str = "--unified=10";
/// The longest diff that a model reads at once, in bytes: some 30,000 tokens, which fit every window that can do the work.
const LONGEST: usize = 120_000;

/// A file of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its path after the change, relative to the project's root.
    pub path: String,
    /// It is gone.
    pub deleted: bool,
    /// Its lines that are new, from 1.
    pub added: Vec<u32>,
    /// How many lines are gone.
    pub removed: u32,
    /// The last line after the change that the diff shows, 0 for none.
    pub(super) shown: u32,
    /// Its part of the diff; empty where it may not be shown.
    diff: String,
}

impl ChangedFile {
    /// The lines that a finding may name where only the diff is known: of a file that is gone its former ones.
    pub(super) fn lines(&self) -> u32 {
        if self.deleted { self.removed } else { self.shown }
    }
}

/// The files of a change, in the order of git.
pub(super) fn files(found: &Found, git: &Repository<'_>, tree: &Tree) -> Result<Vec<ChangedFile>, Problem> {
    let diff = |flags: &[&str]| {
        let head = ["diff", "--relative", "--find-renames"].iter().chain(flags).copied();
        let args: Vec<&str> = head.chain(found.diff.iter().map(String::as_str)).chain(["--", "."]).collect();
        git.must(&args)
    };
    let names = diff(&["--name-status", "-z"])?;
    let text = diff(&[AROUND])?;
    let mut parts = text.split("\ndiff --git ").map(|it| it.strip_prefix("diff --git ").unwrap_or(it));
    let mut files = Vec::new();
    for (letter, path) in listed(&names) {
        let part = parts.next().unwrap_or_default();
        // A file that became a link, or the reverse, is one that goes and one that comes.
        let part = if letter == "T" {
            format!("{part}\ndiff --git {}", parts.next().unwrap_or_default())
        } else {
            part.to_owned()
        };
        files.push(file(path, letter == "D", &part));
    }
    if found.untracked {
        let new = git.must(&["ls-files", "--others", "--exclude-standard", "-z", "--", "."])?;
        files.extend(new.split('\0').filter(|it| !it.is_empty()).map(|path| untracked(path, tree)));
    }
    Ok(files)
}

/// The files of a diff that git has written elsewhere.
pub(super) fn of_diff(text: &str) -> Vec<ChangedFile> {
    let text = format!("\n{text}");
    let parts = text.split("\ndiff --git ").skip(1);
    parts.filter_map(|part| Some(file(path_of(part)?, part.contains("\ndeleted file mode "), part))).collect()
}

/// The path of a file in its part of a diff: the new one, or the old one where it is gone. Without a hunk the first line has it
/// twice.
fn path_of(part: &str) -> Option<String> {
    let head: Vec<&str> = part.lines().take_while(|it| !it.starts_with("@@ ")).collect();
    let after = |mark: &str| head.iter().find_map(|it| it.strip_prefix(mark)).map(|it| it.trim_end_matches('\t'));
    let named = after("+++ b/").or_else(|| after("rename to ")).or_else(|| after("--- a/"));
    let twice = || {
        let line = head.first()?.strip_prefix("a/")?;
        let (old, new) = line.split_at_checked(line.len().checked_sub(3)? / 2)?;
        new.strip_prefix(" b/").filter(|it| *it == old)
    };
    named.or_else(twice).map(str::to_owned)
}

/// The letters and paths of a list of names; of a renamed file the new one.
fn listed(names: &str) -> Vec<(&str, String)> {
    let mut words = names.split('\0');
    let mut out = Vec::new();
    while let (Some(letter), Some(path)) = (words.next().filter(|it| !it.is_empty()), words.next()) {
        let path = match letter.starts_with(['R', 'C']) {
            true => words.next().unwrap_or(path),
            false => path,
        };
        out.push((letter, path.to_owned()));
    }
    out
}

fn file(path: String, deleted: bool, part: &str) -> ChangedFile {
    let mut file = ChangedFile { deleted, ..ChangedFile::default() };
    let mut at = None;
    for line in part.lines() {
        if let Some(start) = line.strip_prefix("@@ ").and_then(begins_at) {
            at = Some(start);
        } else if let Some(number) = &mut at {
            match line.as_bytes().first() {
                Some(b'+') => file.added.push(*number),
                Some(b'-') => file.removed += 1,
                _ => {}
            }
            *number += u32::from(!line.starts_with(['-', '\\']));
            file.shown = file.shown.max(number.saturating_sub(1));
        }
    }
    if !is_secret(&path) {
        file.diff = format!("diff --git {}\n", part.trim_end_matches('\n'));
    }
    ChangedFile { path, ..file }
}

/// The first line of a hunk after the change: `-a,b +c,d @@`.
fn begins_at(rest: &str) -> Option<u32> {
    rest.split_once('+')?.1.split([',', ' ']).next()?.parse().ok()
}

/// A file that git does not know is new from its first to its last line.
fn untracked(path: &str, tree: &Tree) -> ChangedFile {
    let mut file = ChangedFile { path: path.to_owned(), ..ChangedFile::default() };
    let text = if is_secret(path) { None } else { tree.read(path).ok().map(|it| it.text) };
    if let Some(text) = text {
        let count = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        file.added = (1..=count).collect();
        let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
        file.diff = format!(
            "diff --git a/{path} b/{path}\nnew file\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{count} @@\n{lines}"
        );
    }
    file
}

/// The diff that a model reads: secrets are taken out, and what does not fit is named.
pub(super) fn text(files: &[ChangedFile]) -> String {
    let (mut out, mut left) = (String::new(), Vec::new());
    for file in files {
        match file.diff.is_empty() || out.len() + file.diff.len() > LONGEST {
            true => left.push(file.path.as_str()),
            false => {
                out.push_str(&file.diff);
                out.push('\n');
            }
        }
    }
    if !left.is_empty() {
        let _ = writeln!(out, "[changed and not shown here: {}]", left.join(", "));
    }
    let redacted = redact(&ox_model::keys::hide(&out));
    redacted.text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_names_are_read_with_renames() {
        let names = "M\0a.rs\0R090\0old.rs\0new.rs\0D\0gone.rs\0";
        assert_eq!(listed(names), [("M", "a.rs".into()), ("R090", "new.rs".into()), ("D", "gone.rs".into())]);
    }

    #[test]
    fn new_lines_are_counted_where_they_stand_after_the_change() {
        let part = "a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1,3 +1,4 @@ fn a\n one\n+two\n three\n-four\n+five\n\\ No newline at end of file\n@@ -10 +11,2 @@\n+x\n y\n";
        let file = file("a.rs".to_owned(), false, part);
        assert_eq!((file.added, file.removed), (vec![2, 4, 11], 1));
    }

    #[test]
    fn a_diff_from_elsewhere_has_its_files_and_their_last_lines() {
        let diff = "diff --git a/a.rs b/a.rs\nindex 1..2 100644\n--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,3 @@\n one\n+two\n three\n\
            diff --git a/old.rs b/new.rs\nsimilarity index 100%\nrename from old.rs\nrename to new.rs\n\
            diff --git a/gone.rs b/gone.rs\ndeleted file mode 100644\n--- a/gone.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
            diff --git a/a b.png b/a b.png\nBinary files a/a b.png and b/a b.png differ\n";
        let files: Vec<_> = of_diff(diff).into_iter().map(|it| (it.path, it.deleted, it.added, it.shown)).collect();
        let expected = [
            ("a.rs".to_owned(), false, vec![2], 3),
            ("new.rs".to_owned(), false, vec![], 0),
            ("gone.rs".to_owned(), true, vec![], 0),
            ("a b.png".to_owned(), false, vec![], 0),
        ];
        assert_eq!(files, expected);
        assert_eq!(of_diff("no diff at all"), []);
    }

    #[test]
    fn secrets_and_what_is_too_long_are_named_and_not_shown() {
        let long = file("long.rs".to_owned(), false, &"+x\n".repeat(LONGEST));
        let env = file(".env".to_owned(), false, "a/.env b/.env\n@@ -1 +1 @@\n+TOKEN=1\n");
        let short = file("a.rs".to_owned(), false, "a/a.rs b/a.rs\n@@ -1 +1 @@\n+x\n");
        let shown = text(&[env, long, short]);
        assert_eq!(shown, "diff --git a/a.rs b/a.rs\n@@ -1 +1 @@\n+x\n\n[changed and not shown here: .env, long.rs]\n");
    }
}
