//! How many processes and threads a command may have, where the kernel's own limit does not hold: it spares root.

use std::io;
use std::time::{Duration, Instant};

use super::usage;

/// Between two counts of what is alive.
const PAUSE: Duration = Duration::from_millis(20);

/// Counts what is about to be born.
pub(super) struct Births {
    most: u64,
    /// No fewer than there are.
    alive: u64,
    counted: Option<Instant>,
}

impl Births {
    /// Allows `most` at once.
    pub(super) fn new(most: u64) -> Births {
        Births { most, alive: 1, counted: None }
    }

    /// Makes room for one more. What died since the last count gives room at the next one.
    pub(super) fn admit(&mut self) -> io::Result<()> {
        if self.alive >= self.most && self.counted.is_none_or(|it| it.elapsed() > PAUSE) {
            self.alive = usage::tasks()?;
            self.counted = Some(Instant::now());
        }
        if self.alive >= self.most {
            return Err(io::Error::from_raw_os_error(libc::EAGAIN));
        }
        self.alive += 1;
        Ok(())
    }
}
