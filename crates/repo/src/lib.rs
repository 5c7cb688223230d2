//! The working tree.
