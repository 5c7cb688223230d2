//! The tests of the named files and of the best ones: those that belong to them by name, those in them, and those that use
//! what the task is about. Only where somebody asked for more than a list.

use std::collections::{BTreeMap, HashSet};

use ox_syntax::{Facts, is_test};

use super::fill::{Body, Offer};
use super::map;
use super::names::telling;
use super::pick_context::PickContext;
use super::picked::{OmitReason, Rank};
use super::pieces::{item, read};

/// Files whose tests are looked for.
const CENTRE: usize = 3;
/// Test files of each of them.
const FILES: usize = 3;
/// Uses of a name that are looked at for them; a name with more is used everywhere.
const USES: usize = 200;
/// Pieces of a test file.
const PIECES: usize = 4;
/// Definitions of a file that its tests may use.
const NAMES: usize = 12;

pub(super) fn offers(context: &PickContext<'_>) -> Vec<(Offer, Option<OmitReason>)> {
    let mut seen: Vec<String> = context.named.clone();
    let mut offers = Vec::new();
    for (path, _, share) in context.centre(CENTRE) {
        let names: HashSet<String> = telling(context, &path, NAMES, true).into_iter().map(|it| it.name).collect();
        for (why, test) in tests(context, &path, &names) {
            if seen.contains(&test) {
                continue;
            }
            offers.extend(pieces(context, &test, &names, share, &format!("{why} {path}")));
            seen.push(test);
        }
    }
    offers
}

/// Files with tests of `path`: those that are called so, itself, those that use most of its `names`.
fn tests(context: &PickContext<'_>, path: &str, names: &HashSet<String>) -> Vec<(&'static str, String)> {
    let mut found: Vec<(&str, String)> = map::tests(context, path).into_iter().map(|it| ("tests", it)).collect();
    found.push(("in", path.to_owned()));
    let mut users: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        let uses = context.known.snapshot.referenced(name, USES);
        let files: HashSet<String> = uses.into_iter().map(|it| it.path).filter(|it| is_test(it)).collect();
        files
            .into_iter()
            .for_each(|it| *users.entry(it).or_default() += 1 + usize::from(context.says(&name.to_lowercase())));
    }
    let mut users: Vec<(String, usize)> = users.into_iter().collect();
    users.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.extend(users.into_iter().map(|it| ("uses", it.0)));
    let mut seen = HashSet::new();
    found.retain(|it| seen.insert(it.1.clone()));
    found.truncate(FILES);
    found
}

/// The pieces of a test file that use most of `names`.
fn pieces(
    context: &PickContext<'_>,
    path: &str,
    names: &HashSet<String>,
    share: f32,
    why: &str,
) -> Vec<(Offer, Option<OmitReason>)> {
    let Some(facts) = context.known.snapshot.facts(path) else { return Vec::new() };
    let mut all: Vec<(usize, usize)> =
        (0..facts.chunks.len()).map(|at| (uses(context, &facts, at, names), at)).filter(|it| it.0 > 0).collect();
    all.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    all.truncate(PIECES);
    let most = all.first().map_or(1, |it| it.0).max(1);
    let Some(text) = (if all.is_empty() { None } else { read(context, path) }) else { return Vec::new() };
    let lines: Vec<&str> = text.lines().collect();
    let offer = |(count, at): (usize, usize)| {
        let chunk = &facts.chunks[at];
        let score = share * count as f32 / most as f32;
        let end = (chunk.end as usize).min(lines.len());
        let text = lines.get(chunk.line as usize - 1..end).unwrap_or_default().join("\n");
        let because = if (context.known.has_read)(path) { Some(OmitReason::Read) } else { None };
        let rank = if score >= 0.8 { Rank::High } else { Rank::of(score).max(Rank::Medium) };
        let sources = vec![(why.to_owned(), score)];
        let item = item("tests", path, Some((chunk.line, chunk.end)), rank, score, sources);
        (Offer { item, body: Body::Piece { text, symbols: facts.symbols.clone(), wanted: Vec::new() } }, because)
    };
    all.into_iter().map(offer).collect()
}

/// How many of `names` the tests in a piece use, those that the task says counting double.
fn uses(context: &PickContext<'_>, facts: &Facts, chunk: usize, names: &HashSet<String>) -> usize {
    let chunk = &facts.chunks[chunk];
    let inside = facts.references.iter().filter(|it| (chunk.line..=chunk.end).contains(&it.line));
    let used: HashSet<&String> = inside.map(|it| &it.name).filter(|it| names.contains(*it)).collect();
    let has_test = facts.symbols.iter().any(|it| it.test && it.line <= chunk.end && chunk.line <= it.end);
    let count: usize = used.iter().map(|it| 1 + usize::from(context.says(&it.to_lowercase()))).sum();
    if has_test { count } else { 0 }
}
