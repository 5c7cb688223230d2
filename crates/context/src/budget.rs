//! How much room each part of a prompt has.
//!
//! Nothing here loads a tokenizer: that would cost more than the rest of a start, so text is measured by its bytes
//! until the provider's own count is known. A budget is a bound and never an aim: what helps nobody is not sent because
//! there is room for it.

use ox_protocol::Tokens;

/// The window that the default sizes are made for.
const REFERENCE_WINDOW: u64 = 128_000;

/// Tokens that `text` costs, by its bytes (4.2 a token), rounded up.
pub fn estimate(text: &str) -> Tokens {
    Tokens::estimate(text)
}

/// Bytes that fit into `tokens`.
pub(crate) fn bytes(tokens: Tokens) -> usize {
    usize::try_from(tokens.0 * Tokens::BYTES_TENTHS / 10).unwrap_or(usize::MAX)
}

/// What is picked from the index takes no more, unless somebody wants it: a prompt is paid for with every request of its
/// turn, and a file that is named costs a call where it is needed.
const PICKED: u64 = 800;
/// The file tree takes no more unasked: what it does not list, `list_files` does.
const FILES: u64 = 200;
/// Of what somebody grants to the index, the file tree takes one part in so many, up to the other number of tokens.
const FILES_SHARE: u64 = 20;
const FILES_MOST: u64 = 1_500;

/// The most that each section may take, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// All project rules together.
    pub rules: Tokens,
    /// What is to be done: a plan carried over. The user's own words are never cut.
    pub task: Tokens,
    /// The files that the user named.
    pub active: Tokens,
    /// Other pieces of code that match.
    pub related: Tokens,
    /// Signatures: the map of the best files and of those next to them.
    pub symbols: Tokens,
    /// Tests of these files.
    pub tests: Tokens,
    /// Notes on modules and passages of documents.
    pub docs: Tokens,
    /// What was done before: earlier turns, changes of the last days.
    pub history: Tokens,
    /// What tools may return in the course of a turn. It is shown to people; pruning goes by the whole window.
    pub tool_results: Tokens,
    /// What stays free for the answer.
    pub generation: Tokens,
    /// The file tree.
    pub files: Tokens,
    /// All together that is picked from the index.
    pub picked: Tokens,
    /// Somebody said how much may be picked: then it may be used up. Else only what is all but certain is quoted.
    pub asked: bool,
}

impl Budget {
    /// The budget for a model's window: the sizes of C1 in proportion to it. What is offered unasked grows up to a window
    /// of 128K and no further.
    pub fn of(window: Tokens) -> Budget {
        let scaled = |full: u64| Tokens(full * window.0 / REFERENCE_WINDOW);
        let unasked = |full: u64| Tokens(full * window.0.min(REFERENCE_WINDOW) / REFERENCE_WINDOW);
        Budget {
            rules: scaled(5_000),
            task: scaled(2_000),
            active: scaled(10_000),
            related: scaled(20_000),
            symbols: scaled(10_000),
            tests: scaled(10_000),
            docs: scaled(8_000),
            history: scaled(13_000),
            tool_results: scaled(30_000),
            generation: Tokens(scaled(20_000).0.max(window.0 / 5)),
            files: unasked(FILES),
            picked: unasked(PICKED),
            asked: false,
        }
    }

    /// The same with so many tokens for what is picked from the index, where somebody says how many.
    pub fn with_picked(self, tokens: Option<u32>) -> Budget {
        let Some(tokens) = tokens else { return self };
        let picked = Tokens(tokens.into());
        let files = Tokens(self.files.0.max((picked.0 / FILES_SHARE).min(FILES_MOST)));
        Budget { picked, files, asked: true, ..self }
    }

    /// The bound of a section that is picked from the index, by its name.
    pub fn of_section(&self, name: &str) -> Option<Tokens> {
        Some(match name {
            "rules" => self.rules,
            "task" | "plan" => self.task,
            "files" => self.files,
            "active" => self.active,
            "related" => self.related,
            "map" | "symbols" => self.symbols,
            "tests" => self.tests,
            "docs" | "beside" => self.docs,
            "history" | "recent" | "memory" => self.history,
            _ => return None,
        })
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
    fn sections_are_in_proportion_to_the_window_and_what_comes_unasked_stops_growing() {
        let sizes = |window| {
            let it = Budget::of(Tokens(window));
            [
                it.rules,
                it.task,
                it.active,
                it.related,
                it.symbols,
                it.tests,
                it.docs,
                it.history,
                it.tool_results,
                it.generation,
                it.files,
                it.picked,
            ]
            .map(|it| it.0)
        };
        let table = [
            (128_000, [5_000, 2_000, 10_000, 20_000, 10_000, 10_000, 8_000, 13_000, 30_000, 25_600, 200, 800]),
            (32_000, [1_250, 500, 2_500, 5_000, 2_500, 2_500, 2_000, 3_250, 7_500, 6_400, 50, 200]),
            (256_000, [10_000, 4_000, 20_000, 40_000, 20_000, 20_000, 16_000, 26_000, 60_000, 51_200, 200, 800]),
            (0, [0; 12]),
        ];
        for (window, expected) in table {
            assert_eq!(sizes(window), expected, "{window}");
        }
    }

    #[test]
    fn whoever_says_how_much_gets_a_larger_tree_too() {
        let asked = |tokens| Budget::default().with_picked(Some(tokens));
        assert_eq!((asked(7).picked, asked(7).files, asked(7).asked), (Tokens(7), Tokens(200), true));
        assert_eq!(asked(10_000).files, Tokens(500));
        assert_eq!(asked(900_000).files, Tokens(FILES_MOST));
        assert_eq!(Budget::default().with_picked(None), Budget::default());
    }
}
