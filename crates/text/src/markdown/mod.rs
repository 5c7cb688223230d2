//! Markdown as styled lines, at once or as it streams in.
//!
//! Promise: a line that was given out never changes; however the text is cut into pieces, the same lines come out.

mod code;
mod render;
mod stream;
mod table;

pub(crate) use render::OPTIONS;
pub use render::render;
pub use stream::Stream;

use crate::Line;

/// All of `source` as lines, with the addresses of links spelled out; tables and rules are made for `width` columns.
pub fn lines(source: &str, width: usize) -> Vec<Line> {
    Stream::default().finish(source, width)
}

#[cfg(test)]
mod tests;
