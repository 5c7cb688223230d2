//! What the counts that a provider reports say about our own.
//!
//! Pure. One odd report cannot lead it far astray: the ratio stays between a half and two, and what is new counts for a
//! third at most once there is a past.

use ox_protocol::Tokens;

/// The ratio stays within these.
const LEAST: f64 = 0.5;
const MOST: f64 = 2.0;
/// How much a new report counts for, once there are some.
const WEIGHT: f64 = 0.3;

/// Tokens that a provider reports for each that was counted, averaged over the last reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    ratio: f64,
    seen: u32,
}

impl Calibration {
    /// Takes a report in; one of nothing, or about nothing, says nothing.
    pub fn learn(&mut self, counted: Tokens, reported: Tokens) {
        if counted.0 == 0 || reported.0 == 0 {
            return;
        }
        let now = (reported.0 as f64 / counted.0 as f64).clamp(LEAST, MOST);
        self.seen = self.seen.saturating_add(1);
        // The first reports are averaged evenly, so that the first one counts in full.
        let weight = (1.0 / f64::from(self.seen)).max(WEIGHT);
        self.ratio = (self.ratio + weight * (now - self.ratio)).clamp(LEAST, MOST);
    }

    /// Reported tokens for each counted one, between 0.5 and 2; 1 before the first report.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// What a provider will say of what was counted as `counted`, rounded up.
    pub fn correct(&self, counted: Tokens) -> Tokens {
        Tokens((counted.0 as f64 * self.ratio).ceil() as u64)
    }
}

impl Default for Calibration {
    fn default() -> Calibration {
        Calibration { ratio: 1.0, seen: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(reports: &[(u64, u64)]) -> f64 {
        let mut it = Calibration::default();
        reports.iter().for_each(|(counted, reported)| it.learn(Tokens(*counted), Tokens(*reported)));
        (it.ratio() * 1000.0).round() / 1000.0
    }

    #[test]
    fn reports_are_averaged_and_bounded() {
        let cases: [(&[(u64, u64)], f64); 8] = [
            (&[], 1.0),
            (&[(1000, 1200)], 1.2),
            (&[(1000, 1200), (1000, 1000)], 1.1),
            (&[(1000, 1300), (1000, 1300), (1000, 1300), (1000, 1000)], 1.21),
            (&[(10, 1_000_000)], 2.0),
            (&[(1_000_000, 1)], 0.5),
            (&[(0, 5), (5, 0)], 1.0),
            (&[(u64::MAX, u64::MAX)], 1.0),
        ];
        for (reports, ratio) in cases {
            assert_eq!(after(reports), ratio, "{reports:?}");
        }
    }

    #[test]
    fn it_follows_a_change_within_ten_reports() {
        let mut reports = vec![(1000, 1500); 10];
        reports.extend([(1000, 900); 10]);
        assert!((after(&reports) - 0.9).abs() < 0.02);
    }

    #[test]
    fn corrections_round_up() {
        let mut it = Calibration::default();
        it.learn(Tokens(1000), Tokens(1001));
        assert_eq!((it.correct(Tokens(1)), it.correct(Tokens(0))), (Tokens(2), Tokens(0)));
    }
}
