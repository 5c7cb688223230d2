//! Where a path leads: inside the project, outside, to a secret, to what must not be changed, or nobody knows where.
//!
//! Paths are followed component by component, symlinks included, as the kernel would; nothing is opened. A part that is
//! not known makes the whole unknown unless the part before it has left the project already.

use std::path::{Component, Path, PathBuf};

use super::kinds::is_public;
use crate::classification::{Entry, ExecutionContext};
use crate::scope::{Scope, WorkingDirectory};
use crate::word::UNKNOWN;

/// Links that are followed before a path counts as leading outside.
const MOST_LINKS: usize = 40;

/// Where a path leads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PathTarget {
    /// Inside: relative to the root, empty for the root itself.
    Inside(String),
    /// Inside a folder that was added; absolute.
    Added(String),
    /// Anywhere else; absolute.
    Outside(String),
    /// Not known.
    Unknown,
    /// `/dev/null` and the standard streams.
    Stream,
    /// A few files that tell about the machine and nothing else.
    Public(String),
    /// A host, through bash's `/dev/tcp`.
    Host(String),
}

/// The folders that everything is measured against.
pub(crate) struct PathResolver {
    root: PathBuf,
    home: Option<PathBuf>,
    added: Vec<PathBuf>,
    lookup: fn(&Path) -> Entry,
}

impl PathResolver {
    /// The folders of `context`, symlinks in their paths followed.
    pub fn new(context: &ExecutionContext<'_>) -> PathResolver {
        let lookup = context.lookup;
        PathResolver {
            root: canonical(context.root, lookup),
            home: context.home.map(Path::to_owned),
            added: context.added.iter().map(|it| canonical(it, lookup)).collect(),
            lookup,
        }
    }

    /// True when the path names anything, a symlink included.
    pub fn exists(&self, path: &Path) -> bool {
        (self.lookup)(path) != Entry::Missing
    }

    /// True when the path leads to a folder.
    pub fn is_directory(&self, path: &Path) -> bool {
        (self.lookup)(&canonical(path, self.lookup)) == Entry::Directory
    }

    /// The user's home as text; a path that leads outside where it is not known.
    pub fn home_text(&self) -> String {
        self.home.as_ref().map_or_else(|| "/home/?".to_owned(), |it| it.display().to_string())
    }

    /// A text whose leading `~` is expanded.
    pub fn tilde(&self, text: &str) -> String {
        match text.strip_prefix('~') {
            None => text.to_owned(),
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", self.home_text()),
            Some("+" | "-") => UNKNOWN.to_string(),
            // Another user's home, wherever that is.
            Some(rest) => format!("/home/{rest}"),
        }
    }

    /// Where the text leads from `folder`.
    pub fn resolve(&self, text: &str, folder: &WorkingDirectory) -> PathTarget {
        let text = self.tilde(text);
        if let Some(device) = device(&text) {
            return device;
        }
        let path = Path::new(&text);
        let start = match folder {
            _ if path.is_absolute() => PathBuf::from("/"),
            WorkingDirectory::Known(folder) => canonical(folder, self.lookup),
            WorkingDirectory::Unknown => return PathTarget::Unknown,
        };
        match follow(start, path, self.lookup) {
            Ok(end) => self.target(&end),
            Err(Some(end)) => match self.target(&end) {
                PathTarget::Inside(_) | PathTarget::Added(_) => PathTarget::Unknown,
                outside => outside,
            },
            Err(None) => PathTarget::Outside(text),
        }
    }

    fn target(&self, end: &Path) -> PathTarget {
        if let Ok(inside) = end.strip_prefix(&self.root) {
            return PathTarget::Inside(inside.display().to_string());
        }
        let text = end.display().to_string();
        if self.added.iter().any(|it| end.starts_with(it)) {
            return PathTarget::Added(text);
        }
        if is_public(&text) {
            return PathTarget::Public(text);
        }
        PathTarget::Outside(text)
    }
}

/// Devices that are streams, and those that are hosts.
fn device(text: &str) -> Option<PathTarget> {
    let rest = text.strip_prefix("/dev/")?;
    let mut parts = rest.split('/');
    match (parts.next()?, parts.next(), parts.next()) {
        ("null" | "stdin" | "stdout" | "stderr", None, None) => Some(PathTarget::Stream),
        ("fd", Some("0" | "1" | "2"), None) => Some(PathTarget::Stream),
        ("tcp" | "udp", Some(host), Some(_)) => Some(PathTarget::Host(host.replace(UNKNOWN, "*"))),
        _ => None,
    }
}

/// An absolute path with its symlinks followed; as it is where they lead in circles.
fn canonical(path: &Path, lookup: fn(&Path) -> Entry) -> PathBuf {
    follow(PathBuf::from("/"), path, lookup).unwrap_or_else(|_| path.to_owned())
}

/// Follows a path from `at`. The error is the folder before the first part that is not known, or none where links lead in circles.
fn follow(mut at: PathBuf, path: &Path, lookup: fn(&Path) -> Entry) -> Result<PathBuf, Option<PathBuf>> {
    let mut rest: Vec<PathBuf> = parts(path);
    let mut links = 0;
    while let Some(part) = rest.pop() {
        let name = part.to_string_lossy();
        if name == ".." {
            at.pop();
            continue;
        }
        if part.is_absolute() {
            at = part;
            continue;
        }
        // A pattern such as `.*` matches the folder above as well.
        let above = name.starts_with('.')
            && name[1..].contains(['*', '?', '['])
            && !name[1..].contains(|c: char| c.is_alphanumeric());
        if name.contains(UNKNOWN) || above {
            return Err(Some(at));
        }
        let next = at.join(&part);
        match lookup(&next) {
            Entry::Symlink(target) => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(None);
                }
                rest.extend(parts(&target));
            }
            _ => at = next,
        }
    }
    Ok(at)
}

/// The components of a path, last first.
fn parts(path: &Path) -> Vec<PathBuf> {
    let named = path.components().filter_map(|it| match it {
        Component::RootDir => Some(PathBuf::from("/")),
        Component::ParentDir => Some(PathBuf::from("..")),
        Component::Normal(name) => Some(PathBuf::from(name)),
        Component::CurDir | Component::Prefix(_) => None,
    });
    let mut named: Vec<PathBuf> = named.collect();
    named.reverse();
    named
}

impl PathResolver {
    /// The folder after a `cd` to the text.
    pub fn change_directory(&self, text: &str, folder: &WorkingDirectory) -> WorkingDirectory {
        match self.resolve(text, folder) {
            PathTarget::Inside(path) => WorkingDirectory::Known(self.root.join(path)),
            PathTarget::Added(path) | PathTarget::Outside(path) | PathTarget::Public(path) => {
                WorkingDirectory::Known(PathBuf::from(path))
            }
            PathTarget::Unknown | PathTarget::Stream | PathTarget::Host(_) => WorkingDirectory::Unknown,
        }
    }

    /// True when the text leads to a place outside that is known.
    pub fn is_outside(&self, text: &str, scope: &Scope) -> bool {
        matches!(self.resolve(text, &scope.cwd), PathTarget::Outside(_))
    }

    /// True when the folder is the project's root.
    pub fn is_root(&self, folder: &WorkingDirectory) -> bool {
        matches!(folder, WorkingDirectory::Known(at) if *at == self.root || canonical(at, self.lookup) == self.root)
    }
}
