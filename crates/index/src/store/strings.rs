//! What is quoted in a piece of code, found by quotation marks alone.
//!
//! It knows no language: a literal ends on its line, except between back-ticks or three marks, and single marks count
//! only where a closing one follows soon, so that lifetimes and apostrophes do not swallow code.

/// The longest text between single marks; `'static` and `don't` have no partner this near and on the same line.
const SINGLE: usize = 120;

/// The quoted texts of `code`, one a line.
pub(crate) fn quoted(code: &str) -> String {
    let mut found = String::new();
    let bytes = code.as_bytes();
    let mut at = 0;
    while let Some(step) = bytes.get(at..).and_then(|rest| rest.iter().position(|it| matches!(it, b'"' | b'\'' | b'`')))
    {
        let open = at + step;
        let (from, to, after) = literal(bytes, open);
        if let Some(text) = code.get(from..to).filter(|it| it.len() > 1) {
            found.push_str(text);
            found.push('\n');
        }
        at = after;
    }
    found
}

/// The span of the literal that opens at `open`, and where to go on; an empty span where none closes.
fn literal(bytes: &[u8], open: usize) -> (usize, usize, usize) {
    let mark = bytes[open];
    let none = (open, open, open + 1);
    if bytes[open..].starts_with(&[mark; 3]) {
        let from = open + 3;
        let close = bytes[from..].windows(3).position(|it| it == [mark; 3]);
        return close.map_or(none, |it| (from, from + it, from + it + 3));
    }
    let word_before = open > 0 && bytes[open - 1].is_ascii_alphanumeric();
    // A letter before a single mark is an apostrophe or a prefix such as `b'`; only the latter has one letter.
    let apostrophe = mark == b'\'' && word_before && open > 1 && bytes[open - 2].is_ascii_alphanumeric();
    let lifetime = mark == b'\'' && open > 0 && matches!(bytes[open - 1], b'<' | b'&');
    if apostrophe || lifetime {
        return none;
    }
    let mut at = open + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' if mark != b'`' => return none,
            _ if byte == mark => return (open + 1, at, at + 1),
            _ if mark == b'\'' && at - open > SINGLE => return none,
            _ => {}
        }
        at += 1;
    }
    none
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn quoted_texts_are_found() {
        for (code, expected) in [
            (r#"f("no such file", x)"#, "no such file\n"),
            (r#"a = "x\"yz" + 'q r'"#, "x\\\"yz\nq r\n"),
            ("fn f<'a>(x: &'a str) { g(\"hello\") }", "hello\n"),
            ("don't say \"never mind\"", "never mind\n"),
            ("`a\nb`", "a\nb\n"),
            ("\"\"\"doc\nmore\"\"\" \"x1\"", "doc\nmore\nx1\n"),
            ("\"open", ""),
            ("b'abc'", "abc\n"),
            ("\"é\"", "é\n"),
            ("", ""),
        ] {
            assert_eq!(quoted(code), expected, "{code}");
        }
    }
}
