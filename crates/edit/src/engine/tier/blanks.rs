//! Tier: equal once runs of blanks count for nothing, except that they keep words apart.

use crate::text::fold::squeeze;

pub(super) fn same(search: &str, file: &str) -> bool {
    squeeze(search) == squeeze(file)
}

#[cfg(test)]
mod tests {
    #[test]
    fn blanks_count_only_between_words() {
        crate::engine::tier::check(
            super::same,
            &[("a=b", "a = b"), ("f( x )", "f(x)"), ("a  b", "a b"), ("x\t= 1", "  x =1")],
            &[("int a", "inta"), ("a b", "b a"), ("a-b", "ab")],
        );
    }
}
