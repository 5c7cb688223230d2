//! Layers of configuration: reading one, putting them over one another, changing the user's file.

pub mod edit;
pub mod layer;
pub mod merge;
pub mod origin;
pub mod preset;
