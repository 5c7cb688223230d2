//! Lines of files: those that the user named, and the best matches.
//!
//! Unasked only what is all but certain is quoted: a piece that is wrong is paid for with every request, and one that is
//! only named costs a call.

use ox_index::Snippet;
use ox_protocol::Tokens;
use ox_syntax::is_test;

use super::fill::{Body, Offer};
use super::pick_context::{HIGH, PickContext};
use super::picked::{Item, OmitReason, Rank};
use crate::budget::estimate;

/// Pieces that are quoted unasked.
const PIECES: usize = 2;
/// A named file of at most so many parts of what is picked in all is sent whole, unasked.
const WHOLE: u64 = 2;

/// The named files that are sent whole, if there is any room: all where somebody asked for it, else small ones.
pub(super) fn whole(context: &PickContext<'_>) -> Vec<String> {
    let is_small = |it: &&String| {
        let size = context.known.snapshot.state(it).map_or(u64::MAX, |it| it.size);
        size > 0 && size * 10 / 42 <= context.budget.picked.0 / WHOLE
    };
    let unread = context.named.iter().filter(|it| !(context.known.has_read)(it));
    unread.filter(|it| context.budget.asked || is_small(it)).cloned().collect()
}

/// The named files.
pub(super) fn active(context: &PickContext<'_>, whole: &[String]) -> Vec<(Offer, Option<OmitReason>)> {
    let mut offers = Vec::new();
    for path in &context.named {
        let (score, sources) = (1.0, vec![("in the task".to_owned(), 0.0)]);
        let of = |lines| item("active", path, lines, Rank::Required, score, sources.clone());
        if (context.known.has_read)(path) {
            offers.push((nothing(of(None)), Some(OmitReason::Read)));
            continue;
        }
        if !whole.contains(path) {
            continue;
        }
        let Some(text) = read(context, path) else {
            offers.push((nothing(of(None)), Some(OmitReason::Unreadable)));
            continue;
        };
        let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        let wanted =
            context.answer.snippets.iter().filter(|it| it.path == *path).map(|it| (it.start, it.end)).collect();
        let symbols = context.known.snapshot.facts(path).map(|it| it.symbols.clone()).unwrap_or_default();
        let body = Body::Piece { text: text.trim_end().to_owned(), symbols, wanted };
        offers.push((Offer { item: of(Some((1, lines.max(1)))), body }, None));
    }
    offers
}

/// The best pieces.
pub(super) fn related(context: &PickContext<'_>, whole: &[String]) -> Vec<(Offer, Option<OmitReason>)> {
    let top = context.answer.snippets.iter().map(|it| it.score).fold(f32::EPSILON, f32::max);
    let mut quoted = 0;
    let offer = |it: &Snippet| {
        let share = (it.score / top).max(0.0);
        let named = context.is_named(&it.path);
        let rank = if named { Rank::Required } else { Rank::of(share) };
        let of = match () {
            () if named => "active",
            () if is_test(&it.path) => "tests",
            () => "related",
        };
        let (text, start) = begun(&it.text, it.start);
        let item = Item {
            symbol: it.symbol.clone(),
            sources: it.sources.clone(),
            ..self::item(of, &it.path, Some((start, it.end)), rank, share, Vec::new())
        };
        let is_sure = context.budget.asked || (share >= HIGH && context.leads(&it.path));
        let is_good = named || (is_sure && !lists_ignored(&it.path));
        let because = match () {
            () if it.text.trim().is_empty() => Some(OmitReason::Unreadable),
            () if (context.known.has_read)(&it.path) => Some(OmitReason::Read),
            () if whole.contains(&it.path) => Some(OmitReason::Overlap),
            () if !is_good || (quoted >= PIECES && !context.budget.asked) => Some(OmitReason::Score),
            () => None,
        };
        quoted += usize::from(because.is_none());
        let symbols = context.known.snapshot.facts(&it.path).map(|it| it.symbols.clone()).unwrap_or_default();
        (Offer { item, body: Body::Piece { text, symbols, wanted: Vec::new() } }, because)
    };
    let mut snippets: Vec<&Snippet> = context.answer.snippets.iter().collect();
    snippets.sort_by_key(|it| !context.is_named(&it.path));
    snippets.into_iter().map(offer).collect()
}

/// True for `.gitignore` and its kin: patterns, which say nothing about the code that reads them.
fn lists_ignored(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|it| it.starts_with('.') && it.ends_with("ignore"))
}

/// A piece without the blank lines that it begins with, and the number of its first line then.
pub(super) fn begun(text: &str, first: u32) -> (String, u32) {
    let blank = text.lines().take_while(|it| it.trim().is_empty()).count();
    let rest: Vec<&str> = text.lines().skip(blank).collect();
    if rest.is_empty() {
        (text.to_owned(), first)
    } else {
        (rest.join("\n"), first + u32::try_from(blank).unwrap_or(0))
    }
}

/// A file's text as it is now.
pub(super) fn read(context: &PickContext<'_>, path: &str) -> Option<String> {
    let text = String::from_utf8((context.known.read)(path).ok()?).ok()?;
    (!text.trim().is_empty() && estimate(&text) > Tokens(0)).then_some(text)
}

pub(super) fn item(
    section: &'static str,
    path: &str,
    lines: Option<(u32, u32)>,
    rank: Rank,
    score: f32,
    sources: Vec<(String, f32)>,
) -> Item {
    Item { section, path: path.to_owned(), lines, symbol: None, rank, score, tokens: Tokens(0), sources }
}

/// What is left out in any case needs no text.
fn nothing(item: Item) -> Offer {
    Offer { item, body: Body::Line(String::new()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_patterns_are_reported_from_code() {
        for (path, is) in
            [(".gitignore", true), ("a/.dockerignore", true), ("src/gitignore.rs", false), ("ignore", false)]
        {
            assert_eq!(lists_ignored(path), is, "{path}");
        }
    }
}
