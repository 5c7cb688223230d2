//! Which paths hold secrets, which make other programs run code, and which instruct agents.

/// Names of files that hold secrets, whole.
const SECRET_NAMES: &str = ".netrc _netrc .npmrc .pypirc .git-credentials .pgpass .my.cnf .mylogin.cnf .htpasswd \
    .dockercfg .vault-token .envrc .s3cfg .boto .rhosts .bash_history .zsh_history .history .sh_history \
    .python_history .node_repl_history .mysql_history .psql_history .sqlite_history .rediscli_history .lesshst \
    .viminfo fish_history .Xauthority .ICEauthority id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk \
    identity credentials credentials.json credentials.toml credentials.yml credentials.yaml credentials.xml \
    credentials.db credentials.enc secrets.json secrets.yml secrets.yaml secrets.toml secret.key secret.json \
    secret.yml secret.yaml service-account.json service_account.json shadow shadow- gshadow gshadow- sudoers \
    master.key kubeconfig environ auth.json token.json terraform.tfvars terraform.tfstate htpasswd wallet.dat \
    keyring keychain cookies.sqlite Cookies logins.json key4.db secring.gpg private.key privatekey private_key \
    api_key apikey passwords.txt password.txt";
/// Folders all of whose files are secrets.
const SECRET_FOLDERS: &str = ".ssh .gnupg .aws .azure .gcloud .kube .docker .password-store .mozilla .thunderbird \
    secrets .secrets keyrings .oci .terraform.d .config/op sudoers.d krb5cc .cert .pki Keychains";
/// Endings of files that hold keys.
const SECRET_ENDINGS: &str = ".pem .key .p12 .pfx .jks .keystore .kdbx .kdb .ppk .asc.key .ovpn .p8 .pkcs12 .gpg \
    .keytab .tfstate .tfvars .agekey .mobileprovision";
/// Examples that are meant to be read.
const EXAMPLES: &str = ".example .sample .template .dist .tmpl .defaults .pub";

/// Files about the machine that every program may read.
const PUBLIC: &str = "/etc/os-release /usr/lib/os-release /etc/lsb-release /etc/debian_version /etc/redhat-release \
    /etc/alpine-release /proc/cpuinfo /proc/meminfo /proc/version /proc/loadavg /proc/uptime /proc/filesystems \
    /proc/stat /dev/zero /dev/random /dev/urandom";

/// Parts of a project that run code outside the sandbox when a file in them changes: git's internals, editors, agents, hooks.
const GUARDED_FOLDERS: &str = ".git .ox .vscode .idea .claude .cursor .codex .gemini .windsurf .zed .fleet \
    .devcontainer .husky .githooks .circleci .gitlab .buildkite .aider .continue .roo .cline .vs .theia .nova \
    .direnv .ssh .gnupg";
/// Files of that kind.
const GUARDED_NAMES: &str = ".gitconfig .gitmodules .gitattributes .lfsconfig .mcp.json mcp.json .envrc .bashrc \
    .bash_profile .profile .zshrc .zshenv .zprofile .bash_login .bash_logout .inputrc .vimrc .exrc .nvimrc .gdbinit \
    .lldbinit .npmrc .yarnrc .yarnrc.yml .pypirc .netrc .pre-commit-config.yaml .gitlab-ci.yml Jenkinsfile \
    .travis.yml .dir-locals.el .mise.toml mise.toml .rvmrc .pdbrc .irbrc .psqlrc .sqliterc .curlrc .wgetrc .hgrc \
    .pryrc .Rprofile .aider.conf.yml lefthook.yml rust-toolchain rust-toolchain.toml .editorrc .ackrc .agrc \
    .ripgreprc .screenrc .tmux.conf .lesskey";
/// Files that agents take instructions from.
const INSTRUCTIONS: &str = "AGENTS.md CLAUDE.md GEMINI.md CLAUDE.local.md .oxrules .cursorrules .windsurfrules \
    .clinerules .roorules copilot-instructions.md .goosehints CONVENTIONS.md .ac.mod.md";

/// Endings of source code, which keeps no secrets though its folder's name may say so.
const SOURCES: &str = ".rs .py .ts .tsx .js .jsx .go .java .c .h .cpp .rb .md .kt .swift .php";

/// Names against which patterns are held, to see whether a pattern is after secrets.
const SAMPLES: &str = ".env .env.local .envrc id_rsa id_ed25519 .netrc .npmrc .git-credentials .ssh .aws shadow \
    environ";

/// True when the path, or what it may match, presumably holds secrets.
pub(crate) fn is_secret(path: &str) -> bool {
    if SOURCES.split_ascii_whitespace().any(|it| path.ends_with(it))
        && !path.split('/').any(|it| it.starts_with('.') && it != "." && it != "..")
    {
        return false;
    }
    let mut names = path.split('/').filter(|it| !it.is_empty()).peekable();
    while let Some(name) = names.next() {
        let last = names.peek().is_none();
        if SECRET_FOLDERS.split_ascii_whitespace().any(|it| it.eq_ignore_ascii_case(name))
            && !(last && name.chars().all(|c| c.is_alphanumeric()))
        {
            return true;
        }
        if is_secret_name(name) && (last || name.starts_with('.')) || is_secret_pattern(name) {
            return true;
        }
    }
    path.starts_with("/proc/") && ["/mem", "/cmdline", "/auxv", "/maps", "/kcore"].iter().any(|it| path.ends_with(it))
        || path.starts_with("/var/run/secrets")
        || path.starts_with("/run/secrets")
}

fn is_secret_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    if EXAMPLES.split_ascii_whitespace().any(|it| lower.ends_with(it)) {
        return false;
    }
    lower == ".env"
        || lower.starts_with(".env.")
        || lower.starts_with(".env-")
        || lower.ends_with(".env")
        || SECRET_NAMES.split_ascii_whitespace().any(|it| it.eq_ignore_ascii_case(name))
        || SECRET_ENDINGS.split_ascii_whitespace().any(|it| lower.ends_with(it))
}

/// A pattern with something to hold on to that matches the name of a secret, as `.e*` does; `*` alone does not count.
fn is_secret_pattern(name: &str) -> bool {
    if !name.contains(['*', '?', '[']) {
        return false;
    }
    let fixed: String = name.chars().filter(|c| !"*?[]!^".contains(*c)).collect();
    if fixed.is_empty() {
        return false;
    }
    SAMPLES.split_ascii_whitespace().any(|it| matches(name.as_bytes(), it.as_bytes())) || is_secret_name(&fixed)
}

/// True when the shell pattern matches the name. A bracket matches any one character, which errs on the side of matching.
/// One step back at most, so the time is the product of the lengths.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == name[n] || matches!(c, b'?' | b'[') => {
                p += if *c == b'[' { bracket(&pattern[p..]) } else { 1 };
                n += 1;
            }
            _ => {
                let Some((at, from)) = star else { return false };
                star = Some((at, from + 1));
                (p, n) = (at + 1, from + 1);
            }
        }
    }
    pattern[p..].iter().all(|it| *it == b'*')
}

/// How long the bracket expression at the beginning is.
fn bracket(pattern: &[u8]) -> usize {
    pattern.iter().skip(2).position(|it| *it == b']').map_or(1, |it| it + 3)
}

/// True when the path tells about the machine and nothing else.
pub(super) fn is_public(path: &str) -> bool {
    PUBLIC.split_ascii_whitespace().any(|it| it == path)
}

/// True when changing the path makes something run code outside the sandbox later.
pub(super) fn is_guarded(path: &str) -> bool {
    let mut names = path.split('/').filter(|it| !it.is_empty());
    names.any(|it| {
        let listed = |list: &str| {
            list.split_ascii_whitespace().any(|known| {
                known.eq_ignore_ascii_case(it)
                    || it.contains('*') && it.starts_with('.') && matches(it.as_bytes(), known.as_bytes())
            })
        };
        listed(GUARDED_FOLDERS) || listed(GUARDED_NAMES) || it.ends_with(".code-workspace")
    }) || path.to_ascii_lowercase().contains(".github/workflows")
        || path.to_ascii_lowercase().contains(".github/actions")
        || path.starts_with(".cargo")
}

/// True when agents take instructions from the path.
pub(super) fn is_instruction(path: &str) -> bool {
    path.rsplit('/')
        .next()
        .is_some_and(|name| INSTRUCTIONS.split_ascii_whitespace().any(|it| it.eq_ignore_ascii_case(name)))
}
