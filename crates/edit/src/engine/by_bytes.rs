//! Carrying out a block whose search text the file has to the letter. What is spliced is the replacement as given;
//! only its last line break, and the lines which both texts share at their ends, are put right.

use std::borrow::Cow;

use crate::engine::by_lines::by_lines;
use crate::engine::clean::CleanBlock;
use crate::engine::found::{Found, MOST_PLACES, ambiguous};
use crate::engine::nearest::candidate;
use crate::engine::tier::exact;
use crate::refusal::{Reason, Refusal};
use crate::text::document::Change;
use crate::text::indent::indent;
use crate::text::lines::is_blank;
use crate::text::target::Target;

/// Places looked at where something may choose among them.
const MOST_WITH_HINT: usize = 10_000;

/// Tier "exact".
pub(crate) fn by_bytes(request: &CleanBlock<'_>, target: &Target<'_>) -> Result<Option<Found>, Refusal> {
    let (text, search) = (target.text(), &*request.search);
    let limit = if request.guide.hint.is_some() { MOST_WITH_HINT } else { MOST_PLACES };
    let hits = match request.guide.whole_lines {
        // Whoever asks for whole lines gives a text whose last line is whole too.
        true => exact::line_hits(text, search, limit),
        false => exact::hits(text, search, limit),
    };
    let at = match hits.as_slice() {
        [] => return Ok(None),
        [at] => *at,
        _ => {
            let starts: Vec<usize> = hits.iter().map(|&at| target.lines().at_byte(at)).collect();
            match request.guide.pick(&starts) {
                Some(index) => hits[index],
                None => return Err(ambiguous(starts.iter().map(|&s| (s, 1.0)), search.lines().count(), target)),
            }
        }
    };
    let first = target.line_of(at);
    let lines = first..first + search.trim_end_matches('\n').matches('\n').count() + 1;
    if already_there(text, at, search, &request.replace) {
        return Err(Refusal::new(Reason::AlreadyApplied, "").with(vec![candidate(target, lines, 1.0)]));
    }
    if request.guide.whole_lines {
        let change = trimmed(at, search, &request.replace);
        let lines = first..first + search.lines().count();
        return Ok(Some(Found::exact(lines, vec![change])));
    }
    if lost_indentation(text, at, search, &request.replace)
        && let Some(found) = by_lines(request, target)?
    {
        return Ok(Some(found));
    }
    let (search, replace) = whole_lines(text, at, search, &request.replace);
    let change = trimmed(at, search, &replace);
    Ok(Some(Found::exact(lines, vec![change])))
}

/// Whether the text around a hit already is the replacement, so that the edit would be made a second time.
fn already_there(text: &str, at: usize, search: &str, replace: &str) -> bool {
    replace.len() > search.len()
        && exact::hits(replace, search, MOST_PLACES)
            .iter()
            .any(|&offset| offset <= at && text.as_bytes()[at - offset..].starts_with(replace.as_bytes()))
}

/// Whether the hit is one whole line but for its indentation, and the replacement goes on with lines indented less
/// than that line: then both texts were given without it, and a splice would indent the first new line only.
fn lost_indentation(text: &str, at: usize, search: &str, replace: &str) -> bool {
    let line = search.trim_end();
    let before = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    let after = text[at + line.len()..].split('\n').next().unwrap_or_default();
    let is_line = !before.is_empty() && is_blank(before) && is_blank(after) && !line.contains('\n');
    is_line
        && indent(line).is_empty()
        && replace.lines().skip(1).any(|line| !is_blank(line) && indent(line).len() < before.len())
}

/// The two texts with their last line break put right: a replacement that lacks the one which the search text ends
/// with would draw the next line up (unless it ends with a blank to join it), and whole lines removed without theirs would leave an empty line.
fn whole_lines<'a>(text: &'a str, at: usize, search: &'a str, replace: &'a str) -> (&'a str, Cow<'a, str>) {
    let end = at + search.len();
    if search.ends_with('\n') && !replace.is_empty() && !replace.ends_with(['\n', ' ']) {
        return (search, Cow::Owned(format!("{replace}\n")));
    }
    let from_start = at == 0 || text.as_bytes()[at - 1] == b'\n';
    let open = !search.starts_with('\n') && !search.ends_with('\n');
    if replace.is_empty() && from_start && open && text[end..].starts_with('\n') {
        return (&text[at..=end], Cow::Borrowed(""));
    }
    (search, Cow::Borrowed(replace))
}

/// The change without the whole lines which both texts share at their ends, so that two blocks may show the same
/// unchanged line.
fn trimmed(at: usize, search: &str, replace: &str) -> Change {
    let shared_head: usize = search
        .split_inclusive('\n')
        .zip(replace.split_inclusive('\n'))
        .take_while(|(a, b)| a == b && a.ends_with('\n'))
        .map(|(a, _)| a.len())
        .sum();
    let (old, new) = (&search[shared_head..], &replace[shared_head..]);
    let mut tail = 0;
    for (a, b) in old.split_inclusive('\n').rev().zip(new.split_inclusive('\n').rev()) {
        if a != b {
            break;
        }
        tail += a.len();
    }
    let range = at + shared_head..at + search.len() - tail;
    Change { range, new: new[..new.len() - tail].to_owned() }
}
