//! Why an edit was refused, in words which the model that asked for it can act on. Every refusal means that the
//! text is as it was.

use std::fmt;
use std::ops::RangeInclusive;

use crate::format::Format;

/// Places of an ambiguous text that a message shows with their lines, and how many lines of each.
const SHOWN: usize = 6;
const SHOWN_LINES: usize = 4;

/// The kind of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// There is nothing to look for, and the file is not empty.
    EmptySearch,
    /// Search and replacement are the same text.
    NothingToChange,
    /// The replacement is already in the file and the search text is not.
    AlreadyApplied,
    /// The text is not in the file, nor is anything near enough.
    NotFound,
    /// The text fits several places equally well.
    Ambiguous,
    /// A place is alike, but a difference in it may matter (a number, a name, an operator).
    Weak,
    /// Two blocks of one call want the same lines.
    Overlap,
    /// The new text stands for code with dots ("rest of the code unchanged") instead of giving it.
    Placeholder,
    /// The edit has the mark of a secret that was hidden from the model, and the file does not.
    Hidden,
    /// The new text would cut most of a large file.
    Shrinks,
    /// The request is not in the format it claims.
    Malformed,
    /// The request names a file that is not there.
    NoFile,
    /// The request creates a file that is there already, with other text.
    FileExists,
    /// The request names lines which the file does not have.
    OutOfRange,
    /// The place was not met to the letter, and the file could be parsed before but not after.
    BreaksSyntax,
}

/// A region of the file which the block may have meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its lines, from 1.
    pub lines: RangeInclusive<usize>,
    /// How alike it is to the text sought, 0 to 1.
    pub similarity: f32,
    /// The region, or its first lines, as the file has it; very long lines are cut.
    pub excerpt: String,
    /// The line above which opens the block that the region is in (a function's head, say), if it is indented.
    pub within: Option<String>,
}

/// An edit that did not go through. Nothing has changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", self.message())]
pub struct Refusal {
    /// The kind.
    pub reason: Reason,
    /// The format of the request.
    pub format: Format,
    /// The file at fault, as the request names it; empty if the request names none.
    pub file: String,
    /// The first block at fault, counted from 0.
    pub block: usize,
    /// How many blocks the call had.
    pub blocks: usize,
    /// The places that come into question, best first.
    pub candidates: Vec<Candidate>,
    /// What more there is to say: a small diff, the offending line; empty if there is nothing.
    pub detail: String,
}

impl Refusal {
    /// A refusal of one block without candidates. `apply` fills in which block of how many.
    pub fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self {
            reason,
            format: Format::SearchReplace,
            file: String::new(),
            block: 0,
            blocks: 1,
            candidates: Vec::new(),
            detail: detail.into(),
        }
    }

    pub(crate) fn with(mut self, candidates: Vec<Candidate>) -> Self {
        self.candidates = candidates;
        self
    }

    pub(crate) fn of(mut self, format: Format, file: &str) -> Self {
        self.format = format;
        if self.file.is_empty() {
            self.file = file.to_owned();
        }
        self
    }

    pub(crate) fn of_block(mut self, block: usize, blocks: usize) -> Self {
        (self.block, self.blocks) = (block, blocks);
        self
    }

    /// What is wrong, where, and what to do next; several lines.
    pub fn message(&self) -> String {
        let mut out = String::new();
        let (one, all) = self.format.parts();
        if !self.file.is_empty() {
            out.push_str(&format!("{}: ", self.file));
        }
        if self.blocks > 1 {
            out.push_str(&format!("{one} {} of {}: ", self.block + 1, self.blocks));
        }
        out.push_str(&self.what());
        if self.blocks > 1 {
            out.push_str(&format!(" None of the {all} was applied."));
        }
        out.push('\n');
        if !self.detail.is_empty() {
            out.push_str(&self.detail);
            if !self.detail.ends_with('\n') {
                out.push('\n');
            }
        }
        if self.reason == Reason::Ambiguous {
            out.push_str(&self.places());
        }
        out.push_str(self.next_step());
        out
    }

    /// The places of an ambiguous text: the first few with their lines, then numbers alone.
    fn places(&self) -> String {
        let mut out = String::new();
        for candidate in self.candidates.iter().take(SHOWN) {
            let within = candidate.within.as_ref().map(|line| format!(" (in `{line}`)")).unwrap_or_default();
            let excerpt: String = candidate.excerpt.split_inclusive('\n').take(SHOWN_LINES).collect();
            out.push_str(&format!("{}{within}:\n{}", Lines(&candidate.lines), indented(&excerpt)));
        }
        let more: Vec<String> = self.candidates.iter().skip(SHOWN).map(|c| Lines(&c.lines).to_string()).collect();
        if !more.is_empty() {
            out.push_str(&format!("Also {}.\n", more.join(", ")));
        }
        out
    }

    fn what(&self) -> String {
        let nearest = self.candidates.first();
        match self.reason {
            Reason::EmptySearch => "The search text is empty and the file is not.".into(),
            Reason::NothingToChange => "The search text and the replacement are the same: nothing would change.".into(),
            Reason::AlreadyApplied => match nearest {
                Some(place) => format!("The file already has the new text, at {}.", Lines(&place.lines)),
                None => "The file already has the new text.".into(),
            },
            Reason::NotFound => match nearest.filter(|it| it.similarity > 0.0) {
                Some(near) => format!(
                    "The search text is not in the file. Nearest: {} ({} % alike).",
                    Lines(&near.lines),
                    percent(near.similarity)
                ),
                None => "The search text is not in the file, and nothing in it is alike.".into(),
            },
            Reason::Ambiguous => format!("The search text fits {} places equally well.", self.candidates.len()),
            Reason::Weak => match nearest {
                Some(near) => format!(
                    "The search text is not in the file as given; {} ({} % alike) differ where it may matter.",
                    Lines(&near.lines),
                    percent(near.similarity)
                ),
                None => "The search text is too slight to name a place.".into(),
            },
            Reason::Overlap => "Two blocks change the same lines.".into(),
            Reason::Placeholder => "The new text has a placeholder line in place of code.".into(),
            Reason::Hidden => {
                "The edit has a mark in place of a secret that was hidden from you; the file has the secret itself there."
                    .into()
            }
            Reason::Shrinks => "The new text would remove the file's text, or most of it.".into(),
            Reason::Malformed => "The edit cannot be read.".into(),
            Reason::NoFile => "There is no such file.".into(),
            Reason::FileExists => "The file is to be created, but it is there already.".into(),
            Reason::OutOfRange => "The file does not have these lines.".into(),
            Reason::BreaksSyntax => "The file could no longer be parsed after this edit.".into(),
        }
    }

    fn next_step(&self) -> &'static str {
        match self.reason {
            Reason::EmptySearch => {
                "Give the lines to replace, or the line after which to insert together with the new lines; to replace the whole file, write the file."
            }
            Reason::NothingToChange => {
                "Check which of the two texts is wrong, or go on if the file is as it should be."
            }
            Reason::AlreadyApplied => "Go on; there is nothing to do here.",
            Reason::NotFound => {
                "Take the lines from the file as it is now (read it again if in doubt) and send the edit again."
            }
            Reason::Ambiguous => {
                "Add lines before or after which only the place you mean has, or give its line number."
            }
            Reason::Weak => "If that is the place, send the edit again with its lines as the file has them.",
            Reason::Overlap => "Join them into one block.",
            Reason::Placeholder => "Write the code out in full, or edit only the part that changes.",
            Reason::Hidden => {
                "Leave that text out, of what you look for and of what you write: name lines beside it and change only them, and what is hidden stays. A new value can be written, or taken from the environment; the old one only the user can give."
            }
            Reason::Shrinks => {
                "Write the whole file, or edit only the part that changes; to remove code, name it in an edit."
            }
            Reason::Malformed => self.format.advice(),
            Reason::NoFile => "Check the path; to make a new file, create it.",
            Reason::FileExists => "Read the file and edit it, or write it whole.",
            Reason::OutOfRange => {
                "Read the file again and give the numbers it has now, counted from 1, both ends named."
            }
            Reason::BreaksSyntax => {
                "If that is meant, send the edit again with its lines to the letter; else check the place and the brackets."
            }
        }
    }
}

fn indented(excerpt: &str) -> String {
    excerpt.lines().map(|line| format!("    {line}\n")).collect()
}

/// A likeness in whole percent; 100 is kept for what is equal.
pub(crate) fn percent(similarity: f32) -> u32 {
    if similarity >= 1.0 { 100 } else { ((similarity * 100.0) as u32).min(99) }
}

/// "line 4" or "lines 4-9".
pub(crate) struct Lines<'a>(pub &'a RangeInclusive<usize>);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, end) = (self.0.start(), self.0.end());
        if end <= start { write!(f, "line {start}") } else { write!(f, "lines {start}-{end}") }
    }
}
