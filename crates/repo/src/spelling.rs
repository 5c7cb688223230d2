//! What the words of a path tell before any disk is looked at: forms that mean something to a shell, a browser or
//! another system and name nothing here.
//!
//! Nothing is ever expanded. A file that really has such a name is used like any other.

use ox_protocol::Level;
use ox_protocol::names::is_unseen;

/// Why a path where nothing is cannot be meant as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Odd {
    pub why: &'static str,
    /// How far it would reach if something expanded it.
    pub level: Level,
}

const SHELL: Odd =
    Odd { why: "`~`, variables and commands are not expanded here; write the path out", level: Level::System };
const ADDRESS: Odd = Odd { why: "an address is not a path; give the path alone", level: Level::System };
const WINDOWS: Odd =
    Odd { why: "it is a path of Windows; write `/` between the parts, relative to the project", level: Level::System };
const UNSEEN: Odd = Odd {
    why: "a new name with line breaks, control characters or invisible characters is not made; use another name",
    level: Level::Read,
};
const BACKSLASH: Odd = Odd { why: "`\\` is no separator here; write `/` between the parts", level: Level::Read };

/// What is odd about `path`, where nothing of that name exists; `write`: it is to be made.
pub(crate) fn odd(path: &str, write: bool) -> Option<Odd> {
    let first = path.split('/').next().unwrap_or_default();
    match () {
        () if first.starts_with('~') || is_variable(first) || path.contains("$(") || path.contains('`') => Some(SHELL),
        () if has_scheme(path) => Some(ADDRESS),
        () if is_windows(path) => Some(WINDOWS),
        () if !write => None,
        // Joiners are part of words in some scripts, and of emoji.
        () if path.chars().any(|it| is_unseen(it) && !matches!(it, '\u{200c}' | '\u{200d}')) => Some(UNSEEN),
        () if path.contains('\\') => Some(BACKSLASH),
        () => None,
    }
}

/// `$HOME`, `${anything}`, `%USERPROFILE%`; not `$id.tsx`, which is how some web frameworks name files.
fn is_variable(name: &str) -> bool {
    let is_name =
        |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_');
    name.starts_with("${")
        || name.strip_prefix('$').is_some_and(is_name)
        || name.strip_prefix('%').and_then(|it| it.split_once('%')).is_some_and(|(it, _)| is_name(it))
}

fn has_scheme(path: &str) -> bool {
    let Some((scheme, rest)) = path.split_once(':') else { return false };
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|it: char| it.is_ascii_alphabetic())
        && scheme.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'+' | b'-' | b'.'));
    is_scheme && (rest.starts_with("//") || scheme.eq_ignore_ascii_case("file"))
}

fn is_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    let drive = matches!(bytes, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic())
        || matches!(bytes, [letter, b':'] if letter.is_ascii_alphabetic());
    drive || path.starts_with('\\') || path.split('\\').any(|it| it == "..") && path.contains('\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_programs_would_expand_is_reported_from_odd_names() {
        let far = [
            "~",
            "~/x",
            "~root/.ssh",
            "$HOME/x",
            "${HOME}/.ssh/id_rsa",
            "$(cat /etc/passwd)",
            "a/`id`",
            "%APPDATA%/x",
            "file:///etc/passwd",
            "FILE:/etc/passwd",
            "https://a.b/c",
            "C:\\x",
            "c:/x",
            "D:",
            "\\\\server\\share",
            "..\\..\\x",
        ];
        for path in far {
            assert_eq!(odd(path, false).map(|it| it.level), Some(Level::System), "{path}");
        }
        let plain =
            ["src/~x", "routes/$id.tsx", "$id.tsx", "a:b", "src/a.rs:12", "100%", "%a%b", "c:x", "src/C:", "std::fs"];
        for path in plain {
            assert_eq!(odd(path, true), None, "{path}");
        }
        for path in ["a\nb", "a\u{202e}b", "src\\main.rs", "a\u{200b}"] {
            assert_eq!((odd(path, false), odd(path, true).map(|it| it.level)), (None, Some(Level::Read)), "{path:?}");
        }
    }
}
