//! What is to be reviewed, and where git has it.

use ox_githost::PullRequestUrl;
use ox_protocol::Problem;

use super::git::Repository;

/// Git's name of the tree without any file.
const EMPTY: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/// Where a branch may have begun, the likeliest first.
const TRUNKS: [&str; 6] = ["@{upstream}", "origin/HEAD", "origin/main", "origin/master", "main", "master"];

/// What is to be reviewed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Subject {
    /// What is not committed; where all is, the branch since it left its trunk.
    #[default]
    Current,
    /// What is staged.
    Staged,
    /// What two revisions differ in, as git writes it.
    Range(String),
    /// A pull request of the project's remote, by its number.
    Pull(u32),
    /// A pull request by the URL of its page.
    Page(String),
}

impl Subject {
    /// What the words after `review` name. Nothing but digits is a pull request.
    pub fn of(word: Option<&str>, staged: bool) -> Subject {
        match word.map(str::trim).filter(|it| !it.is_empty()) {
            _ if staged => Subject::Staged,
            None => Subject::Current,
            Some("--staged" | "--cached") => Subject::Staged,
            Some(word) if PullRequestUrl::parse(word).is_some() => Subject::Page(word.to_owned()),
            Some(word) => match word.trim_start_matches(['#', '!']).parse() {
                Ok(number) => Subject::Pull(number),
                Err(_) => Subject::Range(word.to_owned()),
            },
        }
    }

    /// How a host is asked for it; none where it is no pull request.
    pub(super) fn word(&self) -> Option<String> {
        match self {
            Subject::Pull(number) => Some(number.to_string()),
            Subject::Page(url) => Some(url.clone()),
            _ => None,
        }
    }
}

/// Where the text of a file is once the change is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// In the working tree.
    Tree,
    /// In git, under this prefix: a revision and a colon.
    Git(String),
    /// Nowhere here: only the diff is known.
    Diff,
}

/// A change that was found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// What it is, for people.
    pub about: Problem,
    /// What `git diff` is asked for.
    pub diff: Vec<String>,
    pub side: Side,
    /// New files that git does not know belong to it.
    pub untracked: bool,
    /// The working tree is at its end.
    pub checked_out: bool,
}

impl Found {
    fn range(about: Problem, from: &str, to: &str, git: &Repository<'_>) -> Result<Found, Problem> {
        let checked_out = git.commit("HEAD")?.is_some_and(|it| it == to) && git.changes()?.is_empty();
        let (diff, side) = (vec![from.to_owned(), to.to_owned()], Side::Git(format!("{to}:")));
        Ok(Found { about, diff, side, untracked: false, checked_out })
    }
}

/// Finds what is meant.
pub(super) fn find(subject: &Subject, git: &Repository<'_>) -> Result<Found, Problem> {
    let head = git.commit("HEAD")?;
    let base = head.clone().unwrap_or_else(|| EMPTY.to_owned());
    match subject {
        Subject::Current if git.changes()?.is_empty() => branch(head.as_deref(), git),
        Subject::Current => Ok(Found {
            about: Problem::new("review.about.current"),
            diff: vec![base],
            side: Side::Tree,
            untracked: true,
            checked_out: true,
        }),
        Subject::Staged => Ok(Found {
            about: Problem::new("review.about.staged"),
            diff: vec!["--cached".to_owned(), base],
            side: Side::Git(":".to_owned()),
            untracked: false,
            checked_out: true,
        }),
        Subject::Range(words) => range(words, git),
        Subject::Pull(number) => pull(*number, git),
        // A host that is known was asked, and one that is not has said so.
        Subject::Page(url) => Err(Problem::new("review.no_revision").with("name", url)),
    }
}

/// The branch since it left the first trunk that it is ahead of.
fn branch(head: Option<&str>, git: &Repository<'_>) -> Result<Found, Problem> {
    for trunk in TRUNKS {
        let Some(base) = git.base(trunk, "HEAD")? else { continue };
        if let Some(head) = head.filter(|it| *it != base) {
            let about = Problem::new("review.about.branch").with("trunk", trunk);
            return Found::range(about, &base, head, git);
        }
    }
    Err(Problem::new("review.nothing"))
}

/// `A..B`, `A...B`, or `A` for what came since the commit that it shares with what is checked out.
fn range(words: &str, git: &Repository<'_>) -> Result<Found, Problem> {
    let unknown = |name: &str| Problem::new("review.no_revision").with("name", name);
    let (from, to, shared) = match (words.split_once("..."), words.split_once("..")) {
        (Some((from, to)), _) => (from, to, true),
        (None, Some((from, to))) => (from, to, false),
        (None, None) => (words, "HEAD", true),
    };
    let [from, to] = [from, to].map(|it| if it.is_empty() { "HEAD" } else { it });
    let start = git.commit(from)?.ok_or_else(|| unknown(from))?;
    let end = git.commit(to)?.ok_or_else(|| unknown(to))?;
    let start = if shared { git.base(&start, &end)?.unwrap_or(start) } else { start };
    Found::range(Problem::new("review.about.range").with("range", words), &start, &end, git)
}

/// What a pull request adds to the trunk of `origin`.
fn pull(number: u32, git: &Repository<'_>) -> Result<Found, Problem> {
    let end = git.fetch(number)?;
    let trunks = TRUNKS.iter().filter(|it| it.starts_with("origin/")).chain(&["main", "master"]);
    for trunk in trunks {
        if let Some(start) = git.base(trunk, &end)? {
            let about = Problem::new("review.about.pull").with("number", number).with("trunk", trunk);
            return Found::range(about, &start, &end, git);
        }
    }
    Err(Problem::new("review.no_trunk").with("number", number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_what_is_reviewed() {
        let range = |it: &str| Subject::Range(it.to_owned());
        let table = [
            (None, false, Subject::Current),
            (Some(" "), false, Subject::Current),
            (None, true, Subject::Staged),
            (Some("--staged"), false, Subject::Staged),
            (Some("12"), false, Subject::Pull(12)),
            (Some("#12"), false, Subject::Pull(12)),
            (Some("!12"), false, Subject::Pull(12)),
            (
                Some("https://gitlab.com/g/r/-/merge_requests/3"),
                false,
                Subject::Page("https://gitlab.com/g/r/-/merge_requests/3".to_owned()),
            ),
            (Some("main..HEAD"), false, range("main..HEAD")),
            (Some("v1.2"), false, range("v1.2")),
        ];
        for (word, staged, expected) in table {
            assert_eq!(Subject::of(word, staged), expected, "{word:?}");
        }
    }
}
