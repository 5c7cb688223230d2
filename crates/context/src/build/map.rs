//! The best files, a line each with the definitions that count, and below the very best the signatures of these.
//!
//! A line tells where to look and how far: nothing here opens a file.

use std::fmt::Write as _;

use ox_index::{Answer, Companion, FileHit, Symbol, companions};
use ox_protocol::Tokens;

use super::{Because, Item, Known, Picked, Rank, Room, best, section};

/// Files that are named.
const FILES: usize = 10;
/// A file with less of the best score is not named.
const LEAST: f32 = 0.3;
/// Of so many files the signatures are shown.
const OPENED: usize = 3;
/// A file with less of the best score is not opened.
const OPEN: f32 = 0.6;
/// Signatures shown of a file, and definitions named of another.
const SIGNATURES: usize = 3;
const SYMBOLS: usize = 2;
/// Bytes of a signature.
const SIGNATURE: usize = 110;
/// A file that changed within so many days is marked.
const RECENT: u32 = 7;

/// What stands above the list.
const HEAD: &str = "Likely places, best first, by Ox's index (a guess: verify). `line name`; tests by name.";

pub(super) fn add(known: &Known<'_>, answer: &Answer, named: &[String], room: &mut Room, picked: &mut Picked) {
    let best = best(answer);
    let mut text = HEAD.to_owned();
    let Some(_) = room.take(&text) else { return };
    for (at, file) in answer.files.iter().enumerate() {
        let share = file.score / best;
        let is_named = named.contains(&file.path);
        let rank = if is_named { Rank::Required } else { rank(share) };
        let mut item = item(file, rank, share);
        if !is_named && (at >= FILES || share < LEAST || file.score <= 0.0) {
            picked.left_out.push((item, Because::Score));
            continue;
        }
        let line = line(known, answer, file, at < OPENED && (share >= OPEN || is_named));
        match room.take(&line) {
            Some(tokens) => {
                item.tokens = tokens;
                text += &line;
                picked.items.push(item);
            }
            None => picked.left_out.push((item, Because::Room)),
        }
    }
    if picked.items.iter().any(|it| it.section == "map") {
        picked.sections.push(section("map", text));
    }
}

fn rank(share: f32) -> Rank {
    if share >= 0.8 { Rank::High } else { Rank::Medium }
}

fn item(file: &FileHit, rank: Rank, share: f32) -> Item {
    let sources = file.sources.iter().map(|(name, share)| ((*name).to_owned(), *share)).collect();
    let (path, lines, symbol) = (file.path.clone(), None, None);
    Item { section: "map", path, lines, symbol, rank, score: share, tokens: Tokens(0), sources }
}

/// One file: its path, what counts in it, its tests, and whether it has changed lately.
fn line(known: &Known<'_>, answer: &Answer, file: &FileHit, opened: bool) -> String {
    let path = &file.path;
    let symbols = symbols(known, answer, path);
    let mut line = format!("\n{path}");
    if !opened && !symbols.is_empty() {
        let names: Vec<String> =
            symbols.iter().take(SYMBOLS).map(|it| format!("{} {}", it.line, it.qualified)).collect();
        let _ = write!(line, ": {}", names.join(", "));
    }
    let tests = if opened { tests(known, path) } else { Vec::new() };
    if let Some(test) = tests.first() {
        let more = if tests.len() > 1 { format!(" +{}", tests.len() - 1) } else { String::new() };
        let _ = write!(line, " [test {test}{more}]");
    }
    if let Some(days) = known.snapshot.recent(path).filter(|it| *it <= RECENT) {
        let _ = write!(line, " [changed {days}d ago]");
    }
    for symbol in symbols.iter().take(SIGNATURES).filter(|_| opened) {
        let _ = write!(line, "\n  {} {}", symbol.line, short(&symbol.signature, &symbol.qualified));
    }
    line
}

/// The definitions of a file that the best pieces of it are about, best first; else nothing.
fn symbols(known: &Known<'_>, answer: &Answer, path: &str) -> Vec<Symbol> {
    let Some(facts) = known.snapshot.facts(path) else { return Vec::new() };
    let mut found: Vec<Symbol> = Vec::new();
    for snippet in answer.snippets.iter().filter(|it| it.path == path) {
        let within = |it: &&Symbol| (snippet.start..=snippet.end).contains(&it.line) && !it.signature.is_empty();
        let around = |it: &&Symbol| Some(&it.qualified) == snippet.symbol.as_ref();
        let own = facts.symbols.iter().find(around);
        for symbol in own.into_iter().chain(facts.symbols.iter().filter(within)) {
            if !found.iter().any(|it| it.line == symbol.line) {
                found.push(symbol.clone());
            }
        }
    }
    found
}

/// The tests that belong to a file by name.
fn tests(known: &Known<'_>, path: &str) -> Vec<String> {
    let all = companions(known.snapshot, path).into_iter();
    all.filter(|(_, it)| *it == Companion::Test).map(|(path, _)| path).collect()
}

/// A signature in one short line; its name where there is none.
fn short(signature: &str, name: &str) -> String {
    let line = signature.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.as_str() {
        "" => name.to_owned(),
        line if line.len() <= SIGNATURE => line.to_owned(),
        line => format!("{}…", &line[..line.floor_char_boundary(SIGNATURE)]),
    }
}
