//! The bytes of what a store notes: little-endian numbers and lengths before texts. Reading never trusts a length.

use crate::Hash;

/// Bytes under construction.
#[derive(Default)]
pub(super) struct Out(pub Vec<u8>);

impl Out {
    pub(super) fn byte(&mut self, value: u8) -> &mut Out {
        self.0.push(value);
        self
    }

    pub(super) fn number(&mut self, value: u64) -> &mut Out {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub(super) fn bytes(&mut self, value: &[u8]) -> &mut Out {
        self.number(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    pub(super) fn id(&mut self, value: &Hash) -> &mut Out {
        self.0.extend_from_slice(value.bytes());
        self
    }
}

/// Bytes that are read.
pub(super) struct In<'a>(pub &'a [u8]);

impl<'a> In<'a> {
    fn cut(&mut self, length: usize) -> Option<&'a [u8]> {
        let (found, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(found)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.cut(1).map(|it| it[0])
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        self.cut(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.cut(length)
    }

    pub(super) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    pub(super) fn id(&mut self) -> Option<Hash> {
        self.cut(32)?.try_into().ok().map(Hash::from_bytes)
    }
}

/// `body` so that a part of it is told from the whole: its length before it, a sum after it.
pub(super) fn framed(body: &[u8]) -> Vec<u8> {
    let mut out = Out::default();
    out.bytes(body);
    out.0.extend_from_slice(&Hash::of(body).bytes()[..SUM]);
    out.0
}

const SUM: usize = 8;

/// What follows in bytes of frames.
pub(super) enum Frame<'a> {
    /// A body, and how many bytes its frame has.
    Whole(&'a [u8], usize),
    /// Nothing follows.
    End,
    /// The beginning of a frame that was never written to its end.
    Torn,
    /// Something else than what was written.
    Damaged,
}

/// Reads the next frame.
pub(super) fn frame(bytes: &[u8]) -> Frame<'_> {
    // A file may have been made longer before its bytes came to the disk.
    if bytes.iter().all(|it| *it == 0) {
        return if bytes.is_empty() { Frame::End } else { Frame::Torn };
    }
    let mut input = In(bytes);
    let Some(length) = input.number() else { return Frame::Torn };
    let Some(body) = usize::try_from(length).ok().and_then(|it| input.cut(it)) else { return Frame::Torn };
    let Some(sum) = input.cut(SUM) else { return Frame::Torn };
    match Hash::of(body).bytes()[..SUM] == *sum {
        true => Frame::Whole(body, 8 + body.len() + SUM),
        // The last one may be half on the disk.
        false if input.0.is_empty() => Frame::Torn,
        false => Frame::Damaged,
    }
}
