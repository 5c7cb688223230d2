//! What was entered before, in a file that several processes add to.
//!
//! Promise: an entry that begins with a blank is not kept; a history that cannot be written costs nothing but itself.

use std::io::Write;
use std::path::PathBuf;

/// Entries that are read.
const KEPT: usize = 1_000;

/// Entries, oldest first, and where one is in them.
#[derive(Debug, Default)]
pub struct History {
    entries: Vec<String>,
    file: Option<PathBuf>,
    /// The entry that is shown, and what was typed before.
    at: Option<(usize, String)>,
}

impl History {
    /// Reads the file; there may be none yet.
    pub fn read(file: Option<PathBuf>) -> History {
        let text = file.as_ref().and_then(|it| std::fs::read_to_string(it).ok()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().filter(|it| *it != HEAD).collect();
        let from = lines.len().saturating_sub(KEPT);
        History { entries: lines[from..].iter().map(|it| unescaped(it)).collect(), file, at: None }
    }

    /// Adds an entry and writes it behind the others.
    pub fn add(&mut self, entry: &str) {
        self.at = None;
        if entry.trim().is_empty() || entry.starts_with(' ') || self.entries.last().is_some_and(|it| it == entry) {
            return;
        }
        self.entries.push(entry.to_string());
        let Some(file) = &self.file else { return };
        let written = || -> std::io::Result<()> {
            file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            let head = if file.exists() { String::new() } else { format!("{HEAD}\n") };
            let mut open = std::fs::OpenOptions::new().create(true).append(true).open(file)?;
            open.write_all(format!("{head}{}\n", escaped(entry)).as_bytes())
        };
        // What cannot be kept is still there until the program ends.
        let _ = written();
    }

    /// The entry before the one that is shown; `typed` comes back behind the last.
    pub fn before(&mut self, typed: &str) -> Option<String> {
        let (at, typed) = self.at.take().unwrap_or((self.entries.len(), typed.to_string()));
        let next = at.checked_sub(1);
        self.at = Some((next.unwrap_or(at), typed)).filter(|_| !self.entries.is_empty());
        next.map(|it| self.entries[it].clone())
    }

    /// The entry behind the one that is shown, and behind the last what was typed.
    pub fn after(&mut self) -> Option<String> {
        let (at, typed) = self.at.take()?;
        match self.entries.get(at + 1) {
            Some(entry) => {
                let entry = entry.clone();
                self.at = Some((at + 1, typed));
                Some(entry)
            }
            None => Some(typed),
        }
    }

    /// What is shown was changed: it is a text of its own now.
    pub fn leave(&mut self) {
        self.at = None;
    }

    /// Entries that hold `text`, newest first, each once.
    pub fn matching(&self, text: &str) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        let text = text.to_lowercase();
        for entry in self.entries.iter().rev().filter(|it| it.to_lowercase().contains(&text)) {
            if !found.contains(&entry.as_str()) {
                found.push(entry);
            }
        }
        found
    }
}

/// The first line of files of earlier versions, too; line breaks and backslashes are escaped.
const HEAD: &str = "#V2";

fn escaped(entry: &str) -> String {
    entry.replace('\\', "\\\\").replace('\n', "\\n")
}

fn unescaped(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match (c, c == '\\') {
            (_, false) => out.push(c),
            _ => match rest.next() {
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_walks_through_it_and_comes_back_to_what_was_typed() {
        let mut history = History::default();
        ["one", "two", "two", " secret", "three"].iter().for_each(|it| history.add(it));
        assert_eq!(history.before("typ").as_deref(), Some("three"));
        assert_eq!(history.before("three").as_deref(), Some("two"));
        assert_eq!(history.before("two").as_deref(), Some("one"));
        assert_eq!(history.before("one"), None);
        assert_eq!(history.after().as_deref(), Some("two"));
        assert_eq!(history.after().as_deref(), Some("three"));
        assert_eq!(history.after().as_deref(), Some("typ"));
        assert_eq!(history.after(), None);
        assert_eq!(History::default().before("x"), None);
    }

    #[test]
    fn entries_of_several_lines_are_kept_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/history");
        let mut history = History::read(Some(file.clone()));
        history.add("a\nb \\n c");
        History::read(Some(file.clone())).add("other");
        let all = History::read(Some(file));
        assert_eq!(all.entries, ["a\nb \\n c", "other"]);
        assert_eq!(all.matching("B"), ["a\nb \\n c"]);
    }
}
