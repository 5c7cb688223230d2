//! GitLab: <https://docs.gitlab.com/api/merge_requests/> and <https://docs.gitlab.com/api/notes/>.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::pull_request::{NewPullRequest, PullRequest, State};

/// What a title begins with that marks a draft ("Draft merge requests").
const DRAFT: &str = "Draft: ";

pub(crate) fn headers(token: Option<&str>) -> Vec<(&'static str, String)> {
    token.map(|it| ("private-token", it.to_owned())).into_iter().collect()
}

pub(crate) fn created(new: &NewPullRequest) -> Value {
    let title = if new.draft { format!("{DRAFT}{}", new.title) } else { new.title.clone() };
    json!({"source_branch": new.head, "target_branch": new.base, "title": title, "description": quiet(&new.body)})
}

/// Text in which no line is a command to GitLab ("GitLab quick actions"): a backslash before the slash is not shown.
pub(crate) fn quiet(text: &str) -> String {
    let line = |it: &str| if it.trim_start().starts_with('/') { it.replacen('/', "\\/", 1) } else { it.to_owned() };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// What asks for the open ones from a branch.
pub(crate) fn query(head: &str, base: &str) -> Vec<(&'static str, String)> {
    let text = str::to_owned;
    vec![
        ("state", text("opened")),
        ("source_branch", text(head)),
        ("target_branch", text(base)),
        ("per_page", text("100")),
    ]
}

/// Branches of forks are listed too.
pub(crate) fn is_own(it: &Value) -> bool {
    it["source_project_id"] == it["target_project_id"]
}

/// A merge request.
pub(crate) fn read(answer: &Value) -> Result<PullRequest, serde_json::Error> {
    #[derive(Deserialize)]
    struct Raw {
        iid: u64,
        web_url: String,
        title: String,
        description: Option<String>,
        author: User,
        state: String,
        #[serde(default)]
        draft: bool,
        source_branch: String,
        target_branch: String,
        sha: Option<String>,
    }
    #[derive(Deserialize)]
    struct User {
        username: String,
    }
    let raw = Raw::deserialize(answer)?;
    Ok(PullRequest {
        number: raw.iid,
        url: raw.web_url,
        title: raw.title,
        body: raw.description.unwrap_or_default(),
        author: raw.author.username,
        state: match raw.state.as_str() {
            "opened" | "locked" => State::Open,
            "merged" => State::Merged,
            _ => State::Closed,
        },
        draft: raw.draft,
        head: raw.source_branch,
        commit: raw.sha.unwrap_or_default(),
        base: raw.target_branch,
    })
}
