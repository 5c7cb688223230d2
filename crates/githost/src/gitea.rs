//! Gitea and Forgejo: `/swagger.v1.json` of any server, for example <https://codeberg.org/api/swagger>.

use serde_json::{Value, json};

use crate::pull_request::NewPullRequest;

/// What a title begins with that marks a draft: the first of `WORK_IN_PROGRESS_PREFIXES` by default.
const DRAFT: &str = "WIP: ";

pub(crate) fn headers(token: Option<&str>) -> Vec<(&'static str, String)> {
    token.map(|it| ("authorization", format!("token {it}"))).into_iter().collect()
}

pub(crate) fn created(new: &NewPullRequest) -> Value {
    let title = if new.draft { format!("{DRAFT}{}", new.title) } else { new.title.clone() };
    json!({"title": title, "body": new.body, "head": new.head, "base": new.base})
}

/// What asks for the open ones: the list cannot be asked for a branch.
pub(crate) fn query() -> Vec<(&'static str, String)> {
    vec![("state", "open".to_owned()), ("limit", "50".to_owned())]
}

/// Whether one is from this branch of the repository itself to that one.
pub(crate) fn is_from(it: &Value, head: &str, base: &str) -> bool {
    let own = it["head"]["repo_id"] == it["base"]["repo_id"];
    own && it["head"]["ref"] == head && it["base"]["ref"] == base
}
