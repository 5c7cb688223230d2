//! Code fences in an answer: what stands inside is spoken of, and no call.

/// Follows text as it comes, whatever way it is cut.
#[derive(Debug, Default)]
pub(super) struct Fence {
    /// Backticks of the fence that is open; none where there is none.
    open: usize,
    /// It was opened in this line, and may be closed in it.
    here: bool,
    /// Backticks in a row before the next character.
    run: usize,
    /// Something else stands before them in their line.
    in_line: bool,
}

impl Fence {
    /// Takes the next text outside of calls.
    pub(super) fn feed(&mut self, text: &str) {
        for it in text.chars() {
            if it == '`' {
                self.run += 1;
                continue;
            }
            self.settle();
            match it {
                '\n' => (self.here, self.in_line) = (false, false),
                it => self.in_line |= !it.is_whitespace(),
            }
        }
    }

    /// True where what comes next stands inside a fence.
    pub(super) fn is_open(&mut self) -> bool {
        self.settle();
        self.open > 0
    }

    /// Takes in the backticks that have come to their end: a fence is opened at the beginning of a line, and closed there by
    /// at least as many.
    fn settle(&mut self) {
        let run = std::mem::take(&mut self.run);
        if run >= 3 && self.open == 0 && !self.in_line {
            (self.open, self.here) = (run, true);
        } else if run >= self.open.max(3) && (self.here || !self.in_line) {
            self.open = 0;
        }
        self.in_line |= run > 0;
    }
}
