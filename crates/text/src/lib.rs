//! Styled text without a terminal: cleaning, lines, themes and wrapping.
//!
//! Promise: whatever a model, a tool or a file says, no control sequence of theirs reaches the terminal; the only
//! escapes in what `Theme::paint` returns are our own colours and links.

mod clean;
pub mod diff;
pub mod document;
mod fold;
mod line;
pub mod markdown;
mod theme;
pub mod words;
mod wrap;

pub use clean::{clean, hides, visible};
pub use fold::folded;
pub use line::{Ground, Line, Role, Span, Target};
pub use line::{each, each_visible};
pub use theme::{Theme, background_of, detect, detect_on, hyperlinks};
pub use wrap::{clip, rule, set_ambiguous_wide, width, wrap};
