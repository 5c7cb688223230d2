//! A request in any format, the texts that it is carried out on, and what comes of it. Plain data.

use std::collections::BTreeMap;

use crate::block::{Block, Place, Strategy};
use crate::format::Format;
use crate::refusal::Refusal;

use super::range::LineRange;

/// Texts of files by path.
pub type Files = BTreeMap<String, String>;

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
    /// The request in a text whose format `detect` has told. Line ranges cannot be written as a text.
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
    /// `Reason::Malformed` if the text cannot be read.
    pub fn paths(&self) -> Result<Vec<String>, Refusal> {
        let mut all: Vec<String> = self.named()?.into_iter().flat_map(|it| it.readings).collect();
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }
}

/// One place of an edit that went through.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaceInFile {
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
    pub places: Vec<PlaceInFile>,
    /// Files that got a new name: from, to. Both are in `files_after` too. A file that was at the new name is lost.
    pub moved: Vec<(String, String)>,
}

impl Outcome {
    pub(super) fn add(&mut self, path: &str, text: String, places: Vec<Place>) {
        self.places.extend(places.into_iter().map(|place| PlaceInFile { path: path.to_owned(), place }));
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

/// The file that is meant where none is named: the only one.
pub(super) fn only_file(files: &Files) -> Option<String> {
    let mut names = files.keys();
    names.next().filter(|_| names.next().is_none()).cloned()
}
