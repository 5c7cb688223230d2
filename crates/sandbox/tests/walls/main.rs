//! Commands behind the walls: that they work, what they cannot do, and that nothing of them is left.

#![allow(clippy::unwrap_used)]

mod names;
mod place;
mod works;
