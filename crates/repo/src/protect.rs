//! Which paths Ox never writes, whatever it was asked: git's internals, its own state, and secrets.
//!
//! The rules look at names alone and never at contents.

use std::path::{Component, Path};

const TEMPLATES: [&str; 6] = ["example", "sample", "template", "dist", "defaults", "schema"];
const NAMES: [&str; 9] =
    [".netrc", ".pgpass", ".pypirc", ".git-credentials", ".htpasswd", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
const ENDINGS: [&str; 8] = ["key", "pem", "p12", "pfx", "jks", "keystore", "kdbx", "ppk"];

/// Why `rel` (relative to the root, or absolute) must not be written; none when it may.
pub(crate) fn reason(rel: &Path) -> Option<&'static str> {
    for part in rel.components() {
        let Component::Normal(name) = part else { continue };
        if name.eq_ignore_ascii_case(".git") {
            return Some("it belongs to git; use git commands instead");
        }
        if name.eq_ignore_ascii_case(".ox") {
            return Some("it is Ox's own state and configuration; ask the user to change it");
        }
        if name.eq_ignore_ascii_case(".ssh") {
            return Some("it holds secrets; ask the user to change it");
        }
    }
    let secret = rel.to_str().is_some_and(is_secret);
    secret.then_some("it is a file of secrets; ask the user to change it, or write a template such as `.env.example`")
}

/// True for files that by their name hold secrets: `.env` and its variants (not its templates), keys, credentials.
pub fn is_secret(path: &str) -> bool {
    let path = Path::new(path);
    let Some(name) = path.file_name().and_then(|it| it.to_str()).map(str::to_ascii_lowercase) else { return false };
    if let Some(rest) = name.strip_prefix(".env") {
        let variant = rest.strip_prefix('.');
        return rest.is_empty() || variant.is_some_and(|it| !it.split('.').any(|part| TEMPLATES.contains(&part)));
    }
    if NAMES.contains(&name.as_str()) {
        return true;
    }
    if name == "credentials" && path.parent().and_then(Path::file_name).is_some_and(|it| it == ".aws") {
        return true;
    }
    name.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_name() {
        let secret = [".env", "app/.env.production", "certs/server.KEY", "id_ed25519", "/home/me/.aws/credentials"];
        let plain =
            [".env.example", ".env.production.sample", "src/env.rs", "id_rsa.pub", "keys.rs", "credentials", ".envrc"];
        assert!(secret.iter().all(|it| is_secret(it)));
        assert!(!plain.iter().any(|it| is_secret(it)), "{:?}", plain.iter().find(|it| is_secret(it)));
    }

    #[test]
    fn internals_are_known_anywhere() {
        for path in [".git", ".git/config", "sub/.GIT/hooks/pre-commit", ".ox/config.toml", ".ssh/config"] {
            assert!(reason(Path::new(path)).is_some(), "{path}");
        }
        for path in [".gitignore", ".github/workflows/ci.yml", ".oxignore", "git/x"] {
            assert!(reason(Path::new(path)).is_none(), "{path}");
        }
    }
}
