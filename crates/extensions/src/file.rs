//! Reading files that somebody else wrote: bounded, as text, and never outside the folder that they belong to.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// The longest file that is read, in bytes.
pub const LONGEST: u64 = 256 << 10;

/// The most entries of a folder that are looked at.
const ENTRIES: usize = 500;
/// The most files of a plugin.
const FILES: usize = 5_000;

/// The text of a file.
///
/// # Errors
/// Why it is not read, in words.
pub(crate) fn read(path: &Path, within: Option<&Path>) -> Result<String, String> {
    let real = place(path, within)?;
    let facts = real.metadata().map_err(|it| it.to_string())?;
    if !facts.is_file() {
        return Err("it is no file".to_owned());
    }
    if facts.len() > LONGEST {
        return Err(format!("it has {} bytes, and {LONGEST} are the most", facts.len()));
    }
    let mut bytes = Vec::new();
    // It may grow while it is read.
    File::open(&real).and_then(|it| it.take(LONGEST).read_to_end(&mut bytes)).map_err(|it| it.to_string())?;
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}

/// The file itself, links followed.
fn place(path: &Path, within: Option<&Path>) -> Result<PathBuf, String> {
    let real = path.canonicalize().map_err(|it| it.to_string())?;
    match within.map(Path::canonicalize) {
        None => Ok(real),
        Some(Ok(folder)) if real.starts_with(&folder) => Ok(real),
        Some(Ok(folder)) => Err(format!("it is a link that leads out of {}", folder.display())),
        Some(Err(error)) => Err(error.to_string()),
    }
}

/// The entries of a folder, by name; empty where there is no such folder.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut all: Vec<PathBuf> = entries.filter_map(|it| Some(it.ok()?.path())).take(ENTRIES).collect();
    all.sort();
    all
}

/// The files in a folder and the folders below it, by path: as many as are looked at. Links to folders are not followed.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    walk(folder, ENTRIES).0
}

/// All files of a skill, by path.
///
/// # Errors
/// There are too many, in words.
pub(crate) fn some_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    all_of(folder, ENTRIES)
}

/// All files of a plugin, by path.
///
/// # Errors
/// There are too many, in words.
pub(crate) fn all_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    all_of(folder, FILES)
}

fn all_of(folder: &Path, most: usize) -> Result<Vec<PathBuf>, String> {
    match walk(folder, most) {
        (all, true) => Ok(all),
        (_, false) => Err(format!("it has more than {most} files")),
    }
}

/// The files, and whether these are all; what git keeps is left out.
fn walk(folder: &Path, most: usize) -> (Vec<PathBuf>, bool) {
    let (mut all, mut open) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(it) if it.is_dir() && entry.file_name() != ".git" => open.push(path),
                Ok(it) if !it.is_dir() => all.push(path),
                _ => {}
            }
            if all.len() + open.len() > most {
                return (all, false);
            }
        }
    }
    all.sort();
    (all, true)
}

/// Equal for equal bytes only.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|it| format!("{it:02x}")).collect()
}

/// The name of a file without its ending.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// True for a name that can stand in a line of words: letters, digits, `-`, `_` and `.`.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 64 && name.chars().all(|it| it.is_alphanumeric() || "-_.".contains(it))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_short_texts_within_their_folder_are_read() {
        let place = tempfile::tempdir().unwrap();
        let (root, other) = (place.path().join("a"), place.path().join("b.md"));
        fs::create_dir_all(root.join("folder.md")).unwrap();
        fs::write(&other, "secret").unwrap();
        fs::write(root.join("good.md"), "text").unwrap();
        fs::write(root.join("bytes.md"), [0xff, 0xfe, 0]).unwrap();
        fs::write(root.join("long.md"), "x".repeat(LONGEST as usize + 1)).unwrap();
        symlink(&other, root.join("out.md")).unwrap();
        symlink(root.join("good.md"), root.join("in.md")).unwrap();
        let said = |name: &str| read(&root.join(name), Some(&root)).unwrap_or_else(|why| format!("! {why}"));
        assert_eq!((said("good.md"), said("in.md")), ("text".to_owned(), "text".to_owned()));
        assert_eq!(said("bytes.md"), "! it is not UTF-8 text");
        assert_eq!(said("long.md"), format!("! it has {} bytes, and {LONGEST} are the most", LONGEST + 1));
        assert!(said("out.md").starts_with("! it is a link that leads out of"), "{}", said("out.md"));
        assert_eq!(said("folder.md"), "! it is no file");
        assert_eq!(read(&root.join("out.md"), None), Ok("secret".to_owned()));
    }
}
