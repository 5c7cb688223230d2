//! Which files changed together, and when: a listing of commits by git, as a job to run and a parser of its answer.
//!
//! Starts nothing and believes nothing but names and times.

use std::path::Path;
use std::time::Duration;

use ox_protocol::Job;

use crate::git;

/// Commits that are looked at.
pub const COMMITS: usize = 3_000;
/// A large repository takes a while; nobody waits for it.
const TIME: Duration = Duration::from_secs(60);
/// The most bytes of answer; what is beyond is older.
const OUTPUT: usize = 32 << 20;

/// Bytes of a message that are kept.
pub const MESSAGE: usize = 1_000;

/// What a commit did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastCommit {
    /// Its full name.
    pub id: String,
    /// When it was made, in seconds since 1970.
    pub time: i64,
    /// What was said about it: its subject and body, cut at [`MESSAGE`] bytes.
    pub message: String,
    /// The files that it changed below the root, relative to it.
    pub files: Vec<String>,
}

/// The job that prints the name of the commit that is checked out.
pub fn head_job(root: &Path) -> Job {
    git::question(root, &["rev-parse", "--verify", "--quiet", "HEAD"])
}

/// The job that lists the last [`COMMITS`] commits, newest first, merges left out. Its answer goes to [`commits`].
pub fn job(root: &Path) -> Job {
    let limit = format!("--max-count={COMMITS}");
    let args = [
        "log",
        &limit,
        "--no-merges",
        "--no-renames",
        "--name-only",
        "-z",
        "--relative",
        "--format=%x01%H %ct%n%s%n%b%x02",
    ];
    let mut job = git::question(root, &args);
    job.rights.time = TIME;
    job.rights.output = OUTPUT;
    job
}

/// Reads the answer of [`job`]. What does not look like it is passed over.
pub fn commits(answer: &[u8]) -> Vec<PastCommit> {
    let mut all: Vec<PastCommit> = Vec::new();
    // Neither names nor messages can hold the byte that parts them.
    for part in answer.split(|it| *it == 0) {
        let text = String::from_utf8_lossy(part);
        let text = text.trim_start_matches('\n');
        match text.strip_prefix('\u{1}') {
            Some(head) => all.extend(commit(head)),
            None => {
                if let (Some(commit), false) = (all.last_mut(), text.is_empty()) {
                    commit.files.push(text.to_owned());
                }
            }
        }
    }
    all
}

/// Name and time on the first line, then what was said.
fn commit(text: &str) -> Option<PastCommit> {
    let (head, said) = text.split_once('\n').unwrap_or((text, ""));
    let (id, time) = head.split_once(' ')?;
    let mut message = said.trim_end_matches('\u{2}').trim().to_owned();
    message.truncate(message.floor_char_boundary(MESSAGE));
    Some(PastCommit { id: id.to_owned(), time: time.parse().ok()?, message, files: Vec::new() })
}
