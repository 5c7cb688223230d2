//! Driver, perform, session.
