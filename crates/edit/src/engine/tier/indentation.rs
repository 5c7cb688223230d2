//! Tier: equal but for blanks at either end of the line, that is, re-indented.

pub(super) fn same(search: &str, file: &str) -> bool {
    search.trim() == file.trim()
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_ends_of_the_line_are_free() {
        crate::engine::tier::check(
            super::same,
            &[("a", "    a"), ("\ta ", "  a"), ("", "\t")],
            &[("a b", "a  b"), ("a", "A")],
        );
    }
}
