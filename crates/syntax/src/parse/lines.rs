//! The lines of a text. It never copies one.

/// Where the lines of a text start.
pub(crate) struct Lines {
    starts: Vec<usize>,
    len: usize,
}

impl Lines {
    pub fn of(text: &str) -> Lines {
        let mut starts = Vec::with_capacity(text.len() / 30 + 1);
        starts.push(0);
        starts.extend(text.bytes().enumerate().filter(|(_, it)| *it == b'\n').map(|(at, _)| at + 1));
        // What follows the last line end is a line only if there is something.
        if starts.len() > 1 && starts.last() == Some(&text.len()) {
            starts.pop();
        }
        Lines { starts, len: text.len() }
    }

    /// How many there are; an empty text has one.
    pub fn count(&self) -> u32 {
        to_u32(self.starts.len())
    }

    /// The line that a byte is on, from 1.
    pub fn at(&self, byte: usize) -> u32 {
        to_u32(self.starts.partition_point(|it| *it <= byte))
    }

    /// The first byte of a line; the end of the text for a line after the last.
    pub fn start(&self, line: u32) -> usize {
        self.starts.get(line.saturating_sub(1) as usize).copied().unwrap_or(self.len)
    }
}

/// A number as the types of this crate carry it.
pub(crate) fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
