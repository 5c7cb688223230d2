//! The edit engine, pure.
