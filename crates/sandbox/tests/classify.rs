//! What command lines do, as tables by family: the level and the kinds of effects of each line.

use std::path::{Path, PathBuf};

use ox_sandbox::{Classified, Place, classify};

#[path = "classify/corpus.rs"]
mod corpus;
#[path = "classify/facts.rs"]
mod facts;
#[path = "classify/families.rs"]
mod families;
#[path = "classify/lines.rs"]
mod lines;
#[path = "classify/shell.rs"]
mod shell;
#[path = "classify/walls.rs"]
mod walls;

/// Classifies a line at the root of a project that need not exist.
fn at_home(command: &str) -> Classified {
    let (root, home) = (Path::new("/home/u/proj"), Path::new("/home/u"));
    let added: Vec<PathBuf> = Vec::new();
    classify(command, &Place { root, cwd: root, home: Some(home), added: &added, checks: &[] })
}
