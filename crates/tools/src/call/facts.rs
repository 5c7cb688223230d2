//! The facts about a call that permission is decided from. They name what the call touches; they allow nothing.

use std::path::Path;

use ox_protocol::{CallFacts, Level, PathUse};
use ox_repo::{PathOp, Reach, RepoError, Tree};
use serde_json::Value;

use super::context::CallContext;
use super::tool::{PathAccess, Tool};
use crate::edit::patch::existing;

/// The facts about a call of `tool` with arguments that fit its schema. `rejected` is set where a path can never be
/// used for what the call wants.
pub(crate) fn of(cx: &CallContext, tool: &Tool, args: &Value) -> CallFacts {
    let tree = &cx.tree;
    let mut facts = CallFacts {
        kind: tool.kind,
        level: tool.level,
        explores: tool.explores,
        presentation: tool.presentation,
        pinned: tool.pinned,
        ..CallFacts::default()
    };
    (tool.classify)(cx, args, &mut facts);
    for mut touch in (tool.paths)(args) {
        if !touch.alternatives.is_empty() {
            touch.path =
                existing(tree, std::iter::once(&touch.path).chain(&touch.alternatives).map(String::as_str)).to_owned();
        }
        // Output that was kept is outside the project and still nobody's secret: the model has seen a part of it.
        if let Some(kept) = cx.sandbox_policy.kept(&touch.path).filter(|_| !touch.write) {
            facts.paths.push(PathUse { path: kept.to_string_lossy().into_owned(), write: false });
            continue;
        }
        match place(tree, &touch) {
            Ok((path, level)) => {
                let trusted = touch.write && cx.sandbox_policy.trusted.contains(&tree.root().join(&path));
                facts.level = facts.level.max(if trusted { Level::System } else { level });
                let used = PathUse { path, write: touch.write };
                if !facts.paths.contains(&used) {
                    facts.paths.push(used);
                }
            }
            Err(words) => facts.rejected = Some(words),
        }
    }
    facts
}

/// Where a path is and how far touching it reaches, or why it can never be used for what the call wants.
fn place(tree: &Tree, touch: &PathAccess) -> Result<(String, Level), String> {
    let op = match (touch.removes, touch.write) {
        (true, _) => PathOp::Delete,
        (_, true) => PathOp::Write,
        _ => PathOp::Read,
    };
    let Reach { level, denied, why, path, .. } = tree.reach(op, &touch.path);
    match () {
        () if denied => Err(why),
        () if level == Level::System && path.starts_with('/') && !there(&path, touch.write) => {
            Err(missing(tree, &touch.path))
        }
        // What is wrong with a path that does not work the tool itself says best.
        () => Ok((path, level)),
    }
}

/// Nobody is asked about an outside place that is not there: models take the root of the project for the root of the
/// file system, or remember another machine's.
fn there(abs: &str, write: bool) -> bool {
    let needed = if write { Path::new(abs).parent() } else { Some(Path::new(abs)) };
    needed.is_none_or(Path::exists)
}

fn missing(tree: &Tree, path: &str) -> String {
    let error =
        RepoError::NotFound { similar: tree.similar(path.trim_start_matches(['.', '/'])), path: path.to_owned() };
    format!("{error}\nThe project root is {}.", tree.root().display())
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use ox_protocol::Level;
    use serde_json::json;

    #[test]
    fn a_file_that_somebody_trusted_is_changed_only_with_consent() {
        let mut fixture = Fixture::new();
        fixture.file("scripts/hook.sh", "exit 0\n");
        fixture.cx.sandbox_policy = std::sync::Arc::new(crate::session::sandbox_policy::SandboxPolicy {
            trusted: vec![fixture.path("scripts/hook.sh")],
            ..crate::session::sandbox_policy::SandboxPolicy::default()
        });
        let level = |name: &str, args| fixture.call(name, args).facts.level;
        assert_eq!(level("write_file", json!({"path": "scripts/hook.sh", "content": ""})), Level::System);
        assert_eq!(level("delete_file", json!({"path": "scripts/../scripts/hook.sh"})), Level::System);
        assert_eq!(level("read_file", json!({"path": "scripts/hook.sh"})), Level::Read);
        assert_eq!(level("write_file", json!({"path": "scripts/other.sh", "content": ""})), Level::Edit);
    }

    #[test]
    fn the_level_of_a_path_is_what_its_reach_says() {
        let fixture = Fixture::new();
        for (path, text) in [("src/a.rs", "a\n"), (".env", "KEY=1\n"), (".vscode/settings.json", "{}\n")] {
            fixture.file(path, text);
        }
        std::os::unix::fs::symlink(".env", fixture.path("env")).unwrap();
        std::os::unix::fs::symlink("/etc", fixture.path("etc")).unwrap();
        let reported: Vec<String> = [
            ("read_file", json!({"path": "env"})),
            ("read_file", json!({"path": "etc/passwd"})),
            ("read_file", json!({"path": "/no/such/place"})),
            ("read_file", json!({"path": "~/.ssh/id_rsa"})),
            ("list_files", json!({"path": "etc"})),
            ("write_file", json!({"path": "src/new.rs", "content": ""})),
            ("write_file", json!({"path": ".vscode/tasks.json", "content": ""})),
            ("write_file", json!({"path": ".mcp.json", "content": ""})),
            ("write_file", json!({"path": ".git/hooks/pre-commit", "content": ""})),
            ("write_file", json!({"path": "src/../.ox/config.toml", "content": ""})),
            ("move_file", json!({"from": "src/a.rs", "to": ".husky/pre-commit"})),
            ("delete_file", json!({"path": "env"})),
            ("delete_file", json!({"path": "etc"})),
            ("delete_file", json!({"path": "src"})),
            ("delete_file", json!({"path": "."})),
        ]
        .map(|(name, args)| {
            let facts = fixture.call(name, args.clone()).facts;
            let paths: Vec<String> = facts.paths.into_iter().map(|it| it.path).collect();
            let words = facts.rejected.map(|it| it.replace(&fixture.root(), "ROOT").replace('\n', " "));
            format!("{name} {:?} {}", facts.level, words.unwrap_or_else(|| paths.join(" ")))
        })
        .to_vec();
        expect![[r#"
            read_file System .env
            read_file System /etc/passwd
            read_file Read `/no/such/place` does not exist; list the folder or search to find the right path The project root is ROOT.
            read_file Read `~/.ssh/id_rsa` cannot be used as a path: `~`, variables and commands are not expanded here; write the path out
            list_files System /etc
            write_file Edit src/new.rs
            write_file System .vscode/tasks.json
            write_file System .mcp.json
            write_file Edit `.git/hooks/pre-commit` is protected and is never written: it belongs to git; use git commands instead
            write_file Edit `.ox/config.toml` is protected and is never written: it is Ox's own state and configuration; ask the user to change it
            move_file System src/a.rs .husky/pre-commit
            delete_file Edit env
            delete_file Edit etc
            delete_file System src
            delete_file Edit `.` is protected and is never written: it is the project's root folder"#]].assert_eq(&reported.join("\n"));
    }

    #[test]
    fn what_runs_by_itself_is_written_only_when_that_was_decided_on() {
        let fixture = Fixture::new();
        fixture.file(".vscode/settings.json", "{}\n");
        fixture.file("plain.json", "{}\n");
        let args = json!({"path": "link.json", "old": "{}", "new": "{1}"});
        std::os::unix::fs::symlink("plain.json", fixture.path("link.json")).unwrap();
        let decided = fixture.call("edit_file", args.clone());
        assert_eq!(decided.facts.level, Level::Edit);
        // The link is turned after the decision.
        std::fs::remove_file(fixture.path("link.json")).unwrap();
        std::os::unix::fs::symlink(".vscode/settings.json", fixture.path("link.json")).unwrap();
        assert!(fixture.run_call(&decided).outcome.is_failure());
        assert_eq!(fixture.read(".vscode/settings.json"), "{}\n");
        // Also where only the tree is left to notice it.
        let strict = fixture.cx.consented(&decided.facts, &decided.facts);
        let old = fixture.cx.tree.read("link.json").unwrap();
        let refused = strict.tree.write("link.json", &old, "x").unwrap_err();
        assert!(matches!(refused, ox_repo::RepoError::Consent { .. }), "{refused}");
        // Decided on as it is now, it is done.
        assert_eq!(fixture.call("edit_file", args.clone()).facts.level, Level::System);
        fixture.ok("edit_file", args);
        assert_eq!(fixture.read(".vscode/settings.json"), "{1}\n");
    }
}
