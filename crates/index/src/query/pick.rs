//! Which lines of the best files to show: pieces that match the words, define what is named, or hold a line that is named.

use super::rank::{Ranked, Snippet};
use super::signals::Found;
use crate::Snapshot;
use crate::store::update::Read;
use ox_syntax::{Chunk, Facts};

/// So many snippets of one file are shown while others wait.
const OF_ONE: usize = 3;
/// What a piece adds to its file's score where it defines a name of the task, and where it holds a line of it.
const DEFINES: f32 = 1.0;
const NAMED_LINE: f32 = 1.5;
/// What the best match of words adds.
const WORDS: f32 = 3.0;
/// What the nearest meaning adds.
const MEANING: f32 = 1.0;

struct Picked {
    path: String,
    chunk: usize,
    score: f32,
    sources: Vec<(String, f32)>,
}

/// The best pieces of the best files, at most `limit`.
pub(super) fn snippets(snapshot: &Snapshot, read: &Read<'_>, ranked: &Ranked, limit: usize) -> Vec<Snippet> {
    let mut all = Vec::new();
    for (path, score) in ranked.files.iter().take(limit) {
        let Some(facts) = snapshot.facts(path) else { continue };
        let mut own: Vec<Picked> = (0..facts.chunks.len())
            .map(|chunk| picked(&ranked.found, &facts, path, chunk, *score))
            .filter(|it| !it.sources.is_empty())
            .collect();
        own.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk)));
        own.truncate(OF_ONE);
        all.extend(own);
    }
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)).then(a.chunk.cmp(&b.chunk)));
    all.truncate(limit);
    all.into_iter().filter_map(|it| shown(snapshot, read, ranked, it)).collect()
}

/// What speaks for one piece of a file.
fn picked(found: &Found, facts: &Facts, path: &str, number: usize, score: f32) -> Picked {
    let chunk = &facts.chunks[number];
    let piece = (path.to_owned(), u32::try_from(number).unwrap_or(u32::MAX));
    let [words, alike] = [&found.pieces, &found.alike].map(|it| it.get(&piece).copied().unwrap_or(0.0));
    let defines = facts
        .symbols
        .iter()
        .filter(|it| !it.is_declaration && (chunk.line..=chunk.end).contains(&it.line))
        .filter_map(|it| found.names.get(&it.name))
        .fold(0.0f32, |most, it| most.max(*it));
    let line = found.lines.iter().any(|(of, line)| of == path && (chunk.line..=chunk.end).contains(line));
    let shares = [
        ("words", words * WORDS),
        ("meaning", alike * MEANING),
        ("defines", defines.min(2.0) * DEFINES),
        ("line", if line { NAMED_LINE } else { 0.0 }),
    ];
    let mut sources: Vec<(String, f32)> =
        shares.into_iter().filter(|it| it.1 > 0.0).map(|(name, share)| (name.to_owned(), share)).collect();
    sources.sort_by(|a, b| b.1.total_cmp(&a.1));
    let own: f32 = sources.iter().map(|it| it.1).sum();
    Picked { path: path.to_owned(), chunk: number, score: score + own, sources }
}

fn shown(snapshot: &Snapshot, read: &Read<'_>, ranked: &Ranked, it: Picked) -> Option<Snippet> {
    let facts = snapshot.facts(&it.path)?;
    let chunk = facts.chunks.get(it.chunk)?;
    let file = ranked.hit(&it.path, it.score);
    let mut sources = it.sources;
    sources.extend(file.sources.into_iter().map(|(name, share)| (name.to_owned(), share)));
    Some(Snippet {
        start: chunk.line,
        end: chunk.end,
        symbol: symbol(&facts, chunk),
        score: it.score,
        sources,
        text: lines(read, &it.path, chunk),
        path: it.path,
    })
}

/// The definition that a piece is or is part of, or else the first that starts in it.
fn symbol(facts: &Facts, chunk: &Chunk) -> Option<String> {
    let own = chunk.symbol.and_then(|it| facts.symbols.get(it as usize));
    let first = || facts.symbols.iter().find(|it| (chunk.line..=chunk.end).contains(&it.line));
    own.or_else(first).map(|it| it.qualified.clone())
}

/// The lines as they are now.
fn lines(read: &Read<'_>, path: &str, chunk: &Chunk) -> String {
    let Ok(bytes) = read(path) else { return String::new() };
    let text = String::from_utf8_lossy(&bytes);
    let wanted = text.lines().skip(chunk.line.saturating_sub(1) as usize);
    let lines: Vec<&str> = wanted.take((chunk.end + 1 - chunk.line) as usize).collect();
    lines.join("\n")
}
