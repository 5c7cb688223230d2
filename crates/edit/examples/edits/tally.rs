//! The counts of one run of the corpus, their table, and the limits.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::case::{Case, Run, Verdict};

/// What was counted of a category or a format.
#[derive(Debug, Default, Clone)]
pub struct Tally {
    counts: [usize; 6],
    /// Of the right ones, how many were refused and may be.
    may: usize,
    /// Refusals that claim that the edit was made before, and it was not.
    claimed: usize,
    micros: Vec<f64>,
}

impl Tally {
    fn add(&mut self, case: &Case, verdict: Verdict, run: &Run) {
        self.counts[verdict as usize] += 1;
        self.may += usize::from(verdict == Verdict::Right && run.result.is_err());
        self.claimed += usize::from(case.claimed(run));
        self.micros.push(run.micros);
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.counts[verdict as usize]
    }

    /// Of the edits that are to be made, how many in a hundred came out right.
    fn right(&self) -> f64 {
        let asked: usize = self.counts[..4].iter().sum();
        100.0 * self.count(Verdict::Right) as f64 / asked as f64
    }

    fn at(&self, part: f64) -> f64 {
        let mut sorted = self.micros.clone();
        sorted.sort_by(f64::total_cmp);
        let at = ((sorted.len() as f64 - 1.0) * part).round() as usize;
        sorted.get(at).copied().unwrap_or(f64::NAN)
    }

    fn row(&self, name: &str) -> String {
        let asked: usize = self.counts[..4].iter().sum();
        let share = if asked == 0 { "–".to_owned() } else { format!("{:.1}", self.right()) };
        let [right, near, refused, wrong, rightly, edited] = self.counts;
        format!(
            "{name:34}{right:>6}{share:>7}{:>6}{near:>6}{refused:>9}{wrong:>7}{rightly:>9}{edited:>8}{:>9}{:>9.1}{:>9.0}\n",
            self.may,
            self.claimed,
            self.at(0.5),
            self.at(0.99)
        )
    }
}

/// All tallies.
#[derive(Default)]
pub struct Board {
    categories: BTreeMap<(String, String), Tally>,
    formats: BTreeMap<String, Tally>,
    total: Tally,
}

/// What a format must reach: right in percent, wrong at most, and must-refuse edited at most none.
const LIMITS: [(&str, f64, usize); 5] = [
    ("search_replace", 97.0, 3),
    ("unified_diff", 94.0, 0),
    ("v4a", 94.0, 0),
    ("line_range", 100.0, 0),
    ("whole_file", 100.0, 0),
];
const MEDIAN_MICROS: f64 = 15.0;
const P99_MICROS: f64 = 500.0;

impl Board {
    pub fn add(&mut self, case: &Case, verdict: Verdict, run: &Run) {
        let category = self.categories.entry((case.format.clone(), case.category.clone())).or_default();
        let format = self.formats.entry(case.format.clone()).or_default();
        [category, format, &mut self.total].into_iter().for_each(|it| it.add(case, verdict, run));
    }

    pub fn table(&self) -> String {
        let mut out = String::new();
        let head =
            ["right", "%", "may", "near", "refused", "wrong", "mustref.", "edited", "claimed", "med µs", "p99 µs"];
        let [a, b, m, c, d, e, f, g, k, h, i] = head;
        let _ = writeln!(out, "{:34}{a:>6}{b:>7}{m:>6}{c:>6}{d:>9}{e:>7}{f:>9}{g:>8}{k:>9}{h:>9}{i:>9}", "");
        for (format, tally) in &self.formats {
            for ((_, category), tally) in self.categories.iter().filter(|((of, _), _)| of == format) {
                out.push_str(&tally.row(&format!("  {category}")));
            }
            out.push_str(&tally.row(format));
        }
        out.push_str(&self.total.row("all"));
        out
    }

    /// The limits that were missed, in words.
    pub fn missed(&self) -> Vec<String> {
        let mut out = Vec::new();
        for (format, least, most_wrong) in LIMITS {
            let Some(tally) = self.formats.get(format) else { continue };
            let (wrong, edited) = (tally.count(Verdict::Wrong), tally.count(Verdict::WronglyEdited));
            if tally.right() < least {
                out.push(format!("{format}: {:.2} % right, at least {least}", tally.right()));
            }
            if wrong > most_wrong {
                out.push(format!("{format}: {wrong} wrong, at most {most_wrong}"));
            }
            if edited > 0 {
                out.push(format!("{format}: {edited} edited that must be refused, at most 0"));
            }
            if tally.claimed > 0 {
                out.push(format!("{format}: {} claimed to be made before and not, at most 0", tally.claimed));
            }
            if tally.at(0.5) > MEDIAN_MICROS {
                out.push(format!("{format}: median {:.1} µs, at most {MEDIAN_MICROS}", tally.at(0.5)));
            }
            if tally.at(0.99) > P99_MICROS {
                out.push(format!("{format}: p99 {:.0} µs, at most {P99_MICROS}", tally.at(0.99)));
            }
        }
        out
    }
}
