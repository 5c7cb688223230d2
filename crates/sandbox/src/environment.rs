//! What a process inherits. Never a secret, never what would make it load or run something on the side.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::sync::{PoisonError, RwLock};

use ox_protocol::names::is_secret_variable;

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

/// The variables that every command gets: nobody is there to answer or to page, and colours are for a terminal alone.
pub(crate) fn quiet(terminal: bool) -> [(&'static str, &'static str); 4] {
    let term = if terminal { "xterm-256color" } else { "dumb" };
    [("TERM", term), ("PAGER", "cat"), ("GIT_PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0")]
}

/// Variables that the configuration says hold keys.
static CONFIGURED: RwLock<BTreeSet<String>> = RwLock::new(BTreeSet::new());

/// From now on no process inherits these variables.
pub fn withhold(names: impl IntoIterator<Item = String>) {
    CONFIGURED.write().unwrap_or_else(PoisonError::into_inner).extend(names);
}

/// True for an address with a password in it.
fn holds_password(value: &str) -> bool {
    value.split("://").skip(1).any(|rest| {
        let end = rest.find(['/', '?', '#', ' ', '"', '\'']).unwrap_or(rest.len());
        let user = rest[..end].rsplit_once('@').map(|it| it.0);
        user.and_then(|it| it.split_once(':')).is_some_and(|it| !it.1.is_empty())
    })
}

/// The environment of Ox without what must not be handed on, and with what keeps programs from asking. `terminal`: it gets one
/// of its own.
pub(crate) fn cleaned(terminal: bool) -> Vec<(OsString, OsString)> {
    let configured = CONFIGURED.read().unwrap_or_else(PoisonError::into_inner);
    let inherited = env::vars_os().filter(|(name, value)| {
        name.to_str().is_some_and(|it| is_handed_on(it) && !configured.contains(it))
            && !holds_password(&value.to_string_lossy())
    });
    inherited.chain(quiet(terminal).map(|(name, value)| (name.into(), value.into()))).collect()
}

fn is_handed_on(name: &str) -> bool {
    // Functions that bash exports run when a shell meets their name.
    !(name.starts_with("OX_") || name.starts_with("BASH_FUNC_") || TRAPS.contains(&name) || is_secret_variable(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_out() {
        let kept = [
            "PATH",
            "HOME",
            "LANG",
            "CARGO_HOME",
            "RUSTUP_TOOLCHAIN",
            "SSH_AUTH_SOCK",
            "KEYBOARD",
            "MONKEY",
            "PWD",
            "OLDPWD",
        ];
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
            "OPENAI_KEY",
            "MY_LLM_AUTH",
            "MYSQL_PWD",
            "SSHPASS",
            "RAILS_MASTER_KEY",
            "SENTRY_DSN",
        ];
        assert_eq!(kept.iter().find(|it| !is_handed_on(it)), None);
        assert_eq!(gone.iter().find(|it| is_handed_on(it)), None);
    }

    #[test]
    fn addresses_with_a_password_are_distinguished() {
        for value in ["postgres://u:p@h/db", "a=redis://:secret@h:6379", "x https://h/ amqp://u:p%40@h"] {
            assert!(holds_password(value), "{value}");
        }
        for value in ["https://example.com:8080/a@b", "https://u@h/", "git@h:p", "http://h/?x=a:b@c", "https://u:@h"] {
            assert!(!holds_password(value), "{value}");
        }
    }
}
