//! The best files, a line each with the definitions that count, and below the very best the signatures of these.
//!
//! A line tells where to look and how far: nothing here opens a file.

use std::fmt::Write as _;

use ox_index::{Companion, companions};
use ox_protocol::Tokens;

use super::fill::{Body, Offer};
use super::names::{name, short, telling};
use super::pick_context::PickContext;
use super::picked::{Item, OmitReason, Rank};

/// Files that are listed, how many where one of them leads and is quoted, and how many where the task names its own.
const FILES: usize = 10;
const BESIDE_LEADER: usize = 6;
const BESIDE_NAMED: usize = 3;
/// A file with less of the best score is not listed; where the task names its own, others must be better.
const LEAST: f32 = 0.3;
const LEAST_BESIDE_NAMED: f32 = 0.5;
/// Of so many files the signatures are shown.
const OPENED: usize = 3;
/// A file with less of the best score is not opened.
const OPEN: f32 = 0.6;
/// Signatures shown of a file, and definitions named of another.
const SIGNATURES: usize = 4;
const SYMBOLS: usize = 2;
/// A file that changed within so many days is marked, where no more than one in so many did.
const RECENT: u32 = 7;
const SHARE: usize = 5;

/// The files of the answer and the named ones; `whole` are those that are sent whole, so that a line about them is enough.
pub(super) fn offers(context: &PickContext<'_>, whole: &[String]) -> Vec<(Offer, Option<OmitReason>)> {
    let leads = context.answer.files.first().is_some_and(|it| context.leads(&it.path));
    let (most, least) = match () {
        () if context.budget.asked => (FILES, LEAST),
        () if !context.named.is_empty() => (BESIDE_NAMED, LEAST_BESIDE_NAMED),
        () if leads => (BESIDE_LEADER, LEAST),
        () => (FILES, LEAST),
    };
    let absent = context.named.iter().filter(|it| context.hit(it).is_none());
    let listed = absent.cloned().chain(context.answer.files.iter().map(|it| it.path.clone()));
    let mut others = 0;
    let marks = tells_recent(context);
    let offer = |(at, path): (usize, String)| {
        let (share, is_named) = (context.share(&path), context.is_named(&path));
        let is_worth = is_named || (others < most && share >= least);
        others += usize::from(!is_named);
        let opened = at < OPENED && (share >= OPEN || is_named) && !whole.contains(&path);
        let line = if is_worth { line(context, &path, (opened, whole.contains(&path), marks)) } else { String::new() };
        let rank = if is_named { Rank::Required } else { Rank::of(share).min(Rank::Medium) };
        let offer = Offer { item: item(context, path, rank, share), body: Body::Line(line) };
        (offer, (!is_worth).then_some(OmitReason::Score))
    };
    listed.enumerate().map(offer).collect()
}

fn item(context: &PickContext<'_>, path: String, rank: Rank, share: f32) -> Item {
    let shares = context.hit(&path).map(|it| it.sources.clone()).unwrap_or_default();
    let mut sources: Vec<(String, f32)> = shares.into_iter().map(|(name, share)| (name.to_owned(), share)).collect();
    if rank == Rank::Required {
        sources.insert(0, ("in the task".to_owned(), 0.0));
    }
    Item { section: "map", path, lines: None, symbol: None, rank, score: share, tokens: Tokens(0), sources }
}

/// Where much of the project changed lately, as in a copy of one commit, that a file did tells nothing.
fn tells_recent(context: &PickContext<'_>) -> bool {
    let snapshot = context.known.snapshot;
    let recent = snapshot.paths().filter(|it| snapshot.recent(it).is_some_and(|it| it <= RECENT)).count();
    recent * SHARE <= snapshot.paths().count()
}

/// One file: its path, what counts in it, its tests, and, where that is marked, whether it has changed lately.
fn line(context: &PickContext<'_>, path: &str, (opened, whole, marks): (bool, bool, bool)) -> String {
    // With signatures in a section of their own, a list names only what is best.
    let signatures = if opened && !context.budget.asked { SIGNATURES } else { 0 };
    let symbols = if whole { Vec::new() } else { telling(context, path, signatures.max(SYMBOLS), false) };
    let mut line = format!("\n{path}");
    if signatures == 0 && !symbols.is_empty() {
        let names: Vec<String> = symbols.iter().map(|it| format!("{} {}", it.line, name(path, it))).collect();
        let _ = write!(line, ": {}", names.join(", "));
    }
    let tests = if opened || whole { tests(context, path) } else { Vec::new() };
    if let Some(test) = tests.first() {
        let more = if tests.len() > 1 { format!(" +{}", tests.len() - 1) } else { String::new() };
        let _ = write!(line, " [test {test}{more}]");
    }
    if let Some(days) = context.known.snapshot.recent(path).filter(|it| marks && *it <= RECENT) {
        let _ = write!(line, " [changed {days}d ago]");
    }
    for symbol in symbols.iter().take(signatures) {
        let _ = write!(line, "\n  {} {}", symbol.line, short(symbol));
    }
    line
}

/// The tests that belong to a file by name.
pub(super) fn tests(context: &PickContext<'_>, path: &str) -> Vec<String> {
    let all = companions(context.known.snapshot, path).into_iter();
    all.filter(|(_, it)| *it == Companion::Test).map(|(path, _)| path).collect()
}
