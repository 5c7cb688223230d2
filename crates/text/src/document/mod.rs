//! Text as data for interfaces that are no terminal: Markdown as a tree of blocks, programs and diffs as classed spans.
//!
//! Promise: no markup comes out, only text and the kinds of it. A link leads to the web, to a mail address or to a file of the
//! project; any other address is left out. HTML in Markdown is text.

mod markdown;
mod span;

pub use markdown::{Block, Inline, Item, TopBlock, blocks};
pub use span::{TextSpan, code, output};

pub use crate::diff::data::{DiffHunk, DiffRow, RowKind, hunks};
