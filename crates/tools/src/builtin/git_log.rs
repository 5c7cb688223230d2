//! `git_log`: the history of the project or of a path. Git runs hardened and changes nothing.

use ox_protocol::{BoxFuture, Outcome};
use serde_json::{Value, json};

use crate::args::{flag, given, limit};
use crate::builtin::git_diff::{path, revision, run_git, succeeded};
use crate::call::tool::{Alias, Run, Tool, ToolResult, object, reads_path};
use crate::text::with_status;
use crate::{call::context::CallContext, call::error::ToolError};

const COMMITS: usize = 20;
const COMMITS_MOST: usize = 200;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "git_log".into(),
        aliases: Alias::list("log history git_history get_git_log git_show"),
        description: "Show commits, newest first.".into(),
        schema: object(
            &[],
            json!({
                "path": {"type": "string"},
                "rev": {"type": "string", "description": "revision or range"},
                "limit": {"type": "integer", "description": "20 by default"},
                "grep": {"type": "string", "description": "text in the message"},
                "patch": {"type": "boolean", "description": "with the changes"},
            }),
        ),
        explores: true,
        paths: reads_path,
        run: Run::Async(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
        ..Tool::base()
    }
}

async fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let path = path(cx, args)?;
    let rev = revision(args)?.unwrap_or("HEAD");
    let limit = limit(args, COMMITS, COMMITS_MOST);
    let mut command: Vec<String> =
        ["log", "--no-color", "--date=short", "--format=%h %ad %an: %s", &format!("-n{}", limit + 1)]
            .map(String::from)
            .to_vec();
    if let Some(text) = given(args, "grep") {
        command.extend(["--fixed-strings".into(), "--regexp-ignore-case".into(), format!("--grep={text}")]);
    }
    let patch = flag(args, "patch");
    if patch {
        command.push("--patch".into());
    }
    command.push(rev.to_string());
    if path != "." {
        command.extend(["--".into(), path]);
    }
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let printed = match succeeded(&run_git(cx, &command).await?) {
        Err(ToolError::Wrong(words))
            if words.contains("does not have any commits") || words.contains("ambiguous argument 'HEAD'") =>
        {
            String::new()
        }
        other => other?,
    };
    Ok(Outcome::ok(cut(&printed, limit, patch)).into())
}

/// One commit more than asked for was read, to know whether there are more.
fn cut(printed: &str, limit: usize, patch: bool) -> String {
    let lines: Vec<&str> = printed.lines().collect();
    match lines.len() {
        0 => "[no commits]".into(),
        all if all > limit && !patch => {
            with_status(lines[..limit].join("\n"), "[older commits not shown; raise limit]")
        }
        _ => printed.trim_end().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use serde_json::json;

    #[test]
    fn commits_are_one_line_each() {
        let fixture = Fixture::new();
        fixture.git(&["init", "-q", "-b", "main"]);
        assert_eq!(fixture.ok("git_log", json!({})), "[no commits]");
        for (number, subject) in ["Begin", "Fix the sign", "Add docs"].into_iter().enumerate() {
            fixture.file(&format!("f{number}"), "x");
            fixture.git(&["add", "."]);
            fixture.git(&["commit", "-q", "-m", subject]);
        }
        let subjects = |args| {
            let output = fixture.ok("git_log", args);
            output.lines().map(|line| line.rsplit(": ").next().unwrap().to_string()).collect::<Vec<_>>().join(" | ")
        };
        assert_eq!(subjects(json!({})), "Add docs | Fix the sign | Begin");
        assert_eq!(subjects(json!({"limit": 1})), "Add docs | [older commits not shown; raise limit]");
        assert_eq!(subjects(json!({"path": "f1"})), "Fix the sign");
        assert_eq!(subjects(json!({"grep": "SIGN"})), "Fix the sign");
        assert_eq!(subjects(json!({"rev": "HEAD~2"})), "Begin");
        assert!(fixture.ok("git_log", json!({"path": "f1", "patch": true})).contains("+x"));
        assert!(fixture.fails("git_log", json!({"rev": "nowhere"})).contains("git failed"));
    }
}
