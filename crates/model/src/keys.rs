//! The keys that this process uses, so that nothing it says contains one, whoever says it.
//!
//! They are held for that alone: nobody can ask for them here.

use std::sync::{Mutex, PoisonError};

use base64::Engine;

use crate::address::authority;

/// What stands in the place of a key.
const HIDDEN: &str = "[key]";
/// What is shorter occurs in texts by chance.
const SHORTEST: usize = 6;

static KNOWN: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// From now on `key` is hidden wherever [`hide`] is asked. One of fewer than six bytes is not: it occurs by chance.
pub fn know(key: &str) {
    let key = key.trim();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if key.len() >= SHORTEST && !known.iter().any(|it| it == key) {
        known.push(key.to_string());
        // A key that contains another one is hidden whole.
        known.sort_by_key(|it| std::cmp::Reverse(it.len()));
    }
}

/// The same for the password in an address, as it is written there.
pub(crate) fn know_password(url: &str) {
    if let (Some(user), _) = authority(url) {
        know(user.split_once(':').map_or(user, |(_, password)| password));
        // This is how it travels, and how a server that repeats what it got says it.
        know(&base64::engine::general_purpose::STANDARD.encode(user));
    }
}

/// An address as it may be shown: without the password in it.
pub fn address(url: &str) -> String {
    redact(url, &[])
}

/// The text with `[key]` in the place of every known key. Cheap where none occurs.
pub fn hide(text: &str) -> String {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known.iter().filter(|it| text.contains(it.as_str()));
    found.fold(text.to_string(), |text, key| text.replace(key.as_str(), HIDDEN))
}

/// How keys begin.
const KEY_PREFIXES: [&str; 6] = ["sk-", "gsk_", "xai-", "hf_", "AIza", "Bearer "];

/// Replaces known keys, whatever looks like one, and passwords in addresses by `[key]`.
pub(crate) fn redact(text: &str, secrets: &[&str]) -> String {
    let mut text = text.to_string();
    for secret in secrets.iter().filter(|it| it.len() >= 6) {
        text = text.replace(secret, "[key]");
    }
    let text = KEY_PREFIXES.iter().fold(hide(&text), |text, begin| without_keys(&text, begin));
    without_passwords(&text)
}

fn without_keys(text: &str, begin: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(begin) {
        let (before, from) = rest.split_at(at);
        let body = &from[begin.len()..];
        let foreign = |c: char| !(c.is_ascii_alphanumeric() || "-_*.".contains(c));
        let length = begin.len() + body.find(foreign).unwrap_or(body.len());
        // A full stop behind a key ends the sentence.
        let length = begin.len() + from[begin.len()..length].trim_end_matches('.').len();
        let inside_a_word = before.ends_with(|c: char| c.is_ascii_alphanumeric());
        out += before;
        out += if length >= 11 && !inside_a_word { "[key]" } else { &from[..length] };
        rest = &from[length..];
    }
    out + rest
}

/// `http://name:password@host` as `http://[key]@host`.
fn without_passwords(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, from) = rest.split_at(at + 3);
        out += before;
        let end = from.find(|c: char| c.is_whitespace() || "/?#\"'`<>".contains(c)).unwrap_or(from.len());
        rest = match from[..end].rfind('@') {
            Some(at) => {
                out += "[key]";
                &from[at..]
            }
            None => from,
        };
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_hidden_and_nothing_else() {
        know(" plain-key-of-this-test\n");
        know("short");
        know_password("https://me:word-of-this-test@host/v1?x=@");
        assert_eq!(hide("a plain-key-of-this-test b short"), "a [key] b short");
        assert_eq!(hide("me:word-of-this-test"), "me:[key]");
        assert_eq!(hide("Basic bWU6d29yZC1vZi10aGlzLXRlc3Q="), "Basic [key]");
    }
}
