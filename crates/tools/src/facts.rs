//! The facts about a call that permission is decided from. They name what the call touches; they allow nothing.

use ox_protocol::{CallFacts, Level, PathUse};
use ox_repo::{Access, RepoError, Tree, is_secret};
use serde_json::Value;

use crate::args;
use crate::tool::{Tool, Touch};

/// The facts about a call of `tool` with arguments that fit its schema. `rejected` is set where a path can never be
/// used for what the call wants.
pub(crate) fn of(tree: &Tree, tool: &Tool, args: &Value) -> CallFacts {
    let command = (tool.level == Level::Shell).then(|| args::text(args, "command").to_string());
    let mut facts =
        CallFacts { kind: tool.kind, level: tool.level, explores: tool.explores, command, ..CallFacts::default() };
    for touch in (tool.touches)(args) {
        match place(tree, &touch) {
            Ok((path, level)) => {
                facts.level = facts.level.max(level);
                let used = PathUse { path, write: touch.write };
                if !facts.paths.contains(&used) {
                    facts.paths.push(used);
                }
            }
            Err(error) => facts.rejected = Some(error.to_string()),
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
        Err(RepoError::Outside { path, .. }) => Ok((absolute(tree, &path), Level::System)),
        // A path beneath a file or one that may not be looked at: the tool itself says what is wrong with it.
        Err(RepoError::NotDirectory { .. } | RepoError::Denied { .. } | RepoError::Io { .. }) => {
            Ok((touch.path.clone(), Level::Read))
        }
        Err(error) => Err(error),
    }
}

/// An outside path from the root of the file system, by its words and, where it exists, by its links.
fn absolute(tree: &Tree, path: &str) -> String {
    let joined = tree.root().join(path);
    let real = joined.canonicalize().unwrap_or_else(|_| {
        let mut plain = std::path::PathBuf::new();
        for part in joined.components() {
            match part {
                std::path::Component::ParentDir => drop(plain.pop()),
                std::path::Component::CurDir => {}
                other => plain.push(other),
            }
        }
        plain
    });
    real.to_string_lossy().into_owned()
}
