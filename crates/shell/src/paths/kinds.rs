//! Which paths hold secrets, which make other programs run code, and which instruct agents.

use std::path::Path;

use ox_protocol::names;

use ox_protocol::word_list::contains;
use ox_protocol::word_list::words;

/// Names that are asked about when they are named openly though they hold secrets only sometimes.
const SOMETIMES: &str = include_str!("../tables/words/paths_sometimes_secret.txt");
/// Folders all of whose files are secrets.
const SECRET_FOLDERS: &str = include_str!("../tables/words/paths_secret_folders.txt");
/// Files about the machine that every program may read.
const PUBLIC: &str = include_str!("../tables/words/paths_public.txt");

/// Files that agents take instructions from.
const INSTRUCTIONS: &str = include_str!("../tables/words/paths_instructions.txt");

/// Endings of source code, which keeps no secrets though its folder's name may say so.
const SOURCES: &str = ".rs .py .ts .tsx .js .jsx .go .java .c .h .cpp .rb .md .kt .swift .php";

/// Names against which patterns are held, to see whether a pattern is after secrets.
const SAMPLES: &str = ".env .env.local .envrc id_rsa id_ed25519 .netrc .npmrc .git-credentials .ssh .aws shadow \
    environ";

/// True when the path, or what it may match, presumably holds secrets.
pub(crate) fn is_secret(path: &str) -> bool {
    if words(SOURCES).any(|it| path.ends_with(it))
        && !path.split('/').any(|it| it.starts_with('.') && it != "." && it != "..")
    {
        return false;
    }
    let mut parts = path.split('/').filter(|it| !it.is_empty()).peekable();
    while let Some(name) = parts.next() {
        let last = parts.peek().is_none();
        if words(SECRET_FOLDERS).any(|it| it.eq_ignore_ascii_case(name))
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
    names::is_secret(name) || words(SOMETIMES).any(|it| it.eq_ignore_ascii_case(name))
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
    words(SAMPLES).any(|it| matches(name.as_bytes(), it.as_bytes())) || is_secret_name(&fixed)
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
pub(crate) fn is_public(path: &str) -> bool {
    contains(PUBLIC, path)
}

/// True when changing the path makes something run code outside the sandbox later.
pub(crate) fn is_guarded(path: &str) -> bool {
    let is_pattern = |it: &&str| it.starts_with('.') && it.contains('*');
    let like = |it: &str| names::all_obeyed().any(|known| matches(it.as_bytes(), known.0.as_bytes()));
    names::obeyed(Path::new(path)).is_some()
        || path.split('/').filter(is_pattern).any(like)
        || path.starts_with(".cargo")
}

/// True when agents take instructions from the path.
pub(crate) fn is_instruction(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| words(INSTRUCTIONS).any(|it| it.eq_ignore_ascii_case(name)))
}
