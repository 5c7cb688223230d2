//! One entry for every format in which an edit is written. Each format becomes blocks or hunks which go through the
//! same tiers; whichever it is, all of a request is carried out or nothing.
//!
//! Nothing here reads or writes a disk: the texts of the files come in and go out as values.

mod addition;
mod anchors;
mod detect;
mod hunk;
mod hunks;
mod named;
mod patch;
mod paths;
mod range;
mod unified;
mod unified_header;
mod v4a;

use std::collections::BTreeMap;

use crate::apply::{apply, carry_out};
use crate::block::{Block, Place, Strategy};
use crate::guard::marker_guard_of;
use crate::markers::parse_for_files;
use crate::refusal::{Reason, Refusal};
use crate::whole::rewrite;

pub use detect::detect;
pub(crate) use hunk::Sign;
pub use named::{Does, Named};
pub use range::LineRange;

/// Texts of files by path.
pub type Files = BTreeMap<String, String>;

/// How an edit is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Blocks between `<<<<<<< SEARCH` and `>>>>>>> REPLACE`.
    SearchReplace,
    /// What `diff -u` and `git diff` write.
    UnifiedDiff,
    /// `*** Begin Patch` … `*** End Patch`.
    V4a,
    /// Lines named by number.
    LineRange,
    /// The new text of a whole file.
    WholeFile,
}

impl Format {
    /// What one part of an edit is called, and several.
    pub(crate) fn parts(self) -> (&'static str, &'static str) {
        match self {
            Self::SearchReplace | Self::WholeFile => ("Block", "blocks"),
            Self::UnifiedDiff | Self::V4a => ("Hunk", "hunks"),
            Self::LineRange => ("Range", "ranges"),
        }
    }

    /// What to write, for who wrote what cannot be read.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Self::SearchReplace => {
                "Use lines `<<<<<<< SEARCH`, the text sought, `=======`, the new text, `>>>>>>> REPLACE`."
            }
            Self::UnifiedDiff => {
                "Write `--- a/PATH`, `+++ b/PATH`, then for each place `@@ -LINE,COUNT +LINE,COUNT @@` and lines that start with a blank, `-` or `+`."
            }
            Self::V4a => {
                "Write `*** Begin Patch`, for each file `*** Update File: PATH` (or `Add File`, `Delete File`), then `@@` and lines that start with a blank, `-` or `+`, and `*** End Patch`."
            }
            Self::LineRange => "Give the first and the last line, counted from 1, and the new text.",
            Self::WholeFile => "Give the whole new text of the file.",
        }
    }
}

/// What is asked for. A `path` beside a text is the file that is meant where the text names none.
#[derive(Debug, Clone, Copy)]
pub enum Request<'a> {
    /// Blocks of one file.
    Blocks {
        /// The file.
        path: &'a str,
        /// What to replace in it.
        blocks: &'a [Block],
    },
    /// Blocks with markers; a line above a block may name its file.
    SearchReplace {
        /// The file where the text names none.
        path: Option<&'a str>,
        /// The blocks.
        text: &'a str,
    },
    /// A unified diff, of one file or several.
    UnifiedDiff {
        /// The file where the text names none.
        path: Option<&'a str>,
        /// The diff.
        text: &'a str,
    },
    /// A text from `*** Begin Patch` to `*** End Patch`.
    V4a {
        /// The patch.
        text: &'a str,
    },
    /// Lines of one file, by numbers of the text before the edit.
    LineRange {
        /// The file.
        path: &'a str,
        /// What to exchange.
        ranges: &'a [LineRange],
    },
    /// The new text of one file, which may be new itself.
    WholeFile {
        /// The file.
        path: &'a str,
        /// Its text.
        text: &'a str,
    },
}

impl<'a> Request<'a> {
    /// The request in a text whose format [`detect`] has told. Line ranges cannot be written as a text.
    pub fn of_text(format: Format, path: Option<&'a str>, text: &'a str) -> Option<Self> {
        Some(match format {
            Format::SearchReplace => Self::SearchReplace { path, text },
            Format::UnifiedDiff => Self::UnifiedDiff { path, text },
            Format::V4a => Self::V4a { text },
            Format::LineRange => return None,
            Format::WholeFile => Self::WholeFile { path: path?, text },
        })
    }

    /// The format it is written in.
    pub fn format(&self) -> Format {
        match self {
            Self::Blocks { .. } | Self::SearchReplace { .. } => Format::SearchReplace,
            Self::UnifiedDiff { .. } => Format::UnifiedDiff,
            Self::V4a { .. } => Format::V4a,
            Self::LineRange { .. } => Format::LineRange,
            Self::WholeFile { .. } => Format::WholeFile,
        }
    }

    /// The paths which the request may mean, so that the caller can load what exists of them. A name such as
    /// `a/src/x.rs` of a diff is given in each way it may be read; not every path has to exist.
    ///
    /// # Errors
    /// [`Reason::Malformed`] if the text cannot be read.
    pub fn paths(&self) -> Result<Vec<String>, Refusal> {
        let mut all: Vec<String> = self.named()?.into_iter().flat_map(|it| it.readings).collect();
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }
}

/// One place of an edit that went through.
#[derive(Debug, Clone, PartialEq)]
pub struct Landed {
    /// The file, under the name it had when it was edited.
    pub path: String,
    /// Where, and how it was recognised.
    pub place: Place,
}

/// An edit that went through. Only the files it changes are in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The new text of each file that changes; none for one that is deleted or was moved away.
    pub files_after: BTreeMap<String, Option<String>>,
    /// The places in the order of the request.
    pub places: Vec<Landed>,
    /// Files that got a new name: from, to. Both are in `files_after` too. A file that was at the new name is lost.
    pub moved: Vec<(String, String)>,
}

impl Outcome {
    fn add(&mut self, path: &str, text: String, places: Vec<Place>) {
        self.places.extend(places.into_iter().map(|place| Landed { path: path.to_owned(), place }));
        self.files_after.insert(path.to_owned(), Some(text));
    }

    /// How the least certain place was recognised.
    pub fn strategy(&self) -> Strategy {
        self.places.iter().map(|landed| landed.place.strategy).max().unwrap_or(Strategy::Exact)
    }

    /// The likeness of the least alike place, 0 to 1.
    pub fn similarity(&self) -> f32 {
        self.places.iter().map(|landed| landed.place.similarity).fold(1.0, f32::min)
    }
}

/// Carries a request out on the files given. Nothing is written; what is to be written comes back.
///
/// # Errors
/// A [`Refusal`] if any part of the request has no certain place or names a file that is not among `files`. Then no
/// part of it is to be carried out.
pub fn run(request: &Request<'_>, files: &Files) -> Result<Outcome, Refusal> {
    let format = request.format();
    hidden(request, files).map_err(|refusal| refusal.of(format, ""))?;
    let mut outcome = Outcome::default();
    match request {
        Request::Blocks { path, blocks } => blocks_of_file(path, blocks, files, &mut outcome)?,
        Request::SearchReplace { path, text } => return search_replace(*path, text, files),
        Request::UnifiedDiff { path, text } => {
            let text = crate::document::to_lf(text);
            let patches = unified::parse(&text).map_err(|refusal| refusal.of(format, ""))?;
            return patch::apply_all(&patches, *path, files, format);
        }
        Request::V4a { text } => {
            let text = crate::document::to_lf(text);
            let patches = v4a::parse(&text).map_err(|refusal| refusal.of(format, ""))?;
            return patch::apply_all(&patches, None, files, format);
        }
        Request::LineRange { path, ranges } => {
            let old = files.get(*path).ok_or_else(|| Refusal::new(Reason::NoFile, "").of(format, path))?;
            let applied = carry_out(old, ranges, range::place).map_err(|refusal| refusal.of(format, path))?;
            outcome.add(path, applied.text, applied.places);
        }
        Request::WholeFile { path, text } => {
            let old = files.get(*path).map_or("", String::as_str);
            let new = rewrite(old, text).map_err(|refusal| refusal.of(format, path))?;
            if files.contains_key(*path) && new == old {
                return Err(Refusal::new(Reason::NothingToChange, "").of(format, path));
            }
            outcome.add(path, new, Vec::new());
        }
    }
    Ok(outcome)
}

/// Refuses marks of hidden text that no file of the request has. Blocks and whole files are guarded where they are applied.
fn hidden(request: &Request<'_>, files: &Files) -> Result<(), Refusal> {
    let guard = |text: &str| marker_guard_of(|mark| files.values().any(|it| it.contains(mark)), text);
    match request {
        Request::Blocks { .. } | Request::WholeFile { .. } => Ok(()),
        Request::SearchReplace { text, .. } | Request::UnifiedDiff { text, .. } | Request::V4a { text } => guard(text),
        Request::LineRange { ranges, .. } => {
            ranges.iter().try_for_each(|it| guard(&it.new).and_then(|()| guard(it.old.as_deref().unwrap_or(""))))
        }
    }
}

/// Blocks of several files: all blocks of a file are located against its text as it was.
fn search_replace(path: Option<&str>, text: &str, files: &Files) -> Result<Outcome, Refusal> {
    let (blocks, named) = parse_for_files(text)?;
    let mut groups: Vec<(String, Vec<Block>)> = Vec::new();
    let mut current: Option<String> = path.map(str::to_owned);
    for (block, name) in blocks.into_iter().zip(named) {
        // A line above a block is often prose; a name counts where there is such a file, or no other is known.
        if let Some(name) = name
            && (files.contains_key(&name) || path.is_none())
        {
            current = Some(name);
        }
        let Some(file) = current.clone().or_else(|| only_file(files)) else {
            return Err(Refusal::new(Reason::Malformed, "No line above the first block names its file."));
        };
        match groups.iter_mut().find(|(known, _)| *known == file) {
            Some((_, group)) => group.push(block),
            None => groups.push((file, vec![block])),
        }
    }
    let several = groups.len() > 1;
    let mut outcome = Outcome::default();
    for (file, group) in groups {
        let done = blocks_of_file(&file, &group, files, &mut outcome);
        done.map_err(|refusal| if several { refusal.of(Format::SearchReplace, &file) } else { refusal })?;
    }
    Ok(outcome)
}

/// The file that is meant where none is named: the only one.
fn only_file(files: &Files) -> Option<String> {
    let mut names = files.keys();
    names.next().filter(|_| names.next().is_none()).cloned()
}

fn blocks_of_file(path: &str, blocks: &[Block], files: &Files, outcome: &mut Outcome) -> Result<(), Refusal> {
    let creates = blocks.len() == 1 && blocks[0].search.is_empty();
    let old = match files.get(path) {
        Some(old) => old,
        None if creates => "",
        None => return Err(Refusal::new(Reason::NoFile, "").of(Format::SearchReplace, path)),
    };
    let applied = apply(old, blocks)?;
    outcome.add(path, applied.text, applied.places);
    Ok(())
}
