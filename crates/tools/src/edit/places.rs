//! Many places in many files, changed together or not at all. Shared by the tools that edit.
//!
//! Every file is read as it is on disk now and every place is located before anything is written; a file that changed
//! since the model read it is edited where the two changes do not meet, and refused where they do.

use ox_edit::{Block, Files, Request, apply};
use ox_protocol::Outcome;
use ox_repo::{Access, FileText, RepoError};

use crate::edit::draft::{At, Changed, EditPlan, PlannedFile, What};
use crate::edit::stale::land;
use crate::{call::context::CallContext, call::error::ToolError};

/// One place to change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Replacement {
    /// The file.
    pub path: String,
    /// The text sought and its replacement.
    pub block: Block,
    /// True to change every occurrence to the letter.
    pub all: bool,
}

/// Changes all places or none, and answers with file, line and a short diff.
pub(crate) fn change(
    cx: &CallContext,
    replacements: Vec<Replacement>,
    why: Option<String>,
) -> Result<Outcome, ToolError> {
    let draft = plan(cx, replacements)?;
    draft.make(cx, why)
}

/// Groups the replacements by file, in the order in which the files were first named, and locates every place.
fn plan(cx: &CallContext, replacements: Vec<Replacement>) -> Result<EditPlan, ToolError> {
    let mut files: Vec<(String, Vec<Replacement>)> = Vec::new();
    for request in replacements {
        let rel = cx.tree.locate(&request.path, Access::Write)?.rel;
        match files.iter_mut().find(|(known, _)| *known == rel) {
            Some((_, group)) => group.push(request),
            None => files.push((rel, vec![request])),
        }
    }
    let count = files.len();
    let files = files.into_iter().map(|(rel, replacements)| plan_file(cx, rel, &replacements, count));
    Ok(EditPlan { files: files.collect::<Result<_, _>>()? })
}

fn plan_file(
    cx: &CallContext,
    rel: String,
    replacements: &[Replacement],
    files: usize,
) -> Result<PlannedFile, ToolError> {
    let path = replacements[0].path.clone();
    let old = match cx.tree.read(&path) {
        Ok(old) => old,
        Err(RepoError::NotFound { .. }) if replacements.len() == 1 && replacements[0].block.search.is_empty() => {
            let text = replacements[0].block.replace.clone();
            return Ok(PlannedFile { path, rel, what: What::Made { text } });
        }
        Err(error) => return Err(error.into()),
    };
    if replacements.iter().any(|it| it.all) {
        let (new, count) = everywhere(&rel, &old, replacements, files)?;
        let changed = Changed { old, new, from: None, at: At::Everywhere(count), merged: None };
        return Ok(PlannedFile { path, rel, what: What::Changed(Box::new(changed)) });
    }
    let blocks: Vec<Block> = replacements.iter().map(|it| it.block.clone()).collect();
    let texts = |text: &str| Files::from([(rel.clone(), text.to_owned())]);
    let read = cx.reads.last_seen(&rel).filter(|it| **it != *old.text).map(|it| texts(&it)).unwrap_or_default();
    let landing = land(&Request::Blocks { path: &rel, blocks: &blocks }, &texts(&old.text), &read);
    let mut landing = landing.map_err(|error| error.among(files))?;
    let new = landing.outcome.files_after.remove(&rel).flatten().expect("blocks that land leave a text of their file");
    let at = At::Given(landing.outcome.places.into_iter().map(|it| it.place).collect());
    let merged = landing.merged.remove(&rel);
    let changed = Changed { old, new, from: None, at, merged };
    Ok(PlannedFile { path, rel, what: What::Changed(Box::new(changed)) })
}

/// The text with every occurrence to the letter changed, and how many there were. Mixed with single places of the same
/// file the outcome would hang on the order.
fn everywhere(
    rel: &str,
    old: &FileText,
    replacements: &[Replacement],
    files: usize,
) -> Result<(String, usize), ToolError> {
    if !replacements.iter().all(|it| it.all) {
        return Err(ToolError::Wrong(format!(
            "`{rel}`: an edit with `all` cannot be combined with single edits of the same file; nothing was changed. Send it in a call of its own."
        )));
    }
    let crlf = old.text.contains("\r\n");
    let endings = |text: &str| {
        let plain = text.replace("\r\n", "\n");
        if crlf { plain.replace('\n', "\r\n") } else { plain }
    };
    let mut new = old.text.clone();
    let mut total = 0;
    for request in replacements {
        let (search, replace) = (endings(&request.block.search), endings(&request.block.replace));
        let count = if search.is_empty() { 0 } else { new.matches(&search).count() };
        if count == 0 || search == replace {
            // One block says best why there is nothing to replace; a single loose match is as good as `all`.
            let applied = apply(&new, std::slice::from_ref(&request.block));
            new = applied.map_err(|refusal| ToolError::edit(rel, refusal, files))?.text;
            total += 1;
            continue;
        }
        new = new.replace(&search, &replace);
        total += count;
    }
    Ok((new, total))
}
