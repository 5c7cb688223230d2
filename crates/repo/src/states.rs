//! Listing every file with what tells whether it has changed: what the index is handed.
//!
//! The rules are those of [`crate::Tree::walk`], but for names that start with a dot, which are listed, and files of
//! secrets, which never are. No link is followed, so that a loop of links ends at its first one. Nested repositories and
//! submodules are folders like any other: their files are listed, their `.git` is not. Nothing is opened.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use ox_protocol::names::is_secret;
use rustix::fs::{FileType, Stat};

use crate::walk::Folders;
use crate::{Located, Tree, beneath};

/// A file as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Relative to the root, with `/` separators.
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// When its contents were last changed, in nanoseconds since 1970.
    pub mtime: i64,
    /// When its entry was last changed, likewise.
    pub ctime: i64,
    /// Its number in the file system.
    pub inode: u64,
    /// Its kind and permissions.
    pub mode: u32,
}

/// All files of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct States {
    /// Sorted by path.
    pub files: Vec<State>,
    /// Files and folders that the rules leave out, a folder counting once; none where they were not counted.
    pub ignored: Option<u64>,
}

impl Tree {
    /// Lists the files of the root. Counting what is ignored takes another look at each folder.
    pub fn states(&self, count_ignored: bool) -> States {
        let root = self.root();
        let mut folders = Folders { base: root, open: Vec::new() };
        let mut states = States::default();
        let mut listed: HashMap<PathBuf, u64> = HashMap::from([(root.to_owned(), 0)]);
        let walker = self.walker(root, true).build();
        for entry in walker.flatten().filter(|it| it.depth() > 0) {
            if count_ignored {
                let above = entry.path().parent().map(Path::to_owned).unwrap_or_default();
                *listed.entry(above).or_default() += 1;
                if entry.file_type().is_some_and(|it| it.is_dir()) {
                    listed.entry(entry.path().to_owned()).or_default();
                }
            }
            if !entry.file_type().is_some_and(|it| it.is_file()) {
                continue;
            }
            // A name that is no text could not be read back by it.
            let Some(path) = entry.path().strip_prefix(root).ok().and_then(Path::to_str) else { continue };
            if is_secret(path) {
                continue;
            }
            // What vanished since it was listed is not there, nor is what became a link meanwhile.
            let Some(stat) = folders.look(entry.path()) else { continue };
            if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
                states.files.push(state(path, &stat));
            }
        }
        states.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        states.ignored = count_ignored.then(|| listed.iter().map(|(folder, it)| left_out(folder, *it)).sum());
        states
    }
}

/// How many entries of a folder were not listed, git's own folder aside.
fn left_out(folder: &Path, listed: u64) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let there = entries.filter(|it| it.file_name() != ".git").count() as u64;
    there.saturating_sub(listed)
}

// The widths of these fields differ between systems.
#[allow(clippy::unnecessary_cast, clippy::useless_conversion)]
fn state(path: &str, stat: &Stat) -> State {
    let nanos = |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
    State {
        path: path.to_owned(),
        size: u64::try_from(stat.st_size).unwrap_or(0),
        mtime: nanos(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        ctime: nanos(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        inode: stat.st_ino as u64,
        mode: stat.st_mode as u32,
    }
}

impl Tree {
    /// The bytes of a file that [`Tree::states`] listed, opened through no link. Nothing is remembered and nothing is
    /// suggested where it is gone.
    pub fn listed(&self, path: &str) -> std::io::Result<Vec<u8>> {
        let abs = self.root().join(path);
        let place = Located { base: self.root().to_owned(), abs, rel: path.to_owned() };
        let mut bytes = Vec::new();
        beneath::read(&place)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
