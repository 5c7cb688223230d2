//! The first layer: which files there are, how they stood when they were read, and which of them are read at all.
//!
//! What `repo` lists is believed; nothing is looked up here. A file is read again when its size, times or number have
//! changed, or when it was so young when it was read that a later change could hide behind the same time.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::store::contents::Key;
use crate::store::listing::{At, View};

/// Larger files are known by path and name only: one MiB, as for the parser.
pub const HUGE: u64 = 1 << 20;
/// Files that changed this recently before they were read, in nanoseconds, are read again at the next look. File
/// systems stamp with the clock of the last tick; some count in whole seconds, those show by their round times.
const YOUNG: i64 = 50_000_000;
const YOUNG_ROUND: i64 = 2_000_000_000;
/// The time of a file that nobody has looked at yet: an edit was told of it. Like any time to come it proves nothing.
pub(crate) const UNKNOWN: i64 = i64::MAX;
/// How far into a file a mark of a generator is looked for.
const HEADER: usize = 1_000;
/// Smaller tables of numbers are read like any program, in bytes.
const NUMBERS: usize = 8_000;
/// A text with lines this long on average was not written by hand.
const LONG_LINES: usize = 400;

/// A file as `repo` lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileState {
    /// Relative to the project root, with `/` separators.
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// When its contents were last changed, in nanoseconds since 1970.
    pub mtime: i64,
    /// When its entry was last changed, likewise; zero where the system does not tell.
    pub ctime: i64,
    /// Its number in the file system; zero where the system does not tell.
    pub inode: u64,
    /// Its kind and permissions as `stat` gives them.
    pub mode: u32,
}

/// Why a file is known by its path and name only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// It holds bytes that are no text.
    Binary,
    /// A program wrote it, as its name or its first lines say.
    Generated,
    /// Its lines are too long to have been written by hand.
    Minified,
    /// It is a table of numbers: a picture, a font or a curve as source, which keeps parsers busy and says nothing.
    Numbers,
    /// It has more than [`HUGE`] bytes.
    Huge,
    /// It could not be read.
    Unreadable,
}

/// All rules, for tables.
pub const RULES: [Rule; 6] =
    [Rule::Binary, Rule::Generated, Rule::Minified, Rule::Numbers, Rule::Huge, Rule::Unreadable];

impl Rule {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Binary => "binary",
            Rule::Generated => "generated",
            Rule::Minified => "minified",
            Rule::Numbers => "numbers",
            Rule::Huge => "huge",
            Rule::Unreadable => "unreadable",
        }
    }
}

/// What tells whether a file is still the one that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    pub(crate) mtime: i64,
    pub(crate) ctime: i64,
    pub(crate) inode: u64,
    pub(crate) mode: u32,
}

impl From<&FileState> for Stamp {
    fn from(it: &FileState) -> Stamp {
        Stamp { size: it.size, mtime: it.mtime, ctime: it.ctime, inode: it.inode, mode: it.mode }
    }
}

/// A file that the index knows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) path: Arc<str>,
    pub(crate) stamp: Stamp,
    /// It was changed so shortly before it was read that its stamp proves nothing.
    pub(crate) young: bool,
    /// The first half of the SHA-256 of its bytes; zero where it was not read.
    pub(crate) hash: Key,
    /// What its content is known by; see [`key`].
    pub(crate) key: Key,
    pub(crate) rule: Option<Rule>,
    /// Its segment, and its content there.
    pub(crate) at: Option<At>,
}

impl Entry {
    pub(crate) fn view(&self) -> View<'_> {
        let Entry { path, stamp, young, hash, key, rule, at } = self;
        View { path, stamp: *stamp, young: *young, hash: *hash, key: *key, rule: *rule, at: *at }
    }
}

impl From<View<'_>> for Entry {
    fn from(it: View<'_>) -> Entry {
        let View { path, stamp, young, hash, key, rule, at } = it;
        Entry { path: path.into(), stamp, young, hash, key, rule, at }
    }
}

impl View<'_> {
    /// True when there is no need to read it, given how it is listed now.
    pub(crate) fn holds(&self, now: &Stamp) -> bool {
        let known = self.at.is_some() || self.rule.is_some_and(|it| it != Rule::Unreadable);
        known && !self.young && self.stamp == *now
    }
}

/// True when a file with this stamp, read at `now` in nanoseconds, may yet change without its stamp changing. A time
/// in the future is such a one as well: the clock was set back.
pub(crate) fn is_young(stamp: &Stamp, now: i64) -> bool {
    let newest = stamp.mtime.max(stamp.ctime);
    let slack = if stamp.mtime % 1_000_000_000 == 0 { YOUNG_ROUND } else { YOUNG };
    newest > now.saturating_sub(slack)
}

/// The hash of a file's bytes.
pub(crate) fn hash(bytes: &[u8]) -> Key {
    let digest = Sha256::digest(bytes);
    let mut short = Key::default();
    short.copy_from_slice(&digest[..16]);
    short
}

/// What a content is known by. What a path adds to the text is how it is read: its language, told by the end of its
/// name, and whether it is a test.
pub(crate) fn key(hash: &Key, path: &str) -> Key {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or(name, |(_, it)| it);
    let mut digest = Sha256::new();
    digest.update(hash);
    digest.update([u8::from(crate::is_test(path))]);
    digest.update(ending.as_bytes());
    let mut key = Key::default();
    key.copy_from_slice(&digest.finalize()[..16]);
    key
}

/// The text of a file that is to be indexed, or the rule by which it is not. Bytes that are not UTF-8 are replaced.
pub(crate) fn judge<'a>(path: &str, bytes: &'a [u8]) -> Result<std::borrow::Cow<'a, str>, Rule> {
    if bytes.len() as u64 > HUGE {
        return Err(Rule::Huge);
    }
    if bytes.iter().take(8_000).any(|it| *it == 0) {
        return Err(Rule::Binary);
    }
    let text = String::from_utf8_lossy(bytes);
    let strange = if let std::borrow::Cow::Owned(text) = &text { text.matches('\u{FFFD}').count() } else { 0 };
    if strange * 10 > text.len() {
        return Err(Rule::Binary);
    }
    if is_generated(path, &text) {
        return Err(Rule::Generated);
    }
    if is_minified(path, &text) {
        return Err(Rule::Minified);
    }
    if is_numbers(path, &text) {
        return Err(Rule::Numbers);
    }
    Ok(text)
}

/// Files that package programs write.
const LOCKS: [&str; 20] = [
    "Cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "deno.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "Pipfile.lock",
    "Gemfile.lock",
    "composer.lock",
    "go.sum",
    "flake.lock",
    "mix.lock",
    "pubspec.lock",
    "packages.lock.json",
    "Package.resolved",
    "Podfile.lock",
];

/// What generators write into the first lines.
const MARKS: [&str; 6] = [
    "@generated",
    "<auto-generated",
    "Code generated by",
    "code generated by",
    "DO NOT EDIT",
    "This file is automatically generated",
];

fn is_generated(path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if LOCKS.contains(&name) {
        return true;
    }
    // Prose speaks of such marks without being marked.
    if crate::language(path).is_none() {
        return false;
    }
    let mut end = text.len().min(HEADER);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // A mark counts in the comment that the file begins with, not in a string further down.
    let comments = text[..end].lines().take_while(|it| is_comment(it));
    comments.into_iter().any(|line| MARKS.iter().any(|it| line.contains(it)))
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty()
        || ["//", "#", "/*", "*", "--", ";", "<!--", "\"\"\"", "%", "<?"].iter().any(|it| line.starts_with(it))
}

fn is_minified(path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.contains(".min.") || name.ends_with(".map") {
        return true;
    }
    let lines = text.bytes().filter(|it| *it == b'\n').count() + 1;
    text.len() > 4_000 && text.len() / lines > LONG_LINES && (crate::language(path).is_some() || !is_prose(name))
}

/// True where nine of ten characters of a program, blanks aside, are those of numbers and what parts them. Letters count where
/// a number can have them, but only behind a digit.
fn is_numbers(path: &str, text: &str) -> bool {
    if text.len() < NUMBERS || crate::language(path).is_none() {
        return false;
    }
    let (mut all, mut numbers, mut inside) = (0usize, 0usize, false);
    for it in text.bytes().filter(|it| !it.is_ascii_whitespace()) {
        let digit = it.is_ascii_digit();
        inside = digit || (inside && matches!(it, b'a'..=b'f' | b'A'..=b'F' | b'x' | b'X' | b'u' | b'U' | b'L' | b'.'));
        numbers += usize::from(inside || matches!(it, b',' | b'-' | b'{' | b'}'));
        all += 1;
    }
    numbers * 10 > all * 9
}

/// Prose may have whole paragraphs on a line.
fn is_prose(name: &str) -> bool {
    [".md", ".txt", ".rst", ".adoc", ".org", ".tex"].iter().any(|it| name.ends_with(it))
}

/// Files whose text is kept whole: they say how a project is put together.
pub(crate) fn is_manifest(path: &str) -> bool {
    const NAMES: [&str; 16] = [
        "Cargo.toml",
        "go.mod",
        "go.work",
        "package.json",
        "tsconfig.json",
        "jsconfig.json",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
        "composer.json",
        "compile_flags.txt",
    ];
    let name = path.rsplit('/').next().unwrap_or(path);
    let named = NAMES.contains(&name) || (name.starts_with("tsconfig.") && name.ends_with(".json"));
    named || [".csproj", ".gemspec", ".sbt"].iter().any(|it| name.ends_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_by_rule() {
        let long = format!("var a={};", "x".repeat(9_000));
        let table = "0xff, 0x0A, 12, -3.5,\n".repeat(600);
        let short = &table[..NUMBERS / 2];
        let code = "let a = face + 0xff;\n".repeat(600);
        for (path, text, expected) in [
            ("a.rs", "fn a() {}", None),
            ("a.bin", "ab\0cd", Some(Rule::Binary)),
            ("sub/Cargo.lock", "version = 4", Some(Rule::Generated)),
            ("a.go", "// Code generated by protoc. DO NOT EDIT.\npackage a", Some(Rule::Generated)),
            ("a.go", "package a\nvar s = \"DO NOT EDIT\"", None),
            ("README.md", "# @generated files", None),
            ("jquery.min.js", "a", Some(Rule::Minified)),
            ("bundle.js", &long, Some(Rule::Minified)),
            ("data.json", &long, Some(Rule::Minified)),
            ("essay.md", &long, None),
            ("card.inl", &table, Some(Rule::Numbers)),
            ("card.csv", &table, None),
            ("card.c", short, None),
            ("code.js", &code, None),
            ("empty.py", "", None),
        ] {
            assert_eq!(judge(path, text.as_bytes()).err(), expected, "{path}");
        }
        assert_eq!(judge("a.rs", &vec![b'a'; HUGE as usize + 1]).err(), Some(Rule::Huge));
        assert_eq!(judge("latin.c", b"// Gr\xfc\xdfe an alle").as_deref(), Ok("// Gr\u{FFFD}\u{FFFD}e an alle"));
        assert_eq!(judge("noise.c", &[0xC3; 100]).err(), Some(Rule::Binary));
    }

    #[test]
    fn a_stamp_that_is_too_young_proves_nothing() {
        let now = 1_000_000_000_500_000_000;
        let stamp = |mtime| Stamp { mtime, ctime: mtime, ..Stamp::default() };
        for (mtime, expected) in [
            (now, true),
            (now - YOUNG / 2, true),
            (now - YOUNG - 1, false),
            (now + 3_600_000_000_000, true),
            (1_000_000_000_000_000_000, true),
            (999_999_990_000_000_000, false),
        ] {
            assert_eq!(is_young(&stamp(mtime), now), expected, "{mtime}");
        }
    }
}
