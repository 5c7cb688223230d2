//! One passage of an answer, as a model reads it.

use crate::text::{count, plain};

/// Bytes of the texts of one call.
pub(super) const BYTES: usize = 16 << 10;
/// Lines of one of them.
const LINES: usize = 40;

/// Where it is `from` and its first lines, with a note where some are missing.
pub(super) fn passage(from: &str, text: &str) -> String {
    let kept: Vec<&str> = text.lines().take(LINES).collect();
    let more = match text.lines().count().saturating_sub(LINES) {
        0 => String::new(),
        left => format!("\n… {}", count(left, "more line")),
    };
    plain(&format!("{from}\n{}{more}\n\n", kept.join("\n").trim_end()))
}
