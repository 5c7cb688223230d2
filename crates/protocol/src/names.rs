//! Names that tell what a file is: those that hold secrets, and those that other programs obey. One table for whoever writes,
//! runs or judges.
//!
//! Names alone are looked at, at any depth, so what is said holds for what does not exist yet. A name counts as each file
//! system that a project may be moved to would see it: case, invisible characters, dots and spaces at the end are no
//! difference.

use std::collections::HashMap;
use std::path::{Component, Path};
use std::sync::LazyLock;

use crate::word_list::{contains, words};

/// Who obeys a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obeyed {
    /// Git: it is a repository, or leads to one.
    Git,
    /// Ox itself.
    Ox,
    /// Programs that keep keys.
    Keys,
    /// Agents.
    Agent,
    /// Editors, as soon as the folder is opened.
    Editor,
    /// Shells, version control and tools that load a file of the folder that they are in.
    Starts,
    /// What builds and checks the project, which a review of the change shows.
    Reviewed,
}

impl Obeyed {
    /// True where the effect comes outside of any review, so that no command may make or change such a name unasked.
    pub fn is_protected_from_commands(self) -> bool {
        !matches!(self, Obeyed::Keys | Obeyed::Reviewed)
    }
}

/// Files and folders in lower case; a folder covers what is beneath it.
const OBEYED: [(Obeyed, &str); 7] = [
    (Obeyed::Git, ".git"),
    (Obeyed::Ox, ".ox .config/ox .local/share/ox .local/state/ox"),
    (Obeyed::Keys, ".ssh .gnupg"),
    (
        Obeyed::Agent,
        ".aider .aider.conf.yml .amazonq .augment .claude .claude.json .cline .clinerules .codex .continue .copilot .crush \
         .crush.json .cursor .cursorrules .factory .gemini .goose .junie .kilocode .kiro .mcp.json mcp.json .opencode \
         opencode.json opencode.jsonc .openhands .qwen .roo .rovodev .trae .windsurf .windsurfrules",
    ),
    (
        Obeyed::Editor,
        ".devcontainer .devcontainer.json .dir-locals.el .dir-locals-2.el .emacs .emacs.d .exrc .fleet .helix .idea .lvimrc \
         .nova .nvim.lua .nvimrc .project.vim .theia .vim .vimrc .vs .vscode .zed .config/nvim",
    ),
    (
        Obeyed::Starts,
        ".ackrc .bash_aliases .bash_login .bash_logout .bash_profile .bashrc .cshrc .curlrc .direnv .envrc .gdbinit \
         .gitconfig .githooks .gitmodules .hg .hgrc .husky .inputrc .irbrc .jj .kshrc .lldbinit .login .logout .mise.toml \
         mise.toml .npmrc .pam_environment .pdbrc .profile .pryrc .psqlrc .pythonrc.py .ripgreprc .rprofile .rvmrc .screenrc \
         .sqliterc .svn .tcshrc .tmux.conf .wezterm.lua .wgetrc .xinitrc .xprofile .yarnrc .yarnrc.yml .zlogin .zlogout \
         .zprofile .zshenv .zshrc .config/autostart .config/environment.d .config/fish .config/git .config/systemd \
         library/launchagents",
    ),
    (
        Obeyed::Reviewed,
        ".buildkite .circleci .gitattributes .gitlab .gitlab-ci.yml .lfsconfig .pre-commit-config.yaml .travis.yml \
         jenkinsfile lefthook.yml rust-toolchain rust-toolchain.toml .github/workflows .github/actions",
    ),
];
/// Endings of files that an editor obeys.
const EDITOR_ENDINGS: [&str; 3] = [".code-workspace", ".sublime-project", ".sublime-workspace"];

/// Parts of a name that say that it is meant to be read.
const TEMPLATES: &str = "example sample template dist defaults schema tmpl";
/// Files that hold secrets, whole names.
const SECRETS: &str = ".bash_history .boto .dockercfg .git-credentials .htpasswd .iceauthority .my.cnf .mylogin.cnf \
    .mysql_history .netrc .node_repl_history .pgpass .psql_history .pypirc .python_history .rediscli_history .rhosts .s3cfg \
    .secrets .sqlite_history .vault-token .viminfo .xauthority .zsh_history _netrc application_default_credentials.json \
    cookies.sqlite credentials credentials.json credentials.toml credentials.xml credentials.yaml credentials.yml \
    fish_history gshadow gshadow- htpasswd id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk id_rsa key4.db kubeconfig \
    logins.json password.txt passwords.txt private_key privatekey secret.json secret.yaml secret.yml secrets.json \
    secrets.toml secrets.yaml secrets.yml service-account.json service_account.json shadow shadow- wallet.dat";
/// Endings of files that hold keys.
const SECRET_ENDINGS: &str =
    "agekey gpg jks kdb kdbx key keystore keytab ovpn p12 p8 pem pfx pkcs12 ppk tfstate tfvars";
/// Files with a plain name that hold secrets in one folder.
const SECRET_PLACES: &str = ".aws/credentials .docker/config.json .kube/config .cargo/credentials.toml .ssh/identity \
    .codex/auth.json .composer/auth.json";
/// Folders all of whose files hold secrets, but for what is source code or meant to be read.
const SECRET_FOLDERS: &str = "secrets .secrets";
/// Folders of what is made up for tests and examples, where keys are no secrets.
const MADE_UP: &str = "test tests testdata test-data __tests__ spec specs fixture fixtures example examples sample samples \
    mock mocks __mocks__";
/// Endings of source code and of words about it.
const SOURCES: &str = "c cpp go h html java js jsx kt md php py rb rs sh swift ts tsx";

/// Parts of the names of environment variables that hold secrets.
const SECRET_VARIABLE_PARTS: &str =
    "API_KEY APIKEY ACCESS_KEY PRIVATE_KEY SECRET PASSWORD PASSWD PASSPHRASE CREDENTIAL TOKEN";
/// Last parts, of names of more than one part, that say the same.
const SECRET_VARIABLE_ENDS: &str = "KEY KEYS PWD PAT AUTH DSN PASSCODE COOKIE CREDS";
/// Further parts of names that hold secrets more often than not.
const POSSIBLY_SECRET_VARIABLE_PARTS: &str =
    "_AUTH AUTH_ DATABASE_URL DSN CONNECTION_STRING COOKIE SESSION _KEY _PASS PGPASS";

/// What follows a name, and who obeys it then.
type Rule = (Vec<&'static str>, Obeyed);

/// The table by first name.
static TABLE: LazyLock<HashMap<&str, Vec<Rule>>> = LazyLock::new(|| {
    let mut table: HashMap<&str, Vec<Rule>> = HashMap::new();
    for (who, names) in OBEYED {
        for rule in words(names) {
            let mut names = rule.split('/');
            let first = names.next().expect("a split has a first part");
            table.entry(first).or_default().push((names.collect(), who));
        }
    }
    table
});

/// Who obeys what is named from `at` on, in names as [`folded`] gives them.
pub fn obeyed_at(names: &[String], at: usize) -> Option<Obeyed> {
    let name = &names[at];
    let rules = TABLE.get(name.as_str()).map(Vec::as_slice).unwrap_or_default();
    let all =
        |rest: &[&str]| rest.iter().enumerate().all(|(i, it)| names.get(at + 1 + i).is_some_and(|name| name == it));
    let found = rules.iter().find(|(rest, _)| all(rest)).map(|it| it.1);
    let last = at + 1 == names.len();
    found
        .or_else(|| is_short_git(name).then_some(Obeyed::Git))
        .or_else(|| (last && EDITOR_ENDINGS.iter().any(|it| name.ends_with(it))).then_some(Obeyed::Editor))
}

/// Every single name that is obeyed, with who obeys it.
pub fn all_obeyed() -> impl Iterator<Item = (&'static str, Obeyed)> {
    let all = OBEYED.iter().flat_map(|(who, names)| words(names).map(|it| (it, *who)));
    all.filter(|it| !it.0.contains('/'))
}

/// True when something obeyed could lie in a folder with the last of these names, as `.config` is one for `.config/git`.
pub fn leads_to_obeyed(names: &[String]) -> bool {
    names.last().and_then(|it| TABLE.get(it.as_str())).is_some_and(|it| it.iter().any(|it| !it.0.is_empty()))
}

/// Who obeys `path`, or a folder that it lies in; the strictest where there are several.
pub fn obeyed(path: &Path) -> Option<Obeyed> {
    let names = folded(path);
    let all = (0..names.len()).filter_map(|at| obeyed_at(&names, at));
    all.min_by_key(|it| match it {
        Obeyed::Git | Obeyed::Ox | Obeyed::Keys => 0,
        Obeyed::Agent | Obeyed::Editor | Obeyed::Starts => 1,
        Obeyed::Reviewed => 2,
    })
}

/// True for files that by their name hold secrets: `.env` and its variants (not its templates), keys, credentials.
pub fn is_secret(path: &str) -> bool {
    let names = folded(Path::new(path));
    let Some((name, folders)) = names.split_last() else { return false };
    let is_template = |it: &str| it.split(['.', '-', '_']).any(|part| contains(TEMPLATES, part));
    if let Some(rest) = name.strip_prefix(".env") {
        let variant = rest.strip_prefix(['.', '-', '_']);
        return rest.is_empty() || name == ".envrc" || variant.is_some_and(|it| !is_template(it));
    }
    let made_up = !name.starts_with('.') && folders.iter().any(|it| contains(MADE_UP, it));
    if contains(SECRETS, name) {
        return !made_up;
    }
    if folders.last().is_some_and(|of| contains(SECRET_PLACES, &format!("{of}/{name}"))) {
        return true;
    }
    // Whatever is in these folders, but for what is public by its name.
    let keys = folders.iter().any(|it| it == ".gnupg" || it == ".ssh");
    if keys && !name.ends_with(".pub") && !["config", "known_hosts", "authorized_keys"].contains(&name.as_str()) {
        return true;
    }
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    if folders.iter().any(|it| contains(SECRET_FOLDERS, it)) && !contains(SOURCES, ending) && !is_template(name) {
        return !made_up;
    }
    !made_up && contains(SECRET_ENDINGS, ending) || (ending == "env" && !stem.is_empty() && !is_template(stem))
}

/// True when an environment variable of this name presumably holds a secret, so that no process inherits it.
pub fn is_secret_variable(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    words(SECRET_VARIABLE_PARTS).any(|it| name.contains(it))
        || name.rsplit_once('_').is_some_and(|it| contains(SECRET_VARIABLE_ENDS, it.1))
        || (name.ends_with("PASS") && !name.ends_with("BYPASS") && !name.ends_with("COMPASS"))
}

/// True when an environment variable of this name may hold a secret, so that printing it is asked about.
pub fn may_be_secret_variable(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    is_secret_variable(name) || words(POSSIBLY_SECRET_VARIABLE_PARTS).any(|it| upper.contains(it))
}

/// The names of a path as the most careless file system compares them.
pub fn folded(path: &Path) -> Vec<String> {
    path.components()
        .filter_map(|it| match it {
            Component::Normal(name) => Some(fold(&name.to_string_lossy())),
            _ => None,
        })
        .collect()
}

/// Case, characters that HFS+ ignores, NTFS streams, and what Windows drops at the end make no difference.
pub fn fold(name: &str) -> String {
    if name.bytes().all(|it| it.is_ascii_lowercase() || matches!(it, b'.' | b'_' | b'-')) && !name.ends_with('.') {
        return name.to_owned();
    }
    let seen = name.chars().filter(|it| !is_unseen(*it)).flat_map(char::to_uppercase);
    let lower: String = seen.flat_map(char::to_lowercase).collect();
    let plain = lower.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    // A name of dots alone is its own.
    if plain.is_empty() { lower } else { plain.to_owned() }
}

/// `git~1` is what Windows calls `.git` for old programs.
fn is_short_git(name: &str) -> bool {
    name.strip_prefix("git~").is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()))
}

/// True for characters that are not seen, or that change how others are seen: control and format characters.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
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
            "credentials",
            "secrets/app.yaml",
            "config/secrets/key.pem",
            ".envrc",
            "terraform.tfvars",
            "tests/.env",
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
            "config",
            "secrets.rs",
            "src/secrets/mod.rs",
            "secrets/README.md",
            "locales/en/auth.json",
            "tests/fixtures/server.pem",
            "test/id_rsa",
        ];
        for path in secret {
            assert!(is_secret(path), "{path}");
        }
        for path in plain {
            assert!(!is_secret(path), "{path}");
        }
    }

    #[test]
    fn names_are_obeyed_at_any_depth_and_however_they_are_spelled() {
        let who = |path: &str| obeyed(Path::new(path));
        assert_eq!(who("a/b/.GIT/hooks/x"), Some(Obeyed::Git));
        assert_eq!(who(".vscode/.git"), Some(Obeyed::Git));
        assert_eq!(who("a/.VSCode/tasks.json"), Some(Obeyed::Editor));
        assert_eq!(who("x/y.code-workspace"), Some(Obeyed::Editor));
        assert_eq!(who("x/.config/git/config"), Some(Obeyed::Starts));
        assert_eq!(who(".github/workflows/ci.yml"), Some(Obeyed::Reviewed));
        assert_eq!(who(".config/app.toml"), None);
        assert_eq!(who("y.code-workspace/x"), None);
        assert!(leads_to_obeyed(&folded(Path::new("x/.Config"))) && !leads_to_obeyed(&folded(Path::new(".vscode"))));
    }

    #[test]
    fn no_rule_is_written_in_a_way_that_never_matches() {
        let lists = [TEMPLATES, SECRETS, SECRET_ENDINGS, SECRET_PLACES, SECRET_FOLDERS, MADE_UP, SOURCES];
        for word in OBEYED.iter().map(|it| it.1).chain(lists).flat_map(str::split_ascii_whitespace) {
            assert_eq!(word.split('/').map(fold).collect::<Vec<_>>().join("/"), word);
        }
    }
}
