//! Output in bounded memory: the first bytes, the last bytes, and a count of what was dropped between them.

use ox_protocol::Output;

/// Collects output and never holds more than about one and a half times its limit.
#[derive(Debug)]
pub(crate) struct Buffer {
    head: Vec<u8>,
    tail: Vec<u8>,
    /// Of the head, and of the tail.
    half: usize,
    dropped: u64,
}

impl Buffer {
    /// Keeps at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Buffer {
        Buffer { head: Vec::new(), tail: Vec::new(), half: (limit / 2).max(1), dropped: 0 }
    }

    /// Adds what came.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let room = self.half - self.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        // A piece longer than the tail replaces it: only its end can stay.
        let skip = rest.len().saturating_sub(self.half);
        if skip > 0 {
            self.dropped += (self.tail.len() + skip) as u64;
            self.tail.clear();
        }
        self.tail.extend_from_slice(&rest[skip..]);
        // Cutting only at twice the size makes the copying a constant cost per byte.
        if self.tail.len() > self.half * 2 {
            self.cut();
        }
    }

    /// Bytes seen so far.
    pub(crate) fn seen(&self) -> u64 {
        self.head.len() as u64 + self.dropped + self.tail.len() as u64
    }

    /// What is kept. Head and tail never end or start within a UTF-8 character where bytes were dropped.
    pub(crate) fn finish(mut self) -> Output {
        self.cut();
        if self.dropped == 0 {
            self.head.append(&mut self.tail);
            return Output { head: self.head, tail: Vec::new(), dropped: 0 };
        }
        let end = partial_end(&self.head);
        self.dropped += end as u64;
        self.head.truncate(self.head.len() - end);
        let start = self.tail.iter().take(3).take_while(|it| **it & 0xC0 == 0x80).count();
        self.dropped += start as u64;
        self.tail.drain(..start);
        Output { head: self.head, tail: self.tail, dropped: self.dropped }
    }

    fn cut(&mut self) {
        let excess = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..excess);
        self.dropped += excess as u64;
    }
}

/// Length of an unfinished UTF-8 character at the end of `bytes`.
fn partial_end(bytes: &[u8]) -> usize {
    match std::str::from_utf8(&bytes[bytes.len().saturating_sub(4)..]) {
        Err(it) if it.error_len().is_none() => bytes.len().min(4) - it.valid_up_to(),
        Err(_) => bytes.iter().rev().take(3).position(|it| *it >= 0xC0).map_or(0, |it| unfinished(bytes, it + 1)),
        Ok(_) => 0,
    }
}

fn unfinished(bytes: &[u8], length: usize) -> usize {
    match std::str::from_utf8(&bytes[bytes.len() - length..]) {
        Err(it) if it.error_len().is_none() => length,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(limit: usize, pieces: &[&str]) -> (String, String, u64) {
        let mut buffer = Buffer::new(limit);
        pieces.iter().for_each(|it| buffer.push(it.as_bytes()));
        assert_eq!(buffer.seen(), pieces.iter().map(|it| it.len() as u64).sum::<u64>());
        let out = buffer.finish();
        (String::from_utf8(out.head).unwrap(), String::from_utf8(out.tail).unwrap(), out.dropped)
    }

    #[test]
    fn keeps_head_and_tail() {
        let table = [
            (8, &[][..], ("", "", 0)),
            (8, &["ab", "cd"], ("abcd", "", 0)),
            (8, &["abcdefgh"], ("abcdefgh", "", 0)),
            (8, &["abcdefghi"], ("abcd", "fghi", 1)),
            (8, &["abc", "defghijklmnop", "q"], ("abcd", "nopq", 9)),
            (8, &["abcé", "0123456789"], ("abc", "6789", 8)),
            (8, &["abcd0123456éxyz"], ("abcd", "xyz", 9)),
        ];
        for (limit, pieces, (head, tail, dropped)) in table {
            assert_eq!(kept(limit, pieces), (head.to_owned(), tail.to_owned(), dropped), "{pieces:?}");
        }
    }

    #[test]
    fn a_flood_stays_small() {
        let mut buffer = Buffer::new(1 << 10);
        for _ in 0..10_000 {
            buffer.push(&[b'y'; 777]);
            assert!(buffer.head.capacity() + buffer.tail.capacity() <= 8 << 10);
        }
        assert_eq!(buffer.finish().dropped, 7_770_000 - (1 << 10));
    }
}
