//! Run a process with exactly these rights.
