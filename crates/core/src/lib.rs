//! Decisions, pure.
