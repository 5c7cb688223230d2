//! Texts for people: which files of a project are documents, and which of their sections a question is about.
//!
//! It is the same engine as for code under a key of its own, so that documents never push code out of an answer. The files
//! come as text, or as Markdown where they were something else, which is made of a PDF or a page here. No file
//! is opened here but through the reader that is handed in.

pub mod charset;
mod modules;
mod page;
mod pdf;
mod sections;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

pub use modules::{MODULE_DOC, Missing, ModuleDoc, PATIENCE, first_line, missing, module_doc, module_docs};
pub use page::{looks_like as is_page, readable as page_text};
pub use pdf::text as pdf_text;
pub use sections::{Section, sections};

use crate::search::{idf, saturated};
use crate::store::update::Read;
use crate::{Fields, FileState, HUGE, Index, IndexError, Report, Scope, tokens};

/// What comes as something else than it is on disk gets this at the end of its name in the index.
const CONVERTED: &str = "#.md";
/// Files whose sections are looked at for one question.
const FILES: usize = 30;
/// For reading them; those that are left then are not looked at.
const TIME: Duration = Duration::from_millis(800);
/// Documents that are indexed at most.
pub const MOST: usize = 20_000;
/// What a word in a heading counts for, in words of the text.
const HEADING: f32 = 3.0;
/// The share of the best section's score below which one has no more than common words of the question.
const WORTH: f32 = 0.2;

/// The index of a project's documents. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Docs {
    index: Index,
}

/// A section that bears on a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// The document, as it was listed.
    pub path: String,
    /// Its headings from the outermost on; empty before the first one.
    pub headings: Vec<String>,
    /// The first line in the document's text, from 1.
    pub start: u32,
    /// The last line, included.
    pub end: u32,
    /// BM25 over sections. Comparable within one answer only.
    pub score: f32,
    /// The text, its heading included.
    pub text: String,
}

/// What a document is by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Markdown or plain text: its lines are those of the file.
    Text,
    /// A page.
    Html,
    /// A PDF.
    Pdf,
}

/// Files of this ending that are lists for programs.
const NO_TEXTS: [&str; 4] = ["CMakeLists.txt", "robots.txt", "go.txt", "conanfile.txt"];

/// The form of a document; none for a file that is none.
pub fn form(path: &str) -> Option<Form> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, ending)) = name.rsplit_once('.') else {
        let known = ["README", "CHANGELOG", "CHANGES", "CONTRIBUTING", "INSTALL", "HISTORY", "NOTES"];
        return known.contains(&name).then_some(Form::Text);
    };
    match ending.to_ascii_lowercase().as_str() {
        "md" | "markdown" | "mdx" | "rst" | "adoc" | "asciidoc" | "org" => Some(Form::Text),
        "txt" if !NO_TEXTS.contains(&name) && !stem.to_ascii_lowercase().contains("requirements") => Some(Form::Text),
        "html" | "htm" | "xhtml" => Some(Form::Html),
        "pdf" => Some(Form::Pdf),
        _ => None,
    }
}

impl Docs {
    /// Opens the index of the documents of the project `key` (its root as text) in the cache folder `cache`.
    pub fn open(cache: &Path, key: &str) -> Result<Docs, IndexError> {
        Ok(Docs { index: Index::open(cache, &format!("{key}#documents"))? })
    }

    /// Takes in the documents among `states`, at most [`MOST`]. `read` gives the text of one, as Markdown where it is a page.
    pub fn update(&self, states: &[FileState], read: &Read<'_>) -> Result<Report, IndexError> {
        let documents = states.iter().filter(|it| form(&it.path).is_some()).take(MOST);
        let mut listed: Vec<FileState> = documents.map(named).collect();
        listed.sort_by(|a, b| a.path.cmp(&b.path));
        listed.dedup_by(|a, b| a.path == b.path);
        self.index.update(&listed, &|path| read(path.strip_suffix(CONVERTED).unwrap_or(path)), &|_| {})
    }

    /// The number of documents that are known.
    pub fn len(&self) -> usize {
        self.index.snapshot().len()
    }

    /// True where none is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sections of the documents under `folder` (all for an empty one) that `question` is about, best first, and how
    /// many more there are.
    pub fn ask(&self, read: &Read<'_>, question: &str, folder: &str, limit: usize) -> (Vec<Passage>, usize) {
        let snapshot = self.index.snapshot();
        let words: BTreeSet<String> = tokens(question).into_iter().collect();
        let rarity = |word: &String| {
            let (all, with) = (snapshot.count(Scope::Files) as f32, snapshot.df(word) as f32);
            (word.clone(), idf(with, all))
        };
        let terms: Vec<(String, f32)> = words.iter().map(rarity).collect();
        let plain: Vec<(String, f32)> = words.into_iter().map(|it| (it, 1.0)).collect();
        let fields = Fields { path: 1.0, name: 0.0, signature: 0.0, body: 1.0, strings: 0.0, doc: 0.0 };
        let within = |path: &str| {
            folder.is_empty() || path.strip_prefix(folder).is_some_and(|it| it.is_empty() || it.starts_with('/'))
        };
        let found = snapshot.search(&plain, &fields, Scope::Files, if folder.is_empty() { FILES } else { MOST });
        let until = Instant::now() + TIME;
        let mut passages: Vec<Passage> = Vec::new();
        for hit in found.iter().filter(|it| within(&it.path)).take(FILES) {
            if Instant::now() > until {
                break;
            }
            let path = hit.path.strip_suffix(CONVERTED).unwrap_or(&hit.path);
            // What cannot be read any more is in the next look's list no longer.
            let Ok(bytes) = read(path) else { continue };
            passages.extend(passages_of(path, &String::from_utf8_lossy(&bytes)));
        }
        score(&mut passages, &terms);
        let best = passages.iter().map(|it| it.score).fold(0.0, f32::max);
        passages.retain(|it| it.score > best * WORTH);
        passages.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| (&a.path, a.start).cmp(&(&b.path, b.start))));
        let more = passages.len().saturating_sub(limit);
        passages.truncate(limit);
        (passages, more)
    }
}

/// The document under the name that tells the index to take it for text.
fn named(it: &FileState) -> FileState {
    match form(&it.path) {
        Some(Form::Html | Form::Pdf) => {
            // The index judges sizes by what is on disk; the text of a page is much less than the page.
            FileState { path: format!("{}{CONVERTED}", it.path), size: it.size.min(HUGE), ..it.clone() }
        }
        _ => it.clone(),
    }
}

fn passages_of(path: &str, text: &str) -> Vec<Passage> {
    let lines: Vec<&str> = text.lines().collect();
    let passage = |it: Section| Passage {
        path: path.to_owned(),
        text: lines[it.start as usize - 1..it.end as usize].join("\n"),
        headings: it.headings,
        start: it.start,
        end: it.end,
        score: 0.0,
    };
    sections(text).into_iter().map(passage).collect()
}

/// BM25 of each section, its headings counting more (Robertson and Zaragoza, 2009, with weighted fields).
fn score(passages: &mut [Passage], terms: &[(String, f32)]) {
    let words: Vec<(Vec<String>, Vec<String>)> =
        passages.iter().map(|it| (tokens(&it.text), tokens(&it.headings.join(" ")))).collect();
    let total: usize = words.iter().map(|it| it.0.len()).sum();
    let average = (total as f32 / words.len().max(1) as f32).max(1.0);
    for (passage, (text, headings)) in passages.iter_mut().zip(&words) {
        let relative = text.len() as f32 / average;
        passage.score = terms.iter().fold(0.0, |sum, (term, rarity)| {
            let in_text = text.iter().filter(|it| *it == term).count() as f32;
            let often = in_text + HEADING * headings.iter().filter(|it| *it == term).count() as f32;
            sum + rarity * saturated(often, relative)
        });
    }
}
