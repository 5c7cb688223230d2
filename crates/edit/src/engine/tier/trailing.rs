//! Tier: equal but for blanks at the end of the line.

pub(super) fn same(search: &str, file: &str) -> bool {
    search.trim_end() == file.trim_end()
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_the_end_of_the_line_is_free() {
        crate::engine::tier::check(
            super::same,
            &[("a", "a  "), ("a", "a\t"), ("", "   "), (" a", " a")],
            &[("a", " a"), ("a b", "a  b"), ("a", "b")],
        );
    }
}
