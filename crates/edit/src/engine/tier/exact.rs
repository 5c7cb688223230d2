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

/// Where the whole lines of `needle` start in `text`. The last line of the text may lack its line break.
pub(crate) fn line_hits(text: &str, needle: &str, limit: usize) -> Vec<usize> {
    let starts_line = |at: usize| at == 0 || text.as_bytes()[at - 1] == b'\n';
    let mut found = Vec::new();
    let mut from = 0;
    while found.len() < limit
        && let Some(at) = text[from..].find(needle).map(|at| from + at)
    {
        if starts_line(at) {
            found.push(at);
        }
        match text[at..].find('\n') {
            Some(end) => from = at + end + 1,
            None => break,
        }
    }
    if let Some(open) = needle.strip_suffix('\n')
        && !open.is_empty()
        && !text.ends_with('\n')
        && text.ends_with(open)
        && starts_line(text.len() - open.len())
    {
        found.push(text.len() - open.len());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{hits, line_hits};

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

    #[test]
    fn whole_lines_are_met_as_whole_lines() {
        let cases: [(&str, &str, &[usize]); 6] = [
            ("ab\nb\n", "b\n", &[3]),
            ("b\nb\nb\n", "b\nb\n", &[0, 2]),
            ("a\nb", "b\n", &[2]),
            ("ab", "b\n", &[]),
            ("b\nb", "b\n", &[0, 2]),
            ("\n\n\n", "\n\n", &[0, 1]),
        ];
        for (text, needle, expected) in cases {
            assert_eq!(line_hits(text, needle, 9), expected, "{text:?} {needle:?}");
        }
    }
}
