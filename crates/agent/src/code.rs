//! What the tools are handed of the index of the project's code.

use std::sync::Arc;

use ox_tools::Code;

use crate::knowledge::Knowledge;

/// The index of `knowledge` for tools: they ask it, and have it look at the tree again before they do.
pub fn of(knowledge: &Knowledge) -> Code {
    let (now, files, tree) = (knowledge.clone(), knowledge.clone(), knowledge.clone());
    Code {
        snapshot: Arc::new(move || now.snapshot()),
        read: Arc::new(move |path| files.read(path)),
        // A refresh that fails leaves what was known before.
        refresh: Arc::new(move || drop(tree.refresh(false, &|_| {}))),
    }
}
