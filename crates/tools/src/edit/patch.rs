//! A request of the edit engine, carried out on the files of a tree: which files it means, their texts, and what is to
//! become of them. Nothing is written here; a [`EditPlan`] is.

use std::collections::BTreeMap;

use ox_edit::{FileOperation, Files, NamedFile, Reason, Request};
use ox_repo::{Access, FileText, Hash, RepoError, Tree};

use crate::edit::draft::{At, Changed, EditPlan, PlannedFile, What};
use crate::edit::stale::{Landing, by_number, land};
use crate::{call::error::ToolError, session::read_log::ReadLog};

/// The files that a request means, by the names it has for them.
#[derive(Default)]
struct Loaded {
    texts: BTreeMap<String, FileText>,
    /// Files that can be removed and not read as text.
    opaque: BTreeMap<String, Hash>,
    /// Why others cannot be read.
    errors: BTreeMap<String, RepoError>,
    /// The names in the order of the request.
    order: Vec<String>,
}

/// Works out what the request makes of the tree. `reads` tells what the model has read; without it, only what is there
/// now counts.
///
/// # Errors
/// A refusal of the engine, a file that cannot be read or may not be written, or a change of somebody else's in the way.
pub fn plan(tree: &Tree, reads: Option<&ReadLog>, request: &Request<'_>) -> Result<EditPlan, ToolError> {
    let named = request.named().map_err(|refusal| ToolError::edit("", refusal, 1))?;
    let mut loaded = load(tree, &named)?;
    let now = loaded.files();
    let read = reads.map(|reads| then(reads, &loaded, request)).transpose()?.unwrap_or_default();
    let landing = land(request, &now, &read).map_err(|error| loaded.explain(error))?;
    draft(tree, loaded, landing)
}

/// The reading of a name under which there is something: the first under which there is something, else the likeliest.
pub(crate) fn existing<'a>(tree: &Tree, readings: impl Iterator<Item = &'a str> + Clone) -> &'a str {
    let there = |name: &&str| tree.locate(name, Access::Read).is_ok_and(|it| it.abs.symlink_metadata().is_ok());
    readings.clone().find(there).or_else(|| readings.clone().next()).unwrap_or_default()
}

fn load(tree: &Tree, named: &[NamedFile]) -> Result<Loaded, ToolError> {
    let mut loaded = Loaded::default();
    for file in named {
        let name = match file.does {
            FileOperation::Create => file.readings.first().map_or("", String::as_str),
            _ => existing(tree, file.readings.iter().map(String::as_str)),
        };
        if !loaded.order.iter().any(|it| it == name) {
            loaded.order.push(name.to_owned());
        }
        if file.does != FileOperation::Read {
            tree.locate(name, Access::Write)?;
        }
        match tree.read(name) {
            Ok(text) => drop(loaded.texts.insert(name.to_owned(), text)),
            Err(RepoError::Binary { .. } | RepoError::TooLarge { .. }) if file.does == FileOperation::Remove => {
                loaded.opaque.insert(name.to_owned(), tree.hash(name)?);
            }
            Err(error) => drop(loaded.errors.insert(name.to_owned(), error)),
        }
    }
    Ok(loaded)
}

/// The texts that the model read, of those files that are no longer so.
fn then(reads: &ReadLog, loaded: &Loaded, request: &Request<'_>) -> Result<Files, ToolError> {
    let numbers = by_number(request);
    let mut read = Files::new();
    for (name, file) in &loaded.texts {
        match reads.last_seen(&file.rel) {
            Some(text) if *text != *file.text => drop(read.insert(name.clone(), text.to_string())),
            None if numbers && !reads.saw(&file.rel, file.hash) => {
                return Err(ToolError::Wrong(format!(
                    "`{}`: you have not read this file as it is now, so its line numbers prove nothing; nothing was changed. Read it first, or give the text of these lines as `expected`.",
                    file.rel
                )));
            }
            _ => {}
        }
    }
    Ok(read)
}

impl Loaded {
    fn files(&self) -> Files {
        let texts = self.texts.iter().map(|(name, file)| (name.clone(), file.text.clone()));
        texts.chain(self.opaque.keys().map(|name| (name.clone(), String::new()))).collect()
    }

    /// A file that is missing for the engine may be there and not be readable, or have a similar name.
    fn explain(&mut self, error: ToolError) -> ToolError {
        match error {
            ToolError::Edit { path, refusal, files } if refusal.reason == Reason::NoFile => {
                match self.errors.remove(&path) {
                    Some(cause) => ToolError::Commit { cause, files },
                    None => ToolError::Edit { path, refusal, files },
                }
            }
            other => other,
        }
    }
}

fn draft(tree: &Tree, mut loaded: Loaded, landing: Landing) -> Result<EditPlan, ToolError> {
    let Landing { mut outcome, mut merged } = landing;
    let mut draft = EditPlan::default();
    let order = std::mem::take(&mut loaded.order);
    let rest: Vec<String> = outcome.files_after.keys().filter(|it| !order.contains(it)).cloned().collect();
    for name in order.into_iter().chain(rest) {
        // The new name of a file stands for both of its names.
        let source = outcome.moved.iter().find(|(_, to)| *to == name).map(|(from, _)| from.clone());
        let target = outcome.moved.iter().any(|(from, _)| *from == name);
        if target && outcome.files_after.get(&name) == Some(&None) {
            continue;
        }
        let Some(after) = outcome.files_after.remove(&name) else { continue };
        let rel = tree.locate(&name, Access::Write)?.rel;
        let places = |of: &str| {
            let own = outcome.places.iter().filter(|it| it.path == of);
            At::Places(own.map(|it| it.place.clone()).collect())
        };
        let merged = merged.remove(&name);
        let changed = |it| What::Changed(Box::new(it));
        let what = match (loaded.texts.remove(&name), after) {
            (Some(_), Some(_)) if source.is_some() => return Err(RepoError::Exists { path: rel }.into()),
            (Some(old), Some(new)) => changed(Changed { old, new, from: None, at: places(&name), merged }),
            (Some(old), None) => What::Removed { expected: Some(old.hash), lines: old.text.lines().count() },
            (None, None) => What::Removed { expected: loaded.opaque.remove(&name), lines: 0 },
            (None, Some(new)) => match source.and_then(|from| Some((loaded.texts.remove(&from)?, from))) {
                Some((old, from)) => {
                    let present = tree.locate(&from, Access::Write)?.rel;
                    changed(Changed { at: places(&from), old, new, from: Some((from, present)), merged })
                }
                None => What::Made { text: new },
            },
        };
        draft.files.push(PlannedFile { path: name, rel, what });
    }
    Ok(draft)
}
