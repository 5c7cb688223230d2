//! Answers of checks kept across turns and conversations: the same tree, the same command and the same programs need no
//! second baseline. Never used to prove anything, only for what was so before an edit.
//!
//! Only that a check passed is kept, in a small file named after all that it depends on. A failure would bring its output
//! along, and could hide a new one where the world around the tree has changed since.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ox_protocol::{Check, CheckResult, CheckStatus};
use ox_repo::{Hash, Tree};

use super::unavailable::needs;
use crate::command::folder;
use crate::paths::joined;

/// The most answers of one project.
const MOST: usize = 200;
/// How long an answer holds.
const FRESH: Duration = Duration::from_secs(7 * 24 * 3600);
/// What is installed beside the sources and ignored with them: a change there changes what a check says.
const INSTALLED: &str = "node_modules node_modules/.package-lock.json .venv .venv/lib .venv/pyvenv.cfg venv venv/lib vendor \
    vendor/composer/installed.json deps .env .env.test";

/// The answers of one project.
#[derive(Clone, Debug)]
pub struct Kept(PathBuf);

impl Kept {
    /// Answers in this folder, which is made when there is one to keep.
    pub fn new(folder: PathBuf) -> Kept {
        Kept(folder)
    }

    /// What `check` said over the tree with this stamp, where that is known and fresh.
    pub(super) fn find(&self, check: &Check, tree: &Tree, stamp: &str) -> Option<CheckResult> {
        let path = self.0.join(key(check, tree, stamp)?);
        let age = SystemTime::now().duration_since(fs::metadata(&path).ok()?.modified().ok()?).ok()?;
        let result: CheckResult = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        // The name is only a digest.
        (age <= FRESH && result.check.command == check.command).then(|| CheckResult { check: check.clone(), ..result })
    }

    /// Keeps an answer. One that cannot be written is found out again.
    pub(super) fn keep(&self, result: &CheckResult, tree: &Tree, stamp: &str) {
        let plain = result.status == CheckStatus::Passed && result.wrote.is_empty() && result.flaky.is_empty();
        let Some(name) = key(&result.check, tree, stamp).filter(|_| plain) else { return };
        let Ok(text) = serde_json::to_vec(result) else { return };
        let half = self.0.join(format!("{name}.{:08x}", fastrand::u32(..)));
        let written = fs::create_dir_all(&self.0).and_then(|()| fs::write(&half, text));
        let _ = written.and_then(|()| fs::rename(&half, self.0.join(name)));
        self.shrink();
    }

    fn shrink(&self) {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut files: Vec<(SystemTime, PathBuf)> =
            entries.filter_map(|it| Some((it.metadata().ok()?.modified().ok()?, it.path()))).collect();
        files.sort_unstable();
        let more = files.len().saturating_sub(MOST);
        files.drain(..more).for_each(|it| drop(fs::remove_file(it.1)));
    }
}

/// A name made of all that an answer depends on; none where that is not known.
fn key(check: &Check, tree: &Tree, stamp: &str) -> Option<String> {
    let stat = |it: &Path| fs::metadata(it).ok().map(|it| (it.len(), it.modified().ok()));
    let mut text = format!("{} {stamp} {} {}\n", env!("CARGO_PKG_VERSION"), check.limit_ms, check.command);
    for program in needs(check, tree).ok()? {
        let _ = writeln!(text, "{} {:?}", program.display(), stat(&program));
    }
    for place in INSTALLED.split_whitespace() {
        for dir in ["", folder(&check.command)] {
            let _ = write!(text, "{:?} ", stat(&tree.root().join(joined(dir, place))));
        }
    }
    Some(Hash::of(text.as_bytes()).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ox_protocol::CheckKind;

    #[test]
    fn an_answer_is_found_again_until_something_changes() {
        let dir = tempfile::tempdir().expect("a temporary folder can be made");
        let root = dir.path().join("project");
        fs::create_dir_all(&root).expect("folders can be made");
        let tree = Tree::open(&root, &[]).expect("the folder exists");
        let kept = Kept::new(dir.path().join("kept"));
        let check = Check::new("t", CheckKind::Test, "sh run", 1, "x");
        let passed = CheckResult::ended(check.clone(), CheckStatus::Passed);
        kept.keep(&passed, &tree, "one");
        assert_eq!(kept.find(&check, &tree, "one"), Some(passed.clone()));
        assert_eq!(kept.find(&check, &tree, "two"), None, "another tree");
        assert_eq!(kept.find(&Check { limit_ms: 2, ..check.clone() }, &tree, "one"), None, "another limit");
        fs::create_dir(root.join("node_modules")).expect("folders can be made");
        assert_eq!(kept.find(&check, &tree, "one"), None, "something was installed");
        for (stamp, status) in [("cut", CheckStatus::TimedOut), ("red", CheckStatus::Failed)] {
            kept.keep(&CheckResult::ended(check.clone(), status), &tree, stamp);
            assert_eq!(kept.find(&check, &tree, stamp), None, "{status:?} is not kept");
        }
        kept.keep(&passed, &tree, "old");
        let file = fs::File::options().write(true).open(kept.0.join(key(&check, &tree, "old").expect("it is known")));
        let old = SystemTime::now() - FRESH - Duration::from_secs(1);
        file.expect("it was kept").set_modified(old).expect("times can be set");
        assert_eq!(kept.find(&check, &tree, "old"), None, "it passed long ago");
        (0..MOST + 5).for_each(|it| kept.keep(&passed, &tree, &it.to_string()));
        assert_eq!(fs::read_dir(&kept.0).expect("it is there").count(), MOST);
    }
}
