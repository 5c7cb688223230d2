//! `git_commit`: the named files, as they are now, as one commit. It never amends, never commits what was not named, and
//! never a file of secrets; git runs hardened, and no hook of the repository runs.

use std::path::{Path, PathBuf};

use ox_protocol::names::is_secret;
use ox_protocol::{BoxFuture, CallFacts, CallKind, Effect, EffectKind, Exit, Level, Outcome};
use ox_repo::{Access, git};
use serde_json::{Map, Value, json};

use crate::args::{text, texts};
use crate::builtin::git_diff::{run_git, succeeded};
use crate::call::tool::{Alias, PathAccess, Run, Tool, ToolResult, object};
use crate::text::{count, name, output, with_status};
use crate::{call::context::CallContext, call::error::ToolError};

/// Bytes of changes that are looked through for secrets.
const COMPARED: usize = 8 << 20;
/// Files that a result names.
const NAMED: usize = 20;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "git_commit".into(),
        aliases: Alias::list("commit git_add_commit commit_changes git_add_and_commit create_commit"),
        description: "Commit the named paths as they are now, and nothing else. Only when the user wants a commit."
            .into(),
        schema: object(
            &["message", "paths"],
            json!({
                "message": {"type": "string", "description": "what and above all why"},
                "paths": {"type": "array", "items": {"type": "string"}},
            }),
        ),
        kind: CallKind::Mutate,
        level: Level::Edit,
        normalize,
        validate,
        paths: |args| texts(args, "paths").into_iter().map(PathAccess::read).collect(),
        classify,
        run: Run::Async(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
        ..Tool::base()
    }
}

/// Subject and body apart; everything at once.
fn normalize(args: &mut Map<String, Value>) {
    let part = |args: &mut Map<String, Value>, keys: &[&str]| {
        let value = keys.iter().find_map(|it| args.shift_remove(*it))?;
        value.as_str().map(str::to_string)
    };
    if !args.contains_key("message") {
        let subject = part(args, &["subject", "title", "commit_message", "msg", "m", "summary"]);
        let body = part(args, &["body", "description"]);
        let whole: Vec<String> = subject.into_iter().chain(body).collect();
        if !whole.is_empty() {
            args.insert("message".into(), Value::String(whole.join("\n\n")));
        }
    }
    let all = args.shift_remove("all").and_then(|it| it.as_bool()).unwrap_or_default();
    if all && !["paths", "files"].iter().any(|it| args.contains_key(*it)) {
        args.insert("paths".into(), json!(["."]));
    }
}

fn validate(args: &Value) -> Option<String> {
    if text(args, "message").trim().is_empty() {
        return Some("`message` is empty".into());
    }
    if texts(args, "paths").is_empty() {
        return Some("`paths` names no file; name what belongs to this commit, or `.` for all that changed".into());
    }
    secret(texts(args, "paths").into_iter())
}

/// A repository that is not the project's own is somebody else's work.
fn classify(cx: &CallContext, _: &Value, facts: &mut CallFacts) {
    if let Some(folder) = git::foreign_folder(cx.tree.root()) {
        facts.level = Level::System;
        facts.effects.push(Effect::new(EffectKind::Write, Level::System, folder.to_string_lossy()));
    }
}

/// Why one of the paths may not be committed.
fn secret<'a>(mut paths: impl Iterator<Item = &'a str>) -> Option<String> {
    let path = paths.find(|it| is_secret(it))?;
    Some(format!(
        "`{path}` is a file of secrets, which never goes into history; leave it out, and add it to .gitignore"
    ))
}

async fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    if !git::is_repo(cx.tree.root()) {
        let root = cx.tree.root().display();
        return Err(ToolError::Wrong(format!("{root} is not in a git repository; nothing was committed")));
    }
    let paths = texts(args, "paths").into_iter().map(|it| place(cx, it));
    let paths: Vec<String> = paths.collect::<Result<_, ToolError>>()?;
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let entries = pending(cx, &paths).await?;
    look(cx, &entries, &paths)?;
    no_secrets(cx, &entries, &paths).await?;
    let written = folders(cx).await?;
    stage_and_commit(cx, &paths, text(args, "message"), &written).await?;
    Ok(Outcome::ok(summary(cx, &entries, &written).await?).into())
}

/// A link is committed itself, not what it leads to; the root has no place above it in which it could be a link.
fn place(cx: &CallContext, path: &str) -> Result<String, ToolError> {
    let place = cx.tree.locate(path, Access::Read)?;
    Ok(if place.rel == "." { place.rel } else { cx.tree.locate_entry(path, Access::Read)?.rel })
}

/// A changed file as `git status` tells it.
#[derive(Debug, PartialEq)]
struct Entry {
    /// Its states in the index and in the tree.
    state: String,
    path: String,
}

/// What differs from the last commit at the paths.
async fn pending(cx: &CallContext, paths: &[&str]) -> Result<Vec<Entry>, ToolError> {
    let list = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--"];
    let exit = run_git(cx, &[&list, paths].concat()).await?;
    if exit.output.dropped > 0 {
        return Err(ToolError::Wrong(
            "too many files changed there to look at each; nothing was committed. Name fewer.".into(),
        ));
    }
    succeeded(&exit)?;
    let printed = String::from_utf8_lossy(&exit.output.head).into_owned();
    let entry = |line: &str| Some(Entry { state: line.get(..2)?.to_string(), path: line.get(3..)?.to_string() });
    Ok(printed.split('\0').filter_map(entry).collect())
}

/// Refuses what may not be committed, or not yet.
fn look(cx: &CallContext, entries: &[Entry], paths: &[&str]) -> Result<(), ToolError> {
    let refused = |why: String| Err(ToolError::Wrong(format!("{why}; nothing was committed")));
    if entries.is_empty() {
        return refused(format!("nothing differs from the last commit at {}", paths.join(", ")));
    }
    if let Some(entry) = entries.iter().find(|it| it.state.contains('U') || ["AA", "DD"].contains(&it.state.as_str())) {
        return refused(format!("`{}` has a merge conflict that is not resolved", entry.path));
    }
    if let Some(why) = secret(entries.iter().filter(|it| !it.state.contains('D')).map(|it| it.path.as_str())) {
        return refused(why);
    }
    // The names are from the top of the repository, which may lie above the project.
    let top = git::work_tree(cx.tree.root()).unwrap_or_else(|| cx.tree.root().to_path_buf());
    for entry in entries {
        let path = top.join(&entry.path);
        let rel = path.strip_prefix(cx.tree.root()).unwrap_or(&path).to_string_lossy().into_owned();
        cx.within_scope(&rel)?;
    }
    Ok(())
}

/// Refuses text with a secret in it that the last commit does not have already.
async fn no_secrets(cx: &CallContext, entries: &[Entry], paths: &[&str]) -> Result<(), ToolError> {
    let top = git::work_tree(cx.tree.root()).unwrap_or_else(|| cx.tree.root().to_path_buf());
    let is_new = |it: &&Entry| it.state == "??" || it.state.contains('A');
    for entry in entries.iter().filter(is_new) {
        // What cannot be read as text holds no secret that could be found.
        let text = cx.tree.read(&top.join(&entry.path).to_string_lossy()).map(|it| it.text).unwrap_or_default();
        clean(&entry.path, &text)?;
    }
    if entries.iter().all(|it| is_new(&it)) {
        return Ok(());
    }
    let mut job =
        git::question(cx.tree.root(), &[&["diff", "--no-color", "--unified=0", "HEAD", "--"], paths].concat());
    job.rights.output = COMPARED;
    let exit = cx.start(job, None).await?.ok_or(ToolError::Cancelled)?;
    if exit.output.dropped > 0 {
        return Err(ToolError::Wrong(
            "too much changed there to look through it for secrets; nothing was committed. Name fewer files.".into(),
        ));
    }
    let printed = String::from_utf8_lossy(&exit.output.head).into_owned();
    for file in printed.split("\ndiff --git ") {
        let path = file.lines().find_map(|it| it.strip_prefix("+++ b/")).unwrap_or_default();
        let added = file.lines().filter(|it| !it.starts_with("+++ ")).filter_map(|it| it.strip_prefix('+'));
        clean(path, &added.collect::<Vec<_>>().join("\n"))?;
    }
    Ok(())
}

/// Refuses a text with a secret in it, naming what it is and never the secret.
fn clean(path: &str, text: &str) -> Result<(), ToolError> {
    let found = ox_core::secrets::find(text);
    let Some(first) = found.first() else { return Ok(()) };
    let before = text[..first.at.start].rsplit('\n').next().unwrap_or_default().trim();
    let place: String = before.chars().take(40).collect();
    let place = if place.is_empty() { place } else { format!(" after `{place}`") };
    Err(ToolError::Wrong(format!(
        "`{path}` holds what looks like a secret ({}{place}); nothing was committed. Take it out, or let the user commit this file.",
        first.kind
    )))
}

/// Where git keeps the repository, which may lie outside the project.
async fn folders(cx: &CallContext) -> Result<Vec<PathBuf>, ToolError> {
    let exit = run_git(cx, &["rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"]).await?;
    Ok(succeeded(&exit)?.lines().map(PathBuf::from).collect())
}

/// Where nothing is committed the index is again as it was, whatever had been staged.
async fn stage_and_commit(
    cx: &CallContext,
    paths: &[&str],
    message: &str,
    written: &[PathBuf],
) -> Result<(), ToolError> {
    let index = written.first().map(|it| it.join("index")).unwrap_or_default();
    let (old, head) = (std::fs::read(&index).ok(), git::head(cx.tree.root()));
    let done = commit(cx, paths, message, written).await;
    if done.is_err() && git::head(cx.tree.root()) == head && std::fs::read(&index).ok() != old {
        let draft = index.with_extension("ox.tmp");
        let restored = match old {
            Some(old) => std::fs::write(&draft, old).and_then(|()| std::fs::rename(&draft, &index)),
            None => std::fs::remove_file(&index),
        };
        restored.map_err(|it| {
            ToolError::Wrong(format!("nothing was committed, and the index has what was staged for it: {it}"))
        })?;
    }
    done
}

async fn commit(cx: &CallContext, paths: &[&str], message: &str, written: &[PathBuf]) -> Result<(), ToolError> {
    succeeded(&write_git(cx, &[&["add", "--all", "--"], paths].concat(), "", written).await?)?;
    let commit = ["commit", "--quiet", "--only", "--file=-", "--"];
    let exit = write_git(cx, &[&commit, paths].concat(), message, written).await?;
    if exit.code == Some(0) {
        return Ok(());
    }
    let printed = output(&exit.output);
    let advice = if printed.contains("tell me who you are") {
        " Git does not know the author; the user has to set user.name and user.email."
    } else {
        ""
    };
    Err(ToolError::Wrong(format!("git refused, and nothing was committed: {}{advice}", printed.trim())))
}

/// Runs git in the project root with the right to write the repository.
async fn write_git(cx: &CallContext, args: &[&str], input: &str, written: &[PathBuf]) -> Result<Exit, ToolError> {
    let mut job = git::job(cx.tree.root(), args);
    job.stdin = input.as_bytes().to_vec();
    job.rights.write.extend(written.iter().cloned());
    // What makes git run things stays as it is, whatever a filter of the repository tries.
    job.rights.protect = cx.rights(job.rights.time).protect;
    cx.start(job, None).await?.ok_or(ToolError::Cancelled)
}

async fn summary(cx: &CallContext, entries: &[Entry], written: &[PathBuf]) -> Result<String, ToolError> {
    let exit = run_git(cx, &["show", "--shortstat", "--format=%h %s", "HEAD"]).await?;
    let printed = succeeded(&exit)?;
    let mut lines = printed.lines().filter(|it| !it.trim().is_empty()).map(str::trim);
    let (commit, stat) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let mut out = format!("committed {commit} ({stat})");
    for entry in entries.iter().take(NAMED) {
        out.push_str(&format!("\n{}", name(&entry.path)));
    }
    if entries.len() > NAMED {
        out.push_str(&format!("\n… and {}", count(entries.len() - NAMED, "more file")));
    }
    Ok(match written.iter().any(|it| has_hooks(it)) {
        true => with_status(out, "[the repository's commit hooks did not run]"),
        false => out,
    })
}

/// True where a hook would have run at a commit.
fn has_hooks(repository: &Path) -> bool {
    let husky = repository.parent().is_some_and(|it| it.join(".husky").is_dir());
    ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"]
        .iter()
        .any(|it| repository.join("hooks").join(it).exists())
        || husky
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use ox_protocol::Level;
    use serde_json::json;

    fn repository() -> Fixture {
        let fixture = Fixture::new();
        fixture.git(&["init", "-q", "-b", "main"]);
        fixture.git(&["config", "user.name", "T"]);
        fixture.git(&["config", "user.email", "t@example.org"]);
        for (path, text) in [("a.txt", "a\n"), ("b.txt", "b\n"), ("src/c.txt", "c\n")] {
            fixture.file(path, text);
        }
        fixture.git(&["add", "."]);
        fixture.git(&["commit", "-q", "-m", "Begin"]);
        fixture
    }

    /// What git says, line by line.
    fn git(fixture: &Fixture, args: &[&str]) -> String {
        let output = std::process::Command::new("git").args(args).current_dir(fixture.path("")).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim_end().to_string()
    }

    /// `committed 1a2b3c4 …` without the hash.
    fn nameless(text: &str) -> String {
        let (head, rest) = text.split_once(' ').unwrap();
        format!("{head} HASH {}", rest.split_once(' ').unwrap().1)
    }

    #[test]
    fn the_named_files_are_committed_and_nothing_else() {
        let fixture = repository();
        fixture.file("a.txt", "a\nmore\n");
        fixture.file("b.txt", "staged by the user\n");
        fixture.git(&["add", "b.txt"]);
        fixture.file("new.txt", "new\n");
        std::fs::remove_file(fixture.path("src/c.txt")).unwrap();
        let message = "Say more\n\nBecause *a* was too short: `$(touch x)`";
        let args = json!({"message": message, "paths": ["a.txt", "new.txt", "src"]});
        assert_eq!(fixture.call("git_commit", args.clone()).facts.level, Level::Edit);
        expect![[r#"
            committed HASH Say more (3 files changed, 2 insertions(+), 1 deletion(-))
            a.txt
            src/c.txt
            new.txt"#]]
        .assert_eq(&nameless(&fixture.ok("git_commit", args)));
        assert_eq!(git(&fixture, &["log", "-1", "--format=%B"]), message);
        assert_eq!(git(&fixture, &["status", "--porcelain"]), "M  b.txt", "what the user staged stays staged");
        assert_eq!(git(&fixture, &["rev-list", "--count", "HEAD"]), "2", "a new commit, not an amended one");
        assert!(fixture.fails("git_commit", json!({"message": "x", "paths": ["a.txt"]})).contains("nothing differs"));
    }

    #[test]
    fn secrets_conflicts_and_what_is_out_of_scope_are_refused() {
        let mut fixture = repository();
        fixture.file(".env", "KEY=1\n");
        fixture.file("keys/server.pem", "x\n");
        fixture.file("docs/x.md", "x\n");
        let refusal = |fixture: &Fixture, args: serde_json::Value| {
            let call = fixture.call("git_commit", args);
            call.facts.rejected.clone().unwrap_or_else(|| fixture.run_call(&call).outcome.output)
        };
        let mut story = vec![
            refusal(&fixture, json!({"message": "x", "paths": [".env"]})),
            refusal(&fixture, json!({"message": "x", "paths": ["keys"]})),
            refusal(&fixture, json!({"message": "x", "all": true})),
            refusal(&fixture, json!({"message": " ", "paths": ["a.txt"]})),
            refusal(&fixture, json!({"message": "x", "paths": []})),
        ];
        fixture.cx.scope = vec!["src/**".into()];
        story.push(refusal(&fixture, json!({"message": "x", "paths": ["docs"]})));
        fixture.cx.scope.clear();
        fixture.git(&["checkout", "-q", "-b", "other"]);
        fixture.file("a.txt", "theirs\n");
        fixture.git(&["commit", "-q", "-am", "Theirs"]);
        fixture.git(&["checkout", "-q", "main"]);
        fixture.file("a.txt", "ours\n");
        fixture.git(&["commit", "-q", "-am", "Ours"]);
        let merged =
            std::process::Command::new("git").args(["merge", "-q", "other"]).current_dir(fixture.path("")).output();
        assert!(!merged.unwrap().status.success());
        story.push(refusal(&fixture, json!({"message": "x", "paths": ["a.txt"]})));
        expect![[r#"
            `git_commit` was not run: `.env` is a file of secrets, which never goes into history; leave it out, and add it to .gitignore
            `keys/server.pem` is a file of secrets, which never goes into history; leave it out, and add it to .gitignore; nothing was committed
            `.env` is a file of secrets, which never goes into history; leave it out, and add it to .gitignore; nothing was committed
            `git_commit` was not run: `message` is empty
            `git_commit` was not run: `paths` names no file; name what belongs to this commit, or `.` for all that changed
            `docs/x.md` is outside the allowed scope (src/**); nothing was changed. Change only files within it, or ask the user to widen it.
            `a.txt` has a merge conflict that is not resolved; nothing was committed"#]].assert_eq(&story.join("\n"));
        assert_eq!(
            git(&fixture, &["diff", "--cached", "--name-only", "--diff-filter=A"]),
            "",
            "nothing was left staged"
        );
    }

    #[test]
    fn a_secret_in_a_text_is_not_committed() {
        let fixture = repository();
        let token = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
        fixture.file("new.txt", &format!("x\ntoken = \"{token}\"\n"));
        let refused = fixture.fails("git_commit", json!({"message": "x", "paths": ["new.txt"]}));
        assert!(refused.contains("`new.txt` holds what looks like a secret") && !refused.contains(&token), "{refused}");
        fixture.file("a.txt", &format!("a\n{token}\n"));
        let refused = fixture.fails("git_commit", json!({"message": "x", "paths": ["a.txt"]}));
        assert!(refused.contains("`a.txt` holds what looks like a secret") && !refused.contains(&token), "{refused}");
        assert_eq!(git(&fixture, &["status", "--porcelain"]), " M a.txt\n?? new.txt", "nothing is staged");
        fixture.file("a.txt", "a\nno secret\n");
        fixture.ok("git_commit", json!({"message": "x", "paths": ["a.txt"]}));
    }

    #[test]
    fn a_commit_that_git_refuses_leaves_the_index_as_it_was() {
        let fixture = Fixture::new();
        fixture.git(&["init", "-q", "-b", "main"]);
        fixture.git(&["config", "user.useConfigOnly", "true"]);
        fixture.git(&["config", "user.name", ""]);
        fixture.git(&["config", "user.email", ""]);
        fixture.file("new.txt", "x\n");
        let refused = fixture.fails("git_commit", json!({"message": "x", "paths": ["new.txt"]}));
        assert!(refused.starts_with("git refused, and nothing was committed"), "{refused}");
        assert_eq!(git(&fixture, &["status", "--porcelain"]), "?? new.txt");
        assert!(
            Fixture::new()
                .fails("git_commit", json!({"message": "x", "paths": ["a"]}))
                .contains("not in a git repository")
        );
    }

    #[test]
    fn a_hostile_repository_runs_nothing() {
        let fixture = repository();
        let trap = format!("#!/bin/sh\ntouch {}\n", fixture.path("sprung").display());
        for hook in ["pre-commit", "commit-msg", "post-commit", "prepare-commit-msg"] {
            fixture.file(&format!(".git/hooks/{hook}"), &trap);
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(fixture.path(&format!(".git/hooks/{hook}")), mode).unwrap();
        }
        let script = fixture.path(".git/hooks/pre-commit").display().to_string();
        for key in ["core.editor", "core.fsmonitor", "gpg.program", "core.pager"] {
            fixture.git(&["config", key, &script]);
        }
        fixture.git(&["config", "commit.gpgSign", "true"]);
        fixture.file("a.txt", "changed\n");
        let output = fixture.ok("git_commit", json!({"message": "x", "paths": ["a.txt"]}));
        assert!(output.ends_with("[the repository's commit hooks did not run]"), "{output}");
        assert!(!fixture.exists("sprung"));
    }

    #[test]
    fn what_is_not_committed_is_not_staged() {
        let fixture = repository();
        fixture.file("a.txt", "a\nstaged by the user\n");
        fixture.git(&["add", "a.txt"]);
        fixture.file("a.txt", "a\nmore\n");
        fixture.file("new.txt", "new\n");
        // Everything can be staged, and the branch cannot be moved.
        fixture.file(".git/refs/heads/main.lock", "");
        let before = (git(&fixture, &["status", "--porcelain"]), std::fs::read(fixture.path(".git/index")).unwrap());
        let said = fixture.fails("git_commit", json!({"message": "x", "paths": ["a.txt", "new.txt"]}));
        assert!(said.contains("nothing was committed"), "{said}");
        let after = (git(&fixture, &["status", "--porcelain"]), std::fs::read(fixture.path(".git/index")).unwrap());
        assert_eq!(after, before);
    }

    #[test]
    fn a_repository_elsewhere_is_asked_about_unless_it_knows_this_tree() {
        let other = repository();
        let level =
            |fixture: &Fixture| fixture.call("git_commit", json!({"message": "x", "paths": ["a.txt"]})).facts.level;
        let fixture = Fixture::new();
        fixture.file("a.txt", "a\n");
        fixture.file(".git", &format!("gitdir: {}\n", other.path(".git").display()));
        assert_eq!(level(&fixture), Level::System);
        std::fs::remove_file(fixture.path(".git")).unwrap();
        std::os::unix::fs::symlink(other.path(".git"), fixture.path(".git")).unwrap();
        assert_eq!(level(&fixture), Level::System);
        std::fs::remove_file(fixture.path(".git")).unwrap();
        std::fs::remove_file(fixture.path("a.txt")).unwrap();
        let tree = fixture.path("").display().to_string();
        other.git(&["worktree", "add", "-q", "--force", "-b", "linked", &tree]);
        assert_eq!(level(&fixture), Level::Edit);
        fixture.file("a.txt", "in the linked tree\n");
        let said = fixture.ok("git_commit", json!({"message": "From a linked tree", "paths": ["a.txt"]}));
        assert!(said.contains("From a linked tree"), "{said}");
    }

    #[test]
    fn other_agents_ways_to_commit_are_understood() {
        let fixture = Fixture::new();
        let args = |args| fixture.call("commit", args).args;
        assert_eq!(
            args(json!({"subject": "A", "body": "B", "files": ["x"]})),
            json!({"message": "A\n\nB", "paths": ["x"]})
        );
        assert_eq!(args(json!({"commit_message": "A", "all": true})), json!({"message": "A", "paths": ["."]}));
    }
}
