//! Finding secrets in text and hiding them: what goes to models, logs and exports passes through here.
//!
//! Pure and linear in the length of the text, whatever is in it. A secret is known by its form (a token's prefix, a key
//! block, a password in an address) or by what is assigned to a name such as `password`; hashes, ids, lock files and
//! random data without such a sign are left alone. A redacted text has as many lines as before, and redacting it again
//! changes nothing. It never promises to find every secret: it finds what has a form.

mod assigned;
mod blocks;
mod looks;
mod tokens;

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

/// A text without its secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redacted {
    /// The text with a marker in the place of each secret.
    pub text: String,
    /// What was hidden, in the order of the text.
    pub found: Vec<Found>,
}

/// A secret that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is, as its marker says: `github-token`, `password`, …
    pub kind: &'static str,
    /// Its bytes in the original text.
    pub at: Range<usize>,
}

/// What begins every marker.
const BEGIN: &str = "[redacted: ";

/// A sign of a secret, and how the secret is found from where the sign stands.
#[derive(Clone, Copy)]
enum Sign {
    Token(&'static tokens::Token),
    Name(&'static assigned::Name),
    Block,
    Address,
    Bearer,
    Webhook,
}

struct Signs {
    search: AhoCorasick,
    signs: Vec<Sign>,
}

static SIGNS: LazyLock<Signs> = LazyLock::new(|| {
    let tokens = tokens::TOKENS.iter().map(|it| (it.prefix, Sign::Token(it)));
    let names = assigned::NAMES.iter().map(|it| (it.word, Sign::Name(it)));
    let webhooks = blocks::WEBHOOKS.iter().map(|it| (*it, Sign::Webhook));
    let others = [("-----begin ", Sign::Block), ("://", Sign::Address), ("bearer ", Sign::Bearer)];
    let (words, signs): (Vec<&str>, Vec<Sign>) = tokens.chain(names).chain(webhooks).chain(others).unzip();
    let search = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words)
        .expect("the words are few and short");
    Signs { search, signs }
});

/// `text` with `[redacted: KIND #HASH4]` in the place of each secret. The same secret always gets the same marker.
pub fn redact(text: &str) -> Redacted {
    let found = find(text);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for Found { kind, at } in &found {
        out.push_str(&text[done..at.start]);
        out.push_str(&marker(kind, &text[at.clone()]));
        // Line numbers after it stay what they are.
        out.extend(text[at.clone()].chars().filter(|it| *it == '\n'));
        done = at.end;
    }
    out.push_str(&text[done..]);
    Redacted { text: out, found }
}

/// The secrets of `text`, in order, none within another.
pub fn find(text: &str) -> Vec<Found> {
    let Signs { search, signs } = &*SIGNS;
    let mut all: Vec<Found> = Vec::new();
    // What lies before this was looked at for a key block, which may be long.
    let mut blocked = 0;
    for hit in search.find_iter(text) {
        let found = match signs[hit.pattern().as_usize()] {
            _ if hit.start() < blocked => None,
            Sign::Token(token) => token.at(text, hit.start()).map(|at| (token.kind, at)),
            Sign::Name(name) => name.value(text, hit.range()),
            Sign::Block => {
                let (looked, at) = blocks::private_key(text, hit.start());
                blocked = looked;
                at.map(|at| ("private-key", at))
            }
            Sign::Address => blocks::password_in_address(text, hit.range()).map(|at| ("url-password", at)),
            Sign::Bearer => blocks::bearer(text, hit.range()).map(|at| ("authorization", at)),
            Sign::Webhook => blocks::webhook(text, hit.end()).map(|at| ("webhook", at)),
        };
        if let Some((kind, at)) = found.filter(|(_, at)| !text[at.clone()].contains(BEGIN)) {
            keep(&mut all, Found { kind, at });
        }
    }
    all
}

/// Adds a find. Of two that overlap one is made: what a form says is more than what a name says.
fn keep(all: &mut Vec<Found>, mut new: Found) {
    while let Some(last) = all.last().filter(|it| new.at.start < it.at.end) {
        let is_named = assigned::NAMES.iter().any(|it| it.kind == new.kind);
        if is_named || last.at.len() > 2 * new.at.len() {
            new.kind = last.kind;
        }
        new.at = last.at.start.min(new.at.start)..last.at.end.max(new.at.end);
        all.pop();
    }
    all.push(new);
}

/// Every marker in `text`, in order.
pub fn markers(text: &str) -> Vec<String> {
    let starts = text.match_indices(BEGIN).map(|(at, _)| &text[at..]);
    starts.filter_map(|rest| Some(rest[..length(rest)?].to_owned())).collect()
}

/// True when `text` is one marker and nothing else.
pub fn is_marker(text: &str) -> bool {
    length(text) == Some(text.len())
}

/// How long the marker is with which `text` begins.
fn length(text: &str) -> Option<usize> {
    let rest = text.strip_prefix(BEGIN)?;
    let (kind, rest) = rest.split_once(" #")?;
    let (hash, rest) = rest.split_once(']')?;
    let is_kind = !kind.is_empty() && kind.bytes().all(|it| it.is_ascii_lowercase() || it == b'-');
    let is_hash = hash.len() == 4 && hash.bytes().all(|it| it.is_ascii_hexdigit());
    (is_kind && is_hash).then(|| text.len() - rest.len())
}

/// Four digits tell two secrets apart in a conversation and say next to nothing about either.
fn marker(kind: &str, secret: &str) -> String {
    // FNV-1a, folded; http://www.isthe.com/chongo/tech/comp/fnv/.
    let hash = secret
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let folded = (hash >> 48) ^ (hash >> 32) ^ (hash >> 16) ^ hash;
    format!("{BEGIN}{kind} #{:04x}]", folded & 0xffff)
}

#[cfg(test)]
mod tests;
