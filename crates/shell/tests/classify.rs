//! What command lines do, as tables by family: the level and the kinds of effects of each line.

use std::fs;
use std::path::{Path, PathBuf};

use ox_shell::{Classification, Entry, ExecutionContext, classify};

#[path = "classify/corpus.rs"]
mod corpus;
#[path = "classify/facts.rs"]
mod facts;
#[path = "classify/families.rs"]
mod families;
#[path = "classify/lines.rs"]
mod lines;
#[path = "classify/sandboxed.rs"]
mod sandboxed;
#[path = "classify/shell.rs"]
mod shell;

/// Classifies a line at the root of a project that need not exist.
fn at_home(command: &str) -> Classification {
    let (root, home) = (Path::new("/home/u/proj"), Path::new("/home/u"));
    let added: Vec<PathBuf> = Vec::new();
    classify(command, &ExecutionContext { root, cwd: root, home: Some(home), added: &added, checks: &[], lookup })
}

/// What is at a path of this machine.
fn lookup(path: &Path) -> Entry {
    match fs::symlink_metadata(path) {
        Err(_) => Entry::Missing,
        Ok(it) if it.is_symlink() => fs::read_link(path).map_or(Entry::Missing, Entry::Symlink),
        Ok(it) if it.is_dir() => Entry::Directory,
        Ok(_) => Entry::File,
    }
}
