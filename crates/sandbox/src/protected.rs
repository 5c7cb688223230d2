//! The names of a project that no command may change, and the secrets that none may read.
//!
//! What is listed need not exist: a name that another program obeys is as dangerous when a command makes it. Git's own
//! work (objects, references, index) stays writable, so that `git add` and `git commit` go on; what makes git *run*
//! something, or look elsewhere, does not.

use std::fs;
use std::path::{Path, PathBuf};

/// Protected names of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protected {
    /// What may be read and not written: for `Rights::protect`.
    pub write: Vec<PathBuf>,
    /// What may not be read: for `Rights::hide`.
    pub hide: Vec<PathBuf>,
}

/// Within a git folder: what makes git run programs, obey settings, or follow another repository.
const GIT: [&str; 10] = [
    "config",
    "config.worktree",
    "hooks",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "info/sparse-checkout",
    "objects/info/alternates",
    "commondir",
    "gitdir",
];

/// Names in the root of a project that a program obeys by itself. What edits need consent for is listed with its reasons in
/// `ox_repo`, which sees names at any depth; a test of `ox_tools` holds this list against that one.
const OBEYED: [&str; 91] = [
    // Ox and other agents.
    ".ox",
    ".aider.conf.yml",
    ".amazonq",
    ".augment",
    ".claude",
    ".claude.json",
    ".cline",
    ".clinerules",
    ".codex",
    ".continue",
    ".copilot",
    ".crush",
    ".crush.json",
    ".cursor",
    ".cursorrules",
    ".factory",
    ".gemini",
    ".goose",
    ".junie",
    ".kilocode",
    ".kiro",
    ".mcp.json",
    "mcp.json",
    ".opencode",
    "opencode.json",
    "opencode.jsonc",
    ".openhands",
    ".qwen",
    ".roo",
    ".rovodev",
    ".trae",
    ".windsurf",
    ".windsurfrules",
    // Editors.
    ".devcontainer",
    ".devcontainer.json",
    ".dir-locals.el",
    ".dir-locals-2.el",
    ".emacs",
    ".emacs.d",
    ".exrc",
    ".fleet",
    ".helix",
    ".idea",
    ".lvimrc",
    ".nova",
    ".nvim.lua",
    ".nvimrc",
    ".project.vim",
    ".vim",
    ".vimrc",
    ".vs",
    ".vscode",
    ".zed",
    // Shells, version control, and tools that load a file of the folder that they are in.
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cshrc",
    ".envrc",
    ".gdbinit",
    ".gitconfig",
    ".gitmodules",
    ".hg",
    ".hgrc",
    ".husky",
    ".inputrc",
    ".jj",
    ".kshrc",
    ".lldbinit",
    ".login",
    ".logout",
    ".mise.toml",
    "mise.toml",
    ".npmrc",
    ".pam_environment",
    ".profile",
    ".pythonrc.py",
    ".svn",
    ".tcshrc",
    ".tmux.conf",
    ".wezterm.lua",
    ".xinitrc",
    ".xprofile",
    ".yarnrc",
    ".yarnrc.yml",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];

/// Names in the root of a project that hold secrets.
const SECRETS: [&str; 16] = [
    ".env",
    ".env.local",
    ".env.development.local",
    ".env.production",
    ".env.production.local",
    ".env.staging",
    ".env.test.local",
    ".git-credentials",
    ".htpasswd",
    ".netrc",
    ".pgpass",
    ".pypirc",
    ".secrets",
    ".vault-token",
    "credentials.json",
    "service-account.json",
];

/// Names in the user's home that hold secrets.
const OF_HOME: [&str; 46] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/op",
    ".config/rclone",
    ".config/doctl",
    ".config/heroku",
    ".config/sops",
    ".config/age",
    ".docker/config.json",
    ".kube",
    ".netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".pgpass",
    ".my.cnf",
    ".pypirc",
    ".npmrc",
    ".yarnrc.yml",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".nuget/NuGet/NuGet.Config",
    ".terraform.d/credentials.tfrc.json",
    ".vault-token",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".mozilla",
    ".thunderbird",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".claude",
    ".codex",
];

/// Folders of a home that Ox keeps its own state and configuration in.
const OX: [&str; 3] = [".config/ox", ".local/share/ox", ".local/state/ox"];

/// What commands in the project at `root` may not write and not read. `home` is the user's, `state` are the folders in
/// which Ox keeps its own things, keys among them. Looks at the disk for linked git folders alone.
pub fn protected(root: &Path, home: Option<&Path>, state: &[PathBuf]) -> Protected {
    let mut write: Vec<PathBuf> = OBEYED.iter().map(|it| root.join(it)).collect();
    write.extend(git(root));
    let mut hide: Vec<PathBuf> = SECRETS.iter().map(|it| root.join(it)).collect();
    if let Some(home) = home {
        hide.extend(OF_HOME.iter().map(|it| home.join(it)));
        hide.extend(OX.iter().map(|it| home.join(it)));
    }
    for place in state {
        // A project within Ox's own folder, as in a test, must stay readable.
        if !root.starts_with(place) {
            hide.push(place.clone());
        }
        write.push(place.clone());
    }
    write.extend(hide.iter().filter(|it| it.starts_with(root)).cloned().collect::<Vec<_>>());
    hide.retain(|it| !root.starts_with(it));
    Protected { write, hide }
}

/// What must not change of the project's repository, wherever it lies.
fn git(root: &Path) -> Vec<PathBuf> {
    let own = root.join(".git");
    let mut found: Vec<PathBuf> = GIT.iter().map(|it| own.join(it)).collect();
    found.extend(modules(&own.join("modules"), 0));
    let Some(elsewhere) = fs::read_to_string(&own).ok().and_then(|it| pointed(root, &it)) else { return found };
    // A linked working tree or a submodule: the file itself, the folder that it names, and the one that this shares.
    found.push(own);
    let common = fs::read_to_string(elsewhere.join("commondir")).ok().map(|it| elsewhere.join(it.trim()));
    for place in [Some(elsewhere), common].into_iter().flatten() {
        found.extend(GIT.iter().map(|it| place.join(it)));
    }
    found
}

fn pointed(root: &Path, text: &str) -> Option<PathBuf> {
    Some(root.join(text.strip_prefix("gitdir:")?.trim()))
}

/// Depth at which folders of submodules within submodules are looked for no more.
const DEPTH: usize = 4;

/// The protected names of the submodules' folders.
fn modules(place: &Path, depth: usize) -> Vec<PathBuf> {
    if depth > DEPTH {
        return Vec::new();
    }
    let inner = fs::read_dir(place).into_iter().flatten().flatten().map(|it| it.path());
    let folders = inner.filter(|it| it.is_dir() && !it.is_symlink());
    folders
        .flat_map(|it| match it.join("HEAD").is_file() {
            true => GIT.iter().map(|name| it.join(name)).chain(modules(&it.join("modules"), depth + 1)).collect(),
            // The name of a submodule may have slashes.
            false => modules(&it, depth + 1),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count_before_they_exist() {
        let found = protected(Path::new("/p"), Some(Path::new("/h")), &["/h/state".into()]);
        for name in [".git/config", ".git/hooks", ".git/info/attributes", ".ox", ".envrc", ".vscode", ".bashrc", ".env"]
        {
            assert!(found.write.contains(&Path::new("/p").join(name)), "{name}");
        }
        for name in ["/p/.env", "/h/.ssh", "/h/.aws", "/h/.config/gh", "/h/.cargo/credentials.toml", "/h/state"] {
            assert!(found.hide.contains(&PathBuf::from(name)), "{name}");
        }
        for name in ["/p/.git", "/p/.git/index", "/p/.git/objects", "/p/.git/refs", "/p/.gitignore", "/p/.env.example"]
        {
            assert!(
                !found.write.contains(&PathBuf::from(name)) && !found.hide.contains(&PathBuf::from(name)),
                "{name}"
            );
        }
    }

    #[test]
    fn a_project_is_never_hidden_from_itself() {
        let found = protected(Path::new("/h/.claude/work"), Some(Path::new("/h")), &["/h/.claude".into()]);
        assert!(!found.hide.iter().any(|it| Path::new("/h/.claude/work").starts_with(it)));
        assert!(found.write.contains(&PathBuf::from("/h/.claude")));
    }

    #[test]
    fn linked_folders_of_git_count_too() {
        let dir = tempfile::tempdir().unwrap();
        let (tree, shared) = (dir.path().join("tree"), dir.path().join("main/.git"));
        let own = shared.join("worktrees/tree");
        fs::create_dir_all(&own).unwrap();
        fs::create_dir_all(shared.join("modules/group/sub")).unwrap();
        fs::write(shared.join("modules/group/sub/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        let found = protected(&tree, None, &[]).write;
        assert!(found.contains(&tree.join(".git")) && found.contains(&own.join("config.worktree")));
        assert!(found.contains(&own.join("../..").join("hooks")));
        let found = protected(&dir.path().join("main"), None, &[]).write;
        assert!(found.contains(&shared.join("modules/group/sub/config")), "{found:?}");
    }
}
