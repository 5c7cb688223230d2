//! One file per tool.
