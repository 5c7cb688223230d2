//! From a text to its syntax tree, and where it does not fit its language.

mod check;
mod data;
mod embedded;
mod flat;
mod lines;
mod markup;
mod nodes;
mod parser;

pub(crate) use check::fault;
pub use check::{SyntaxError, check};
pub use data::plain_json;
pub(crate) use embedded::{components, holds_script};
pub(crate) use flat::flatten;
pub use flat::{FlatNode, FlatTree, tree};
pub(crate) use lines::{Lines, to_u32};
pub(crate) use nodes::nodes;
pub(crate) use parser::{Parsed, parse};
