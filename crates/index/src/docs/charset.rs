//! From bytes to text: by what the server says, by a mark at the beginning, by what the page says of itself, or by looking.

use encoding_rs::{Encoding, UTF_8};

/// Bytes in which a page says how it is encoded.
const DECLARED_WITHIN: usize = 1024;

/// The text that `bytes` are.
pub fn decode(bytes: &[u8], said: Option<&str>, is_html: bool) -> String {
    let named = |label: &str| Encoding::for_label(label.as_bytes());
    let declared = || if is_html { declared(bytes).and_then(|it| named(&it)) } else { None };
    let encoding = said.and_then(named).or_else(declared).unwrap_or_else(|| guessed(bytes));
    // A byte-order mark wins over whatever was said.
    encoding.decode(bytes).0.into_owned()
}

/// True where every second byte may be zero and the whole still text.
pub fn is_wide(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF])
}

/// What `<meta charset="…">` or `content="text/html; charset=…"` says.
fn declared(bytes: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARED_WITHIN)]).to_ascii_lowercase();
    let after = start.split("charset").nth(1)?.trim_start().strip_prefix('=')?;
    let name = after.trim_start_matches([' ', '"', '\'']);
    let end = name.find(|it: char| !it.is_ascii_alphanumeric() && !"-_:".contains(it)).unwrap_or(name.len());
    Some(name[..end].to_string())
}

fn guessed(bytes: &[u8]) -> &'static Encoding {
    if std::str::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_they_were_meant() {
        let latin = b"caf\xe9";
        let table: [(&[u8], Option<&str>, bool, &str); 8] = [
            ("café".as_bytes(), None, false, "café"),
            (latin, Some("ISO-8859-1"), false, "café"),
            (b"<meta charset='windows-1252'>caf\xe9", None, true, "<meta charset='windows-1252'>café"),
            (
                b"<meta content=\"text/html; charset=latin1\">\xe9",
                None,
                true,
                "<meta content=\"text/html; charset=latin1\">é",
            ),
            (b"\xff\xfea\0\xe9\0", Some("utf-8"), false, "aé"),
            (b"\xef\xbb\xbfx", None, false, "x"),
            ("日本語".as_bytes(), Some("no-such-charset"), false, "日本語"),
            (b"\x82\xb1\x82\xf1\x82\xc9\x82\xbf\x82\xcd", Some("shift_jis"), false, "こんにちは"),
        ];
        for (bytes, said, is_html, text) in table {
            assert_eq!(decode(bytes, said, is_html), text, "{bytes:?}");
        }
        assert_eq!(decode(b"d\xe9j\xe0 vu, tr\xe8s \xe9tonn\xe9", None, false), "déjà vu, très étonné");
    }
}
