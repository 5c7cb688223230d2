//! Adds up the closing lines of many test binaries, so that a run of the workspace ends in one line.
//!
//! It counts what the test runner printed and nothing else.

/// Passed, failed and skipped tests.
#[derive(Debug, Default, PartialEq, Clone, Copy)]
pub struct Tally {
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed.
    pub failed: usize,
    /// Tests that did not run though they exist.
    pub skipped: usize,
}

impl Tally {
    /// Takes in one line of output; lines other than a binary's `test result:` change nothing.
    pub fn read(&mut self, line: &str) {
        let Some(counts) = line.trim().strip_prefix("test result: ") else { return };
        for part in counts.split(['.', ';']) {
            let mut words = part.split_whitespace();
            let (Some(Ok(count)), Some(what)) = (words.next().map(str::parse::<usize>), words.next()) else { continue };
            match what {
                "passed" => self.passed += count,
                "failed" => self.failed += count,
                "ignored" => self.skipped += count,
                _ => {}
            }
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_add_up() {
        let mut tally = Tally::default();
        for line in [
            "running 3 tests",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s",
            "test a ... ok",
            "test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 9 filtered out; finished in 1.50s",
        ] {
            tally.read(line);
        }
        assert_eq!(tally.to_string(), "7 passed, 2 failed, 1 skipped");
    }
}
