//! The names of the writable folders that no command may change, and the secrets that none may read.
//!
//! What is listed need not exist: a name that another program obeys is as dangerous when a command makes it. Git's own
//! work (objects, references, index) stays writable, so that `git add` and `git commit` go on; what makes git *run*
//! something, or look elsewhere, does not.

use std::fs;
use std::path::{Component, Path, PathBuf};

use ox_protocol::names::{self, Obeyed};

use crate::secrets;
use ox_protocol::word_list::words;

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

/// Files of secrets that no command makes in the root of a writable folder either; those that exist are found at any depth.
const SECRETS: [&str; 10] = [
    ".env",
    ".env.local",
    ".env.development.local",
    ".env.production",
    ".env.production.local",
    ".env.staging",
    ".env.test.local",
    ".git-credentials",
    ".netrc",
    ".secrets",
];

/// Names in the user's home that hold secrets.
const OF_HOME: &str = include_str!("tables/home_secrets.txt");

/// Folders of a home that Ox keeps its own state and configuration in.
const OX: [&str; 3] = [".config/ox", ".local/share/ox", ".local/state/ox"];

/// What commands may not write and not read in `roots`, which are the project and whatever else they may write. `home` is
/// the user's, `state` are the folders in which Ox keeps its own things, keys among them.
///
/// What is obeyed at a greater depth needs no list: whoever makes the names sees it. Secrets are looked for once.
pub fn protected(roots: &[PathBuf], home: Option<&Path>, state: &[PathBuf]) -> Protected {
    let (home, state) = (home.map(plain), state.iter().map(|it| plain(it)).collect::<Vec<_>>());
    let (mut write, mut hide) = (Vec::new(), Vec::new());
    for root in roots {
        let obeyed = names::all_obeyed().filter(|(_, who)| who.is_protected_from_commands() && *who != Obeyed::Git);
        write.extend(obeyed.map(|it| root.join(it.0)));
        write.extend(git(root, home.as_deref()));
        hide.extend(secrets_at(root));
        hide.extend(secrets::beneath(root));
    }
    if let Some(home) = &home {
        hide.extend(words(OF_HOME).map(|it| home.join(it)));
        hide.extend(OX.iter().map(|it| home.join(it)));
    }
    let in_root = |it: &PathBuf| roots.iter().any(|root| it.starts_with(root));
    write.extend(hide.iter().filter(|it| in_root(it)).cloned().collect::<Vec<_>>());
    for place in &state {
        // A project within Ox's own folder, as in a test, must stay readable.
        hide.push(place.clone());
        write.push(place.clone());
    }
    hide.retain(|it| !roots.iter().any(|root| root.starts_with(it)));
    for list in [&mut write, &mut hide] {
        list.sort();
        list.dedup();
    }
    Protected { write, hide }
}

/// The names in `root` itself that hold secrets, whether or not they are there.
pub(crate) fn secrets_at(root: &Path) -> impl Iterator<Item = PathBuf> {
    SECRETS.iter().map(|it| root.join(it))
}

/// Folders of fetched packages and of what was built. Editors and shells are not started in them, and packages bring such
/// names along; so of all that is obeyed only git's is refused there, which asks every repository within another.
const INSTALLED: [&str; 6] = ["node_modules", "site-packages", "target", "vendor", "bower_components", ".yarn"];

pub(crate) fn is_installed(names: &[String]) -> bool {
    names.iter().any(|it| INSTALLED.contains(&it.as_str()))
}

/// What of a git folder no command may change.
pub(crate) fn kept_of_git(own: &Path) -> impl Iterator<Item = PathBuf> {
    GIT.iter().map(|it| own.join(it))
}

/// What must not change of the project's repository, wherever it lies, and of where its settings lead.
fn git(root: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let own = root.join(".git");
    let mut found: Vec<PathBuf> = kept_of_git(&own).collect();
    found.extend(modules(&own.join("modules"), 0));
    let mut settings = vec![own.join("config")];
    if let Some(elsewhere) = fs::read_to_string(&own).ok().and_then(|it| pointed(root, &it)) {
        // A linked working tree or a submodule: the file itself, the folder that it names, and the one that this shares.
        found.push(own);
        let common = fs::read_to_string(elsewhere.join("commondir")).ok().map(|it| elsewhere.join(it.trim()));
        for place in [Some(elsewhere), common].into_iter().flatten() {
            let place = place.canonicalize().unwrap_or(place);
            settings.push(place.join("config"));
            found.extend(GIT.iter().map(|it| place.join(it)));
        }
    }
    settings.extend(home.iter().flat_map(|it| [it.join(".gitconfig"), it.join(".config/git/config")]));
    found.extend(led_to(root, settings, home));
    found
}

/// The files and folders in `root` that git's settings name: further settings, and where hooks are.
fn led_to(root: &Path, mut settings: Vec<PathBuf>, home: Option<&Path>) -> Vec<PathBuf> {
    let (mut found, mut at) = (Vec::new(), 0);
    // A ring of files that include one another ends with the count.
    while at < settings.len().min(64) {
        let file = settings[at].clone();
        at += 1;
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let mut section = String::new();
        for line in text.lines().map(str::trim) {
            let mut line = line;
            if let Some((head, rest)) = line.strip_prefix('[').and_then(|it| it.split_once(']')) {
                section = head.split([' ', '.', '"']).next().unwrap_or_default().to_ascii_lowercase();
                line = rest.trim();
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let value = value.trim().trim_matches('"');
            let from = |folder: &Path| match (value.strip_prefix("~/"), home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => folder.join(value),
            };
            let place = match (section.as_str(), key.trim().to_ascii_lowercase().as_str()) {
                ("include" | "includeif", "path") => from(file.parent().unwrap_or(root)),
                ("core", "hookspath" | "attributesfile") => from(root),
                _ => continue,
            };
            let place = plain(&place);
            if place.starts_with(root) && place != root {
                found.push(place.clone());
            }
            settings.push(place);
        }
    }
    found
}

/// The same path without `.` and `..`, which no mount can be made at.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain = plain.canonicalize().unwrap_or(plain).parent().unwrap_or(Path::new("/")).to_owned()
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

fn pointed(root: &Path, text: &str) -> Option<PathBuf> {
    Some(plain(&root.join(text.strip_prefix("gitdir:")?.trim())))
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
        let found = protected(&["/p".into()], Some(Path::new("/h")), &["/h/state".into()]);
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
    fn no_name_has_dots_in_it() {
        let found = protected(&["/p".into()], Some(Path::new("/h/x/..")), &["/h/./y/../state".into()]);
        assert!(found.hide.contains(&PathBuf::from("/h/.ssh")) && found.hide.contains(&PathBuf::from("/h/state")));
        let dots = |it: &PathBuf| it.components().any(|it| it == Component::ParentDir);
        assert!(!found.write.iter().chain(&found.hide).any(dots));
    }

    #[test]
    fn a_project_is_never_hidden_from_itself() {
        let found = protected(&["/h/.claude/work".into()], Some(Path::new("/h")), &["/h/.claude".into()]);
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
        let found = protected(std::slice::from_ref(&tree), None, &[]).write;
        assert!(found.contains(&tree.join(".git")) && found.contains(&own.join("config.worktree")));
        assert!(found.contains(&shared.canonicalize().unwrap().join("hooks")));
        let found = protected(&[dir.path().join("main")], None, &[]).write;
        assert!(found.contains(&shared.join("modules/group/sub/config")), "{found:?}");
    }

    #[test]
    fn where_the_settings_of_git_lead_counts_too() {
        let dir = tempfile::tempdir().unwrap();
        let (root, home) = (dir.path().join("p"), dir.path().join("h"));
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::create_dir(&home).unwrap();
        fs::write(home.join(".gitconfig"), "[core]\n\thooksPath = .hooks\n").unwrap();
        let config = "[include]\n path = ../common/git.conf\n[includeIf \"gitdir:~/p\"] path = \"../more.conf\"\n";
        fs::write(root.join(".git/config"), format!("{config}[core]\n HooksPath=tools/../githooks\n")).unwrap();
        fs::write(root.join("more.conf"), "[include]\npath = deep.conf\n[core]\nhooksPath = ../out\n").unwrap();
        let found = protected(std::slice::from_ref(&root), Some(&home), &[]).write;
        for name in ["common/git.conf", "more.conf", "deep.conf", "githooks", ".hooks"] {
            assert!(found.contains(&root.join(name)), "{name}");
        }
        assert!(!found.contains(&dir.path().join("out")) && !found.contains(&root));
    }
}
