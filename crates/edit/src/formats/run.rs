//! Carrying out a request in any format. Each format becomes blocks or hunks which go through the same tiers; whichever it
//! is, all of a request is carried out or nothing.
//!
//! Nothing here reads or writes a disk: the texts of the files come in and go out as values.

use crate::block::Block;
use crate::engine::apply::{apply, carry_out};
use crate::engine::guard::marker_guard_of;
use crate::format::Format;
use crate::refusal::{Reason, Refusal};
use crate::text::document::to_lf;

use super::request::{Files, Outcome, Request, only_file};
use super::search_replace::parse_for_files;
use super::whole_file::rewrite;
use super::{patch, range, unified, v4a};

/// Carries a request out on the files given. Nothing is written; what is to be written comes back.
///
/// # Errors
/// A [`Refusal`] if any part of the request has no certain place or names a file that is not among `files`. Then no
/// part of it is to be carried out.
pub fn run(request: &Request<'_>, files: &Files) -> Result<Outcome, Refusal> {
    let format = request.format();
    hidden(request, files).map_err(|refusal| refusal.of(format, ""))?;
    let mut outcome = Outcome::default();
    match request {
        Request::Blocks { path, blocks } => blocks_of_file(path, blocks, files, &mut outcome)?,
        Request::SearchReplace { path, text } => return search_replace(*path, text, files),
        Request::UnifiedDiff { path, text } => {
            let text = to_lf(text);
            let patches = unified::parse(&text).map_err(|refusal| refusal.of(format, ""))?;
            return patch::apply_all(&patches, *path, files, format);
        }
        Request::V4a { text } => {
            let text = to_lf(text);
            let patches = v4a::parse(&text).map_err(|refusal| refusal.of(format, ""))?;
            return patch::apply_all(&patches, None, files, format);
        }
        Request::LineRange { path, ranges } => {
            let old = files.get(*path).ok_or_else(|| Refusal::new(Reason::NoFile, "").of(format, path))?;
            let applied = carry_out(old, ranges, range::place).map_err(|refusal| refusal.of(format, path))?;
            outcome.add(path, applied.text, applied.places);
        }
        Request::WholeFile { path, text } => {
            let old = files.get(*path).map_or("", String::as_str);
            let new = rewrite(old, text).map_err(|refusal| refusal.of(format, path))?;
            if files.contains_key(*path) && new == old {
                return Err(Refusal::new(Reason::NothingToChange, "").of(format, path));
            }
            outcome.add(path, new, Vec::new());
        }
    }
    Ok(outcome)
}

/// Refuses marks of hidden text that no file of the request has. Blocks and whole files are guarded where they are applied.
fn hidden(request: &Request<'_>, files: &Files) -> Result<(), Refusal> {
    let guard = |text: &str| marker_guard_of(|mark| files.values().any(|it| it.contains(mark)), text);
    match request {
        Request::Blocks { .. } | Request::WholeFile { .. } => Ok(()),
        Request::SearchReplace { text, .. } | Request::UnifiedDiff { text, .. } | Request::V4a { text } => guard(text),
        Request::LineRange { ranges, .. } => {
            ranges.iter().try_for_each(|it| guard(&it.new).and_then(|()| guard(it.old.as_deref().unwrap_or(""))))
        }
    }
}

/// Blocks of several files: all blocks of a file are located against its text as it was.
fn search_replace(path: Option<&str>, text: &str, files: &Files) -> Result<Outcome, Refusal> {
    let (blocks, named) = parse_for_files(text)?;
    let mut groups: Vec<(String, Vec<Block>)> = Vec::new();
    let mut current: Option<String> = path.map(str::to_owned);
    for (block, name) in blocks.into_iter().zip(named) {
        // A line above a block is often prose; a name counts where there is such a file, or no other is known.
        if let Some(name) = name
            && (files.contains_key(&name) || path.is_none())
        {
            current = Some(name);
        }
        let Some(file) = current.clone().or_else(|| only_file(files)) else {
            return Err(Refusal::new(Reason::Malformed, "No line above the first block names its file."));
        };
        match groups.iter_mut().find(|(known, _)| *known == file) {
            Some((_, group)) => group.push(block),
            None => groups.push((file, vec![block])),
        }
    }
    let several = groups.len() > 1;
    let mut outcome = Outcome::default();
    for (file, group) in groups {
        let done = blocks_of_file(&file, &group, files, &mut outcome);
        done.map_err(|refusal| if several { refusal.of(Format::SearchReplace, &file) } else { refusal })?;
    }
    Ok(outcome)
}

fn blocks_of_file(path: &str, blocks: &[Block], files: &Files, outcome: &mut Outcome) -> Result<(), Refusal> {
    let creates = blocks.len() == 1 && blocks[0].search.is_empty();
    let old = match files.get(path) {
        Some(old) => old,
        None if creates => "",
        None => return Err(Refusal::new(Reason::NoFile, "").of(Format::SearchReplace, path)),
    };
    let applied = apply(old, blocks)?;
    outcome.add(path, applied.text, applied.places);
    Ok(())
}
