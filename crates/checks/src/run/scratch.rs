//! A copy of the project for checks that build in place: what `make` leaves beside the sources never reaches the project. Sub-agents
//! with a working copy of their own get one of their own too.
//!
//! The copy has the files that are not ignored, links to dependency folders, and what earlier runs built. It is brought up
//! to date before each run, times included, so that only what changed is built again. It goes when its owner does.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ox_repo::{Stat, Tree};

/// Folders of dependencies, which are ignored and which programs look for beside the sources.
const LINKED: [&str; 4] = ["node_modules", ".venv", "venv", "vendor"];

/// The copy of one project, made when it is first needed.
#[derive(Debug, Default)]
pub struct Scratch(Mutex<Option<Made>>);

#[derive(Debug)]
struct Made {
    folder: PathBuf,
    /// The files as they were copied.
    known: BTreeMap<String, Stat>,
}

impl Scratch {
    /// The folder of the copy, now as the tree is.
    pub fn of(&self, tree: &Tree) -> std::io::Result<PathBuf> {
        let mut made = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let made = match &mut *made {
            Some(made) => made,
            empty => empty.insert(Made { folder: begin(tree)?, known: BTreeMap::new() }),
        };
        made.follow(tree)?;
        Ok(made.folder.clone())
    }
}

impl Scratch {
    /// Leaves the copy where it is for good: a message names it.
    pub fn keep(&self) {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let made = self.0.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(made) = made {
            // What cannot be removed lies among temporary files.
            let _ = fs::remove_dir_all(made.folder.parent().unwrap_or(&made.folder));
        }
    }
}

fn begin(tree: &Tree) -> std::io::Result<PathBuf> {
    let name = tree.root().file_name().map_or_else(|| "project".into(), |it| it.to_string_lossy().into_owned());
    let folder = std::env::temp_dir().join(format!("ox-copy-{}-{:08x}", std::process::id(), fastrand::u32(..)));
    let folder = folder.join(name);
    // Nobody else may have prepared a folder of that name.
    fs::create_dir(folder.parent().unwrap_or(&folder))?;
    fs::create_dir(&folder)?;
    for name in LINKED.iter().filter(|it| tree.root().join(it).is_dir()) {
        symlink(tree.root().join(name), folder.join(name))?;
    }
    Ok(folder)
}

impl Made {
    fn follow(&mut self, tree: &Tree) -> std::io::Result<()> {
        let now: BTreeMap<String, Stat> = tree.snapshot().files().iter().cloned().collect();
        for gone in self.known.keys().filter(|it| !now.contains_key(*it)) {
            let _ = fs::remove_file(self.folder.join(gone));
        }
        for (path, _) in now.iter().filter(|(path, stat)| self.known.get(*path) != Some(stat)) {
            // Files of added folders have absolute names and stay where they are.
            if !Path::new(path).is_absolute() && !LINKED.iter().any(|it| path.starts_with(&format!("{it}/"))) {
                copy(&tree.root().join(path), &self.folder.join(path))?;
            }
        }
        self.known = now;
        Ok(())
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to.parent().unwrap_or(to))?;
    let stat = fs::symlink_metadata(from)?;
    let _ = fs::remove_file(to);
    if stat.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if !stat.is_file() {
        return Ok(());
    }
    fs::copy(from, to)?;
    fs::File::options().append(true).open(to).and_then(|it| it.set_modified(stat.modified()?)).or(Ok(()))
}
