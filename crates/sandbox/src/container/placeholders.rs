//! Mount points that a daemon makes where a name is to be covered that does not exist, taken away again with the last
//! container that covers it. Only empty folders are ever removed: whatever somebody put there stays.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many containers of this process cover each name.
static COVERED: Mutex<Option<HashMap<PathBuf, usize>>> = Mutex::new(None);

/// The names that one container covers.
pub(super) struct Placeholders(Vec<PathBuf>);

impl Placeholders {
    /// Notes that `paths` are covered until this is dropped.
    pub(super) fn take(paths: &[PathBuf]) -> Placeholders {
        let mut covered = covered();
        let all = covered.get_or_insert_default();
        paths.iter().for_each(|it| *all.entry(it.clone()).or_default() += 1);
        Placeholders(paths.to_vec())
    }
}

impl Drop for Placeholders {
    fn drop(&mut self) {
        let mut covered = covered();
        let all = covered.get_or_insert_default();
        for path in &self.0 {
            let Some(count) = all.get_mut(path) else { continue };
            *count -= 1;
            if *count == 0 {
                all.remove(path);
                // It is not there when the container was never made, and not empty when it is somebody's.
                let _ = std::fs::remove_dir(path);
            }
        }
    }
}

fn covered() -> MutexGuard<'static, Option<HashMap<PathBuf, usize>>> {
    COVERED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_takes_it_away_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let (empty, full) = (dir.path().join("empty"), dir.path().join("full"));
        std::fs::create_dir(&empty).unwrap();
        std::fs::create_dir(&full).unwrap();
        std::fs::write(full.join("x"), "").unwrap();
        let all = [empty.clone(), full.clone(), dir.path().join("never")];
        let first = Placeholders::take(&all);
        let second = Placeholders::take(&all[..1]);
        drop(first);
        assert!(empty.exists() && full.exists());
        drop(second);
        assert!(!empty.exists() && full.exists());
    }
}
