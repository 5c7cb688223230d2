//! What git needs of the user's where it speaks to a remote: the keys and tokens that let it in, or the remote's folder where it is
//! one of this machine. It is part of what is consented to; in the sandbox nothing of it is there otherwise.

use std::path::{Path, PathBuf};

use ox_protocol::{CallFacts, Effect, EffectKind, Level, PathUse};

use crate::call::context::CallContext;

/// Where git and ssh find them, in the user's home: ssh(1), gitcredentials(7), and what the hosts' own programs keep.
const CREDENTIALS: &str = ".ssh .git-credentials .config/git/credentials .netrc .config/gh .config/glab-cli";
/// Subcommands that speak to a remote.
const SPEAKS: [&str; 5] = ["push", "fetch", "pull", "clone", "ls-remote"];

/// Adds what a command of git in `folder` that is asked about needs.
pub(super) fn needed(cx: &CallContext, folder: &Path, facts: &mut CallFacts) {
    let asked = facts.commands.iter().filter(|it| it.level == Level::System);
    let calls: Vec<Vec<String>> = asked.filter_map(|it| shlex::split(&it.text)).filter(|it| speaks(it)).collect();
    if calls.is_empty() {
        return;
    }
    let pushes = calls.iter().any(|it| it[1] == "push");
    let named = calls.iter().flat_map(|it| it.iter().skip(2).cloned());
    let places = named.filter(|it| is_path(it)).chain(configured(folder)).map(|it| folder.join(it));
    let places = places.filter_map(|it| it.canonicalize().ok()).filter(|it| it.is_dir());
    let places: Vec<PathBuf> = places.filter(|it| !it.starts_with(cx.tree.root())).collect();
    for place in &places {
        facts.paths.push(PathUse { path: place.display().to_string(), write: pushes });
        let kind = if pushes { EffectKind::Write } else { EffectKind::Read };
        facts.effects.push(Effect::new(kind, Level::System, place.display().to_string()));
    }
    let Some(home) = cx.sandbox_policy.home.as_deref().filter(|_| places.is_empty()) else { return };
    let credentials = CREDENTIALS.split(' ').map(|it| home.join(it)).filter(|it| it.exists());
    let agent = std::env::var_os("SSH_AUTH_SOCK").map(PathBuf::from).filter(|it| it.exists());
    let opened = credentials.map(|it| (it, false)).chain(agent.map(|it| (it, true)));
    let opened: Vec<PathUse> =
        opened.map(|(path, write)| PathUse { path: path.display().to_string(), write }).collect();
    if !opened.is_empty() {
        let names: Vec<String> = opened.iter().map(|it| it.path.replace(&*home.to_string_lossy(), "~")).collect();
        facts.effects.push(Effect::new(EffectKind::Secret, Level::System, names.join(", ")));
        facts.paths.extend(opened);
    }
}

fn speaks(words: &[String]) -> bool {
    words.len() > 1 && words[0] == "git" && SPEAKS.contains(&words[1].as_str())
}

/// True for a word that names a repository by its path.
fn is_path(word: &str) -> bool {
    word.starts_with(['/', '.']) && !word.contains("://")
}

/// The remotes of the repository that are paths, read without running git.
fn configured(folder: &Path) -> Vec<String> {
    let settings = ox_repo::git::settings(folder).unwrap_or_default();
    let value = |line: &str| {
        let (name, value) = line.split_once('=')?;
        let value = value.trim().trim_matches('"').trim_start_matches("file://").to_owned();
        (["url", "pushurl"].contains(&name.trim()) && is_path(&value)).then_some(value)
    };
    settings.lines().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::tests::testing::Fixture;

    #[test]
    fn a_push_to_a_folder_may_write_it_once_it_is_consented_to() {
        let (fixture, remote) = (Fixture::new(), Fixture::new());
        remote.file("HEAD", "ref: refs/heads/main\n");
        fixture.file(".git/config", &format!("[remote \"origin\"]\n\turl = {}\n", remote.root()));
        let written = |command: &str| {
            let facts = fixture.call("run_command", json!({"command": command})).facts;
            let outside = facts.paths.iter().filter(|it| it.path.starts_with('/'));
            outside.map(|it| (it.path.replace(&remote.root(), "REMOTE"), it.write)).collect::<Vec<_>>()
        };
        assert_eq!(written("git push origin main"), [("REMOTE".to_owned(), true)]);
        assert_eq!(written("git fetch"), [("REMOTE".to_owned(), false)]);
        assert_eq!(written("git status"), []);
    }
}
