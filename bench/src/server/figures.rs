//! The rows of the table: a figure, and the most that it may be where that is said.

use crate::agent_loop::measure::median;
use crate::first_piece::at;

/// Figures, in the order in which they were measured.
#[derive(Default)]
pub struct Figures {
    rows: Vec<Row>,
}

struct Row {
    what: String,
    value: f64,
    decimals: usize,
    most: Option<f64>,
}

impl Figures {
    /// A figure that is stated alone.
    pub fn state(&mut self, what: impl Into<String>, value: f64, decimals: usize) {
        self.add(Row { what: what.into(), value, decimals, most: None });
    }

    /// A figure with a limit.
    pub fn hold(&mut self, what: impl Into<String>, value: f64, decimals: usize, most: f64) {
        self.add(Row { what: what.into(), value, decimals, most: Some(most) });
    }

    /// The median and the 95th percentile of delays in milliseconds, each with this limit.
    pub fn delays(&mut self, what: &str, mut delays: Vec<f64>, most: f64) {
        let Some(middle) = median(&mut delays) else {
            // What was not measured is not kept.
            return self.hold(format!("{what}: median ms, of no delays"), f64::INFINITY, 2, most);
        };
        self.hold(format!("{what}: median ms, of {}", delays.len()), middle, 2, most);
        self.hold(format!("{what}: 95th percentile ms"), at(&delays, 95), 2, most);
    }

    /// A part that fails takes nothing from those before it: each row is printed when it is there.
    fn add(&mut self, row: Row) {
        println!("{}", row.line());
        self.rows.push(row);
    }

    /// True if every limit was kept.
    pub fn all_kept(&self) -> bool {
        !self.rows.iter().any(Row::is_missed)
    }
}

impl Row {
    fn line(&self) -> String {
        let most = self.most.map_or(String::new(), |most| format!("≤ {most}"));
        let missed = if self.is_missed() { "  MISSED" } else { "" };
        format!("{:<76} {:>10.*} {most:>6}{missed}", self.what, self.decimals, self.value)
    }

    fn is_missed(&self) -> bool {
        self.most.is_some_and(|most| self.value > most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_kept_when_it_is_reached_and_missed_beyond_or_unmeasured() {
        let mut figures = Figures::default();
        figures.state("memory", 1e9, 0);
        figures.delays("delay", vec![5.0, 1.0, 2.0], 5.0);
        assert!(figures.all_kept());
        figures.delays("other", Vec::new(), 5.0);
        let line = figures.rows.last().map(Row::line).unwrap_or_default();
        assert!(!figures.all_kept() && line.ends_with("≤ 5  MISSED"), "{line}");
    }
}
