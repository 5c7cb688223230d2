//! What is one step in the graph from the named files and the best ones: what they use, what uses them, header and source,
//! what changes together with them; as signatures. Only where somebody asked for more than a list.

use ox_index::{Companion, companions};
use ox_syntax::is_test;

use super::fill::{Body, Offer};
use super::names::{short, telling};
use super::pick_context::PickContext;
use super::picked::Rank;
use super::pieces::item;

/// Files whose neighbours are looked at.
const CENTRE: usize = 4;
/// Neighbours of one kind of each of them.
const NEIGHBOURS: usize = 6;
/// Signatures of a file.
const OWN: usize = 10;
const OF_NEIGHBOUR: usize = 5;
/// A file that changed in so large a share of another's changes belongs to it.
const TOGETHER: f32 = 0.3;

/// The signatures of the listed files and of their neighbours; `whole` are sent as they are.
pub(super) fn offers(context: &PickContext<'_>, whole: &[String]) -> Vec<Offer> {
    let mut seen: Vec<String> = whole.to_vec();
    let mut offers = Vec::new();
    let mut add = |path: String, rank: Rank, score: f32, sources: Vec<(String, f32)>, limit: usize| {
        if seen.contains(&path) {
            return;
        }
        let symbols = telling(context, &path, limit, true);
        if !symbols.is_empty() {
            let body = Body::Signatures(symbols.iter().map(|it| (it.line, short(it))).collect());
            offers.push(Offer { item: item("symbols", &path, None, rank, score, sources), body });
        }
        seen.push(path);
    };
    let hits: Vec<(String, f32)> =
        context.answer.files.iter().map(|it| (it.path.clone(), context.share(&it.path))).collect();
    for (path, share) in hits {
        let rank = if context.is_named(&path) { Rank::Required } else { Rank::of(share) };
        let sources = context.hit(&path).map(|it| it.sources.clone()).unwrap_or_default();
        add(path, rank, share, sources.into_iter().map(|(name, it)| (name.to_owned(), it)).collect(), OWN);
    }
    for (path, _, share) in context.centre(CENTRE) {
        for (why, neighbour) in neighbours(context, &path) {
            let score = share * 0.8;
            add(neighbour, Rank::High, score, vec![(format!("{why} {path}"), score)], OF_NEIGHBOUR);
        }
    }
    offers
}

/// The files one step away, each with what ties it: at most so many of a kind, those of the same folder first.
fn neighbours(context: &PickContext<'_>, path: &str) -> Vec<(&'static str, String)> {
    let snapshot = context.known.snapshot;
    let folder = path.rsplit_once('/').map_or("", |it| it.0);
    let nearest = |mut all: Vec<String>| {
        all.retain(|it| !is_test(it) && it != path);
        all.sort_by_key(|it| it.rsplit_once('/').map_or("", |it| it.0) != folder);
        all.truncate(NEIGHBOURS);
        all
    };
    let pairs = companions(snapshot, path).into_iter();
    let pairs = pairs.filter(|(_, it)| matches!(it, Companion::Header | Companion::Source)).map(|it| it.0).collect();
    let together = snapshot.together(path).into_iter().filter(|it| it.1 >= TOGETHER).map(|it| it.0).collect();
    let kinds = [
        ("beside", nearest(pairs)),
        ("used by", nearest(snapshot.imported(path))),
        ("uses", nearest(snapshot.importers(path))),
        ("changes with", nearest(together)),
    ];
    kinds.into_iter().flat_map(|(why, all)| all.into_iter().map(move |it| (why, it))).collect()
}
