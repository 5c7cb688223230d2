//! Whether an edit whose text is not found was made before. The claim sends the caller on, so it is made only where it is
//! sound: the new text stands in one place, that place is the one which the edit's context points to, and what the edit
//! removes, or anything like it, is nowhere near. A deletion leaves nothing but context; it counts as made only where the
//! lines above and below it have met.

use std::collections::HashSet;
use std::ops::Range;

use similar::DiffOp;

use crate::block::Strategy;
use crate::engine::align::by_tiers;
use crate::engine::clean::CleanBlock;
use crate::engine::tier::exact;
use crate::text::fold::key;
use crate::text::lines::{is_blank, letters};
use crate::text::ops::ops;
use crate::text::target::Target;
use crate::text::tokens::likeness;

/// A new text with fewer letters and digits may stand in a file by coincidence.
const LEAST_LETTERS: usize = 6;
/// The same of the context of a deletion, which leaves nothing else.
const LEAST_CONTEXT: usize = 12;
/// A line so like one that goes away is that line, changed by somebody else.
const ALIKE: f32 = 0.5;
/// So many lines around a place are near it.
const NEAR: usize = 20;

/// What an edit does, line by line.
struct Intent<'a> {
    /// The lines that go and do not come back, and those that come; blank ones aside.
    removed: Vec<&'a str>,
    added: Vec<&'a str>,
    /// Letters and digits of the lines that stay.
    kept: usize,
    /// Whether lines change in their blanks alone.
    blanks: bool,
    /// Whether each run of lines that only goes has lines with words right above and below it.
    enclosed: bool,
}

impl<'a> Intent<'a> {
    fn new(search: &[&'a str], replace: &[&'a str]) -> Self {
        let trimmed = |lines: &[&'a str]| -> Vec<&'a str> { lines.iter().map(|line| line.trim_end()).collect() };
        let (old, new) = (trimmed(search), trimmed(replace));
        let keys = |lines: &[&str]| -> HashSet<u64> { lines.iter().map(|line| key(line)).collect() };
        let (in_old, in_new) = (keys(&old), keys(&new));
        let mut intent = Self { removed: vec![], added: vec![], kept: 0, blanks: false, enclosed: true };
        let says = |at: Option<usize>| at.and_then(|at| new.get(at)).is_some_and(|line| letters(line) > 1);
        for op in ops(&old, &new) {
            let (gone, come) = (op.old_range(), op.new_range());
            if let DiffOp::Equal { .. } = op {
                intent.kept += old[gone].iter().map(|line| letters(line)).sum::<usize>();
                continue;
            }
            let enclosed = !come.is_empty() || says(come.start.checked_sub(1)) && says(Some(come.end));
            intent.enclosed &= enclosed;
            intent.blanks |= old[gone.clone()].iter().any(|line| in_new.contains(&key(line)));
            intent.removed.extend(old[gone].iter().filter(|line| !is_blank(line) && !in_new.contains(&key(line))));
            intent.added.extend(new[come].iter().filter(|line| !is_blank(line) && !in_old.contains(&key(line))));
        }
        intent
    }
}

/// Where the file already has what the request asks for.
pub(crate) fn already_made(request: &CleanBlock<'_>, target: &Target<'_>) -> Option<Range<usize>> {
    let (search, replace): (Vec<&str>, Vec<&str>) =
        (request.search.lines().collect(), request.replace.lines().collect());
    let intent = Intent::new(&search, &replace);
    let added: usize = intent.added.iter().map(|line| letters(line)).sum();
    if intent.kept + added < LEAST_LETTERS || intent.added.is_empty() && intent.kept < LEAST_CONTEXT || !intent.enclosed
    {
        return None;
    }
    let count = |lines: &[&str]| lines.iter().filter(|line| !is_blank(line)).count();
    if intent.removed.is_empty() && intent.added.is_empty() && count(&search) > count(&replace) {
        // Fewer of equal lines are wanted: those that are there may be the ones to remove.
        return None;
    }
    let place = only_place(request, &replace, intent.blanks, target)?;
    let lines = target.lines();
    // Without context, the place may be anywhere in the file.
    let near = match intent.kept >= LEAST_LETTERS {
        true => place.start.saturating_sub(NEAR)..(place.end + NEAR).min(lines.len()),
        false => 0..lines.len(),
    };
    let mut others = near.filter(|at| !place.contains(at)).map(|at| lines.get(at)).filter(|line| letters(line) > 1);
    let still = |line: &str| intent.removed.iter().any(|old| likeness(old, line) >= ALIKE);
    (!others.any(still)).then_some(place)
}

/// The only place of the new text; to the letter where blanks are what changes.
fn only_place(request: &CleanBlock<'_>, replace: &[&str], blanks: bool, target: &Target<'_>) -> Option<Range<usize>> {
    let text = request.replace.strip_suffix('\n').unwrap_or(&request.replace);
    match exact::hits(target.text(), text, 2).as_slice() {
        [at] => {
            let first = target.lines().at_byte(*at);
            return Some(first..first + replace.len());
        }
        [] if !blanks => {}
        _ => return None,
    }
    let mut places = by_tiers(replace, target);
    let (strategy, place) = places.pop()?;
    (places.is_empty() && strategy <= Strategy::Indentation).then_some(place.region)
}
