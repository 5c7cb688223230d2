//! What each signal counts. The numbers come from `cargo xtask bench retrieval --calibrate`, with
//! and without `--no-history`; only that of a given file, which no case has, was set by hand.

use super::signals::{COUNT, NAMES, Row};

/// What each signal counts; signals are named as in [`super::signal_names`].
#[derive(Clone, Debug, PartialEq)]
pub struct Weights([f32; COUNT]);

/// Where the history of commits is known; signals that are not named count nothing.
const WITH_HISTORY: &[(&str, f32)] = &[
    ("best piece", 2.10),
    ("best pieces", 1.21),
    ("title in a piece", 0.46),
    ("words", 0.95),
    ("stressed words", 1.76),
    ("identifiers", 0.72),
    ("title in the path", 1.21),
    ("names", 0.87),
    ("strings", 0.36),
    ("defines", 0.20),
    ("mentioned", 2.74),
    ("frame", 1.08),
    ("changed often", 1.65),
    ("changed together", 1.20),
    ("test", -4.38),
    ("side", -1.55),
    ("text", -3.71),
    // No case has a file that is being worked on; it counts as much as being mentioned and more.
    ("given", 4.0),
];

/// Where it is not: what is large stands in for what changes often.
const WITHOUT_HISTORY: &[(&str, f32)] = &[
    ("best piece", 1.95),
    ("best pieces", 1.40),
    ("title in a piece", 0.59),
    ("words", 1.41),
    ("stressed words", 1.83),
    ("identifiers", 0.63),
    ("title in the path", 1.11),
    ("names", 0.52),
    ("strings", 0.48),
    ("defines", 0.41),
    ("mentioned", 2.83),
    ("frame", 1.07),
    ("size", 1.37),
    ("test", -4.60),
    ("side", -1.96),
    ("text", -3.79),
    ("given", 4.0),
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
