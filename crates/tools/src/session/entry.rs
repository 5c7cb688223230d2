//! What is at a path of this machine, for whoever judges command lines.

use std::fs;
use std::path::Path;

use ox_shell::Entry;

/// What is at `path`, its last part not followed.
pub fn entry_at(path: &Path) -> Entry {
    match fs::symlink_metadata(path) {
        Err(_) => Entry::Missing,
        Ok(it) if it.is_symlink() => fs::read_link(path).map_or(Entry::Missing, Entry::Symlink),
        Ok(it) if it.is_dir() => Entry::Directory,
        Ok(_) => Entry::File,
    }
}
