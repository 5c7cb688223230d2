//! Many places in many files, changed together or not at all. Shared by the tools that edit.
//!
//! Every file is read as it is on disk now and every place is located before anything is written, so a file that
//! changed since the model read it is edited where that is certain and refused where it is not (E5).

use std::fmt::Write as _;

use ox_edit::{Applied, Block, apply, short_diff};
use ox_protocol::{ChangeKind, FileChange, Outcome};
use ox_repo::{Access, Applied as Made, Change, FileText, RepoError};

use crate::change::{DIFF_CONTEXT, DIFF_LINES, counted, modified};
use crate::{Cx, ToolError};

/// Lines of the diff in the answer for each place that matched to the letter.
const EXACT_LINES: usize = 3;
/// The same for a place that matched less than that, where the model has to see what became of it.
const LOOSE_LINES: usize = 24;

/// One place to change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wish {
    /// The file.
    pub path: String,
    /// The text sought and its replacement.
    pub block: Block,
    /// True to change every occurrence to the letter.
    pub all: bool,
}

/// A file with its new text, not yet written.
struct Pending {
    path: String,
    rel: String,
    /// None for a file that is to be created.
    old: Option<FileText>,
    new: String,
    /// Where the places are, for the answer: `:12, 40-44`.
    lines: String,
    /// Lines of diff to show.
    room: usize,
}

/// Changes all places or none, and answers with file, line and a short diff.
pub(crate) fn change(cx: &Cx, wishes: Vec<Wish>, why: Option<String>) -> Result<Outcome, ToolError> {
    let pending = plan(cx, wishes)?;
    write(cx, &pending)?;
    let mut outcome = Outcome { tree_changed: true, ..Outcome::default() };
    for file in pending {
        outcome.output.push_str(&answer(&file));
        outcome.changed.push(file_change(&file, why.clone()));
    }
    outcome.output.truncate(outcome.output.trim_end().len());
    Ok(outcome)
}

/// Groups the wishes by file, in the order in which the files were first named, and locates every place.
fn plan(cx: &Cx, wishes: Vec<Wish>) -> Result<Vec<Pending>, ToolError> {
    let mut files: Vec<(String, Vec<Wish>)> = Vec::new();
    for wish in wishes {
        let rel = cx.tree.locate(&wish.path, Access::Write)?.rel;
        match files.iter_mut().find(|(known, _)| *known == rel) {
            Some((_, group)) => group.push(wish),
            None => files.push((rel, vec![wish])),
        }
    }
    let count = files.len();
    files.into_iter().map(|(rel, wishes)| plan_file(cx, rel, &wishes, count)).collect()
}

fn plan_file(cx: &Cx, rel: String, wishes: &[Wish], files: usize) -> Result<Pending, ToolError> {
    let path = wishes[0].path.clone();
    let old = match cx.tree.read(&path) {
        Ok(old) => old,
        Err(RepoError::NotFound { .. }) if wishes.len() == 1 && wishes[0].block.search.is_empty() => {
            let new = wishes[0].block.replace.clone();
            return Ok(Pending { path, rel, old: None, new, lines: String::new(), room: EXACT_LINES });
        }
        Err(error) => return Err(error.into()),
    };
    if wishes.iter().any(|it| it.all) {
        return everywhere(path, rel, old, wishes, files);
    }
    let blocks: Vec<Block> = wishes.iter().map(|it| it.block.clone()).collect();
    let applied = apply(&old.text, &blocks).map_err(|refusal| ToolError::Edit { path: rel.clone(), refusal, files })?;
    let room = applied.places.iter().map(|it| if it.strategy.is_exact() { EXACT_LINES } else { LOOSE_LINES }).sum();
    Ok(Pending { path, rel, old: Some(old), lines: places(&applied), new: applied.text, room })
}

/// Every occurrence to the letter. Mixed with single places of the same file the outcome would hang on the order.
fn everywhere(path: String, rel: String, old: FileText, wishes: &[Wish], files: usize) -> Result<Pending, ToolError> {
    if !wishes.iter().all(|it| it.all) {
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
    for wish in wishes {
        let (search, replace) = (endings(&wish.block.search), endings(&wish.block.replace));
        let count = if search.is_empty() { 0 } else { new.matches(&search).count() };
        if count == 0 || search == replace {
            // One block says best why there is nothing to replace; a single loose match is as good as `all`.
            let applied = apply(&new, std::slice::from_ref(&wish.block));
            new = applied.map_err(|refusal| ToolError::Edit { path: rel.clone(), refusal, files })?.text;
            total += 1;
            continue;
        }
        new = new.replace(&search, &replace);
        total += count;
    }
    let lines = format!(" ({})", crate::text::count(total, "place"));
    Ok(Pending { path, rel, old: Some(old), new, lines, room: EXACT_LINES * total.min(4) })
}

/// `:12, 40-44`, and how a place was recognised where it was not to the letter.
fn places(applied: &Applied) -> String {
    let mut out = String::new();
    for (index, place) in applied.places.iter().enumerate() {
        let (from, to) = (*place.after.start(), *place.after.end());
        let _ = write!(out, "{}{from}", if index == 0 { ":" } else { ", " });
        if to > from {
            let _ = write!(out, "-{to}");
        }
        if !place.strategy.is_exact() {
            let alike = (place.similarity * 100.0).floor().min(99.0);
            let _ = write!(out, " (not to the letter: {}, {alike} % alike)", place.strategy);
        }
    }
    out
}

/// One transaction, so that nothing of the call is left where one of its files cannot be written.
fn write(cx: &Cx, pending: &[Pending]) -> Result<(), ToolError> {
    let changes = pending.iter().map(|file| {
        let (path, text) = (file.path.clone(), file.new.clone());
        match &file.old {
            None => Change::Create { path, text },
            Some(old) => Change::Write { path, old: old.clone(), text },
        }
    });
    let applied = cx.tree.commit(changes.collect()).map_err(|error| {
        if matches!(error, RepoError::Unsettled { .. }) {
            // Nobody knows what the model would see now.
            pending.iter().for_each(|file| cx.reads.forget(&file.rel));
        }
        ToolError::Commit { cause: error, files: pending.len() }
    })?;
    for (file, applied) in pending.iter().zip(applied) {
        let (Made::Created { hash, .. } | Made::Written { hash, .. }) = applied else { continue };
        // Who had seen all of it knows the result too.
        if file.old.as_ref().is_none_or(|old| cx.reads.get(&file.rel) == Some(old.hash)) {
            cx.reads.mark(&file.rel, hash);
        }
    }
    Ok(())
}

fn answer(file: &Pending) -> String {
    match &file.old {
        None => format!("created {} ({})\n", file.rel, crate::text::count(file.new.lines().count(), "line")),
        Some(old) => format!("edited {}{}\n{}", file.rel, file.lines, short_diff(&old.text, &file.new, 0, file.room)),
    }
}

fn file_change(file: &Pending, why: Option<String>) -> FileChange {
    match &file.old {
        Some(old) => modified(&file.rel, &old.text, &file.new, why),
        None => FileChange {
            path: file.rel.clone(),
            kind: ChangeKind::Created,
            from: None,
            why,
            diff: short_diff("", &file.new, DIFF_CONTEXT, DIFF_LINES),
            added: counted(file.new.lines().count()),
            removed: 0,
        },
    }
}
