//! Passages of documents that the task is about, and the notes on the modules of the best files, word for word. Only where
//! somebody asked for more than their names.

use ox_index::docs::{MODULE_DOC, form};
use ox_index::{Fields, Scope};

use super::fill::{Body, Offer};
use super::notes;
use super::pick_context::PickContext;
use super::picked::{OmitReason, Rank};
use super::pieces::{item, read};

/// Chunks that are looked at, and passages that are offered.
const LOOKED_AT: usize = 600;
const PASSAGES: usize = 6;
/// A passage with less of the best one's score is not offered.
const LEAST: f32 = 0.6;
/// Words with less rarity are in every document.
const RARE: f32 = 0.15;
/// Lists of what was changed tell how things were.
const OLD: [&str; 4] = ["changelog", "changes", "history", "news"];

pub(super) fn offers(context: &PickContext<'_>) -> Vec<(Offer, Option<OmitReason>)> {
    let mut offers: Vec<Offer> = Vec::new();
    let found = notes::notes(context).into_iter().map(|it| (it, "notes on the module"));
    for (path, why) in found.chain(notes::design(context).into_iter().map(|it| (it, "how it must look"))) {
        let Some(text) = read(context, &path) else { continue };
        let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        let sources = vec![(why.to_owned(), 0.0)];
        let item = item("docs", &path, Some((1, lines)), Rank::Medium, 1.0, sources);
        let body = Body::Piece { text: text.trim_end().to_owned(), symbols: Vec::new(), wanted: Vec::new() };
        offers.push(Offer { item, body });
    }
    offers.extend(passages(context));
    let has_read = |it: &Offer| (context.known.has_read)(&it.item.path).then_some(OmitReason::Read);
    offers.into_iter().map(|it| (has_read(&it), it)).map(|(because, it)| (it, because)).collect()
}

fn passages(context: &PickContext<'_>) -> Vec<Offer> {
    let rare = context.words().into_iter().map(|it| (it.to_owned(), context.rarity(it))).filter(|it| it.1 > RARE);
    let terms: Vec<(String, f32)> = rare.collect();
    let fields = Fields { path: 0.5, name: 0.0, signature: 0.0, body: 1.0, strings: 0.0, doc: 0.0 };
    let found = context.known.snapshot.search(&terms, &fields, Scope::Chunks, LOOKED_AT);
    let mut found: Vec<_> = found.into_iter().filter(|it| is_document(&it.path) && it.score > 0.0).collect();
    let best = found.first().map_or(f32::EPSILON, |it| it.score);
    found.retain(|it| it.score / best >= LEAST);
    found.truncate(PASSAGES);
    let offer = |it: ox_index::Scored| {
        let facts = context.known.snapshot.facts(&it.path)?;
        let chunk = facts.chunks.get(it.chunk? as usize)?;
        let text = read(context, &it.path)?;
        let lines: Vec<&str> = text.lines().collect();
        let end = (chunk.end as usize).min(lines.len());
        let text = lines.get(chunk.line as usize - 1..end)?.join("\n");
        let share = it.score / best;
        let rank = if share >= 0.8 { Rank::Medium } else { Rank::Low };
        let sources = vec![("words".to_owned(), share)];
        let item = item("docs", &it.path, Some((chunk.line, chunk.end)), rank, share * 0.9, sources);
        Some(Offer { item, body: Body::Piece { text, symbols: Vec::new(), wanted: Vec::new() } })
    };
    found.into_iter().filter_map(offer).collect()
}

fn is_document(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let words = name.split('.').next().unwrap_or_default();
    let is_old = OLD.contains(&words) || path.to_lowercase().contains("release-notes");
    let is_form = path.split('/').any(|it| it == ".github");
    form(path).is_some() && name != MODULE_DOC && !is_old && !is_form
}
