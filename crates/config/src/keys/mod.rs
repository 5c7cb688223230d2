//! The table of configuration keys, what may be written for each, and the reference page made from it.

pub mod kind;
pub mod reference;
pub mod table;
