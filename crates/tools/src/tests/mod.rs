//! What the tests of all tools share, and tests over all tools.

pub(crate) mod catalogue;
pub(crate) mod random;
pub(crate) mod testing;
