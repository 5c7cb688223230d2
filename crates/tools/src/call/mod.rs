//! The way of a call: read from what a model wrote, judged, run, and told.

mod bring;
pub(crate) mod consent;
pub(crate) mod context;
pub(crate) mod diagnostics;
pub(crate) mod error;
pub(crate) mod facts;
pub(crate) mod index_query;
pub(crate) mod mcp;
pub(crate) mod parse;
pub(crate) mod run;
pub(crate) mod tool;
pub(crate) mod toolbox;
