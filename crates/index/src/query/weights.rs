//! What each signal counts. The numbers were fitted by the method of `cargo xtask bench retrieval --calibrate`, with and
//! without history; only those of a given file and of a frame were set by hand: no case has the one, and few the other.

use super::signals::{COUNT, NAMES, Row};

/// What each signal counts; signals are named as in [`super::signal_names`].
#[derive(Clone, Debug, PartialEq)]
pub struct Weights([f32; COUNT]);

/// Where the history of commits is known; signals that are not named count nothing.
const WITH_HISTORY: &[(&str, f32)] = &[
    ("best piece", 1.59),
    ("best pieces", 0.97),
    ("title in one place", 2.03),
    ("words", 0.33),
    ("stressed words", 0.47),
    ("identifiers", 1.24),
    ("title in the path", 0.91),
    ("names", 0.77),
    ("defines", 0.30),
    ("mentioned", 2.67),
    ("changed often", 0.88),
    ("changed together", 0.46),
    ("folder", 0.88),
    ("told", 0.72),
    ("said of it", 1.62),
    ("changed last", 1.10),
    ("test", -3.68),
    ("side", -1.36),
    ("text", -3.45),
    // Few cases have a stack, and whether this is 1.2 or 2.8 changes nothing for them; a frame is no weaker than it looks.
    ("frame", 2.20),
    // No case has a file that is being worked on; it counts as much as being mentioned and more.
    ("given", 4.00),
    // Fitted by itself on what has vectors, all others as they are: without vectors nothing may change.
    ("meaning", 0.20),
];

/// Where it is not: what is large stands in for what changes often.
const WITHOUT_HISTORY: &[(&str, f32)] = &[
    ("best piece", 1.74),
    ("best pieces", 1.45),
    ("title in one place", 2.35),
    ("words", 1.11),
    ("stressed words", 0.54),
    ("identifiers", 0.97),
    ("title in the path", 0.93),
    ("names", 0.82),
    ("defines", 0.42),
    ("mentioned", 2.61),
    ("folder", 0.92),
    ("size", 0.91),
    ("test", -3.94),
    ("side", -1.57),
    ("text", -3.33),
    ("frame", 2.20),
    ("given", 4.00),
    ("meaning", 0.20),
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
