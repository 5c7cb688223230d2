//! GitHub: <https://docs.github.com/en/rest/pulls/pulls> and <https://docs.github.com/en/rest/issues/comments>.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::pull_request::{NewPullRequest, PullRequest, State};

/// What is asked for as JSON ("Media types").
pub(crate) const JSON: &str = "application/vnd.github+json";
/// What a pull request is asked for as a diff.
pub(crate) const DIFF: &str = "application/vnd.github.diff";
/// The version of the interface ("API Versions"), which Enterprise Server has since 3.9.
const VERSION: &str = "2022-11-28";

pub(crate) fn headers(token: Option<&str>) -> Vec<(&'static str, String)> {
    let token = token.map(|it| ("authorization", format!("Bearer {it}")));
    [("x-github-api-version", VERSION.to_owned())].into_iter().chain(token).collect()
}

pub(crate) fn created(new: &NewPullRequest) -> Value {
    json!({"title": new.title, "body": new.body, "head": new.head, "base": new.base, "draft": new.draft})
}

/// What asks for the open ones from a branch; `head` is `user:branch` there.
pub(crate) fn query(owner: &str, head: &str, base: &str) -> Vec<(&'static str, String)> {
    let text = str::to_owned;
    vec![("state", text("open")), ("head", format!("{owner}:{head}")), ("base", text(base)), ("per_page", text("100"))]
}

/// A pull request, which Gitea writes with the same names.
pub(crate) fn read(answer: &Value) -> Result<PullRequest, serde_json::Error> {
    #[derive(Deserialize)]
    struct Raw {
        number: u64,
        html_url: String,
        title: String,
        body: Option<String>,
        user: Option<User>,
        state: String,
        #[serde(default)]
        draft: bool,
        #[serde(default)]
        merged_at: Option<String>,
        head: Branch,
        base: Branch,
    }
    #[derive(Deserialize)]
    struct User {
        login: String,
    }
    #[derive(Deserialize)]
    struct Branch {
        #[serde(rename = "ref")]
        name: String,
        #[serde(default)]
        sha: String,
    }
    let raw = Raw::deserialize(answer)?;
    Ok(PullRequest {
        number: raw.number,
        url: raw.html_url,
        title: raw.title,
        body: raw.body.unwrap_or_default(),
        // The account may be gone.
        author: raw.user.map_or_else(|| "ghost".to_owned(), |it| it.login),
        state: match raw.state.as_str() {
            "open" => State::Open,
            _ if raw.merged_at.is_some() => State::Merged,
            _ => State::Closed,
        },
        draft: raw.draft,
        head: raw.head.name,
        commit: raw.head.sha,
        base: raw.base.name,
    })
}
