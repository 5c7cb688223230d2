//! What lies beside the best files and should be read with them: notes of their module, and the rules of how things look.
//!
//! Named only, with what a note says first: whoever needs them reads them.

use ox_index::docs::first_line;

use super::fill::{Body, Offer};
use super::pick_context::PickContext;
use super::picked::Rank;
use super::pieces::item;

/// Of so many files the notes are looked for.
const FILES: usize = 3;
/// Notes that are named.
const NOTES: usize = 2;
/// Bytes of what a note says first.
const SAYS: usize = 100;
/// What a project of the web writes down about its looks.
const DESIGN: [&str; 2] = ["design-system.md", "globals.css"];
/// Files that are about looks.
const LOOKS: [&str; 9] = ["tsx", "jsx", "vue", "svelte", "css", "scss", "less", "html", "astro"];

pub(super) fn offers(context: &PickContext<'_>) -> Vec<Offer> {
    let mut offers = Vec::new();
    let mut begin = "";
    for (words, source, paths) in
        [("Notes on the module", "notes", notes(context)), ("How it must look", "design", design(context))]
    {
        let Some(first) = paths.first().cloned() else { continue };
        let named: Vec<String> = paths.iter().map(|it| with_words(context, it)).collect();
        let sources = paths.iter().map(|it| (format!("{source} {it}"), 0.0)).collect();
        let item = item("beside", &first, None, Rank::Low, 0.0, sources);
        offers.push(Offer { item, body: Body::Line(format!("{begin}{words}: {}", named.join(", "))) });
        begin = "\n";
    }
    offers
}

/// A note with what it says first.
fn with_words(context: &PickContext<'_>, path: &str) -> String {
    let text = (context.known.read)(path).ok().and_then(|it| String::from_utf8(it).ok()).unwrap_or_default();
    let says = if path.ends_with(".ac.mod.md") { first_line(&text) } else { "" };
    match &says[..says.floor_char_boundary(SAYS)] {
        "" => path.to_owned(),
        says => format!("{path} ({says})"),
    }
}

fn files(context: &PickContext<'_>) -> Vec<String> {
    let hits = context.answer.files.iter().map(|it| it.path.clone()).filter(|it| !context.is_named(it));
    context.named.iter().cloned().chain(hits).take(FILES).collect()
}

/// The `.ac.mod.md` nearest to each of the best files.
pub(super) fn notes(context: &PickContext<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for file in files(context) {
        let folders = file.match_indices('/').rev().map(|(at, _)| &file[..at]);
        let note = folders.map(|it| format!("{it}/.ac.mod.md")).find(|it| (context.known.read)(it).is_ok());
        found.extend(note.filter(|it| !found.contains(it) && !(context.known.has_read)(it)));
    }
    found.truncate(NOTES);
    found
}

/// The documents about the looks of a web project, for work on what is seen.
pub(super) fn design(context: &PickContext<'_>) -> Vec<String> {
    let is_seen = |it: &String| it.rsplit_once('.').is_some_and(|(_, ending)| LOOKS.contains(&ending));
    let snapshot = context.known.snapshot;
    if !files(context).iter().any(is_seen) || snapshot.by_name("package.json").is_empty() {
        return Vec::new();
    }
    let first = |name: &str| snapshot.by_name(name).into_iter().min_by_key(|it| it.matches('/').count());
    DESIGN.iter().filter_map(|it| first(it)).filter(|it| !(context.known.has_read)(it)).collect()
}
