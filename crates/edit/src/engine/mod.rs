//! Finding the place that an edit means, and carrying it out there.

pub(crate) mod align;
pub(crate) mod alike;
pub(crate) mod apply;
pub(crate) mod by_bytes;
pub(crate) mod by_lines;
pub(crate) mod claim;
pub(crate) mod clean;
pub(crate) mod elide;
pub(crate) mod found;
pub(crate) mod guard;
pub(crate) mod guide;
pub(crate) mod locate;
pub(crate) mod merge;
pub(crate) mod nearest;
pub(crate) mod placeholder;
pub(crate) mod respell;
pub(crate) mod slide;
pub(crate) mod tier;
