//! What the history of commits says about files: how long ago they changed, how often, and with which others.
//!
//! It is handed commits as data. Commits that touch very many files say nothing about which belong together and are
//! left out, as is what no longer exists when it is asked for.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use tantivy::directory::OwnedBytes;

/// Commits with more files say nothing about what belongs together.
const WIDE: usize = 30;
/// What is said about more files than this is kept of none.
const REPORTED: usize = 40;
/// So many characters of a commit's name are kept.
pub(crate) const ID: usize = 12;
/// The most commits that count.
const COMMITS: usize = 3_000;
/// The most companions that are kept of a file.
const COMPANIONS: usize = 20;
/// After this time a change counts half, in days.
const HALF_LIFE: f64 = 180.0;
const DAY: f64 = 86_400.0;

/// A commit, as `repo` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its name.
    pub id: String,
    /// Seconds since 1970.
    pub time: i64,
    /// What was said about it.
    pub message: String,
    /// The files that it changed, relative to the project root.
    pub files: Vec<String>,
}

/// What is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct History {
    /// The commit that it was counted up to.
    pub(crate) head: String,
    /// Its time.
    newest: i64,
    files: Vec<Changed>,
    reported: Vec<Reported>,
}

/// A history that is read when it is first asked for: most questions of a session come before that.
#[derive(Debug)]
pub(crate) struct Past {
    /// As it lies in a manifest.
    pub(crate) bytes: OwnedBytes,
    known: OnceLock<History>,
}

impl Past {
    /// The history in a part of a manifest, whose checksum is right.
    pub(crate) fn read(bytes: OwnedBytes) -> Past {
        Past { bytes, known: OnceLock::new() }
    }
}

impl std::ops::Deref for Past {
    type Target = History;

    fn deref(&self) -> &History {
        self.known.get_or_init(|| postcard::from_bytes(&self.bytes).unwrap_or_default())
    }
}

impl Default for Past {
    fn default() -> Past {
        Past::read(OwnedBytes::empty())
    }
}

impl From<History> for Past {
    fn from(it: History) -> Past {
        let bytes = postcard::to_stdvec(&it).expect("a history can be written");
        Past { bytes: OwnedBytes::new(bytes), known: OnceLock::from(it) }
    }
}

/// What was said about some files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Reported {
    /// How the commit's name begins.
    id: String,
    message: String,
    files: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Changed {
    path: String,
    /// Time of the last change.
    last: i64,
    /// Changes, each halved with its age at the newest commit.
    churn: f32,
    /// Files that changed with it: position, and the share of its changes.
    with: Vec<(u32, f32)>,
}

impl History {
    /// Counts `commits`, newest first, up to `head`.
    pub(crate) fn new(head: &str, commits: &[Commit]) -> History {
        let commits = &commits[..commits.len().min(COMMITS)];
        let newest = commits.iter().map(|it| it.time).max().unwrap_or(0);
        let mut paths: Vec<&String> = commits.iter().flat_map(|it| &it.files).collect();
        paths.sort_unstable();
        paths.dedup();
        let past = |it: &&String| Changed { path: (*it).clone(), last: i64::MIN, churn: 0.0, with: Vec::new() };
        let mut files: Vec<Changed> = paths.iter().map(past).collect();
        let mut times = vec![0u32; files.len()];
        let mut pairs: HashMap<(u32, u32), u32> = HashMap::new();
        let mut reported = Vec::new();
        for commit in commits {
            let weight = 0.5f64.powf((newest - commit.time).max(0) as f64 / DAY / HALF_LIFE);
            let number = |path| u32::try_from(paths.binary_search(&path).ok()?).ok();
            let here: Vec<u32> = commit.files.iter().filter_map(number).collect();
            for &one in &here {
                files[one as usize].last = files[one as usize].last.max(commit.time);
            }
            if here.len() <= REPORTED && !here.is_empty() {
                let id = commit.id.chars().take(ID).collect();
                reported.push(Reported { id, message: commit.message.clone(), files: here.clone() });
            }
            if commit.files.len() > WIDE {
                continue;
            }
            for (at, &one) in here.iter().enumerate() {
                files[one as usize].churn += weight as f32;
                times[one as usize] += 1;
                for &other in &here[at + 1..] {
                    *pairs.entry((one.min(other), one.max(other))).or_default() += 1;
                }
            }
        }
        companions(&mut files, &times, &pairs);
        History { head: head.to_owned(), newest, files, reported }
    }

    /// Whole days between the last change of `path` and `now`, in seconds since 1970.
    pub(crate) fn recent(&self, path: &str, now: i64) -> Option<u32> {
        let days = (now - self.find(path)?.last).max(0) / 86_400;
        u32::try_from(days).ok()
    }

    /// How much `path` has changed lately; see [`crate::Snapshot::churn`].
    pub(crate) fn churn(&self, path: &str, now: i64) -> f32 {
        let age = 0.5f64.powf((now - self.newest).max(0) as f64 / DAY / HALF_LIFE);
        self.find(path).map_or(0.0, |it| it.churn * age as f32)
    }

    /// What changed together with `path`, most often first.
    pub(crate) fn together(&self, path: &str) -> Vec<(String, f32)> {
        let with = self.find(path).map(|it| it.with.as_slice()).unwrap_or_default();
        with.iter().map(|&(number, share)| (self.files[number as usize].path.clone(), share)).collect()
    }

    /// The commits of at most 40 files, newest first: how their names begin, what was said about them, and those files,
    /// whether or not they are still there.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (&str, &str, Vec<&str>)> {
        let path = |it: &u32| self.files[*it as usize].path.as_str();
        self.reported.iter().map(move |it| (it.id.as_str(), it.message.as_str(), it.files.iter().map(path).collect()))
    }

    fn find(&self, path: &str) -> Option<&Changed> {
        let at = self.files.binary_search_by(|it| it.path.as_str().cmp(path)).ok()?;
        self.files.get(at)
    }
}

/// Gives each file those that changed with it at least twice, or with its only change.
fn companions(all: &mut [Changed], times: &[u32], pairs: &HashMap<(u32, u32), u32>) {
    for (&(one, other), &count) in pairs {
        for (from, to) in [(one, other), (other, one)] {
            all[from as usize].with.push((to, count as f32 / times[from as usize].max(1) as f32));
        }
    }
    for past in all {
        // Files are in the order of their paths.
        past.with.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        past.with.truncate(COMPANIONS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: i64 = 20_000 * 86_400;

    fn commit(days: i64, files: &[&str]) -> Commit {
        let files = files.iter().map(|it| (*it).to_owned()).collect();
        Commit { id: days.to_string(), time: TODAY - days * 86_400, message: format!("day {days}"), files }
    }

    #[test]
    fn recent_changes_and_companions_are_counted() {
        let wide: Vec<String> = (0..=WIDE).map(|it| format!("w{it}")).collect();
        let mut wide: Vec<&str> = wide.iter().map(String::as_str).collect();
        wide.push("b");
        let commits = [commit(0, &["a", "b"]), commit(1, &wide), commit(180, &["b", "c"]), commit(360, &["a", "b"])];
        let history = History::new("head", &commits);
        assert_eq!(history.recent("a", TODAY), Some(0));
        assert_eq!(history.recent("w1", TODAY), Some(1));
        assert_eq!(history.recent("absent", TODAY), None);
        assert_eq!(history.churn("a", TODAY), 1.25);
        assert_eq!(history.churn("b", TODAY + 180 * 86_400), (1.0 + 0.5 + 0.25) / 2.0);
        assert_eq!(history.churn("w1", TODAY), 0.0);
        let names = |path| history.together(path).into_iter().map(|(it, _)| it).collect::<Vec<_>>().join(" ");
        assert_eq!(names("b"), "a c");
        assert_eq!(names("a"), "b");
        assert_eq!(history.together("a")[0].1, 1.0);
        assert_eq!(names("w1"), "");
        let reported: Vec<(&str, &str, Vec<&str>)> = history.messages().collect();
        assert_eq!((reported.len(), &reported[2]), (4, &("180", "day 180", vec!["b", "c"])));
    }
}
