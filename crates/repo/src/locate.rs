//! From the words of a path to one place on disk, or a refusal.
//!
//! A located path has no links left in it, lies beneath the root or an added folder or is a place that the user
//! consented to, and may be used for what it was located for. Opening it later goes through [`crate::beneath`], which
//! follows no link, so that nothing can be swapped in between. Nothing in a path is expanded.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use ox_protocol::PathUse;
use rustix::io::Errno;

use crate::consent::Consents;
use crate::located::Located;
use crate::protect::{self, Guard};
use crate::{RepoError, Tree, error, spelling};

/// What a path is located for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To look at it.
    Read,
    /// To create, change, move or delete it.
    Write,
}

impl Tree {
    /// Finds the place that `path` (relative to the root, or absolute) names. Links are followed to their target.
    pub fn locate(&self, path: &str, access: Access) -> Result<Located, RepoError> {
        let abs = self.resolve(path, true)?;
        self.check_access(path, abs, access)
    }

    /// Like `locate`, but a link in the last place is the thing itself; for deleting and renaming. Never the root.
    pub fn locate_entry(&self, path: &str, access: Access) -> Result<Located, RepoError> {
        // `link/` is the folder that the link leads to.
        let abs = self.resolve(path, path.ends_with('/'))?;
        let located = self.check_access(path, abs, access)?;
        match located.abs == located.base {
            true => Err(RepoError::Protected { path: located.rel, why: "it is the project's root folder" }),
            false => Ok(located),
        }
    }

    /// Where `path` leads, wherever that is.
    pub(crate) fn resolve(&self, path: &str, follow: bool) -> Result<PathBuf, RepoError> {
        if path.contains('\0') {
            return Err(RepoError::Spelling { path: path.replace('\0', "\\0"), why: "it contains a NUL character" });
        }
        let root = &self.inner.root;
        let given = Path::new(path);
        let (start, rest) = match given.strip_prefix(root) {
            // The root has no links in it.
            Ok(inside) => (root.as_path(), inside),
            Err(_) if given.is_absolute() => (Path::new("/"), given),
            Err(_) => (root.as_path(), given),
        };
        resolve(start, rest, follow).map_err(|it| error::reading(path, it))
    }

    fn check_access(&self, asked: &str, abs: PathBuf, access: Access) -> Result<Located, RepoError> {
        let write = access == Access::Write;
        let consent = self.inner.consents.of(&abs, write);
        if let Some(odd) = self.odd(asked, &abs, write) {
            return Err(RepoError::Spelling { path: asked.to_owned(), why: odd.why });
        }
        let base = self.base(&abs).or_else(|| consent.map(|it| it.base.as_path()));
        let Some(base) = base.map(Path::to_owned) else {
            return Err(RepoError::Outside { path: asked.to_owned(), root: self.inner.root.display().to_string() });
        };
        let located = Located { rel: self.name(&abs), abs, base };
        if self.leaves_out(&located.rel) {
            return Err(RepoError::Excluded { path: located.rel });
        }
        if asked.ends_with('/') && located.abs.symlink_metadata().is_ok_and(|it| !it.is_dir()) {
            return Err(RepoError::NotDirectory { path: located.rel });
        }
        match self.guard(&located.abs, access) {
            Guard::Never(why) => Err(RepoError::Protected { path: located.rel, why }),
            Guard::Asks(why) if self.inner.consents.strict && consent.is_none() => {
                Err(RepoError::Consent { path: located.rel, why })
            }
            Guard::Asks(_) | Guard::Free => Ok(located),
        }
    }

    /// The root or added folder that contains a resolved path.
    pub(crate) fn base(&self, abs: &Path) -> Option<&Path> {
        std::iter::once(&self.inner.root).chain(&self.inner.added).find(|it| abs.starts_with(it)).map(PathBuf::as_path)
    }

    /// What the names of a resolved path demand.
    pub(crate) fn guard(&self, abs: &Path, access: Access) -> Guard {
        // The folders above the project were chosen by the user.
        let names = self.base(abs).and_then(|it| abs.strip_prefix(it).ok()).unwrap_or(abs);
        match access {
            Access::Read if names.to_str().is_some_and(ox_protocol::names::is_secret) => {
                Guard::Asks("it is a file of secrets")
            }
            Access::Read => Guard::Free,
            Access::Write => match protect::writing(names) {
                Guard::Free => protect::bare_git(abs).map_or(Guard::Free, Guard::Asks),
                other => other,
            },
        }
    }

    /// What is odd about a path as it is written, where there is nothing of that name.
    pub(crate) fn odd(&self, asked: &str, abs: &Path, write: bool) -> Option<spelling::Odd> {
        // Looked at first because it is cheap and nearly always says no.
        spelling::odd(asked, write).filter(|_| abs.symlink_metadata().is_err())
    }

    /// How an absolute, resolved path is called.
    pub(crate) fn name(&self, abs: &Path) -> String {
        match abs.strip_prefix(&self.inner.root) {
            Ok(rel) if rel.as_os_str().is_empty() => ".".to_owned(),
            Ok(rel) => rel.to_string_lossy().into_owned(),
            Err(_) => abs.to_string_lossy().into_owned(),
        }
    }
}

/// As many links as Linux follows.
const LINKS: u32 = 40;

/// Follows `path` from the folder `start`, part by part as the kernel does: `..` leaves the folder that a link led to.
/// What does not exist has no links; a dangling link leads to where it points. `follow`: also a link in the last place.
fn resolve(start: &Path, path: &Path, follow: bool) -> io::Result<PathBuf> {
    let (mut here, mut left, mut links) = (start.to_owned(), parts(path), LINKS);
    while let Some(part) = left.pop() {
        match part.to_str() {
            Some("/") => here = PathBuf::from("/"),
            Some("..") => drop(here.pop()),
            _ => {
                here.push(&part);
                // Links in there lead into processes and hold for one of them only; the place is judged by its name.
                if (left.is_empty() && !follow) || here.starts_with("/proc") {
                    continue;
                }
                match here.read_link() {
                    Ok(target) => {
                        links = links.checked_sub(1).ok_or(Errno::LOOP)?;
                        here.pop();
                        left.extend(parts(&target));
                    }
                    Err(error) if matches!(Errno::from_io_error(&error), Some(Errno::INVAL | Errno::NOENT)) => {}
                    Err(error) => return Err(error),
                }
            }
        }
    }
    Ok(here)
}

/// The parts of a path, the last one first.
fn parts(path: &Path) -> Vec<OsString> {
    let part = |it: Component<'_>| (it != Component::CurDir).then(|| it.as_os_str().to_owned());
    path.components().rev().filter_map(part).collect()
}

impl Tree {
    /// True where consent to change `at` is needed and was not given.
    pub(crate) fn lacks_consent(&self, at: &Located) -> bool {
        self.inner.consents.strict && self.inner.consents.of(&at.abs, true).is_none()
    }

    /// The same tree for one call: of all that needs the user's consent it reaches exactly `uses`, places as
    /// [`crate::Reach`] names them, and refuses the rest with [`crate::RepoError::Consent`] or `Outside`.
    #[must_use]
    pub fn consenting(&self, uses: &[PathUse]) -> Tree {
        self.under(Consents::to(&self.inner.root, uses))
    }
}
