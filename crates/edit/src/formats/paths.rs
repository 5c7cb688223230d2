//! The names of files as diffs write them: quoted, with dates behind them, with a folder that is none before them.

use std::collections::HashSet;

/// The name in a line `--- NAME` or `+++ NAME`, without the date that `diff` puts behind it; none for `/dev/null`.
pub(crate) fn header_name(rest: &str) -> Option<String> {
    let name = rest.trim_end();
    if let Some(quoted) = name.strip_prefix('"') {
        return Some(unquoted(quoted));
    }
    let name = name.split('\t').next().unwrap_or(name);
    let name = without_date(name).trim();
    (name != "/dev/null" && name != "NUL" && !name.is_empty()).then(|| name.to_owned())
}

/// Cuts ` 2024-01-31 …` off.
fn without_date(name: &str) -> &str {
    let is_date = |word: &str| {
        let bytes = word.as_bytes();
        bytes.len() == 10 && bytes[4] == b'-' && bytes[7] == b'-' && bytes[..4].iter().all(u8::is_ascii_digit)
    };
    let date = name.split(' ').find(|word| is_date(word));
    match date.and_then(|word| name.find(&format!(" {word}"))) {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    }
}

/// What git writes up to the closing quote, with its octal bytes and escapes undone.
fn unquoted(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' => {}
            plain => {
                out.push(plain);
                continue;
            }
        }
        match bytes.next() {
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    if let Some(more @ b'0'..=b'7') = bytes.peek().copied() {
                        value = value * 8 + u32::from(more - b'0');
                        bytes.next();
                    }
                }
                out.push(value as u8);
            }
            Some(b't') => out.push(b'\t'),
            Some(b'n') => out.push(b'\n'),
            Some(other) => out.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The ways to read the two names of a diff, the likeliest first: without the folders (`a/` and `b/`) that diffs put
/// before them, then as they stand.
pub(crate) fn readings(old: Option<&str>, new: Option<&str>) -> Vec<String> {
    let marked =
        |name: Option<&str>, marks: &[&str]| name.is_none_or(|name| marks.iter().any(|mark| name.starts_with(mark)));
    let git = marked(old, &["a/", "i/", "c/", "w/", "o/"]) && marked(new, &["b/", "i/", "c/", "w/", "o/"]);
    let rest = |name: &str| name.split_once('/').map(|(_, rest)| rest.to_owned()).filter(|rest| !rest.is_empty());
    let same_rest = old.and_then(rest).is_some() && old.and_then(rest) == new.and_then(rest) && old != new;
    let mut all = Vec::new();
    let names = [new, old].into_iter().flatten();
    if git || same_rest {
        all.extend(names.clone().filter_map(rest));
    }
    all.extend(names.map(|name| plain(name).to_owned()));
    let mut seen = HashSet::new();
    all.retain(|name: &String| seen.insert(name.clone()));
    all
}

/// The name without `./` before it and quotes around it.
pub(crate) fn plain(name: &str) -> &str {
    let name = name.trim().trim_matches(['`', '"', '\'']);
    name.strip_prefix("./").unwrap_or(name)
}

/// The one path among `known` which ends with the name, or with which the name ends, folder by folder.
pub(crate) fn by_suffix<'k>(name: &str, known: impl Iterator<Item = &'k String>) -> Option<&'k String> {
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    let mut fitting = known.filter(|path| ends(path, name) || ends(name, path));
    fitting.next().filter(|_| fitting.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_off_what_surrounds_them() {
        let cases = [
            ("a/src/x.rs", Some("a/src/x.rs")),
            ("a/x y.rs\t2024-01-31 10:00:00.000 +0100", Some("a/x y.rs")),
            ("x.rs 2024-01-31 10:00:00", Some("x.rs")),
            ("/dev/null", None),
            ("\"a/caf\\303\\251 \\\"q\\\".txt\"", Some("a/café \"q\".txt")),
            ("\"a/caf\\303\\251.txt\"\t", Some("a/café.txt")),
        ];
        for (rest, expected) in cases {
            assert_eq!(header_name(rest).as_deref(), expected, "{rest}");
        }
    }

    #[test]
    fn the_folders_of_a_diff_are_none_of_the_tree() {
        assert_eq!(readings(Some("a/x.rs"), Some("b/x.rs")), ["x.rs", "b/x.rs", "a/x.rs"]);
        assert_eq!(readings(None, Some("b/x.rs")), ["x.rs", "b/x.rs"]);
        assert_eq!(readings(Some("x.rs.orig"), Some("x.rs")), ["x.rs", "x.rs.orig"]);
        assert_eq!(readings(Some("old/x.rs"), Some("new/x.rs")), ["x.rs", "new/x.rs", "old/x.rs"]);
        assert_eq!(readings(Some("src/x.rs"), Some("src/x.rs")), ["src/x.rs"]);
    }

    #[test]
    fn a_longer_name_is_known_by_its_end() {
        let known = ["src/x.rs".to_owned(), "y.rs".to_owned()];
        assert_eq!(by_suffix("/home/me/p/src/x.rs", known.iter()), Some(&known[0]));
        assert_eq!(by_suffix("x.rs", known.iter()), Some(&known[0]));
        assert_eq!(by_suffix("z.rs", known.iter()), None);
        assert_eq!(by_suffix("say.rs", known.iter()), None);
    }
}
