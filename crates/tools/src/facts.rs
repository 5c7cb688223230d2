//! The facts about a call that permission is decided from. They name what the call touches; they allow nothing.

use std::path::{Component, Path, PathBuf};

use ox_protocol::{CallFacts, Level, PathUse};
use ox_repo::{Access, RepoError, Tree, is_secret};
use serde_json::Value;

use crate::Surroundings;
use crate::patch::meant;
use crate::tool::{Tool, Touch};

/// The facts about a call of `tool` with arguments that fit its schema. `rejected` is set where a path can never be
/// used for what the call wants.
pub(crate) fn of(around: &Surroundings<'_>, tool: &Tool, args: &Value) -> CallFacts {
    let tree = around.tree;
    let mut facts = CallFacts { kind: tool.kind, level: tool.level, explores: tool.explores, ..CallFacts::default() };
    (tool.weigh)(around, args, &mut facts);
    for mut touch in (tool.touches)(args) {
        if !touch.or.is_empty() {
            touch.path = meant(tree, std::iter::once(&touch.path).chain(&touch.or).map(String::as_str)).to_owned();
        }
        // Output that was kept is outside the project and still nobody's secret: the model has seen a part of it.
        if let Some(kept) = around.walls.kept(&touch.path).filter(|_| !touch.write) {
            facts.paths.push(PathUse { path: kept.to_string_lossy().into_owned(), write: false });
            continue;
        }
        match place(tree, &touch) {
            Ok((path, level)) => {
                facts.level = facts.level.max(level);
                let used = PathUse { path, write: touch.write };
                if !facts.paths.contains(&used) {
                    facts.paths.push(used);
                }
            }
            Err(error) => facts.rejected = Some(words(tree, &error)),
        }
    }
    facts
}

/// Where a path is and how far touching it reaches. Secrets, places outside and the removal of whole folders are
/// level 3; what the tool itself needs comes on top.
fn place(tree: &Tree, touch: &Touch) -> Result<(String, Level), RepoError> {
    let access = if touch.write { Access::Write } else { Access::Read };
    match tree.locate(&touch.path, access) {
        Ok(place) => {
            let far = (is_secret(&place.rel) && !touch.write) || (touch.removes && place.abs.is_dir());
            Ok((place.rel, if far { Level::System } else { Level::Read }))
        }
        Err(RepoError::Outside { path, .. }) => outside(tree, path, touch.write),
        // A path beneath a file or one that may not be looked at: the tool itself says what is wrong with it.
        Err(RepoError::NotDirectory { .. } | RepoError::Denied { .. } | RepoError::Io { .. }) => {
            Ok((touch.path.clone(), Level::Read))
        }
        Err(error) => Err(error),
    }
}

/// A place outside. Nobody is asked about one that is not there: models take the root of the project for the root of the
/// file system, or remember another machine's.
fn outside(tree: &Tree, path: String, write: bool) -> Result<(String, Level), RepoError> {
    let abs = absolute(tree, &path);
    let needed = if write { Path::new(&abs).parent() } else { Some(Path::new(&abs)) };
    match needed.is_none_or(Path::exists) {
        true => Ok((abs, Level::System)),
        false => Err(RepoError::NotFound { similar: tree.similar(path.trim_start_matches(['.', '/'])), path }),
    }
}

fn words(tree: &Tree, error: &RepoError) -> String {
    match error {
        RepoError::NotFound { .. } => format!("{error}\nThe project root is {}.", tree.root().display()),
        other => other.to_string(),
    }
}

/// An outside path from the root of the file system, by its words and, where it exists, by its links.
fn absolute(tree: &Tree, path: &str) -> String {
    let joined = tree.root().join(path);
    let real = joined.canonicalize().unwrap_or_else(|_| {
        let mut plain = PathBuf::new();
        for part in joined.components() {
            match part {
                Component::ParentDir => drop(plain.pop()),
                Component::CurDir => {}
                other => plain.push(other),
            }
        }
        plain
    });
    real.to_string_lossy().into_owned()
}
