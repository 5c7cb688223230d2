//! The Rust SDK's facade.
