//! Processes that tools start, always through the runner that they are handed.

pub(crate) mod environment;
pub(crate) mod jobs;
