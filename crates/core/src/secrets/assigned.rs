//! Secrets that are known by the name they are assigned to: `password = …`, `"api_key": "…"`, `--token …`,
//! `Authorization: …`, `<password>…</password>`, connection strings.
//!
//! Only a literal counts. What is computed, read from somewhere, or stands for a value is none.

use std::ops::Range;

use super::looks::{entropy, is_placeholder, is_random};

/// A word that names a secret, within a longer name or alone.
pub(super) struct Name {
    pub kind: &'static str,
    pub word: &'static str,
    /// How much a value must look like a secret.
    needs: Needs,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// People choose it, so it may be short and have words in it.
    Chosen,
    /// Machines make it.
    Random,
    /// It is the value of a header, behind the name of a scheme.
    Header,
}

const fn name(kind: &'static str, word: &'static str, needs: Needs) -> Name {
    Name { kind, word, needs }
}

pub(super) const NAMES: &[Name] = &[
    name("password", "password", Needs::Chosen),
    name("password", "passwd", Needs::Chosen),
    name("password", "passphrase", Needs::Chosen),
    name("password", "passwort", Needs::Chosen),
    name("password", "pwd", Needs::Chosen),
    name("password", "db_pass", Needs::Chosen),
    name("password", "dbpass", Needs::Chosen),
    name("password", "密码", Needs::Chosen),
    name("secret", "secret", Needs::Random),
    name("secret", "token", Needs::Random),
    name("secret", "credential", Needs::Random),
    name("secret", "api_key", Needs::Random),
    name("secret", "api-key", Needs::Random),
    name("secret", "api key", Needs::Random),
    name("secret", "apikey", Needs::Random),
    name("secret", "access_key", Needs::Random),
    name("secret", "access-key", Needs::Random),
    name("secret", "accesskey", Needs::Random),
    name("secret", "private_key", Needs::Random),
    name("secret", "private-key", Needs::Random),
    name("secret", "privatekey", Needs::Random),
    name("secret", "encryption_key", Needs::Random),
    name("secret", "encryptionkey", Needs::Random),
    name("secret", "signing_key", Needs::Random),
    name("secret", "signingkey", Needs::Random),
    name("secret", "auth_key", Needs::Random),
    name("secret", "authkey", Needs::Random),
    name("secret", "account_key", Needs::Random),
    name("secret", "accountkey", Needs::Random),
    name("secret", "master_key", Needs::Random),
    name("secret", "masterkey", Needs::Random),
    name("secret", "service_key", Needs::Random),
    name("secret", "subscription-key", Needs::Random),
    name("secret", "app_key", Needs::Random),
    name("secret", "appkey", Needs::Random),
    name("secret", "consumer_key", Needs::Random),
    name("secret", "_auth", Needs::Random),
    name("secret", "sessionid", Needs::Random),
    name("secret", "session_id", Needs::Random),
    name("secret", "sig=", Needs::Random),
    name("authorization", "authorization", Needs::Header),
];

/// What a name ends in that only speaks about the secret.
const ABOUT: &[&str] = &[
    "address",
    "algorithm",
    "arn",
    "at",
    "attempts",
    "ation",
    "audience",
    "class",
    "count",
    "counts",
    "digest",
    "endpoint",
    "env",
    "error",
    "exp",
    "expires",
    "expiry",
    "field",
    "file",
    "fingerprint",
    "format",
    "hash",
    "header",
    "hint",
    "id",
    "ids",
    "index",
    "ized",
    "izer",
    "kind",
    "label",
    "length",
    "limit",
    "manager",
    "max",
    "min",
    "name",
    "names",
    "path",
    "pattern",
    "policy",
    "prefix",
    "provider",
    "ref",
    "regex",
    "rotation",
    "salt",
    "size",
    "source",
    "store",
    "stream",
    "ttl",
    "type",
    "types",
    "uri",
    "url",
    "usage",
    "version",
];

/// No value that is looked at is longer.
const LONGEST: usize = 512;

impl Name {
    /// The value that is assigned to the name of which `word` is a part.
    pub fn value(&self, text: &str, word: Range<usize>) -> Option<(&'static str, Range<usize>)> {
        let bytes = text.as_bytes();
        let is_name = |it: &&u8| it.is_ascii_alphanumeric() || b"_-.".contains(*it);
        let rest = match self.word.ends_with('=') {
            true => 0,
            false => bytes[word.end..].iter().take(64).take_while(is_name).count(),
        };
        let tail = text
            .get(word.end..word.end + rest)?
            .trim_matches(|it: char| !it.is_ascii_alphanumeric())
            .to_ascii_lowercase();
        if ABOUT.iter().any(|it| tail.ends_with(it)) || is_public(bytes, word.start) {
            return None;
        }
        let is_flag = flag(bytes, word.start);
        let at = if self.word.ends_with('=') { word.end } else { operator(bytes, word.end + rest, is_flag)? };
        let value = literal(text, at)?;
        let named = &text[line_start(bytes, word.start)..word.end + rest];
        // Two texts side by side need not be a name and its value.
        let is_pair = bytes[word.end + rest..at].contains(&b',');
        let secret = match self.needs {
            Needs::Header => header(text, &value),
            Needs::Chosen if is_pair && !is_varied(&text[value.at.clone()]) => None,
            Needs::Chosen => is_chosen(&text[value.at.clone()], &value, named, is_flag).then(|| value.at.clone()),
            Needs::Random => is_made(&text[value.at.clone()]).then(|| value.at.clone()),
        };
        Some((self.kind, secret?))
    }
}

/// A value, and how it stands there.
struct Value {
    at: Range<usize>,
    quoted: bool,
    /// Nothing but blanks or a comment follows on its line.
    last: bool,
}

/// `public_key` and the like have the word and no secret.
fn is_public(bytes: &[u8], word: usize) -> bool {
    let before = &bytes[word.saturating_sub(7)..word];
    before.to_ascii_lowercase().windows(6).any(|it| it == b"public")
}

/// `--password`, `-token`: the value is the next word.
fn flag(bytes: &[u8], word: usize) -> bool {
    let name = bytes[..word]
        .iter()
        .rev()
        .take(32)
        .take_while(|it| it.is_ascii_alphanumeric() || **it == b'-' || **it == b'_')
        .count();
    bytes[word - name..word].starts_with(b"--")
}

fn line_start(bytes: &[u8], at: usize) -> usize {
    let from = at.saturating_sub(80);
    let start = bytes[from..at].iter().rposition(|it| *it == b'\n').map_or(from, |it| from + it + 1);
    // Not within a character.
    (start..=at).find(|it| *it == at || bytes[*it] & 0xc0 != 0x80).unwrap_or(at)
}

/// Where the value begins that is assigned to a name which ends at `at`.
fn operator(bytes: &[u8], mut at: usize, is_flag: bool) -> Option<usize> {
    let skip = |at: usize, set: &[u8], most: usize| {
        at + bytes[at..].iter().take(most).take_while(|it| set.contains(it)).count()
    };
    let end = at;
    at = skip(at, b"\"'`])\\", 4);
    at = skip(at, b" \t", 16);
    let start = at;
    let rest = &bytes[at.min(bytes.len())..];
    at += match rest {
        [b':', b'=', ..] | [b'=', b'>', ..] | [b'=', b'=', ..] | [b'|', b'=', ..] => 2,
        [b'=' | b':', ..] => 1,
        // A pair in a list or a call; the name has to be quoted for that.
        [b',', ..] if start > end => 1,
        [b'>', ..] if start == end => 1,
        [b'i', b's', b' ', ..] => 2,
        _ if is_flag && start > end => 0,
        _ => return None,
    };
    Some(skip(at, b" \t", 16))
}

/// The literal that begins at `at`; behind a type where one is declared.
fn literal(text: &str, at: usize) -> Option<Value> {
    let bytes = text.as_bytes();
    let quotes = bytes[at..]
        .iter()
        .take(3)
        .take_while(|it| **it == b'\\' || **it == b'r' || **it == b'b' || **it == b'f')
        .count();
    let open = at + quotes;
    let quote = bytes.get(open).copied()?;
    if matches!(quote, b'"' | b'\'' | b'`') {
        let inner = open + 1;
        let window = &bytes[inner..bytes.len().min(inner + LONGEST)];
        let close = window.iter().position(|it| *it == quote || *it == b'\n')?;
        let end = inner + close - usize::from(quotes > 0 && window[..close].ends_with(b"\\"));
        return (window[close] == quote).then_some(Value { at: inner..end, quoted: true, last: false });
    }
    // `&str`
    let at = at + usize::from(quote == b'&');
    let stop = |it: &u8| it.is_ascii_whitespace() || b"\"'`;,&)}]<>|".contains(it);
    let window = &bytes[at..bytes.len().min(at + LONGEST)];
    let end = at + window.iter().position(stop).unwrap_or(window.len());
    // `: &str = "…"`
    let after = end + bytes[end..].iter().take(16).take_while(|it| b" \t>]".contains(it)).count();
    if bytes.get(after) == Some(&b'=') && after > end {
        let next = after + 1 + bytes[after + 1..].iter().take(16).take_while(|it| b" \t".contains(it)).count();
        return bytes.get(next).is_some_and(|it| b"\"'`".contains(it)).then(|| literal(text, next)).flatten();
    }
    let rest = &text[end..text.floor_char_boundary(text.len().min(end + 64))];
    let rest = rest.split('\n').next().unwrap_or_default().trim();
    // Between two tags.
    let quoted = at > 0 && bytes[at - 1] == b'>' && bytes.get(end) == Some(&b'<');
    Some(Value { at: at..end, quoted, last: rest.is_empty() || rest.starts_with('#') })
}

/// True for what a person would choose as a password.
fn is_chosen(value: &str, form: &Value, named: &str, is_flag: bool) -> bool {
    if !(6..=128).contains(&value.len()) || value.contains(char::is_whitespace) || is_placeholder(value) {
        return is_made(value);
    }
    let has = |is: fn(&u8) -> bool| value.bytes().any(|it| is(&it));
    let letters = has(u8::is_ascii_alphabetic) || !value.is_ascii();
    let odd = value.bytes().filter(|it| b"!@#$%^&*~+?=".contains(it)).count();
    let mixed = letters && (has(u8::is_ascii_digit) || odd > 0);
    if form.quoted || is_flag {
        return mixed && !is_name(value);
    }
    // In a program an unquoted word is a name; in a file of settings it is the value itself.
    let in_settings = form.last && !is_code(value);
    let variable = named.trim_start().trim_start_matches("export ").trim_start_matches("- ");
    let is_env =
        variable.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_') && !variable.is_empty();
    let connection = named.contains(';') || named.contains("Server=") || named.contains("User");
    (in_settings && (mixed || is_env) && !is_name(value))
        || (connection && mixed && !is_code(value) && odd + digits(value) > 1)
}

/// True where nobody would take the text for a word.
fn is_varied(value: &str) -> bool {
    let odd = value.bytes().any(|it| b"!@#$%^&*~+?".contains(&it));
    digits(value) + usize::from(odd) > 1 && !value.contains([':', '.', '/'])
}

fn digits(value: &str) -> usize {
    value.bytes().filter(u8::is_ascii_digit).count()
}

/// True for what a machine would make as a secret.
fn is_made(value: &str) -> bool {
    let fits = |it: u8| it.is_ascii_alphanumeric() || b"+/=_-.~:%".contains(&it);
    (16..=LONGEST).contains(&value.len())
        && value.bytes().all(fits)
        && is_random(value)
        && entropy(value) >= 3.2
        && !is_path(value)
}

/// Names of types and of things that end in a number: `uint256`, `utf8`, `key_1`.
fn is_name(value: &str) -> bool {
    let stem = value.trim_end_matches(|it: char| it.is_ascii_digit());
    let types = [
        "u", "i", "f", "int", "uint", "float", "bytes", "utf", "sha", "md", "base", "aes", "varchar", "char", "str",
        "arg", "hmac", "pbkdf",
    ];
    let plain = stem.bytes().all(|it| it.is_ascii_alphabetic() || b"_.-".contains(&it));
    types.contains(&stem) || (plain && stem.contains(['_', '.', '-']))
}

fn is_code(value: &str) -> bool {
    value.contains(['(', '{', '[', '\\']) || value.contains("::") || value.contains("->")
}

/// True for words joined by slashes, dots or colons, and for the name of a constant.
fn is_path(value: &str) -> bool {
    if value.starts_with(':') || (value.matches('_').count() > 1 && !value.bytes().any(|it| it.is_ascii_lowercase())) {
        return true;
    }
    let parts: Vec<&str> = value.split(['/', '.', ':']).collect();
    parts.len() > 3 && parts.iter().all(|it| it.len() < 16)
}

/// What follows the scheme in the value of a header.
fn header(text: &str, value: &Value) -> Option<Range<usize>> {
    let line = &text[value.at.start..];
    let line = &line[..line.find(['"', '\'', '`', '\n', '<']).unwrap_or(line.len()).min(LONGEST)];
    let (scheme, rest) = line.trim_end().split_once(' ').unwrap_or(("", line.trim_end()));
    let known = ["bearer", "basic", "token", "digest", "apikey", "api-key", "key", "negotiate", "ntlm"];
    let is_scheme = known.contains(&scheme.to_ascii_lowercase().as_str());
    let secret = if is_scheme { rest.trim_start() } else { line.trim_end() };
    let start = value.at.start + line.len() - (line.len() - line.find(secret)?);
    let secret = secret.split([' ', ',']).next().unwrap_or_default();
    let mixed = |it: &str| {
        let upper =
            it.bytes().skip(1).any(|it| it.is_ascii_uppercase()) && it.bytes().any(|it| it.is_ascii_lowercase());
        upper || it.bytes().any(|it| it.is_ascii_digit() || it == b'=')
    };
    let fits = secret.len() >= if is_scheme { 8 } else { 16 }
        && secret.bytes().all(|it| it.is_ascii_alphanumeric() || b"-._~+/=:".contains(&it));
    let looks = if is_scheme { mixed(secret) && !is_placeholder(secret) } else { is_random(secret) };
    (fits && looks && !is_code(secret)).then(|| start..start + secret.len())
}
