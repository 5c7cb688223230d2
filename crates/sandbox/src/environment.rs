//! What a process inherits. Never a secret, never what would make it load or run something on the side.

use std::env;
use std::ffi::OsString;

/// Substrings of the names of variables that hold secrets.
const SECRETS: [&str; 10] = [
    "API_KEY",
    "APIKEY",
    "ACCESS_KEY",
    "PRIVATE_KEY",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "TOKEN",
];

/// Variables that make shells and loaders run further code, or that tie git to another repository.
const TRAPS: [&str; 17] = [
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG_PARAMETERS",
    "GIT_EXTERNAL_DIFF",
    "FORCE_COLOR",
    "CLICOLOR_FORCE",
];

/// Nobody is there to answer, to page or to see colours.
const QUIET: [(&str, &str); 4] =
    [("TERM", "dumb"), ("PAGER", "cat"), ("GIT_PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0")];

/// With a terminal of its own a program may draw.
const AT_TERMINAL: [(&str, &str); 4] =
    [("TERM", "xterm-256color"), ("PAGER", "cat"), ("GIT_PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0")];

/// True when a variable of this name presumably holds a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRETS.iter().any(|it| name.contains(it)) || name.ends_with("_PAT")
}

/// The environment of Ox without what must not be handed on, and with what keeps programs from asking. `terminal`: it gets one
/// of its own.
pub(crate) fn cleaned(terminal: bool) -> Vec<(OsString, OsString)> {
    let inherited = env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_handed_on));
    let own = if terminal { &AT_TERMINAL[..] } else { &QUIET[..] };
    inherited.chain(own.iter().map(|(name, value)| (name.into(), value.into()))).collect()
}

fn is_handed_on(name: &str) -> bool {
    // Functions that bash exports run when a shell meets their name.
    !(name.starts_with("OX_") || name.starts_with("BASH_FUNC_") || TRAPS.contains(&name) || is_secret_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_out() {
        let kept = ["PATH", "HOME", "LANG", "CARGO_HOME", "RUSTUP_TOOLCHAIN", "SSH_AUTH_SOCK", "KEYBOARD", "MONKEY"];
        let gone = [
            "OPENAI_API_KEY",
            "ANTHROPIC_API_KEY",
            "OX_MODEL",
            "LD_PRELOAD",
            "BASH_ENV",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_ACCESS_KEY_ID",
            "npm_config__authToken",
            "DB_PASSWORD",
            "BASH_FUNC_ls%%",
            "GIT_DIR",
            "AZURE_PAT",
        ];
        assert_eq!(kept.iter().find(|it| !is_handed_on(it)), None);
        assert_eq!(gone.iter().find(|it| is_handed_on(it)), None);
    }
}
