//! How much room each part of a prompt has.
//!
//! Nothing here loads a tokenizer: that would cost more than the rest of a start, so text is measured by its bytes
//! until the provider's own count is known.

use ox_protocol::Tokens;

/// Bytes of English and code in one token, in tenths.
const BYTES_PER_TOKEN_TENTHS: u64 = 42;

/// The window that the default sizes are made for.
const REFERENCE_WINDOW: u64 = 128_000;

/// Tokens that `text` costs, by its bytes (4.2 a token), rounded up.
pub fn estimate(text: &str) -> Tokens {
    Tokens((text.len() as u64 * 10).div_ceil(BYTES_PER_TOKEN_TENTHS))
}

/// Bytes that fit into `tokens`.
pub(crate) fn bytes(tokens: Tokens) -> usize {
    usize::try_from(tokens.0 * BYTES_PER_TOKEN_TENTHS / 10).unwrap_or(usize::MAX)
}

/// What is picked from the index takes no more, unless somebody wants it: a prompt is paid for with every request of its
/// turn, and a file that is named costs a call where it is needed.
const PICKED: u64 = 800;

/// The most that each section may take, in tokens (C1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// All project rules together.
    pub rules: Tokens,
    /// The file tree.
    pub files: Tokens,
    /// A plan carried over.
    pub plan: Tokens,
    /// Pieces of code that are quoted.
    pub related: Tokens,
    /// All together that is picked from the index.
    pub picked: Tokens,
}

impl Budget {
    /// The budget for a model's window: the default sizes up to 128K and beyond, proportionally less below.
    pub fn of(window: Tokens) -> Budget {
        let scaled = |full: u64| Tokens(full * window.0.min(REFERENCE_WINDOW) / REFERENCE_WINDOW);
        Budget {
            rules: scaled(5_000),
            files: scaled(300),
            plan: scaled(2_000),
            related: scaled(20_000),
            picked: scaled(PICKED),
        }
    }

    /// The same with so many tokens for what is picked from the index, where somebody says how many.
    pub fn with_picked(self, tokens: Option<u32>) -> Budget {
        tokens.map_or(self, |it| Budget { picked: Tokens(it.into()), ..self })
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::of(Tokens(REFERENCE_WINDOW))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_counts_bytes() {
        for (text, tokens) in [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("é", 1), (&"x".repeat(420), 100)] {
            assert_eq!(estimate(text), Tokens(tokens), "{text:?}");
        }
        assert_eq!(estimate(&"x".repeat(bytes(Tokens(100)))), Tokens(100));
    }

    #[test]
    fn a_small_window_shrinks_each_section_and_a_large_one_grows_none() {
        assert_eq!(
            Budget::of(Tokens(32_000)),
            Budget {
                rules: Tokens(1_250),
                files: Tokens(75),
                plan: Tokens(500),
                related: Tokens(5_000),
                picked: Tokens(200)
            }
        );
        assert_eq!(Budget::default().with_picked(Some(7)), Budget { picked: Tokens(7), ..Budget::default() });
        assert_eq!(Budget::default().with_picked(None), Budget::default());
        assert_eq!(Budget::of(Tokens(1_000_000)), Budget::default());
    }
}
