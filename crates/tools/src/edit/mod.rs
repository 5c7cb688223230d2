//! Changes to files, worked out first and made together.

pub(crate) mod change;
pub(crate) mod draft;
pub(crate) mod patch;
pub(crate) mod places;
pub(crate) mod stale;
