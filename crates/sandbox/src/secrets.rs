//! Files of secrets beneath a folder, found by one walk.
//!
//! What a project ignores is passed over, for that is where packages and builds lie, unless its name says that it holds
//! secrets. What comes to be after the walk is not hidden.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ox_protocol::names::is_secret;

/// Entries that are looked at; a project with more of them is not looked through to its end.
const ENTRIES: usize = 200_000;
/// Secrets that are hidden; each is a mount.
const MOST: usize = 1_000;
/// A walk is made again once so many times its own duration has passed: it never takes more than a twentieth of the time.
const REST: u32 = 20;

/// What a walk found, when, and how long it took.
struct Walk {
    found: Vec<PathBuf>,
    at: Instant,
    took: Duration,
}

/// The files of secrets beneath `root`, by their names.
pub(crate) fn beneath(root: &Path) -> Vec<PathBuf> {
    static KNOWN: Mutex<Option<HashMap<PathBuf, Walk>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(walk) = known.get(root).filter(|it| it.at.elapsed() < it.took * REST) {
        return walk.found.clone();
    }
    let start = Instant::now();
    let found = look(root);
    known.insert(root.to_owned(), Walk { found: found.clone(), at: Instant::now(), took: start.elapsed() });
    found
}

fn look(root: &Path) -> Vec<PathBuf> {
    let ignored = |folder: &Path| -> Option<Gitignore> {
        let file = folder.join(".gitignore");
        let mut rules = GitignoreBuilder::new(folder);
        // A line that cannot be read ignores nothing.
        (file.is_file() && rules.add(file).is_none()).then(|| rules.build().ok()).flatten()
    };
    let (mut found, mut seen) = (Vec::new(), 0);
    let mut left = vec![(root.to_owned(), Vec::<std::sync::Arc<Gitignore>>::new())];
    while let Some((folder, mut rules)) = left.pop() {
        rules.extend(ignored(&folder).map(std::sync::Arc::new));
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > ENTRIES || found.len() >= MOST {
                return found;
            }
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            let Some(rel) = path.strip_prefix(root).ok().and_then(Path::to_str) else { continue };
            if kind.is_dir() {
                let keeps_keys = is_secret(&format!("{rel}/x"));
                let passed = rules.iter().any(|it| it.matched(&path, true).is_ignore());
                if entry.file_name() != ".git" && (!passed || keeps_keys) {
                    left.push((path, rules.clone()));
                }
            } else if is_secret(rel) && path.is_file() {
                found.push(path);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_at_any_depth_but_not_among_packages() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(".gitignore"), "node_modules\nsecrets/\n.env\n").unwrap();
        let secret = [".env.test", "pkg/api/.env", "secrets/key.pem", "a/b/c/id_rsa", "deploy/.env.production"];
        let open = [".env.example", "node_modules/x/.env", "tests/server.pem", "src/main.rs", ".git/.env"];
        for name in secret.iter().chain(&open) {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let mut found = look(dir.path());
        found.sort();
        let mut expected: Vec<PathBuf> = secret.iter().map(|it| dir.path().join(it)).collect();
        expected.sort();
        assert_eq!(found, expected);
    }
}
