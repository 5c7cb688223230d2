//! What helps to choose among several places that fit equally well. It never makes a place of what is none: with one
//! place there is nothing to choose, and without a clear pick nothing is chosen.

/// What the request says about its place beside its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Guide {
    /// The line (from 1) at which the place is believed to start.
    pub hint: Option<usize>,
    /// Whether the texts are whole lines, as in a patch, so that a hit in the middle of a line is none.
    pub whole_lines: bool,
}

impl Guide {
    /// The only place, or the one which the hint clearly picks.
    pub fn pick(self, starts: &[usize]) -> Option<usize> {
        if starts.len() == 1 {
            return Some(0);
        }
        let wanted = self.hint?.checked_sub(1)?;
        nearest(starts, wanted)
    }
}

/// The place that is clearly nearer to a line (an index) than every other.
pub(crate) fn nearest(starts: &[usize], wanted: usize) -> Option<usize> {
    let (mut best, mut second) = ((usize::MAX, 0), usize::MAX);
    for (index, start) in starts.iter().enumerate() {
        let distance = start.abs_diff(wanted);
        if distance < best.0 {
            second = best.0;
            best = (distance, index);
        } else {
            second = second.min(distance);
        }
    }
    let clear = best.0 == 0 && second > 0 || best.0 <= 10 && second >= 3 * best.0 + 3;
    clear.then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_pick_is_one() {
        let cases: [(&[usize], usize, Option<usize>); 6] = [
            (&[4, 9], 4, Some(0)),
            (&[4, 9], 5, None),
            (&[4, 40], 6, Some(0)),
            (&[4, 40], 20, None),
            (&[4, 4], 4, None),
            (&[], 4, None),
        ];
        for (starts, wanted, expected) in cases {
            assert_eq!(nearest(starts, wanted), expected, "{starts:?} {wanted}");
        }
    }
}
