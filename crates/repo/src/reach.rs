//! How far the use of a path reaches: the one judgement that permission, `ox permit` and the file tools share.
//!
//! It looks and never opens, and it decides nothing: what needs consent is for `core` to ask about.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use ox_protocol::Level;

use crate::protect::Guard;
use crate::{Access, Located, RepoError, Tree, error, spelling};

/// What is to be done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathOp {
    /// Read a file.
    Read,
    /// List a folder, or the matches of a glob.
    List,
    /// Create or change a file.
    Write,
    /// Delete a file, a link, or a folder with everything in it.
    Delete,
}

/// How far it reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The level of the path alone: 0 to read, 1 to write, 3 for what is outside, secret, protected, or run by itself.
    pub level: Level,
    /// It works, and without a question of level system.
    pub allowed: bool,
    /// It never works, whoever consents to it.
    pub denied: bool,
    /// Why, for whoever must act next.
    pub why: String,
    /// Where it leads, links resolved: relative to the root, absolute outside.
    pub path: String,
}

impl Tree {
    /// How far doing `op` with `path` (relative to the root, or absolute) reaches.
    pub fn reach(&self, op: PathOp, path: &str) -> Reach {
        let least = if op.writes() { Level::Edit } else { Level::Read };
        let asked = if op == PathOp::List { listed(self, path) } else { path };
        if asked.len() < path.len() && path[asked.len()..].contains("..") {
            return denied(path, Level::System, "a pattern cannot lead upwards".to_owned());
        }
        let abs = match self.resolve(asked, op != PathOp::Delete || asked.ends_with('/')) {
            Ok(abs) => abs,
            Err(spelling @ RepoError::Spelling { .. }) => return denied(path, least, spelling.to_string()),
            Err(other) => return fails(path.to_owned(), least, &other),
        };
        let access = if op.writes() { Access::Write } else { Access::Read };
        if let Some(odd) = self.odd(asked, &abs, op.writes()).or_else(|| unlisted(path, asked)) {
            let error = RepoError::Spelling { path: path.to_owned(), why: odd.why };
            return denied(path, odd.level.max(least), error.to_string());
        }
        let rel = self.name(&abs);
        let Some(base) = self.base(&abs).map(Path::to_owned) else {
            return self.far(access, &abs, rel);
        };
        let place = Located { abs, rel, base };
        match self.guard(&place.abs, access) {
            Guard::Never(why) => {
                let error = RepoError::Protected { path: place.rel.clone(), why };
                return Reach { path: place.rel, ..denied("", Level::System, error.to_string()) };
            }
            Guard::Asks(why) => return asks(place.rel, why),
            Guard::Free => {}
        }
        match self.works(op, &place, asked) {
            Ok((level, why)) => {
                let level = level.max(least);
                Reach { level, allowed: level < Level::System, denied: false, why, path: place.rel }
            }
            Err(root @ RepoError::Protected { .. }) => {
                Reach { path: place.rel, ..denied("", Level::System, root.to_string()) }
            }
            Err(error) => fails(place.rel, least, &error),
        }
    }

    /// A place outside the root and the added folders.
    fn far(&self, access: Access, abs: &Path, path: String) -> Reach {
        if let (Access::Write, Guard::Never(why)) = (access, self.guard(abs, access)) {
            let error = RepoError::Protected { path: path.clone(), why };
            return Reach { path, ..denied("", Level::System, error.to_string()) };
        }
        let why = format!("it is outside the project {}", self.inner.root.display());
        asks(path, &why)
    }

    /// Whether what is at `place` lets itself be used, and what is worth saying about it.
    fn works(&self, op: PathOp, place: &Located, asked: &str) -> Result<(Level, String), RepoError> {
        let path = place.rel.clone();
        let stat = match place.abs.symlink_metadata() {
            Ok(stat) => stat,
            Err(missing) if op == PathOp::Write && missing.kind() == std::io::ErrorKind::NotFound => {
                return writable_above(place).map(|()| (Level::Edit, "a new file of the project".to_owned()));
            }
            Err(error) => return Err(error::reading(&path, error)),
        };
        if asked.ends_with('/') && !stat.is_dir() {
            return Err(RepoError::NotDirectory { path });
        }
        match op {
            PathOp::Delete if place.abs == place.base => {
                Err(RepoError::Protected { path, why: "it is the project's root folder" })
            }
            PathOp::Delete if stat.is_dir() => Ok((Level::System, "a folder goes with everything in it".to_owned())),
            PathOp::Delete => Ok((Level::Edit, "one file of the project".to_owned())),
            PathOp::List if stat.is_dir() => Ok((Level::Read, "a folder of the project".to_owned())),
            PathOp::List => Err(RepoError::NotDirectory { path }),
            _ if stat.is_dir() => Err(RepoError::IsDirectory { path }),
            _ if !stat.is_file() => Err(RepoError::NotRegular { path }),
            PathOp::Read if stat.mode() & 0o444 == 0 => Err(RepoError::Denied { path }),
            PathOp::Read => can(place, Access::Read).map(|()| (Level::Read, "a file of the project".to_owned())),
            PathOp::Write if stat.mode() & 0o222 == 0 => {
                Err(RepoError::ReadOnly { path, why: "its mode permits nobody to write it" })
            }
            PathOp::Write if stat.nlink() > 1 => {
                let why = "a file of the project; its other names (hard links) keep the old contents";
                Ok((Level::Edit, why.to_owned()))
            }
            PathOp::Write => Ok((Level::Edit, "a file of the project".to_owned())),
        }
    }
}

impl PathOp {
    fn writes(self) -> bool {
        matches!(self, PathOp::Write | PathOp::Delete)
    }
}

/// Refuses a new place beneath something that is no folder, or under a name that no file system takes.
fn writable_above(place: &Located) -> Result<(), RepoError> {
    let above = place.abs.ancestors().skip(1).find_map(|it| it.metadata().ok());
    match above.is_none_or(|it| it.is_dir()) {
        true => Ok(()),
        false => Err(RepoError::NotDirectory { path: place.rel.clone() }),
    }
}

/// Asks the system whether this user may.
fn can(place: &Located, access: Access) -> Result<(), RepoError> {
    let wanted = match access {
        Access::Read => rustix::fs::Access::READ_OK,
        Access::Write => rustix::fs::Access::WRITE_OK,
    };
    rustix::fs::access(&place.abs, wanted).map_err(|it| error::reading(&place.rel, it))
}

/// The folder in which a glob is looked for: what stands before its first pattern. A path without one is itself.
fn listed<'a>(tree: &Tree, path: &'a str) -> &'a str {
    let Some(pattern) = path.find(['*', '?', '[', '{']) else { return path };
    if tree.inner.root.join(path).symlink_metadata().is_ok() {
        return path;
    }
    match path[..pattern].rfind('/') {
        Some(0) => "/",
        Some(slash) => &path[..slash],
        None => "",
    }
}

/// What is odd about a glob, of which nothing exists as it is written.
fn unlisted(path: &str, asked: &str) -> Option<spelling::Odd> {
    (asked.len() < path.len()).then(|| spelling::odd(path, false)).flatten()
}

fn asks(path: String, why: &str) -> Reach {
    Reach { level: Level::System, allowed: false, denied: false, why: why.to_owned(), path }
}

fn denied(path: &str, level: Level, why: String) -> Reach {
    Reach { level, allowed: false, denied: true, why, path: path.to_owned() }
}

/// Nobody is asked about what does not work; the tool says what is wrong.
fn fails(path: String, level: Level, error: &RepoError) -> Reach {
    Reach { level, allowed: false, denied: false, why: error.to_string(), path }
}
