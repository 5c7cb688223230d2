//! What a command would throw away: the uncommitted work in its reach, by name, before anybody is asked about it.
//!
//! What this conversation itself created is not counted: nobody misses it. Git is asked, hardened and in the sandbox,
//! and only about commands that delete or destroy; where there is no repository nothing is added.

use std::collections::BTreeSet;
use std::path::Path;

use ox_protocol::{Call, Effect, EffectKind, Level, Runner};
use ox_repo::git;

/// Files named before "+N".
const NAMED: usize = 6;
/// Bytes of git's answer that are read.
const ANSWER: usize = 1 << 20;

/// A file with work in it that no commit holds.
struct Loose {
    path: String,
    untracked: bool,
}

/// Adds to each call that destroys or deletes what it would take with it, and raises it to level system where that is
/// something. `own` are the files that the conversation created.
pub(crate) async fn add_lost_work(runner: &dyn Runner, root: &Path, own: &BTreeSet<String>, calls: &mut [Call]) {
    let takes = |it: &Effect| matches!(it.kind, EffectKind::Destroy | EffectKind::Delete);
    if !calls.iter().any(|it| it.facts.command.is_some() && it.facts.effects.iter().any(takes)) {
        return;
    }
    let loose = uncommitted(runner, root).await;
    for call in calls.iter_mut().filter(|it| it.facts.command.is_some()) {
        let reached = |file: &&Loose| call.facts.effects.iter().any(|it| reaches(it, file));
        let lost: Vec<&Loose> = loose.iter().filter(|it| !own.contains(&it.path)).filter(reached).collect();
        if lost.is_empty() {
            continue;
        }
        let effect = Effect::new(EffectKind::Destroy, Level::System, listed(&lost));
        call.facts.level = Level::System;
        call.facts.effects.insert(0, effect);
    }
}

/// `git clean` takes what is untracked, what else of git destroys takes what was changed, but for what holds no files; a
/// deletion takes both.
fn reaches(effect: &Effect, file: &Loose) -> bool {
    match effect.kind {
        EffectKind::Destroy => {
            let mut words = effect.what.split_whitespace();
            match (words.next(), words.next()) {
                (Some("git"), Some("stash" | "branch")) => false,
                (Some("git"), Some("clean")) => file.untracked,
                // A name alone is that of the root, with everything in it.
                (Some(name), None) => !file.untracked || !name.starts_with('-'),
                _ => !file.untracked,
            }
        }
        EffectKind::Delete => {
            let path = effect.what.trim_start_matches("./").trim_end_matches('/');
            matches!(path, "" | "." | "*") || file.path == path || file.path.starts_with(&format!("{path}/"))
        }
        _ => false,
    }
}

async fn uncommitted(runner: &dyn Runner, root: &Path) -> Vec<Loose> {
    let Some(top) = git::work_tree(root) else { return Vec::new() };
    let mut job = git::question(root, &["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames"]);
    job.rights.output = ANSWER;
    // A repository that git cannot read has nothing that could be told of.
    let Ok(exit) = runner.run(job, None).await else { return Vec::new() };
    let beneath = root.strip_prefix(&top).unwrap_or(Path::new("")).to_string_lossy().into_owned();
    let text = String::from_utf8_lossy(&exit.output.head).into_owned();
    let entry = |line: &str| {
        let (state, path) = (line.get(..2)?, line.get(3..)?);
        // What is gone from the work tree cannot be lost from it.
        if state.ends_with('D') || state == "D " {
            return None;
        }
        let path = match beneath.as_str() {
            "" => path,
            folder => path.strip_prefix(folder)?.strip_prefix('/')?,
        };
        Some(Loose { path: path.to_string(), untracked: state == "??" })
    };
    text.split('\0').filter_map(entry).collect()
}

fn listed(lost: &[&Loose]) -> String {
    let mut names: Vec<&str> = lost.iter().take(NAMED).map(|it| it.path.as_str()).collect();
    let more = format!("+{}", lost.len().saturating_sub(NAMED));
    if lost.len() > NAMED {
        names.push(&more);
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use ox_protocol::{CallFacts, CallId, CallKind};
    use ox_sandbox::Plain;
    use serde_json::json;

    use super::*;

    fn call(command: &str, effects: &[(EffectKind, &str)]) -> Call {
        let effect = |(kind, what): &(EffectKind, &str)| Effect::new(*kind, Level::Shell, *what);
        let facts = CallFacts {
            kind: CallKind::Mutate,
            level: Level::Shell,
            command: Some(command.to_string()),
            effects: effects.iter().map(effect).collect(),
            ..CallFacts::default()
        };
        Call { id: CallId("c".into()), tool: "run_command".into(), args: json!({}), facts, as_written: None }
    }

    #[tokio::test]
    async fn what_would_be_lost_is_named_and_asked_about() {
        use EffectKind::{Delete, Destroy, Read};
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path();
        let script = "git init -q . && mkdir src && echo a > src/a.rs && echo b > b.rs && echo g > gone.rs && git add . && \
            git -c user.name=t -c user.email=t@example.com commit -qm x && echo more >> src/a.rs && \
            echo n > src/note.txt && echo o > own.txt && rm gone.rs";
        assert!(Command::new("sh").args(["-c", script]).current_dir(root).status().expect("sh").success());
        let own = BTreeSet::from(["own.txt".to_string()]);
        let mut calls = [
            call("git reset --hard", &[(Destroy, "git reset --hard")]),
            call("git clean -fd", &[(Destroy, "git clean -fd")]),
            call("rm -rf src", &[(Delete, "src")]),
            call("rm own.txt b.rs", &[(Delete, "own.txt"), (Delete, "b.rs")]),
            call("rm -rf .", &[(Delete, ".")]),
            call("git stash drop", &[(Destroy, "git stash drop")]),
            call("git branch -D clean", &[(Destroy, "git branch -D clean")]),
            call("git checkout -- clean.rs stash.rs", &[(Destroy, "git checkout -- clean.rs stash.rs")]),
            call("rm -f gone.rs", &[(Delete, "gone.rs")]),
            call("rm -rf *", &[(Destroy, "*")]),
            call("cat src/a.rs", &[(Read, "src/a.rs")]),
        ];
        add_lost_work(&Plain, root, &own, &mut calls).await;
        let reported: Vec<String> = calls
            .iter()
            .map(|it| match it.facts.level {
                Level::System => format!("{}: {}", it.facts.command.as_deref().unwrap_or(""), it.facts.effects[0].what),
                level => format!("{}: {level:?}", it.facts.command.as_deref().unwrap_or("")),
            })
            .collect();
        assert_eq!(
            reported,
            [
                "git reset --hard: src/a.rs",
                "git clean -fd: src/note.txt",
                "rm -rf src: src/a.rs, src/note.txt",
                "rm own.txt b.rs: Shell",
                "rm -rf .: src/a.rs, src/note.txt",
                "git stash drop: Shell",
                "git branch -D clean: Shell",
                "git checkout -- clean.rs stash.rs: src/a.rs",
                "rm -f gone.rs: Shell",
                "rm -rf *: src/a.rs, src/note.txt",
                "cat src/a.rs: Shell",
            ]
        );
    }
}
