//! The bytes of what is noted: little-endian numbers and lengths before texts. Paths are bytes, since they need not be
//! UTF-8. Reading never panics, never trusts a length, and never allocates more than it was given.

use crate::Hash;

/// Bytes under construction.
#[derive(Default)]
pub(crate) struct Out(pub Vec<u8>);

impl Out {
    pub(crate) fn byte(&mut self, value: u8) -> &mut Out {
        self.0.push(value);
        self
    }

    pub(crate) fn number(&mut self, value: u64) -> &mut Out {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub(crate) fn bytes(&mut self, value: &[u8]) -> &mut Out {
        self.number(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    pub(crate) fn id(&mut self, value: &Hash) -> &mut Out {
        self.0.extend_from_slice(value.bytes());
        self
    }
}

/// Bytes that are read.
pub(crate) struct In<'a>(pub &'a [u8]);

impl<'a> In<'a> {
    fn cut(&mut self, length: usize) -> Option<&'a [u8]> {
        let (found, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(found)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.cut(1).map(|it| it[0])
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        self.cut(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    pub(crate) fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.cut(length)
    }

    /// As many as the number says that comes first.
    pub(crate) fn many<T>(&mut self, mut one: impl FnMut(&mut In<'a>) -> Option<T>) -> Option<Vec<T>> {
        (0..self.number()?).map(|_| one(self)).collect()
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    pub(crate) fn id(&mut self) -> Option<Hash> {
        self.cut(32)?.try_into().ok().map(Hash::from_bytes)
    }
}

/// `body` so that a part of it is told from the whole: its length before it, a sum after it.
pub(crate) fn framed(body: &[u8]) -> Vec<u8> {
    let mut out = Out::default();
    out.bytes(body);
    out.0.extend_from_slice(&Hash::of(body).bytes()[..SUM]);
    out.0
}

const SUM: usize = 8;

/// What follows in bytes of frames.
pub(crate) enum Frame<'a> {
    /// A body, and how many bytes its frame has.
    Whole(&'a [u8], usize),
    /// Nothing follows, or the beginning of a frame that was never written to its end.
    End,
    /// Something else than what was written.
    Damaged,
}

/// Reads the next frame.
pub(crate) fn frame(bytes: &[u8]) -> Frame<'_> {
    let mut input = In(bytes);
    let Some((body, sum)) = input.bytes().and_then(|it| Some((it, input.cut(SUM)?))) else { return Frame::End };
    match Hash::of(body).bytes()[..SUM] == *sum {
        true => Frame::Whole(body, 8 + body.len() + SUM),
        // The last one may be half on the disk, and a file may have been made longer before its bytes came to it.
        false if input.0.is_empty() || bytes.iter().all(|it| *it == 0) => Frame::End,
        false => Frame::Damaged,
    }
}

/// The bodies of all frames up to the first one that is not whole.
pub(crate) fn frames(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let Frame::Whole(body, length) = frame(bytes) else { return None };
        bytes = &bytes[length..];
        Some(body)
    })
}
