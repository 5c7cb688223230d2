//! Which paths hold secrets, which make other programs run code, and which instruct agents.

use std::path::Path;

use ox_protocol::names;

/// Names that are asked about when they are named openly though they hold secrets only sometimes.
const SOMETIMES: &str = ".npmrc .history .sh_history .lesshst identity environ auth.json token.json keyring keychain Cookies \
    sudoers api_key apikey";
/// Folders all of whose files are secrets.
const SECRET_FOLDERS: &str = ".ssh .gnupg .aws .azure .gcloud .kube .docker .password-store .mozilla .thunderbird \
    secrets .secrets keyrings .oci .terraform.d .config/op sudoers.d krb5cc .cert .pki Keychains";
/// Files about the machine that every program may read.
const PUBLIC: &str = "/etc/os-release /usr/lib/os-release /etc/lsb-release /etc/debian_version /etc/redhat-release \
    /etc/alpine-release /proc/cpuinfo /proc/meminfo /proc/version /proc/loadavg /proc/uptime /proc/filesystems \
    /proc/stat /dev/zero /dev/random /dev/urandom";

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
    let mut parts = path.split('/').filter(|it| !it.is_empty()).peekable();
    while let Some(name) = parts.next() {
        let last = parts.peek().is_none();
        if SECRET_FOLDERS.split_ascii_whitespace().any(|it| it.eq_ignore_ascii_case(name))
            && !(last && name.chars().all(|c| c.is_alphanumeric()))
        {
            return true;
        }
        // Where a file lies counts too: keys among test data are none.
        let here = match last {
            true => names::is_secret(path) || is_secret_name(name) && !names::is_secret(name),
            false => name.starts_with('.') && is_secret_name(name),
        };
        if here || is_secret_pattern(name) {
            return true;
        }
    }
    path.starts_with("/proc/") && ["/mem", "/cmdline", "/auxv", "/maps", "/kcore"].iter().any(|it| path.ends_with(it))
        || path.starts_with("/var/run/secrets")
        || path.starts_with("/run/secrets")
}

fn is_secret_name(name: &str) -> bool {
    names::is_secret(name) || SOMETIMES.split_ascii_whitespace().any(|it| it.eq_ignore_ascii_case(name))
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
    let is_pattern = |it: &&str| it.starts_with('.') && it.contains('*');
    let like = |it: &str| names::all_obeyed().any(|known| matches(it.as_bytes(), known.0.as_bytes()));
    names::obeyed(Path::new(path)).is_some()
        || path.split('/').filter(is_pattern).any(like)
        || path.starts_with(".cargo")
}

/// True when agents take instructions from the path.
pub(super) fn is_instruction(path: &str) -> bool {
    path.rsplit('/')
        .next()
        .is_some_and(|name| INSTRUCTIONS.split_ascii_whitespace().any(|it| it.eq_ignore_ascii_case(name)))
}
