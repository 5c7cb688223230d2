//! Listing the tree: the one set of ignore rules.
//!
//! `.gitignore` (also outside a git repository), git's own excludes and `.oxignore` hold. `.git` is never entered, nor is
//! what is derived whether or not anybody ignores it: `node_modules`, `__pycache__`, and folders that a tool tagged as its
//! cache (Cargo's `target`, `.pytest_cache`). No link is followed.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};
use rustix::fs::{AtFlags, FileType, Stat, statat};

use crate::globs::Globs;
use crate::{Access, RepoError, Tree, beneath, error};

/// What to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkOptions {
    /// The folder to start in; the root by default.
    pub from: String,
    /// Levels below it; 1 lists the folder itself. All by default.
    pub depth: Option<usize>,
    /// Only files that one of these globs matches, by name or by path; all by default.
    pub include: Vec<String>,
    /// Neither files nor folders that one of these globs matches.
    pub exclude: Vec<String>,
    /// Also names that start with a dot.
    pub hidden: bool,
    /// The most entries to list; those that sort first.
    pub limit: usize,
}

impl Default for WalkOptions {
    fn default() -> WalkOptions {
        WalkOptions {
            from: ".".to_owned(),
            depth: None,
            include: Vec::new(),
            exclude: Vec::new(),
            hidden: false,
            limit: usize::MAX,
        }
    }
}

/// A file, link or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Relative to the root; absolute in an added folder.
    pub rel: String,
    /// True for a folder. A link is not one, wherever it leads.
    pub is_dir: bool,
    /// In bytes.
    pub size: u64,
    /// Milliseconds since 1970.
    pub modified_ms: u64,
}

impl Tree {
    /// Lists what `options` ask for, sorted by path, a folder before its contents.
    pub fn walk(&self, options: &WalkOptions) -> Result<Vec<Entry>, RepoError> {
        let place = self.locate(if options.from.is_empty() { "." } else { &options.from }, Access::Read)?;
        let stat = place.abs.metadata().map_err(|it| self.suggest(error::reading(&place.rel, it)))?;
        if !stat.is_dir() {
            return Err(RepoError::NotDirectory { path: place.rel });
        }
        let (include, exclude) = (Globs::new(&options.include)?, Globs::new(&options.exclude)?);
        let mut builder = self.walker(&place.abs, options.hidden);
        builder.max_depth(options.depth).sort_by_file_name(|a, b| a.cmp(b));
        let (root, from) = (self.root().to_owned(), place.abs.clone());
        let seen_as = move |path: &Path| -> [PathBuf; 2] {
            [&root, &from].map(|base| path.strip_prefix(base).unwrap_or(path).to_owned())
        };
        let left_out = self.inner.excluded.clone();
        if !exclude.is_empty() || !left_out.is_empty() {
            let seen_as = seen_as.clone();
            builder.filter_entry(move |it| {
                let names = seen_as(it.path());
                is_source(it) && (it.depth() == 0 || !(exclude.matches(&names) || left_out.matches(&names)))
            });
        }
        let mut entries = Vec::new();
        let mut folders = Folders { base: &place.base, open: Vec::new() };
        for entry in builder.build().flatten().filter(|it| it.depth() > 0) {
            if entries.len() == options.limit {
                break;
            }
            let is_dir = entry.file_type().is_some_and(|it| it.is_dir());
            if !include.is_empty() && (is_dir || !include.matches(&seen_as(entry.path()))) {
                continue;
            }
            // What vanished since it was listed is simply not there, nor is what a link that was put there leads to.
            let Some(stat) = folders.look(entry.path()) else { continue };
            let is_dir = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
            entries.push(Entry {
                rel: self.name(entry.path()),
                is_dir,
                size: u64::try_from(stat.st_size).unwrap_or(0),
                modified_ms: modified_ms(&stat),
            });
        }
        Ok(entries)
    }

    /// A walker over `from` with the tree's ignore rules.
    pub(crate) fn walker(&self, from: &Path, hidden: bool) -> WalkBuilder {
        let mut builder = WalkBuilder::new(from);
        // Rules of folders above hold within the root, or within the git work tree that the root is a part of.
        let parents = self.inner.nested || !self.inner.added.iter().chain([&self.inner.root]).any(|it| it == from);
        builder
            .hidden(!hidden)
            .ignore(false)
            .parents(parents)
            .require_git(false)
            .follow_links(false)
            .add_custom_ignore_filename(".oxignore")
            .filter_entry(is_source);
        builder
    }
}

/// The folders on the way to what was listed last, each opened without following any link. The walk itself goes by
/// names, in which a folder may have become a link to another one; only what is really here is listed.
pub(crate) struct Folders<'a> {
    pub(crate) base: &'a Path,
    pub(crate) open: Vec<(PathBuf, OwnedFd)>,
}

impl Folders<'_> {
    pub(crate) fn look(&mut self, path: &Path) -> Option<Stat> {
        let (above, name) = (path.parent()?, path.file_name()?);
        while self.open.last().is_some_and(|(known, _)| !above.starts_with(known)) {
            self.open.pop();
        }
        if self.open.last().is_none_or(|(known, _)| known != above) {
            let folder = beneath::folder(self.base, above.strip_prefix(self.base).ok()?).ok()?;
            self.open.push((above.to_owned(), folder));
        }
        statat(&self.open.last()?.1, name, AtFlags::SYMLINK_NOFOLLOW).ok()
    }
}

/// Never negative: what is older than 1970 is as old as that.
#[allow(clippy::unnecessary_cast, clippy::useless_conversion)] // Their types differ between systems.
fn modified_ms(stat: &Stat) -> u64 {
    u64::try_from(stat.st_mtime as i64).map_or(0, |it| it * 1000 + stat.st_mtime_nsec as u64 / 1_000_000)
}

/// False for git's folder and for what tools derive. The folder that a walk starts in is always walked.
fn is_source(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    if entry.depth() == 0 {
        return true;
    }
    match entry.file_type().is_some_and(|it| it.is_dir()) {
        true => {
            let derived = name == ".git" || name == "node_modules" || name == "__pycache__";
            // The tag of https://bford.info/cachedir/, which backup programs heed too.
            !derived && !entry.path().join("CACHEDIR.TAG").exists()
        }
        // In a linked work tree it is a file.
        false => name != ".git",
    }
}
