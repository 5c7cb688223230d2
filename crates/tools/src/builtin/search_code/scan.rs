//! Looks for a pattern in many files at once. It reads files through the tree only, follows no link, and keeps no more
//! text than an answer can hold, however much matches.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};

use crate::call::context::CallContext;

/// Larger files are not searched, in bytes.
pub(crate) const FILE: u64 = 8 << 20;
/// Bytes of lines that an answer holds at most.
pub(crate) const BYTES: usize = 40_000;
/// Characters of a line that are shown.
const LINE: usize = 300;
/// From this many files on, threads pay.
const MANY: usize = 64;
const THREADS: usize = 4;

/// What is looked for.
pub(crate) struct Query {
    /// The pattern.
    pub matcher: RegexMatcher,
    /// Lines around each match.
    pub context: usize,
    /// Matching lines that are kept of one file.
    pub limit: usize,
    /// When to stop.
    pub deadline: Instant,
}

/// One file's matches.
pub(crate) struct Hits {
    index: usize,
    /// The file, relative to the root.
    pub rel: String,
    /// The lines kept.
    pub lines: Vec<Line>,
    /// All matching lines, also those that were not kept.
    pub matches: usize,
}

/// A line of an answer: `12:text` for a match, `12-text` beside one, `--` for a gap.
pub(crate) struct Line {
    /// The line as it is shown.
    pub text: String,
    /// True for a match.
    pub is_match: bool,
}

/// What came of a search.
pub(crate) struct Found {
    /// Files with matches, in the order of the files.
    pub hits: Vec<Hits>,
    /// Files that were looked at.
    pub searched: usize,
    /// Files that could not be read, and why the first of them could not.
    pub unread: Option<(usize, String)>,
}

/// Searches `files` until all are done, the time is up or the call is cancelled.
pub(crate) fn scan(cx: &CallContext, query: &Query, files: &[String]) -> Found {
    let scan = Scan { cx, query, next: AtomicUsize::new(0), kept: AtomicUsize::new(0), found: Mutex::default() };
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let threads = if files.len() < MANY { 1 } else { cores.min(THREADS) };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| scan.some(files));
        }
        scan.some(files);
    });
    let searched = scan.next.load(Ordering::Relaxed).min(files.len());
    let (mut hits, unread) = scan.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    hits.sort_unstable_by_key(|it| it.index);
    let first = unread.first().cloned();
    Found { hits, searched, unread: first.map(|it| (unread.len(), it)) }
}

struct Scan<'a> {
    cx: &'a CallContext,
    query: &'a Query,
    /// Index of the next file that nobody has taken yet.
    next: AtomicUsize,
    /// Bytes of lines kept so far.
    kept: AtomicUsize,
    /// Hits, and why files could not be read.
    found: Mutex<(Vec<Hits>, Vec<String>)>,
}

impl Scan<'_> {
    fn some(&self, files: &[String]) {
        let mut searcher = SearcherBuilder::new()
            .line_number(true)
            .before_context(self.query.context)
            .after_context(self.query.context)
            .binary_detection(BinaryDetection::quit(0))
            .build();
        while !self.cx.cancelled() && Instant::now() < self.query.deadline {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(rel) = files.get(index) else { return };
            let found = self.one(&mut searcher, index, rel);
            let mut all = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            match found {
                Ok(hits) if hits.matches == 0 => {}
                Ok(hits) => all.0.push(hits),
                Err(words) => all.1.push(words),
            }
        }
    }

    fn one(&self, searcher: &mut Searcher, index: usize, rel: &str) -> Result<Hits, String> {
        let mut hits = Hits { index, rel: rel.to_string(), lines: Vec::new(), matches: 0 };
        if self.cx.tree.root().join(rel).symlink_metadata().is_ok_and(|it| it.is_symlink()) {
            return Ok(hits);
        }
        let bytes = self.cx.tree.read_bytes(rel, FILE).map_err(|error| error.to_string())?;
        // Files are taken in order, so what comes after four answers' worth of lines is never shown.
        let room = (4 * BYTES).saturating_sub(self.kept.load(Ordering::Relaxed)).min(BYTES);
        let mut sink = Collect { limit: self.query.limit, room, hits: &mut hits };
        let searched = searcher.search_slice(&self.query.matcher, &bytes, &mut sink);
        self.kept.fetch_add(hits.lines.iter().map(|it| it.text.len()).sum(), Ordering::Relaxed);
        searched.map(|()| hits).map_err(|error| format!("`{rel}`: {error}"))
    }
}

/// Keeps lines as far as there is room and counts the matches.
struct Collect<'a> {
    limit: usize,
    room: usize,
    hits: &'a mut Hits,
}

impl Collect<'_> {
    fn keep(&mut self, text: String, is_match: bool) {
        if self.hits.matches <= self.limit && self.room > 0 {
            self.room = self.room.saturating_sub(text.len());
            self.hits.lines.push(Line { text, is_match });
        }
    }
}

impl Sink for Collect<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.hits.matches += 1;
        if self.room > 0 {
            self.keep(shown(found.line_number(), ':', found.bytes()), true);
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, Self::Error> {
        if self.room > 0 {
            self.keep(shown(found.line_number(), '-', found.bytes()), false);
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, Self::Error> {
        self.keep("--".into(), false);
        Ok(true)
    }
}

fn shown(number: Option<u64>, mark: char, bytes: &[u8]) -> String {
    let line = String::from_utf8_lossy(bytes);
    let line = line.trim_end_matches(['\n', '\r']);
    let mut text = format!("{}{mark}", number.unwrap_or_default());
    text.extend(line.chars().take(LINE));
    if line.chars().nth(LINE).is_some() {
        let _ = write!(text, "… [{} characters]", line.chars().count());
    }
    text
}
