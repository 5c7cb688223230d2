//! What is kept and how it lies on disk: the files of the tree, immutable segments of contents, and a manifest that says which
//! files have which; `update` brings it up to date.
//!
//! A segment is made once and never changed; a manifest replaces the one before by a rename. So a reader that has opened
//! what a manifest names keeps a consistent view whatever writers do, and neither ever waits for the other. Nothing
//! here is waited for until it is on the platters: each file's checksum is in the manifest, and what does not fit is set
//! aside and built again.

pub(crate) mod builder;
pub(crate) mod contents;
pub(crate) mod files;
pub(crate) mod folder;
pub(crate) mod manifest;
pub(crate) mod mapped;
pub(crate) mod merge;
pub(crate) mod schema;
pub(crate) mod segment;
pub(crate) mod strings;
pub(crate) mod update;
