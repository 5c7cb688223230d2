//! What each signal counts. The numbers were fitted by the method of `cargo xtask bench retrieval --calibrate`, with and
//! without history; only those of a given file and of a frame were set by hand: no case has the one, and few the other.

use super::signals::{COUNT, NAMES, Row};

/// What each signal counts; signals are named as in [`super::signal_names`].
#[derive(Clone, Debug, PartialEq)]
pub struct Weights([f32; COUNT]);

/// Where the history of commits is known; signals that are not named count nothing.
const WITH_HISTORY: &[(&str, f32)] = &[
    ("best piece", 1.71),
    ("best pieces", 1.08),
    ("title in a piece", 0.41),
    ("words", 0.88),
    ("stressed words", 1.58),
    ("identifiers", 0.93),
    ("title in the path", 1.03),
    ("names", 0.63),
    ("strings", 0.06),
    ("defines", 0.09),
    ("mentioned", 2.71),
    // Few cases have a stack, and whether this is 1.2 or 2.8 changes nothing for them; a frame is no weaker than it looks.
    ("frame", 2.20),
    ("changed often", 1.57),
    ("changed together", 0.44),
    ("folder", 1.04),
    ("told", 1.18),
    ("test", -3.59),
    ("side", -1.13),
    ("text", -3.03),
    // No case has a file that is being worked on; it counts as much as being mentioned and more.
    ("given", 4.00),
    // Fitted by itself on what has vectors, all others as they are: without vectors nothing may change.
    ("meaning", 0.50),
];

/// Where it is not: what is large stands in for what changes often.
const WITHOUT_HISTORY: &[(&str, f32)] = &[
    ("best piece", 1.70),
    ("best pieces", 1.49),
    ("title in a piece", 0.45),
    ("words", 1.34),
    ("stressed words", 1.70),
    ("identifiers", 0.79),
    ("title in the path", 1.06),
    ("names", 0.47),
    ("strings", 0.33),
    ("defines", 0.32),
    ("mentioned", 2.72),
    ("frame", 1.50),
    ("folder", 0.89),
    ("size", 1.17),
    ("test", -3.99),
    ("side", -1.57),
    ("text", -3.04),
    ("given", 4.00),
    // Fitted by itself on what has vectors, all others as they are: without vectors nothing may change.
    ("meaning", 0.50),
];

impl Weights {
    /// The calibrated weights, for a project whose history is known or not.
    pub fn calibrated(history: bool) -> Weights {
        Weights::named(if history { WITH_HISTORY } else { WITHOUT_HISTORY })
    }

    /// Weights by the names of signals; unknown names are left out.
    pub fn named(named: &[(&str, f32)]) -> Weights {
        let mut all = [0.0; COUNT];
        for (name, weight) in named {
            if let Some(at) = NAMES.iter().position(|it| it == name) {
                all[at] = *weight;
            }
        }
        Weights(all)
    }

    /// The score of a row.
    pub(crate) fn score(&self, row: &Row) -> f32 {
        self.shares(row).sum()
    }

    /// Each signal's share in the score of a row.
    pub(crate) fn shares<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = f32> + 'a {
        self.0.iter().zip(row).map(|(weight, value)| weight * value)
    }
}
