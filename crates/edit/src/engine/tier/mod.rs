//! The tiers which compare line by line, strictest first. A tier answers one question only: are these two lines
//! equal in its eyes? It never looks at a third line, so what a tier accepts can be read off its table of cases.

mod blanks;
pub(crate) mod exact;
pub(crate) mod fuzzy;
mod indentation;
mod reworded;
mod trailing;
mod typography;

use crate::block::Strategy;

pub(crate) use reworded::is_comment;

/// Whether a line of the request and a line of the file are equal in the eyes of a tier.
type Same = fn(&str, &str) -> bool;

/// The line tiers in the order in which they are tried.
pub(crate) const LINE_TIERS: [(Strategy, Same); 4] = [
    (Strategy::TrailingBlanks, trailing::same),
    (Strategy::Indentation, indentation::same),
    (Strategy::Typography, typography::same),
    (Strategy::Blanks, blanks::same),
];

#[cfg(test)]
fn check(same: Same, equal: &[(&str, &str)], different: &[(&str, &str)]) {
    for (a, b) in equal {
        assert!(same(a, b) && same(b, a), "{a:?} and {b:?} should be equal");
    }
    for (a, b) in different {
        assert!(!same(a, b) && !same(b, a), "{a:?} and {b:?} should differ");
    }
}
