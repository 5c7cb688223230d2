//! What Ox keeps about one project among the user's own files: a folder per project, small JSON files in it.
//!
//! Nothing of it ever lies in the project, so no project can write its own. A page is replaced as a whole or not at all,
//! and two processes that change the same page do so one after the other.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ox_protocol::Problem;
use ox_repo::Hash;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::private_file::{private_folder, replace};

/// The pages about one project.
#[derive(Clone, Debug)]
pub struct ProjectState {
    folder: PathBuf,
    root: String,
}

/// A page as it lies on the disk. The root is there for people and for lists.
#[derive(Serialize, Deserialize)]
struct Page<T> {
    root: String,
    kept: T,
}

impl ProjectState {
    /// The pages about the project at `root` in the folder `state`. Links are followed, so that a project is the same one
    /// by whatever way it is reached. Nothing is made or read yet.
    pub fn of(state: &Path, root: &Path) -> ProjectState {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        let mut number = Hash::of(root.as_os_str().as_encoded_bytes()).to_string();
        number.truncate(16);
        let last = root.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let name: String = last.chars().map(plain).take(40).collect();
        let folder = state.join("projects").join(format!("{name}-{number}"));
        ProjectState { folder, root: root.to_string_lossy().into_owned() }
    }

    /// Where a page is.
    pub fn file(&self, page: &str) -> PathBuf {
        self.folder.join(format!("{page}.json"))
    }

    /// What a page says; none where it was never written. A page that cannot be understood is an error.
    pub fn read<T: DeserializeOwned>(&self, page: &str) -> Result<Option<T>, Problem> {
        Ok(read(&self.file(page))?.map(|(_, kept)| kept))
    }

    /// Changes a page; what was never written begins empty.
    pub fn change<T, R>(&self, page: &str, change: impl FnOnce(&mut T) -> R) -> Result<R, Problem>
    where
        T: DeserializeOwned + Serialize + Default,
    {
        let file = self.file(page);
        let unwritable = |error: std::io::Error| problem("config.unwritable", &file, &error);
        private_folder(&self.folder).map_err(unwritable)?;
        // Held until the end of the function; the system gives it back when the process dies.
        let lock = fs::OpenOptions::new().create(true).truncate(false).write(true).open(self.folder.join(".lock"));
        let lock = lock.map_err(unwritable)?;
        lock.lock().map_err(unwritable)?;
        let mut kept = self.read::<T>(page)?.unwrap_or_default();
        let answer = change(&mut kept);
        let text = serde_json::to_string_pretty(&Page { root: self.root.clone(), kept })
            .expect("invariant: a page holds nothing that JSON cannot");
        replace(&file, &text).map_err(unwritable)?;
        Ok(answer)
    }
}

/// What the page of this name says about every project that has it, with the project's root; sorted by root. A page that
/// cannot be understood is left out.
pub fn every<T: DeserializeOwned>(state: &Path, page: &str) -> Vec<(PathBuf, T)> {
    let folders = fs::read_dir(state.join("projects")).into_iter().flatten().flatten();
    let pages = folders.filter_map(|it| read(&it.path().join(format!("{page}.json"))).ok().flatten());
    let mut all: Vec<(PathBuf, T)> = pages.map(|(root, kept)| (PathBuf::from(root), kept)).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

fn read<T: DeserializeOwned>(file: &Path) -> Result<Option<(String, T)>, Problem> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(problem("config.unreadable", file, &error)),
    };
    let page: Page<T> = serde_json::from_str(&text).map_err(|error| problem("ledger.broken", file, &error))?;
    Ok(Some((page.root, page.kept)))
}

fn problem(code: &str, file: &Path, why: &dyn std::fmt::Display) -> Problem {
    Problem::new(code).with("file", file.display()).with("why", why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_the_same_by_every_way_to_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let (state, real, link) = (folder.path().join("s"), folder.path().join("real"), folder.path().join("link"));
        fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        ProjectState::of(&state, &link).change("list", |it: &mut Vec<u32>| it.push(7)).unwrap();
        ProjectState::of(&state, &real).change("list", |it: &mut Vec<u32>| it.push(8)).unwrap();
        assert_eq!(ProjectState::of(&state, &real.join(".")).read("list"), Ok(Some(vec![7, 8])));
        assert_eq!(ProjectState::of(&state, &real).read::<Vec<u32>>("other"), Ok(None));
        assert_eq!(every::<Vec<u32>>(&state, "list"), [(real.canonicalize().unwrap(), vec![7, 8])]);
    }

    #[test]
    fn a_broken_page_is_named_and_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = ProjectState::of(folder.path(), folder.path());
        ledger.change("list", |it: &mut Vec<u32>| it.push(7)).unwrap();
        fs::write(ledger.file("list"), "{\"root\": ").unwrap();
        assert_eq!(ledger.read::<Vec<u32>>("list").unwrap_err().code, "ledger.broken");
        assert_eq!(ledger.change("list", |it: &mut Vec<u32>| it.push(7)).unwrap_err().code, "ledger.broken");
        assert_eq!(fs::read_to_string(ledger.file("list")).unwrap(), "{\"root\": ");
    }

    #[test]
    fn changes_side_by_side_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let path = folder.path();
                scope.spawn(move || {
                    ProjectState::of(path, path).change("list", |it: &mut Vec<u32>| it.push(number)).unwrap()
                });
            }
        });
        let mut all: Vec<u32> = ProjectState::of(folder.path(), folder.path()).read("list").unwrap().unwrap();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
