//! Bytes to text and back. What is decoded here always encodes to the same bytes again; nothing is ever replaced.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How a file's text is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding(pub(crate) &'static encoding_rs::Encoding);

/// How much of a file's start tells text from binary.
pub(crate) const SNIFF: usize = 8 << 10;

/// What the first bytes of a file say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sniffed {
    Binary,
    /// An encoding known for sure, with or without a byte-order mark.
    Known(Encoding, Bom),
    /// UTF-8 or one of the legacy encodings.
    Open,
}

/// Length of the byte-order mark, 0 when there is none.
pub(crate) type Bom = usize;

impl Encoding {
    /// The usual one.
    pub const UTF8: Encoding = Encoding(UTF_8);

    /// Its name, for example `UTF-8` or `Shift_JIS`.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// True where one newline character is always the one byte 0x0A and that byte is nothing else.
    pub(crate) fn has_plain_newlines(self) -> bool {
        self.0 != UTF_16LE && self.0 != UTF_16BE
    }

    /// Encodes `text`, or names the first character that this encoding lacks.
    pub(crate) fn encode(self, text: &str, bom: bool) -> Result<Vec<u8>, char> {
        let mut bytes = Vec::with_capacity(text.len() + 3);
        if bom {
            bytes.extend_from_slice(mark(self.0));
        }
        match self.0 {
            it if it == UTF_8 => bytes.extend_from_slice(text.as_bytes()),
            it if it == UTF_16LE => bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            it if it == UTF_16BE => bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
            it => {
                let (encoded, _, replaced) = it.encode(text);
                if replaced {
                    return Err(misfit(it, text));
                }
                bytes.extend_from_slice(&encoded);
            }
        }
        Ok(bytes)
    }
}

/// Judges a file by its first bytes (`SNIFF` of them, or all).
pub(crate) fn sniff(start: &[u8]) -> Sniffed {
    let start = &start[..start.len().min(SNIFF)];
    if start.starts_with(&[0xFF, 0xFE, 0, 0]) {
        return Sniffed::Binary;
    }
    if let Some((found, length)) = encoding_rs::Encoding::for_bom(start) {
        return Sniffed::Known(Encoding(found), length);
    }
    if !start.contains(&0) {
        return Sniffed::Open;
    }
    match unmarked_utf16(start) {
        Some(found) => Sniffed::Known(Encoding(found), 0),
        None => Sniffed::Binary,
    }
}

/// Mostly Latin text in UTF-16 without a mark: nearly every second byte is NUL and no other is.
fn unmarked_utf16(start: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let count = |odd: usize| start.iter().skip(odd).step_by(2).filter(|it| **it == 0).count();
    let (even, odd, half) = (count(0), count(1), start.len() / 2);
    match () {
        () if half < 2 => None,
        () if even == 0 && odd * 10 >= half * 7 => Some(UTF_16LE),
        () if odd == 0 && even * 10 >= half * 7 => Some(UTF_16BE),
        () => None,
    }
}

/// Decodes a whole file. None: it is binary.
pub(crate) fn decode(bytes: &[u8]) -> Option<(String, Encoding, bool)> {
    match sniff(bytes) {
        Sniffed::Binary => None,
        Sniffed::Known(encoding, bom) => {
            let text = exact(encoding, &bytes[bom..])?;
            Some((text, encoding, bom > 0))
        }
        Sniffed::Open => {
            if let Ok(text) = std::str::from_utf8(bytes) {
                return Some((text.to_owned(), Encoding::UTF8, false));
            }
            let guess = guess(bytes);
            // Windows-1252 gives every byte a character, so it always reads back.
            let (text, encoding) = match exact(guess, bytes) {
                Some(text) => (text, guess),
                None => (exact(Encoding(WINDOWS_1252), bytes)?, Encoding(WINDOWS_1252)),
            };
            Some((text, encoding, false))
        }
    }
}

/// The likeliest encoding of text that is not UTF-8.
pub(crate) fn guess(bytes: &[u8]) -> Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    Encoding(detector.guess(None, Utf8Detection::Deny))
}

/// The text, if it encodes to the same bytes again.
fn exact(encoding: Encoding, bytes: &[u8]) -> Option<String> {
    let (text, malformed) = encoding.0.decode_without_bom_handling(bytes);
    let same = !malformed && (encoding == Encoding::UTF8 || encoding.encode(&text, false).is_ok_and(|it| it == bytes));
    same.then(|| text.into_owned())
}

fn mark(encoding: &'static encoding_rs::Encoding) -> &'static [u8] {
    match encoding {
        it if it == UTF_8 => &[0xEF, 0xBB, 0xBF],
        it if it == UTF_16LE => &[0xFF, 0xFE],
        it if it == UTF_16BE => &[0xFE, 0xFF],
        _ => &[],
    }
}

fn misfit(encoding: &'static encoding_rs::Encoding, text: &str) -> char {
    let mut buffer = [0; 4];
    text.chars().find(|it| encoding.encode(it.encode_utf8(&mut buffer)).2).unwrap_or(char::REPLACEMENT_CHARACTER)
}
