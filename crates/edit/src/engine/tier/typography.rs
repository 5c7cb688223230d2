//! Tier: equal once typographic quotes, dashes and spaces are written plainly, indentation free.

use crate::text::fold::fold;

pub(super) fn same(search: &str, file: &str) -> bool {
    fold(search).trim() == fold(file).trim()
}

#[cfg(test)]
mod tests {
    #[test]
    fn typographic_marks_equal_their_plain_spelling() {
        crate::engine::tier::check(
            super::same,
            &[
                ("\u{201c}a\u{201d}", "\"a\""),
                ("don\u{2019}t", "  don't"),
                ("1\u{2013}2", "1-2"),
                ("a\u{a0}b", "a b"),
                ("and so on\u{2026}", "and so on..."),
                ("\u{feff}a", "a"),
            ],
            &[("\"a\"", "'a'"), ("a b", "a  b"), ("1\u{2013}2", "12")],
        );
    }
}
