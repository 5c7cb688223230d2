//! `open_pull_request`: pushes the branch that is checked out and opens a pull request for it. What the checks said is added by
//! Ox; the model's words stand above that. Nothing is forced, merged or closed, and no hook runs.
//!
//! Whoever opened the session pushes and speaks to the host of the remote alone, with the token for it, which no model and no command sees.

use ox_githost::{Evidence, NewPullRequest, Remote, RemoteSettings, describe};
use ox_protocol::locale::Language;
use ox_protocol::{BoxFuture, CallFacts, CallKind, Effect, EffectKind, Level, Outcome};
use ox_repo::git;
use serde_json::{Value, json};

use crate::args::{flag, text};
use crate::call::tool::{Alias, Need, Run, Tool, ToolResult, object};
use crate::{call::context::CallContext, call::context::blocking, call::error::ToolError};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "open_pull_request".into(),
        aliases: Alias::list(
            "create_pull_request create_pr open_pr pull_request create_merge_request open_merge_request github_create_pull_request",
        ),
        description: "Push the current branch and open a pull request (GitLab: merge request) for its commits; the user is asked. \
            Commit first. Results of checks are added by themselves."
            .into(),
        schema: object(
            &["title", "body"],
            json!({
                "title": {"type": "string"},
                "body": {"type": "string", "description": "what changes and why, in Markdown"},
                "base": {"type": "string", "description": "branch to merge into; the host's default"},
                "draft": {"type": "boolean"},
            }),
        ),
        kind: CallKind::Mutate,
        level: Level::System,
        needs: Some(Need::Checks),
        argument_aliases: "body: description\nbase: target_branch target base_branch",
        validate: |args| text(args, "title").trim().is_empty().then(|| "`title` is empty".to_owned()),
        classify,
        run: Run::Async(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
        ..Tool::base()
    }
}

/// It writes the branch on the remote and speaks to its host.
fn classify(cx: &CallContext, _: &Value, facts: &mut CallFacts) {
    let root = cx.tree.root();
    let branch = git::branch(root).unwrap_or_default();
    let Some(remote) = git::settings(root).and_then(|it| RemoteSettings::of(&it, &branch)) else { return };
    let what = format!("git push {} {branch}", remote.name);
    facts.effects.push(Effect::new(EffectKind::Publish, Level::System, what));
    for host in [&remote.url, &remote.push].into_iter().filter_map(|it| Remote::parse(it)).map(|it| it.host) {
        if !facts.hosts.contains(&host) {
            facts.effects.push(Effect::new(EffectKind::Network, Level::System, host.clone()));
            facts.hosts.push(host);
        }
    }
}

async fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let wrong = |why: &str| ToolError::Wrong(format!("{why}; nothing was pushed"));
    let head = git::branch(cx.tree.root()).filter(|it| !it.is_empty());
    let head = head.ok_or_else(|| wrong("no branch is checked out here"))?;
    let open = cx.open_pull_request.clone().ok_or_else(|| wrong("no git host can be spoken to here"))?;
    let evidence = Evidence { words: text(args, "body"), checks: &cx.checked, ..Evidence::default() };
    let new = NewPullRequest {
        title: text(args, "title").trim().to_owned(),
        body: describe(&evidence, Language::En),
        base: text(args, "base").trim().to_owned(),
        draft: flag(args, "draft"),
        head: head.clone(),
    };
    let failed = |it| ToolError::Wrong(Language::En.problem(&it));
    let opened = blocking("open_pull_request", move || open(new).map_err(failed));
    tokio::select! {
        biased;
        () = cx.stopped() => Err(ToolError::Cancelled),
        url = opened => Ok(Outcome::ok(format!("pushed `{head}`; its pull request is {}", url?)).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::testing::Fixture;

    #[test]
    fn it_asks_for_the_push_and_for_every_host_that_is_spoken_to() {
        let fixture = Fixture::new();
        fixture.git(&["init", "-q", "-b", "fix"]);
        let args = json!({"title": "x", "body": "y"});
        assert!(fixture.call("open_pull_request", args.clone()).facts.effects.is_empty());
        fixture.git(&["remote", "add", "origin", "git@github.com:o/r.git"]);
        fixture.git(&["remote", "set-url", "--push", "origin", "https://push.example.org/o/r"]);
        let facts = fixture.call("open_pull_request", args.clone()).facts;
        let effects: Vec<String> = facts.effects.iter().map(|it| format!("{:?} {}", it.kind, it.what)).collect();
        assert_eq!(effects, ["Publish git push origin fix", "Network github.com", "Network push.example.org"]);
        assert_eq!((facts.level, facts.hosts), (Level::System, vec!["github.com".into(), "push.example.org".into()]));
        assert!(
            fixture.fails("open_pull_request", args).contains("no git host can be spoken to here; nothing was pushed")
        );
    }

    #[test]
    fn what_ox_knows_of_the_checks_stands_below_the_models_words() {
        let mut fixture = Fixture::new();
        fixture.git(&["init", "-q", "-b", "fix"]);
        fixture.cx.checked = [ox_protocol::CheckLine::new("tests", ox_protocol::CheckStatus::Passed)].into();
        fixture.cx.open_pull_request =
            Some(std::sync::Arc::new(|new| Ok(format!("{} {:?} {}", new.head, new.base, new.body))));
        let said = fixture.ok("open_pull_request", json!({"title": "x", "body": "It was wrong."}));
        assert!(
            said.starts_with(
                "pushed `fix`; its pull request is fix \"\" It was wrong.\n\n## Verified\n\n- tests passed\n"
            ),
            "{said}"
        );
    }
}
