//! A pull request, whatever its host calls it.

/// How a pull request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It can be merged.
    Open,
    /// It was closed without being merged.
    Closed,
    /// It was merged.
    Merged,
}

/// A pull request (GitLab: a merge request) as its host tells it. Title, body and author are words of others: data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequest {
    /// Its number in its repository (GitLab: the `iid`).
    pub number: u64,
    /// The address of its page.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Its description, in Markdown; may be empty.
    pub body: String,
    /// The account that opened it.
    pub author: String,
    /// How it stands.
    pub state: State,
    /// True where it is marked as not ready.
    pub draft: bool,
    /// The branch that it comes from.
    pub head: String,
    /// The last commit of that branch, in hexadecimal.
    pub commit: String,
    /// The branch that it goes to.
    pub base: String,
}

/// A pull request that is to be opened. Both branches are in the repository itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPullRequest {
    /// Its title.
    pub title: String,
    /// Its description, in Markdown.
    pub body: String,
    /// The branch that it comes from.
    pub head: String,
    /// The branch that it goes to.
    pub base: String,
    /// True to mark it as not ready.
    pub draft: bool,
}
