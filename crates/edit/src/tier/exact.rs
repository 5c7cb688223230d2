//! Tier: the very bytes. Overlapping occurrences count each for itself, so that `aa` fits `aaa` twice.

/// Where `needle` starts in `text`, overlapping occurrences included, at most `limit` of them.
pub(crate) fn hits(text: &str, needle: &str, limit: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut from = 0;
    while found.len() < limit
        && let Some(at) = text[from..].find(needle)
    {
        found.push(from + at);
        let Some(step) = text[from + at..].chars().next() else { break };
        from += at + step.len_utf8();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::hits;

    #[test]
    fn overlapping_occurrences_are_counted() {
        let cases: [(&str, &str, &[usize]); 6] = [
            ("abc", "b", &[1]),
            ("aaa", "aa", &[0, 1]),
            ("x\n\n\n", "\n\n", &[1, 2]),
            ("}\n}\n}\n", "}\n}\n", &[0, 2]),
            ("äää", "ää", &[0, 2]),
            ("abc", "d", &[]),
        ];
        for (text, needle, expected) in cases {
            assert_eq!(hits(text, needle, 9), expected, "{text:?} {needle:?}");
        }
        assert_eq!(hits("aaaa", "a", 2), [0, 1]);
    }
}
