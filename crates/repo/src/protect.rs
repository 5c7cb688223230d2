//! Which names Ox never writes, which it writes only with the user's consent, and which it reads only with it.
//!
//! The rules look at names alone, so they hold for what does not exist yet; which names those are stands in `ox_protocol::names`.

use std::path::Path;

use ox_protocol::names::{self, Obeyed};

/// What a path is by its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// An ordinary file.
    Free,
    /// Other programs run or obey it without being asked; the user consents to each change.
    Asks(&'static str),
    /// Never changed by Ox.
    Never(&'static str),
}

const GIT: &str = "it belongs to git; use git commands instead";
const OX: &str = "it is Ox's own state and configuration; ask the user to change it";
const KEYS: &str = "it holds secrets; ask the user to change it";
const SECRET: &str = "it is a file of secrets; ask the user to change it, or write a template such as `.env.example`";
const AGENT: &str = "it configures an agent or what an agent may do";
const EDITOR: &str = "an editor obeys or runs it as soon as the folder is opened";
const STARTS: &str = "a shell or another program runs it by itself";

/// What writing, moving or deleting `rel` (relative to the root, or absolute) needs.
pub(crate) fn writing(rel: &Path) -> Guard {
    let found = match names::obeyed(rel) {
        Some(Obeyed::Git) => return Guard::Never(GIT),
        Some(Obeyed::Ox) => return Guard::Never(OX),
        Some(Obeyed::Keys) => return Guard::Never(KEYS),
        Some(Obeyed::Agent) => Guard::Asks(AGENT),
        Some(Obeyed::Editor) => Guard::Asks(EDITOR),
        Some(Obeyed::Starts) => Guard::Asks(STARTS),
        Some(Obeyed::Reviewed) | None => Guard::Free,
    };
    // A file that holds secrets and is obeyed, as `.envrc` is, is what the user may want changed.
    let own = rel.file_name().and_then(|it| names::obeyed(Path::new(it)));
    if own.is_none() && rel.to_str().is_some_and(names::is_secret) { Guard::Never(SECRET) } else { found }
}

/// Why `rel` (relative to the root, or absolute) is never written; none when it may be, with consent or without.
pub(crate) fn reason(rel: &Path) -> Option<&'static str> {
    match writing(rel) {
        Guard::Never(why) => Some(why),
        Guard::Asks(_) | Guard::Free => None,
    }
}

/// Why writing `path` (absolute) asks, where that makes or changes a folder that git takes for a repository although it
/// is not called `.git`: git runs what the configuration of such a folder names.
pub(crate) fn bare_git(path: &Path) -> Option<&'static str> {
    const PARTS: [&str; 3] = ["HEAD", "objects", "refs"];
    const OWN: [&str; 4] = ["config", "config.worktree", "commondir", "hooks"];
    let is_bare = path.ancestors().take(4).any(|it| {
        let (Some(folder), Some(name)) = (it.parent(), it.file_name()) else { return false };
        let is_part = PARTS.iter().any(|part| name == *part);
        (is_part || OWN.iter().any(|own| name == *own))
            && PARTS.iter().all(|part| name == *part || folder.join(part).symlink_metadata().is_ok())
    });
    is_bare.then_some("git takes its folder for a repository, and runs what is configured there")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internals_are_known_anywhere_and_however_they_are_spelled() {
        for path in [
            ".git",
            ".git/config",
            "sub/.GIT/hooks/pre-commit",
            ".git./config",
            ".git /config",
            ".gi\u{200c}t/config",
            ".git::$INDEX_ALLOCATION/config",
            "git~1/config",
            ".ox/config.toml",
            ".Ox",
            ".\u{17f}sh/config",
            ".config/ox/config.toml",
            ".vscode/.git/hooks/x",
        ] {
            assert!(matches!(writing(Path::new(path)), Guard::Never(_)), "{path}");
        }
        for path in
            [".gitignore", ".gitattributes", ".github/workflows/ci.yml", ".oxignore", "git/x", "git~x", "...", "..."]
        {
            assert_eq!(writing(Path::new(path)), Guard::Free, "{path}");
        }
    }

    #[test]
    fn what_runs_by_itself_asks() {
        for path in [
            ".vscode/settings.json",
            "sub/.VSCode/tasks.json",
            ".cursor/mcp.json",
            ".claude/settings.local.json",
            ".mcp.json",
            ".envrc",
            ".bashrc",
            "app.code-workspace",
            ".config/fish/config.fish",
            ".devcontainer/devcontainer.json",
        ] {
            assert!(matches!(writing(Path::new(path)), Guard::Asks(_)), "{path}");
        }
        for path in
            ["Makefile", "package.json", "build.rs", "AGENTS.md", ".editorconfig", ".config/app.toml", "vscode/x"]
        {
            assert_eq!(writing(Path::new(path)), Guard::Free, "{path}");
        }
    }
}
