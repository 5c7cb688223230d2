//! Edits of texts that somebody else has changed since the model read them.
//!
//! The edit is made on the text that the model read and then carried over to the text there is now, where the two
//! changes do not meet. Where they do, nothing is done: nobody's change is overwritten, and no line is chosen.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use ox_edit::{Files, LineRange, Outcome, Place, Reason, Refusal, Request, SyntaxError, rebase, run_checked};

use crate::call::error::ToolError;

/// Lines of the file that are shown where two changes meet.
const SHOWN: usize = 12;
/// Characters of each of them.
const WIDEST: usize = 200;

/// What a request makes of the texts there are now.
pub(crate) struct Landing {
    /// The new texts, and the places in them.
    pub outcome: Outcome,
    /// The files, by the name in the request, that hold somebody else's change too.
    pub merged: BTreeMap<String, Merged>,
}

/// A file with a change of the model's and one of somebody else's.
pub(crate) struct Merged {
    /// What the model will believe the text to be.
    pub last_seen: String,
    /// The lines of the text before this edit that somebody else had changed.
    pub theirs: Vec<RangeInclusive<usize>>,
}

/// Carries the request out on `now`. `read` holds the texts that the model read, of those files that are no longer so.
/// Without a text for a file, what the request itself says of the place has to do.
pub(crate) fn land(request: &Request<'_>, now: &Files, read: &Files) -> Result<Landing, ToolError> {
    let plain = || run_checked(request, now, &fault).map_err(|refusal| refused(refusal, request, now));
    if read.is_empty() {
        return plain().map(Landing::from);
    }
    let mut then = now.clone();
    then.extend(read.iter().map(|(path, text)| (path.clone(), text.clone())));
    let meant = match run_checked(request, &then, &fault) {
        Ok(outcome) => outcome,
        Err(refusal) if by_number(request) => return Err(refused(refusal, request, now)),
        Err(_) => return unless_removed(plain()?, read).map(Landing::from),
    };
    // Numbers count in the text that was read and nowhere else.
    let fits = || plain().ok().filter(|it| !by_number(request) && it.strategy().is_exact());
    if !meant.strategy().is_exact()
        && let Some(outcome) = fits()
    {
        // The model has learnt of the change otherwise, by a command or a search: its words fit the new text.
        return unless_removed(outcome, read).map(Landing::from);
    }
    match merge(request, meant.clone(), now, read) {
        Err(ToolError::Clash { path, there }) => {
            fits().and_then(|outcome| beside(&meant, outcome, now, read)).ok_or(ToolError::Clash { path, there })
        }
        settled => settled,
    }
}

/// Accepts an outcome unless it removes a file that holds something that the model has not seen.
fn unless_removed(outcome: Outcome, read: &Files) -> Result<Outcome, ToolError> {
    let moved = |path: &String| outcome.moved.iter().any(|(from, _)| from == path);
    let gone = |path: &&String| outcome.files_after.get(*path) == Some(&None) && !moved(path);
    match read.keys().find(gone) {
        Some(path) => Err(ToolError::Stale { path: path.clone() }),
        None => Ok(outcome),
    }
}

/// Where two changes touch without overlapping: the outcome for the texts there are now, if each place met to the letter
/// is the very one that was meant. Then nothing is replaced but what the model named.
fn beside(meant: &Outcome, outcome: Outcome, now: &Files, read: &Files) -> Option<Landing> {
    let outcome = unless_removed(outcome, read).ok()?;
    let mut merged = BTreeMap::new();
    for (path, base) in read {
        let theirs = rebase(base, base, &now[path]).ok()?;
        let places = |of: &Outcome| -> Vec<Place> {
            of.places.iter().filter(|it| it.path == *path).map(|it| it.place.clone()).collect()
        };
        let (wanted, found) = (places(meant), places(&outcome));
        let same = |(wanted, found): (&Place, &Place)| theirs.moved(wanted).before == found.before;
        if wanted.len() != found.len() || !wanted.iter().zip(&found).all(same) {
            return None;
        }
        let moved = outcome.moved.iter().find(|(from, _)| from == path).map_or(path, |(_, to)| to);
        if let Some(Some(last_seen)) = meant.files_after.get(moved) {
            merged.insert(moved.clone(), Merged { last_seen: last_seen.clone(), theirs: theirs.theirs });
        }
    }
    Some(Landing { outcome, merged })
}

impl From<Outcome> for Landing {
    /// What stands for itself: nobody else's change is in it.
    fn from(outcome: Outcome) -> Landing {
        Landing { outcome, merged: BTreeMap::new() }
    }
}

/// Where a text does not fit its language. Asked only of edits that were not to the letter.
fn fault(path: &str, text: &str) -> Option<SyntaxError> {
    let fault = ox_syntax::check(path, text)?;
    Some(SyntaxError { line: fault.line as usize, what: format!("column {}, {}", fault.column, fault.near) })
}

/// True where nothing but numbers names a place.
pub(crate) fn by_number(request: &Request<'_>) -> bool {
    let bare = |it: &LineRange| it.old.as_ref().is_none_or(|old| old.trim().is_empty());
    matches!(request, Request::LineRange { ranges, .. } if ranges.iter().any(bare))
}

fn merge(request: &Request<'_>, mut outcome: Outcome, now: &Files, read: &Files) -> Result<Landing, ToolError> {
    let mut merged = BTreeMap::new();
    for (path, base) in read {
        let moved = outcome.moved.iter().find(|(from, _)| from == path).map_or(path, |(_, to)| to).clone();
        let text = match (outcome.files_after.get(&moved), outcome.files_after.get(path)) {
            (Some(Some(text)), _) => text.clone(),
            // It is to be removed, and holds something that the model has not seen.
            (_, Some(None)) => return Err(ToolError::Stale { path: path.clone() }),
            // The request does not change it.
            _ => continue,
        };
        let rebased = rebase(base, &text, &now[path]).map_err(|clash| clashes(path, &now[path], clash.theirs))?;
        for landed in outcome.places.iter_mut().filter(|it| it.path == *path) {
            landed.place = rebased.moved(&landed.place);
        }
        if moved == *path && rebased.text == now[path] {
            // Somebody else has made the same change.
            outcome.files_after.remove(path);
            continue;
        }
        outcome.files_after.insert(moved.clone(), Some(rebased.text));
        merged.insert(moved, Merged { last_seen: text, theirs: rebased.theirs });
    }
    match outcome.files_after.is_empty() {
        true => Err(refused(Refusal::new(Reason::AlreadyApplied, ""), request, now)),
        false => Ok(Landing { outcome, merged }),
    }
}

/// The lines there are now, so that the model can send the edit again without reading the file first.
pub(crate) fn clashes(path: &str, now: &str, lines: RangeInclusive<usize>) -> ToolError {
    let (from, to) = (*lines.start(), *lines.end());
    let mut there = match to {
        to if to < from => format!("Lines that were before line {from} are gone."),
        to if to == from => format!("Line {from} is now:"),
        to => format!("Lines {from}-{to} are now:"),
    };
    for line in now.lines().skip(from - 1).take((to + 1).saturating_sub(from).min(SHOWN)) {
        there.push_str("\n    ");
        there.extend(line.chars().take(WIDEST));
    }
    ToolError::Clash { path: path.to_string(), there }
}

/// The refusal under the name of its file.
fn refused(mut refusal: Refusal, request: &Request<'_>, files: &Files) -> ToolError {
    let only = || files.keys().next().filter(|_| files.len() == 1).cloned();
    let path = match std::mem::take(&mut refusal.file) {
        empty if empty.is_empty() => only().unwrap_or_default(),
        named => named,
    };
    let several = request.named().map_or(1, |it| it.len());
    ToolError::edit(&path, refusal, several)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ox_edit::Block;

    fn files(text: &str) -> Files {
        Files::from([("f".to_string(), text.to_string())])
    }

    fn reported(result: Result<Landing, ToolError>) -> Result<String, String> {
        let text = |landing: Landing| landing.outcome.files_after["f"].clone().unwrap_or_default();
        result.map(text).map_err(|error| error.to_string().lines().next().unwrap_or_default().to_string())
    }

    #[test]
    fn an_edit_by_text_lands_beside_somebody_elses_change_or_not_at_all() {
        let read = "fn f() {\n    x = 1;\n}\n\nfn g() {\n    y();\n}\n";
        let edit = |search: &str, replace: &str, now: &str| {
            let blocks = [Block::new(search, replace)];
            reported(land(&Request::Blocks { path: "f", blocks: &blocks }, &files(now), &files(read)))
        };
        // Elsewhere.
        let now = read.replace("y();", "y();\n    z();");
        assert_eq!(edit("x = 1;", "x = 2;", &now), Ok(now.replace("x = 1", "x = 2")));
        // The text is now in two places; the model can only mean the one that it read.
        let now = read.replace("y();", "x = 1;");
        assert_eq!(edit("x = 1;", "x = 2;", &now), Ok(now.replacen("x = 1", "x = 2", 1)));
        // The place that was meant is gone, and its text is now in another one.
        let now = read.replace("x = 1", "x = 7").replace("y();", "x = 1;");
        let clash = "`f` changed on disk after you read it, at the very place of this edit; nothing was changed.";
        assert_eq!(edit("x = 1;", "x = 2;", &now), Err(clash.into()), "{now}");
        // The model knows the new text, although it has not read it with read_file.
        let now = read.replace("x = 1", "x = 7");
        assert_eq!(edit("x = 7;", "x = 2;", &now), Ok(now.replace("x = 7", "x = 2")));
    }

    #[test]
    fn changes_that_touch_are_both_made_where_the_place_is_met_to_the_letter() {
        let read = "one\ntwo\nthree\n";
        let edit = |search: &str, replace: &str, now: &str| {
            let blocks = [Block::new(search, replace)];
            reported(land(&Request::Blocks { path: "f", blocks: &blocks }, &files(now), &files(read)))
        };
        assert_eq!(edit("two\n", "2\n2\n", "one\ntwo\n\nthree\n"), Ok("one\n2\n2\n\nthree\n".into()));
        assert_eq!(
            edit("two\n", "two\nmine\n", "one\ntwo\ntheirs\nthree\n"),
            Ok("one\ntwo\nmine\ntheirs\nthree\n".into())
        );
        // The text is met to the letter, and not where it was.
        assert!(edit("two\n", "2\n", "one\nzwei\nthree\ntwo\n").is_err());
        // What was to be replaced as a whole has something of theirs in it.
        assert!(edit("two\nthree\n", "2\n3\n", "one\ntwo\ntheirs\nthree\n").is_err());
    }

    #[test]
    fn a_number_counts_in_the_text_that_was_read() {
        let ranges = [LineRange { from: 3, to: 3, new: "THREE\n".into(), old: None }];
        let request = Request::LineRange { path: "f", ranges: &ranges };
        let land = |now: &str| reported(land(&request, &files(now), &files("one\ntwo\nthree\nfour\nfive\n")));
        assert_eq!(land("zero\none\ntwo\nthree\nfour\nfive\n"), Ok("zero\none\ntwo\nTHREE\nfour\nfive\n".into()));
        assert!(land("one\ntwo\nthree!\nfour\nfive\n").is_err());
        assert!(land("one\nfour\nfive\n").is_err());
    }
}
