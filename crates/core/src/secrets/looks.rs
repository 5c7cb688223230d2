//! What a string looks like: chosen by chance, or written by somebody to be read.

/// Words that stand in examples, names and tests, and hardly ever by chance in a secret.
const WORDS: [&str; 40] = [
    "access",
    "account",
    "admin",
    "bearer",
    "change",
    "client",
    "config",
    "credential",
    "default",
    "demo",
    "dummy",
    "example",
    "fake",
    "field",
    "foobar",
    "hidden",
    "insert",
    "invalid",
    "label",
    "mock",
    "passphrase",
    "passwd",
    "password",
    "placeholder",
    "private",
    "public",
    "redacted",
    "removed",
    "replace",
    "sample",
    "secret",
    "session",
    "string",
    "test",
    "todo",
    "token",
    "user",
    "value",
    "your",
    "xxxx",
];

/// True where `text` names or stands for a secret and is none: an example, a template, a mask.
pub(super) fn is_placeholder(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let marks = ["${", "{{", "}}", "$(", "%(", "...", "…", "***", "<", "env.", "environ", "://", "::", "->"];
    marks.iter().any(|it| lower.contains(it))
        || lower.starts_with(['$', '%', '@', '{', '[', '(', '#', '&', '*', '!', '|', '>', '\\'])
        || WORDS.iter().any(|it| lower.contains(it))
        || distinct(text) < 5
        || is_counted(&lower)
}

/// True for `12345678`, `abcdef0123456789` and the like: the order of the keyboard or of the alphabet.
fn is_counted(lower: &str) -> bool {
    let plain: Vec<u8> = lower.bytes().filter(u8::is_ascii_alphanumeric).collect();
    let steps =
        plain.windows(2).filter(|it| it[1] == it[0] + 1 || it[1] == it[0] || (it[0] == b'9' && it[1] == b'0')).count();
    steps * 3 > plain.len() * 2
}

/// True where `text` was chosen by chance, as far as that can be seen: letters and digits well mixed.
pub(super) fn is_random(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = bytes.iter().filter(|it| it.is_ascii_digit()).count();
    let letters = bytes.iter().filter(|it| it.is_ascii_alphabetic()).count();
    let changes = bytes.windows(2).filter(|it| class(it[0]) != class(it[1])).count();
    // Digits at the end of words (`v2`, `2024`) make few changes; chance makes one at nearly every second character.
    let mixed = bytes.windows(2).filter(|it| it[0].is_ascii_digit() != it[1].is_ascii_digit()).count();
    let by_chance = digits >= 2 && letters >= 2 && mixed >= 3 && changes * 4 >= bytes.len();
    by_chance && entropy(text) >= 3.0 && !is_placeholder(text)
}

/// Digits, small letters, capitals, the rest.
fn class(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    }
}

/// How many different bytes there are.
pub(super) fn distinct(text: &str) -> usize {
    let mut seen = [false; 256];
    text.bytes().for_each(|it| seen[usize::from(it)] = true);
    seen.iter().filter(|it| **it).count()
}

/// Bits per byte (Shannon), of the first kilobyte.
pub(super) fn entropy(text: &str) -> f64 {
    let bytes = &text.as_bytes()[..text.len().min(1024)];
    let mut counts = [0_u32; 256];
    bytes.iter().for_each(|it| counts[usize::from(*it)] += 1);
    let all = bytes.len() as f64;
    let bits = |count: &u32| -f64::from(*count) / all * (f64::from(*count) / all).log2();
    counts.iter().filter(|it| **it > 0).map(bits).sum()
}
