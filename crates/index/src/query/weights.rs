//! What each signal counts. The numbers come from `cargo xtask calibrate`, which says how to get them anew; none was set by hand.

use super::signals::{COUNT, NAMES, Row};

/// What each signal counts; signals are named as in [`super::signal_names`].
#[derive(Clone, Debug, PartialEq)]
pub struct Weights([f32; COUNT]);

/// Calibrated weights; signals that are not named count nothing.
const CALIBRATED: &[(&str, f32)] = &[
    ("piece", 1.51),
    ("pieces", 1.63),
    ("file", 2.93),
    ("title", 0.46),
    ("title path", 1.21),
    ("name", 0.74),
    ("strings", 0.22),
    ("identifiers", 0.37),
    ("defines", 0.3),
    ("mentioned", 2.15),
    ("frame", 0.32),
    ("churn", 1.85),
    ("together", 1.1),
    ("near", 0.41),
    ("test", -4.22),
    ("side", -1.52),
    ("text", -3.63),
    ("given", 4.0),
];

impl Default for Weights {
    fn default() -> Self {
        Weights::named(CALIBRATED)
    }
}

impl Weights {
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
