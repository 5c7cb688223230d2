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
    /// Born since then.
    since: u64,
}

impl Births {
    /// Allows `most` at once.
    pub(super) fn new(most: u64) -> Births {
        Births { most, alive: 1, counted: None, since: 0 }
    }

    /// Makes room for one more. What died since the last count gives room at the next one, which comes after a while or
    /// after many births: a script that starts hundreds of short programs in that while has few of them at once, and a
    /// bomb has so little room after a count that it waits.
    pub(super) fn admit(&mut self) -> io::Result<()> {
        let due = || self.since > self.most / 8 || self.counted.is_none_or(|it| it.elapsed() > PAUSE);
        if self.alive >= self.most && due() {
            self.alive = usage::tasks()?;
            self.counted = Some(Instant::now());
            self.since = 0;
        }
        if self.alive >= self.most {
            return Err(io::Error::from_raw_os_error(libc::EAGAIN));
        }
        self.alive += 1;
        self.since += 1;
        Ok(())
    }
}
