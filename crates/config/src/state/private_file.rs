//! Files and folders that only their owner may read; a file is replaced as a whole or not at all.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// Makes the folder, for the user alone.
pub fn private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes the whole file or nothing of it, readable by the user alone.
pub fn replace(file: &Path, text: &str) -> std::io::Result<()> {
    let beside = file.with_extension(format!("new.{}", std::process::id()));
    // What a power cut left of an earlier try may have other rights.
    let _ = fs::remove_file(&beside);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let write = |mut it: File| it.write_all(text.as_bytes()).and_then(|()| it.sync_all());
    let moved = options.open(&beside).and_then(write).and_then(|()| fs::rename(&beside, file));
    if moved.is_err() {
        let _ = fs::remove_file(&beside);
    }
    moved
}
