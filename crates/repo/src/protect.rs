//! Which names Ox never writes, which it writes only with the user's consent, and which it reads only with it.
//!
//! The rules look at names alone, so they hold for what does not exist yet. A name counts as each file system that a
//! project may be moved to would see it: case, invisible characters, dots and spaces at the end are no difference.

use std::path::{Component, Path};

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

/// Folders and files, by their names at any depth, in lower case. A folder covers what is beneath it.
const RULES: &[(&str, Guard)] = &[
    (".git", Guard::Never(GIT)),
    (".ox", Guard::Never(OX)),
    (".ssh", Guard::Never(KEYS)),
    (".gnupg", Guard::Never(KEYS)),
    // Agents.
    (".aider.conf.yml", Guard::Asks(AGENT)),
    (".amazonq", Guard::Asks(AGENT)),
    (".augment", Guard::Asks(AGENT)),
    (".claude", Guard::Asks(AGENT)),
    (".claude.json", Guard::Asks(AGENT)),
    (".cline", Guard::Asks(AGENT)),
    (".clinerules", Guard::Asks(AGENT)),
    (".codex", Guard::Asks(AGENT)),
    (".continue", Guard::Asks(AGENT)),
    (".copilot", Guard::Asks(AGENT)),
    (".crush", Guard::Asks(AGENT)),
    (".crush.json", Guard::Asks(AGENT)),
    (".cursor", Guard::Asks(AGENT)),
    (".cursorrules", Guard::Asks(AGENT)),
    (".factory", Guard::Asks(AGENT)),
    (".gemini", Guard::Asks(AGENT)),
    (".goose", Guard::Asks(AGENT)),
    (".junie", Guard::Asks(AGENT)),
    (".kilocode", Guard::Asks(AGENT)),
    (".kiro", Guard::Asks(AGENT)),
    (".mcp.json", Guard::Asks(AGENT)),
    ("mcp.json", Guard::Asks(AGENT)),
    (".opencode", Guard::Asks(AGENT)),
    ("opencode.json", Guard::Asks(AGENT)),
    ("opencode.jsonc", Guard::Asks(AGENT)),
    (".openhands", Guard::Asks(AGENT)),
    (".qwen", Guard::Asks(AGENT)),
    (".roo", Guard::Asks(AGENT)),
    (".rovodev", Guard::Asks(AGENT)),
    (".trae", Guard::Asks(AGENT)),
    (".windsurf", Guard::Asks(AGENT)),
    (".windsurfrules", Guard::Asks(AGENT)),
    // Editors and what they open.
    (".devcontainer", Guard::Asks(EDITOR)),
    (".devcontainer.json", Guard::Asks(EDITOR)),
    (".dir-locals.el", Guard::Asks(EDITOR)),
    (".dir-locals-2.el", Guard::Asks(EDITOR)),
    (".emacs", Guard::Asks(EDITOR)),
    (".emacs.d", Guard::Asks(EDITOR)),
    (".exrc", Guard::Asks(EDITOR)),
    (".fleet", Guard::Asks(EDITOR)),
    (".helix", Guard::Asks(EDITOR)),
    (".idea", Guard::Asks(EDITOR)),
    (".lvimrc", Guard::Asks(EDITOR)),
    (".nova", Guard::Asks(EDITOR)),
    (".nvim.lua", Guard::Asks(EDITOR)),
    (".nvimrc", Guard::Asks(EDITOR)),
    (".project.vim", Guard::Asks(EDITOR)),
    (".vim", Guard::Asks(EDITOR)),
    (".vimrc", Guard::Asks(EDITOR)),
    (".vs", Guard::Asks(EDITOR)),
    (".vscode", Guard::Asks(EDITOR)),
    (".zed", Guard::Asks(EDITOR)),
    // Shells, version control and tools that load a file of the folder they are in.
    (".bash_aliases", Guard::Asks(STARTS)),
    (".bash_login", Guard::Asks(STARTS)),
    (".bash_logout", Guard::Asks(STARTS)),
    (".bash_profile", Guard::Asks(STARTS)),
    (".bashrc", Guard::Asks(STARTS)),
    (".cshrc", Guard::Asks(STARTS)),
    (".envrc", Guard::Asks(STARTS)),
    (".gdbinit", Guard::Asks(STARTS)),
    (".gitconfig", Guard::Asks(STARTS)),
    (".hg", Guard::Asks(STARTS)),
    (".hgrc", Guard::Asks(STARTS)),
    (".husky", Guard::Asks(STARTS)),
    (".inputrc", Guard::Asks(STARTS)),
    (".jj", Guard::Asks(STARTS)),
    (".kshrc", Guard::Asks(STARTS)),
    (".lldbinit", Guard::Asks(STARTS)),
    (".login", Guard::Asks(STARTS)),
    (".logout", Guard::Asks(STARTS)),
    (".mise.toml", Guard::Asks(STARTS)),
    ("mise.toml", Guard::Asks(STARTS)),
    (".npmrc", Guard::Asks(STARTS)),
    (".pam_environment", Guard::Asks(STARTS)),
    (".profile", Guard::Asks(STARTS)),
    (".pythonrc.py", Guard::Asks(STARTS)),
    (".svn", Guard::Asks(STARTS)),
    (".tcshrc", Guard::Asks(STARTS)),
    (".tmux.conf", Guard::Asks(STARTS)),
    (".wezterm.lua", Guard::Asks(STARTS)),
    (".xinitrc", Guard::Asks(STARTS)),
    (".xprofile", Guard::Asks(STARTS)),
    (".yarnrc", Guard::Asks(STARTS)),
    (".yarnrc.yml", Guard::Asks(STARTS)),
    (".zlogin", Guard::Asks(STARTS)),
    (".zlogout", Guard::Asks(STARTS)),
    (".zprofile", Guard::Asks(STARTS)),
    (".zshenv", Guard::Asks(STARTS)),
    (".zshrc", Guard::Asks(STARTS)),
    // Of a home folder that is taken for a project.
    (".config/autostart", Guard::Asks(STARTS)),
    (".config/environment.d", Guard::Asks(STARTS)),
    (".config/fish", Guard::Asks(STARTS)),
    (".config/git", Guard::Asks(STARTS)),
    (".config/nvim", Guard::Asks(EDITOR)),
    (".config/ox", Guard::Never(OX)),
    (".config/systemd", Guard::Asks(STARTS)),
    (".local/share/ox", Guard::Never(OX)),
    (".local/state/ox", Guard::Never(OX)),
    ("library/launchagents", Guard::Asks(STARTS)),
];

/// Endings of files that an editor obeys.
const EDITOR_ENDINGS: [&str; 3] = [".code-workspace", ".sublime-project", ".sublime-workspace"];

const TEMPLATES: [&str; 6] = ["example", "sample", "template", "dist", "defaults", "schema"];
const SECRETS: [&str; 21] = [
    ".git-credentials",
    ".htpasswd",
    ".netrc",
    ".pgpass",
    ".pypirc",
    ".secrets",
    ".vault-token",
    "_netrc",
    "application_default_credentials.json",
    "credentials.json",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "id_rsa",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "service-account.json",
];
const SECRET_ENDINGS: [&str; 10] = ["key", "pem", "p12", "pfx", "jks", "keystore", "kdbx", "ppk", "p8", "tfstate"];
/// Files with a plain name that hold secrets in one folder.
const SECRET_PLACES: [(&str, &str); 5] = [
    (".aws", "credentials"),
    (".docker", "config.json"),
    (".kube", "config"),
    (".cargo", "credentials.toml"),
    (".ssh", "identity"),
];

/// What writing, moving or deleting `rel` (relative to the root, or absolute) needs.
pub(crate) fn writing(rel: &Path) -> Guard {
    let names = folded(rel);
    let mut found = Guard::Free;
    for at in 0..names.len() {
        let here = RULES.iter().find(|(rule, _)| {
            rule.split('/').enumerate().all(|(i, it)| names.get(at + i).is_some_and(|name| name == it))
        });
        match here.map(|it| it.1).or_else(|| is_short_git(&names[at]).then_some(Guard::Never(GIT))) {
            Some(never @ Guard::Never(_)) => return never,
            Some(asks) => found = asks,
            None => {}
        }
    }
    match () {
        () if secret(&names) => Guard::Never(SECRET),
        () if names.last().is_some_and(|it| EDITOR_ENDINGS.iter().any(|ending| it.ends_with(ending))) => {
            Guard::Asks(EDITOR)
        }
        () => found,
    }
}

/// Why `rel` (relative to the root, or absolute) is never written; none when it may be, with consent or without.
pub(crate) fn reason(rel: &Path) -> Option<&'static str> {
    match writing(rel) {
        Guard::Never(why) => Some(why),
        Guard::Asks(_) | Guard::Free => None,
    }
}

/// True for files that by their name hold secrets: `.env` and its variants (not its templates), keys, credentials.
pub fn is_secret(path: &str) -> bool {
    secret(&folded(Path::new(path)))
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

fn secret(names: &[String]) -> bool {
    let Some((name, folders)) = names.split_last() else { return false };
    let is_template = |it: &str| it.split(['.', '-', '_']).any(|part| TEMPLATES.contains(&part));
    if let Some(rest) = name.strip_prefix(".env") {
        let variant = rest.strip_prefix(['.', '-', '_']);
        return rest.is_empty() || variant.is_some_and(|it| !is_template(it));
    }
    if SECRETS.contains(&name.as_str()) {
        return true;
    }
    let folder = folders.last().map(String::as_str);
    if SECRET_PLACES.iter().any(|(of, it)| folder == Some(of) && name == it) {
        return true;
    }
    // Whatever is in these folders, but for what is public by its name.
    let keys = folders.iter().any(|it| it == ".gnupg" || it == ".ssh");
    if keys && !name.ends_with(".pub") && !["config", "known_hosts", "authorized_keys"].contains(&name.as_str()) {
        return true;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    SECRET_ENDINGS.contains(&ending) || (ending == "env" && !stem.is_empty() && !is_template(stem))
}

/// The names of a path as the most careless file system compares them.
fn folded(path: &Path) -> Vec<String> {
    path.components()
        .filter_map(|it| match it {
            Component::Normal(name) => Some(fold(&name.to_string_lossy())),
            _ => None,
        })
        .collect()
}

/// Case, characters that HFS+ ignores, NTFS streams, and what Windows drops at the end make no difference.
fn fold(name: &str) -> String {
    if name.bytes().all(|it| it.is_ascii_lowercase() || matches!(it, b'.' | b'_' | b'-')) && !name.ends_with('.') {
        return name.to_owned();
    }
    let seen = name.chars().filter(|it| !crate::spelling::is_unseen(*it)).flat_map(char::to_uppercase);
    let lower: String = seen.flat_map(char::to_lowercase).collect();
    let plain = lower.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    // A name of dots alone is its own.
    if plain.is_empty() { lower } else { plain.to_owned() }
}

/// `git~1` is what Windows calls `.git` for old programs.
fn is_short_git(name: &str) -> bool {
    name.strip_prefix("git~").is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_name() {
        let secret = [
            ".env",
            "app/.env.production",
            ".ENV",
            ".env.",
            ".env::$DATA",
            "deploy/prod.env",
            "certs/server.KEY",
            "id_ed25519",
            "/home/me/.aws/credentials",
            ".kube/config",
            ".ssh/work_key",
            "secrets.yaml",
            "terraform.tfstate",
        ];
        let plain = [
            ".env.example",
            ".env.production.sample",
            ".env-template",
            "example.env",
            "src/env.rs",
            "id_rsa.pub",
            ".ssh/id_rsa.pub",
            ".ssh/config",
            "keys.rs",
            "credentials",
            ".envrc",
            "config",
            "secrets.rs",
        ];
        for path in secret {
            assert!(is_secret(path), "{path}");
        }
        for path in plain {
            assert!(!is_secret(path), "{path}");
        }
    }

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

    #[test]
    fn no_rule_is_written_in_a_way_that_never_matches() {
        for (rule, _) in RULES {
            assert_eq!(rule.split('/').map(fold).collect::<Vec<_>>().join("/"), *rule);
        }
    }
}
