//! Which folders are not kept: those that a tool fills and can fill again, and that are large.
//!
//! Ignored files as such are kept, since nothing else keeps them. A folder of source code is kept whatever its name.

use std::os::fd::OwnedFd;
use std::path::Path;

use ignore::gitignore::GitignoreBuilder;
use rustix::fs::{AtFlags, FileType, Mode, openat, statat};
use rustix::io::Errno;

use super::folders::{FOLDER, each_name, path};
use super::index::Folder;

/// Filled by package managers and by tools for themselves, whether or not anybody ignores them.
const DERIVED: &str = "node_modules bower_components .pnpm-store __pycache__ .venv .tox .nox .mypy_cache .pytest_cache \
    .ruff_cache .gradle .parcel-cache .turbo .terraform";

/// Names of build output that are names of other things too.
const BUILT: &str =
    "target build dist out bin obj vendor venv env .next .nuxt .cache .angular coverage DerivedData Pods";

/// Up to so many entries and bytes build output is kept.
const FEW: usize = 1_000;
const LITTLE: u64 = 16 << 20;

/// True for a folder that is never kept.
pub(super) fn is_derived(name: &[u8]) -> bool {
    DERIVED.split_ascii_whitespace().any(|it| it.as_bytes() == name)
}

/// True for a folder that says itself that it is a cache, or a virtual environment.
pub(super) fn is_cache(folder: &Folder) -> bool {
    // The tag of https://bford.info/cachedir/, which backup programs heed too.
    folder.find(b"CACHEDIR.TAG").is_some() || (folder.find(b"pyvenv.cfg").is_some() && folder.find(b"lib").is_some())
}

/// True for a name of build output.
pub(super) fn may_be_built(name: &[u8]) -> bool {
    BUILT.split_ascii_whitespace().any(|it| it.as_bytes() == name)
}

/// True when a folder holds much.
pub(super) fn is_heavy(dir: &OwnedFd) -> bool {
    let (mut count, mut bytes) = (0, 0);
    // Opened once more, since reading a folder moves where it is read from.
    let Ok(dir) = openat(dir, ".", FOLDER, Mode::empty()) else { return false };
    // `NOSPC` says that there is no room left in these limits.
    measure(&dir, &mut count, &mut bytes) == Err(Errno::NOSPC)
}

fn measure(dir: &OwnedFd, count: &mut usize, bytes: &mut u64) -> rustix::io::Result<()> {
    let mut folders: Vec<Vec<u8>> = Vec::new();
    each_name(dir, &mut |name, kind| {
        *count += 1;
        if kind == Some(FileType::Directory) {
            folders.push(name.to_vec());
        } else if let Ok(stat) = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            *bytes += u64::try_from(stat.st_size).unwrap_or(0);
        }
        if *count > FEW || *bytes > LITTLE { Err(Errno::NOSPC) } else { Ok(()) }
    })?;
    folders.iter().try_for_each(|name| match openat(dir, name.as_slice(), FOLDER, Mode::empty()) {
        Ok(folder) => measure(&folder, count, bytes),
        Err(_) => Ok(()),
    })
}

/// True when git ignores the folder, and for every folder where there is no repository to tell.
pub(super) fn is_ignored(root: &Path, folder: &[u8]) -> bool {
    let folder = path(folder);
    if !root.join(".git").exists() {
        return true;
    }
    // The innermost rules come last and win.
    let mut builder = GitignoreBuilder::new(root);
    let _ = builder.add(root.join(".git/info/exclude"));
    let above: Vec<&Path> = folder.ancestors().skip(1).collect();
    let mut ignored = false;
    for above in above.into_iter().rev() {
        let mut rules = GitignoreBuilder::new(root.join(above));
        let _ = rules.add(root.join(above).join(".gitignore"));
        let (Ok(rules), Ok(inside)) = (rules.build(), folder.strip_prefix(above)) else { continue };
        match rules.matched_path_or_any_parents(inside, true) {
            ignore::Match::Ignore(_) => ignored = true,
            ignore::Match::Whitelist(_) => ignored = false,
            ignore::Match::None => {}
        }
    }
    ignored || builder.build().is_ok_and(|it| it.matched_path_or_any_parents(folder, true).is_ignore())
}
