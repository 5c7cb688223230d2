//! What the code is.
