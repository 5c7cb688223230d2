//! `git_diff`: what is not committed, or differs from a revision. Git runs hardened and changes nothing.

use ox_protocol::{BoxFuture, Exit, Job, Outcome};
use ox_repo::git;
use serde_json::{Value, json};

use crate::args::{flag, given};
use crate::call::tool::{Alias, Run, Tool, ToolResult, object, reads_path};
use crate::text::{output, with_status};
use crate::{call::context::CallContext, call::error::ToolError};

/// Bytes of git's output that are kept.
const BYTES: usize = 32 << 10;
/// Untracked files that are named.
const UNTRACKED: usize = 20;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "git_diff".into(),
        aliases: Alias::list("diff show_diff get_diff git_status git_diff_unstaged git_diff_staged"),
        description: "Show uncommitted changes, or what changed since a revision.".into(),
        schema: object(
            &[],
            json!({
                "path": {"type": "string"},
                "rev": {"type": "string", "description": "revision or range to compare with; HEAD by default"},
                "staged": {"type": "boolean"},
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
    let rev = revision(args)?;
    let staged = flag(args, "staged");
    let compared: Vec<&str> = match (staged, rev) {
        (true, Some(rev)) => vec!["--cached", rev],
        (true, None) => vec!["--cached"],
        (false, rev) => vec![rev.unwrap_or("HEAD")],
    };
    let mut exit = run_git(cx, &[&["diff", "--no-color"], compared.as_slice(), &["--", &path]].concat()).await?;
    if exit.code != Some(0) && rev.is_none() {
        // Before the first commit there is no HEAD to compare with.
        exit = run_git(cx, &["diff", "--no-color", "--cached", "--", &path]).await?;
    }
    let printed = succeeded(&exit)?;
    let untracked = if staged || rev.is_some() { Vec::new() } else { untracked(cx, &path).await? };
    let status = match (printed.trim().is_empty(), untracked.len()) {
        (true, 0) => Some("[no differences]".to_string()),
        (_, 0) => None,
        (_, all) => {
            let named = untracked.iter().take(UNTRACKED).cloned().collect::<Vec<_>>().join(", ");
            let more = if all > UNTRACKED { format!(" and {} more", all - UNTRACKED) } else { String::new() };
            Some(format!("[not tracked by git: {named}{more}]"))
        }
    };
    Ok(Outcome::ok(match status {
        Some(status) => with_status(printed, &status),
        None => printed,
    })
    .into())
}

async fn untracked(cx: &CallContext, path: &str) -> Result<Vec<String>, ToolError> {
    let exit = run_git(cx, &["ls-files", "--others", "--exclude-standard", "--", path]).await?;
    Ok(output(&exit.output).lines().map(str::to_string).collect())
}

/// Asks git in the project root: it can write nothing.
pub(crate) async fn run_git(cx: &CallContext, args: &[&str]) -> Result<Exit, ToolError> {
    start_git(cx, git::question(cx.tree.root(), args)).await
}

/// Runs a job of git's and keeps what fits.
pub(crate) async fn start_git(cx: &CallContext, mut job: Job) -> Result<Exit, ToolError> {
    job.rights.output = BYTES;
    cx.start(job, None).await?.ok_or(ToolError::Cancelled)
}

/// What git printed, or why it failed.
pub(crate) fn succeeded(exit: &Exit) -> Result<String, ToolError> {
    let printed = output(&exit.output);
    match (exit.code, exit.timed_out) {
        (Some(0), false) => Ok(printed),
        (_, true) => Err(ToolError::Wrong("git took too long; narrow it with `path`".into())),
        _ => Err(ToolError::Wrong(format!("git failed: {}", printed.trim()))),
    }
}

/// The path to look at, from the root of the project, which must lie in a git work tree.
pub(crate) fn path(cx: &CallContext, args: &Value) -> Result<String, ToolError> {
    if !git::is_repo(cx.tree.root()) {
        return Err(ToolError::Wrong(format!(
            "{} is not in a git repository, so there is no history",
            cx.tree.root().display()
        )));
    }
    Ok(cx.tree.locate(given(args, "path").unwrap_or("."), ox_repo::Access::Read)?.rel)
}

/// The revision, unless it would be read as an option.
pub(crate) fn revision(args: &Value) -> Result<Option<&str>, ToolError> {
    match given(args, "rev").map(str::trim) {
        Some(rev) if rev.starts_with('-') || rev.contains(char::is_whitespace) => {
            Err(ToolError::Wrong(format!("`{rev}` is not a revision; give one such as HEAD~3, a hash or main..topic")))
        }
        rev => Ok(rev),
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn uncommitted_work_is_shown_and_new_files_are_named() {
        let fixture = Fixture::new();
        fixture.file("a.txt", "one\n");
        fixture.git(&["init", "-q", "-b", "main"]);
        fixture.git(&["add", "a.txt"]);
        assert!(fixture.ok("git_diff", json!({})).contains("+one"), "before the first commit what is staged counts");
        fixture.git(&["commit", "-q", "-m", "Begin"]);
        assert_eq!(fixture.ok("git_diff", json!({})), "[no differences]");
        fixture.file("a.txt", "two\n");
        fixture.file("new file.txt", "");
        let output = fixture.ok("git_diff", json!({}));
        let output: Vec<&str> = output.lines().filter(|line| !line.starts_with("index ")).collect();
        expect![[r#"
            diff --git a/a.txt b/a.txt
            --- a/a.txt
            +++ b/a.txt
            @@ -1 +1 @@
            -one
            +two
            [not tracked by git: new file.txt]"#]]
        .assert_eq(&output.join("\n"));
        assert_eq!(fixture.ok("git_diff", json!({"staged": true})), "[no differences]");
        assert!(fixture.ok("git_diff", json!({"rev": "HEAD", "path": "a.txt"})).contains("-one"));
    }

    #[test]
    fn what_is_no_revision_never_reaches_git() {
        let fixture = Fixture::new();
        assert!(fixture.fails("git_diff", json!({})).contains("not in a git repository"));
        fixture.git(&["init", "-q", "-b", "main"]);
        assert!(fixture.fails("git_diff", json!({"rev": "--output=x"})).contains("not a revision"));
        assert!(fixture.fails("git_diff", json!({"rev": "nowhere"})).contains("git failed"));
        assert!(!fixture.exists("x"));
    }
}
