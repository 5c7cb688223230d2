//! Which models and providers there are, and how one is chosen and opened.

pub mod aliases;
pub mod models;
pub mod open;
pub mod presets;
pub mod probe;
pub mod providers;
