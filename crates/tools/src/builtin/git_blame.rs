//! `git_blame`: who changed the lines of a file last, when and in which commit. Git runs hardened and changes nothing.

use ox_protocol::{BoxFuture, Outcome};
use serde_json::{Map, Value, json};

use crate::args::{given, number};
use crate::builtin::git_diff::{path, revision, run_git, succeeded};
use crate::call::tool::{Alias, PathAccess, Run, Tool, ToolResult, object};
use crate::text::with_status;
use crate::{call::context::CallContext, call::error::ToolError};

/// Lines that one call shows.
const LINES: usize = 200;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "git_blame".into(),
        aliases: Alias::list("blame git_annotate annotate"),
        description: "Show for each line of a file the commit, author and date that touched it last.".into(),
        schema: object(
            &["path"],
            json!({
                "path": {"type": "string"},
                "start_line": {"type": "integer"},
                "end_line": {"type": "integer"},
                "rev": {"type": "string", "description": "as of this revision"},
            }),
        ),
        explores: true,
        normalize,
        validate: |args| {
            let (from, to) = (number(args, "start_line"), number(args, "end_line"));
            matches!((from, to), (Some(from), Some(to)) if to < from).then(|| "end_line is before start_line".into())
        },
        paths: |args| given(args, "path").map(PathAccess::read).into_iter().collect(),
        run: Run::Async(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
        ..Tool::base()
    }
}

/// One line is a range too.
fn normalize(args: &mut Map<String, Value>) {
    if let Some(line) = args.shift_remove("line") {
        args.entry("start_line").or_insert(line.clone());
        args.entry("end_line").or_insert(line);
    }
}

async fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let path = path(cx, args)?;
    if cx.tree.root().join(&path).is_dir() {
        return Err(ToolError::Wrong(format!(
            "`{path}` is a folder; git_blame reads one file. git_log shows the commits of a folder."
        )));
    }
    let rev = revision(args)?;
    let from = number(args, "start_line").unwrap_or(1).max(1);
    let to = number(args, "end_line").filter(|it| *it > 0);
    // A line more than is shown tells whether there are more.
    let last = to.unwrap_or(usize::MAX).min(from.saturating_add(LINES));
    // `,+N` may reach beyond the end of the file, a line number may not.
    let range = format!("-L{from},+{}", last - from + 1);
    let mut command = vec!["blame", "--date=short", "--abbrev=8", range.as_str()];
    command.extend(rev);
    command.extend(["--", path.as_str()]);
    let printed = match succeeded(&run_git(cx, &command).await?) {
        Err(ToolError::Wrong(words)) if words.contains("no such path") => {
            return Err(ToolError::Wrong(format!(
                "`{path}` is not in git{}",
                rev.map(|it| format!(" at {it}")).unwrap_or_default()
            )));
        }
        Err(ToolError::Wrong(words)) if words.contains("has only") => {
            return Err(ToolError::Wrong(format!(
                "start_line {from} is behind the end: {}",
                words.trim_start_matches("git failed: ")
            )));
        }
        other => other?,
    };
    let lines: Vec<&str> = printed.lines().collect();
    if lines.len() > LINES {
        let status = format!("[more lines: start_line={}]", from + LINES);
        return Ok(Outcome::ok(with_status(lines[..LINES].join("\n"), &status)).into());
    }
    Ok(Outcome::ok(if lines.is_empty() { "[the file is empty]".into() } else { lines.join("\n") }).into())
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use serde_json::json;

    #[test]
    fn each_line_has_its_commit() {
        let fixture = Fixture::new();
        fixture.git(&["init", "-q", "-b", "main"]);
        fixture.file("src/a.txt", "one\ntwo\nthree\n");
        fixture.git(&["add", "."]);
        fixture.git(&["commit", "-q", "-m", "Begin"]);
        fixture.file("src/a.txt", "one\nTWO\nthree\n");
        fixture.git(&["commit", "-q", "-a", "-m", "Shout"]);
        fixture.file("src/a.txt", "one\nTWO\nthree\nfour\n");
        let all = fixture.ok("git_blame", json!({"path": "src/a.txt"}));
        let hash =
            |line: usize| all.lines().nth(line).unwrap().split(' ').next().unwrap().trim_start_matches('^').to_owned();
        assert_eq!(all.lines().count(), 4);
        assert!(hash(0) == hash(2) && hash(0) != hash(1) && hash(3).starts_with("00000000"), "{all}");
        assert!(all.lines().nth(1).unwrap().ends_with("2) TWO") && all.contains("(T "), "{all}");
        // The widest author of what is shown makes the column.
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let one = fixture.ok("git_blame", json!({"path": "src/a.txt", "line": 2}));
        assert_eq!(squeezed(&one), squeezed(all.lines().nth(1).unwrap()));
        assert!(
            fixture
                .ok("blame", json!({"path": "src/a.txt", "rev": "HEAD~1", "start_line": 2, "end_line": 2}))
                .ends_with("two")
        );
        assert!(
            fixture.ok("git_blame", json!({"path": "src/a.txt", "start_line": 3, "end_line": 99})).lines().count() == 2
        );
        fixture.file("new.txt", "x\n");
        assert!(fixture.fails("git_blame", json!({"path": "new.txt"})).contains("not in git"));
        assert!(fixture.fails("git_blame", json!({"path": "src/a.txt", "start_line": 50})).contains("behind the end"));
        assert!(fixture.fails("git_blame", json!({"path": "src"})).contains("is a folder"));
        assert!(
            fixture.fails("git_blame", json!({"path": "src/a.txt", "rev": "--output=x"})).contains("is not a revision")
        );
        assert!(!fixture.exists("x"));
    }

    #[test]
    fn long_files_come_in_parts() {
        let fixture = Fixture::new();
        fixture.git(&["init", "-q", "-b", "main"]);
        fixture.file("a.txt", &"line\n".repeat(450));
        fixture.git(&["add", "."]);
        fixture.git(&["commit", "-q", "-m", "Begin"]);
        let part = fixture.ok("git_blame", json!({"path": "a.txt"}));
        assert!(part.lines().count() == 201 && part.ends_with("[more lines: start_line=201]"), "{part}");
        let last = fixture.ok("git_blame", json!({"path": "a.txt", "start_line": 401}));
        assert_eq!(last.lines().count(), 50);
    }
}
