//! When two lines count as equal although their bytes differ: typographic marks written plainly, runs of blanks
//! ignored. Nothing here is ever written to a file; it only serves to compare.

use std::borrow::Cow;

/// What the full-width signs from U+FF01 on are in plain spelling.
const ASCII: &str = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

/// The plain spelling of a typographic character, if it has one.
pub(crate) fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '\u{02bc}' | '\u{ff07}' => "'",
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{2033}' | '\u{ff02}' => "\"",
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => "-",
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => " ",
        '\u{2026}' => "...",
        // What chooses how a sign is drawn.
        '\u{fe0e}' | '\u{fe0f}' => "",
        '\u{ff01}'..='\u{ff5e}' => {
            let at = c as usize - 0xff01;
            &ASCII[at..=at]
        }
        '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => "",
        _ => return None,
    })
}

/// The line with typographic quotes, dashes and spaces written plainly.
pub(crate) fn fold(line: &str) -> Cow<'_, str> {
    if line.is_ascii() || !line.chars().any(|c| plain(c).is_some()) {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        match plain(c) {
            Some(spelling) => out.push_str(spelling),
            None => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The line as the loosest comparison sees it: folded, and blanks kept (as one) only between two word characters,
/// so that `a  =b` equals `a = b` while `int a` never equals `inta`.
pub(crate) fn squeeze(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    each_significant(fold(line).as_bytes(), |byte| out.push(char::from(byte)));
    out
}

/// A hash of [`squeeze`], without building it. Blank lines, and only they, have the key 0.
pub(crate) fn key(line: &str) -> u64 {
    if line.is_ascii() {
        return hash_of(line.as_bytes());
    }
    hash_of(fold(line).as_bytes())
}

/// Eight bytes at a time, so that the multiplication is not in the way of every byte.
fn hash_of(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let mut hash: u64 = 0;
    let (mut pending, mut filled) = (0_u64, 0_u32);
    each_significant(bytes, |byte| {
        pending = pending << 8 | u64::from(byte);
        filled += 1;
        if filled % 8 == 0 {
            hash = (hash.rotate_left(5) ^ pending).wrapping_mul(FACTOR);
            pending = 0;
        }
    });
    if filled == 0 {
        return 0;
    }
    hash = (hash.rotate_left(5) ^ pending).wrapping_mul(FACTOR);
    (hash ^ u64::from(filled).wrapping_mul(FACTOR)) | 1
}

/// What a byte is to [`each_significant`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Word,
    Sign,
}

/// The class of every byte; those of multi-byte characters count as parts of words.
const CLASSES: [Class; 256] = {
    let mut classes = [Class::Sign; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        if matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c) {
            classes[at] = Class::Blank;
        } else if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 {
            classes[at] = Class::Word;
        }
        at += 1;
    }
    classes
};

/// Calls `take` with each byte that counts. Bytes of a multi-byte character are passed one by one.
fn each_significant(bytes: &[u8], mut take: impl FnMut(u8)) {
    let mut gap = false;
    let mut last = Class::Blank;
    for &byte in bytes {
        let class = CLASSES[usize::from(byte)];
        if class == Class::Blank {
            gap = true;
            continue;
        }
        if gap && class == Class::Word && last == Class::Word {
            take(b' ');
        }
        take(byte);
        gap = false;
        last = class;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_equal_exactly_where_squeezed_lines_are() {
        let same = [
            ("a = b", "  a=b  "),
            ("f(x, y)", "f( x,y )"),
            ("say \u{201c}hi\u{201d}", "say \"hi\""),
            ("a\u{a0}b", "a b"),
            ("", " \t"),
        ];
        for (a, b) in same {
            assert_eq!((squeeze(a), key(a)), (squeeze(b), key(b)), "{a:?} {b:?}");
        }
        for (a, b) in [("int a", "inta"), ("a = b", "a == b"), ("", "."), ("ab", "ba")] {
            assert_ne!(key(a), key(b), "{a:?} {b:?}");
        }
        assert_eq!(key(" \u{a0}"), 0);
    }
}
