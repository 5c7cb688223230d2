//! What lies beside the best files and should be read with them: notes of their module, and the rules of how things look.
//!
//! Named only: whoever needs them reads them.

use ox_index::Answer;

use super::{Item, Known, Picked, Rank, Room, section};

/// Of so many files the notes are looked for.
const FILES: usize = 3;
/// Notes that are named.
const NOTES: usize = 2;
/// What a project of the web writes down about its looks.
const DESIGN: [&str; 2] = ["design-system.md", "globals.css"];
/// Files that are about looks.
const LOOKS: [&str; 9] = ["tsx", "jsx", "vue", "svelte", "css", "scss", "less", "html", "astro"];

pub(super) fn add(known: &Known<'_>, answer: &Answer, room: &mut Room, picked: &mut Picked) {
    let files: Vec<&str> = answer.files.iter().take(FILES).map(|it| it.path.as_str()).collect();
    let mut lines = Vec::new();
    for (words, paths) in [("Notes on the module", notes(known, &files)), ("How it must look", design(known, &files))] {
        if paths.is_empty() {
            continue;
        }
        let line = format!("{words}: {}", paths.join(", "));
        let Some(tokens) = room.take(&line) else { continue };
        picked.items.extend(paths.into_iter().map(|path| Item {
            section: "beside",
            path,
            lines: None,
            symbol: None,
            rank: Rank::Low,
            score: 0.0,
            tokens,
            sources: vec![(words.to_owned(), 0.0)],
        }));
        lines.push(line);
    }
    if !lines.is_empty() {
        picked.sections.push(section("beside", lines.join("\n")));
    }
}

/// The `.ac.mod.md` nearest to each file.
fn notes(known: &Known<'_>, files: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for file in files {
        let folders = file.match_indices('/').rev().map(|(at, _)| &file[..at]);
        let note = folders.map(|it| format!("{it}/.ac.mod.md")).find(|it| (known.read)(it).is_ok());
        found.extend(note.filter(|it| !found.contains(it) && !(known.has_read)(it)));
    }
    found.truncate(NOTES);
    found
}

/// The documents about the looks of a web project, for work on what is seen.
fn design(known: &Known<'_>, files: &[&str]) -> Vec<String> {
    let is_seen = |it: &&str| it.rsplit_once('.').is_some_and(|(_, ending)| LOOKS.contains(&ending));
    if !files.iter().any(is_seen) || known.snapshot.by_name("package.json").is_empty() {
        return Vec::new();
    }
    let first = |name: &str| known.snapshot.by_name(name).into_iter().min_by_key(|it| it.matches('/').count());
    DESIGN.iter().filter_map(|it| first(it)).filter(|it| !(known.has_read)(it)).collect()
}
