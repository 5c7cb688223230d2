//! Finding the one place a block means: tier by tier, the strictest first. The first tier with a hit decides; two
//! hits at it are refused and never handed on to a looser tier.

use super::by_bytes::by_bytes;
use super::by_lines::{by_lines, by_slips};
use super::claim::already_made;
use super::clean::CleanBlock;
use super::elide;
use super::found::Found;
use super::nearest::{candidate, nearest};
use crate::block::Strategy;
use crate::refusal::{Reason, Refusal};
use crate::text::target::Target;

/// The place of a request in a text that is not empty.
pub(crate) fn locate(request: &CleanBlock<'_>, target: &Target<'_>) -> Result<Found, Refusal> {
    let expanded = elide::expand_replacement(request, target)?;
    let request = expanded.as_ref().unwrap_or(request);
    if request.search == request.replace {
        return Err(Refusal::new(Reason::NothingToChange, ""));
    }
    if let Some(found) = by_bytes(request, target)? {
        return Ok(found);
    }
    let cleaned = request.cleaned();
    let request = cleaned.as_ref().unwrap_or(request);
    if cleaned.is_some()
        && let Some(found) = by_bytes(request, target)?
    {
        return Ok(found);
    }
    if let Some(found) = by_lines(request, target)? {
        return Ok(found);
    }
    if let Some(found) = elide::by_pieces(request, target)? {
        return Ok(found);
    }
    for plain in request.unescaped() {
        let found = match by_bytes(&plain, target)? {
            Some(found) => Some(found),
            None => by_lines(&plain, target)?,
        };
        if let Some(found) = found {
            return Ok(Found { strategy: Strategy::Escapes, similarity: 0.99, ..found });
        }
    }
    if let Some(found) = by_slips(request, target)? {
        return Ok(found);
    }
    Err(missing(request, target))
}

/// The refusal of a text that is not there.
fn missing(request: &CleanBlock<'_>, target: &Target<'_>) -> Refusal {
    if let Some(lines) = already_made(request, target) {
        return Refusal::new(Reason::AlreadyApplied, "").with(vec![candidate(target, lines, 1.0)]);
    }
    let search: Vec<&str> = request.search.lines().collect();
    match nearest(&search, target) {
        Some((candidate, diff)) => Refusal::new(Reason::NotFound, diff).with(vec![candidate]),
        None => Refusal::new(Reason::NotFound, ""),
    }
}
