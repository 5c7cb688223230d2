//! From the words of a path to one place on disk, or a refusal.
//!
//! A located path has no links left in it, lies beneath the root or an added folder, and, for writing, is not protected.
//! Opening it later goes through [`crate::beneath`], which follows no link, so that nothing can be swapped in between.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::{RepoError, Tree, error, protect};

/// What a path is located for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To look at it.
    Read,
    /// To create, change, move or delete it.
    Write,
}

/// One place in the tree; nothing need exist there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Absolute, links resolved.
    pub abs: PathBuf,
    /// Relative to the root with `/` between parts, `.` for the root itself; absolute in an added folder.
    pub rel: String,
    /// The root or added folder that it lies beneath.
    pub(crate) base: PathBuf,
}

impl Tree {
    /// Finds the place that `path` (relative to the root, or absolute) names. Links are followed to their target.
    pub fn locate(&self, path: &str, access: Access) -> Result<Located, RepoError> {
        let wanted = self.absolute(path)?;
        let abs = resolve(&wanted, LINKS).map_err(|it| error::reading(path, it))?;
        self.judge(path, abs, access)
    }

    /// Like `locate`, but a link in the last place is the thing itself; for deleting and renaming.
    pub(crate) fn locate_entry(&self, path: &str, access: Access) -> Result<Located, RepoError> {
        let wanted = self.absolute(path)?;
        let (Some(parent), Some(name)) = (wanted.parent(), wanted.file_name()) else {
            return Err(self.outside(path));
        };
        let parent = resolve(parent, LINKS).map_err(|it| error::reading(path, it))?;
        let located = self.judge(path, parent.join(name), access)?;
        match located.abs == located.base {
            true => Err(RepoError::Protected { path: located.rel, why: "it is the project's root folder" }),
            false => Ok(located),
        }
    }

    fn judge(&self, asked: &str, abs: PathBuf, access: Access) -> Result<Located, RepoError> {
        let base = std::iter::once(&self.inner.root).chain(&self.inner.added).find(|it| abs.starts_with(it));
        let base = base.ok_or_else(|| self.outside(asked))?.clone();
        let rel = self.name(&abs);
        let inside = abs.strip_prefix(&base).expect("the base is a prefix, just found");
        match protect::reason(inside) {
            Some(why) if access == Access::Write => Err(RepoError::Protected { path: rel, why }),
            _ => Ok(Located { abs, rel, base }),
        }
    }

    /// How an absolute, resolved path is called.
    pub(crate) fn name(&self, abs: &Path) -> String {
        match abs.strip_prefix(&self.inner.root) {
            Ok(rel) if rel.as_os_str().is_empty() => ".".to_owned(),
            Ok(rel) => rel.to_string_lossy().into_owned(),
            Err(_) => abs.to_string_lossy().into_owned(),
        }
    }

    fn absolute(&self, path: &str) -> Result<PathBuf, RepoError> {
        if path.contains('\0') {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "a path cannot contain a NUL character");
            return Err(RepoError::Io { path: path.replace('\0', "\\0"), source });
        }
        Ok(normalise(&self.inner.root.join(path)))
    }

    fn outside(&self, path: &str) -> RepoError {
        RepoError::Outside { path: path.to_owned(), root: self.inner.root.display().to_string() }
    }
}

/// As many links as Linux follows.
const LINKS: u32 = 40;

/// Removes `.` and `..` by the words alone.
fn normalise(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Follows every link on the way to `path`, which need not exist; a dangling link leads to where it points.
fn resolve(path: &Path, links: u32) -> io::Result<PathBuf> {
    let missing = match path.canonicalize() {
        Err(it) if it.kind() == io::ErrorKind::NotFound => it,
        other => return other,
    };
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Err(missing) };
    let parent = resolve(parent, links)?;
    let here = parent.join(name);
    let Ok(target) = here.read_link() else { return Ok(here) };
    let links = links.checked_sub(1).ok_or(rustix::io::Errno::LOOP)?;
    resolve(&normalise(&parent.join(target)), links)
}
