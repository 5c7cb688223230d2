//! What differs from one run to the next though nothing differs: how long something took, dates and times of day, ids in
//! hexadecimal digits, the folder of the project, and what was hidden.
//!
//! It never hides a difference in a number that counts something.

/// Units of time, as programs write them.
const UNITS: [&str; 22] = [
    "ns", "µs", "us", "ms", "s", "sec", "secs", "second", "seconds", "m", "min", "mins", "minute", "minutes", "h",
    "hour", "hours", "day", "days", "week", "weeks", "ago",
];

/// The lines of a text, without what it remembers of earlier tasks: a replay is itself one more of these.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let mut remembers = false;
    let kept = |line: &&str| {
        remembers |= line.starts_with("<memory");
        let keeps = !remembers;
        remembers &= !line.starts_with("</memory>");
        keeps
    };
    text.lines().filter(kept).collect()
}

/// True where two lines say the same but for what varies. Each root is the folder of its project; empty where unknown.
pub(super) fn same(recorded: &str, now: &str, roots: (&str, &str)) -> bool {
    recorded == now || {
        let (recorded, now) = (steady(recorded, roots.0), steady(now, roots.1));
        recorded == now || fits(&recorded, &now)
    }
}

/// The line with signs in the place of what varies.
fn steady(line: &str, root: &str) -> String {
    let mut line = line.to_string();
    if let Some((_, name)) = root.rsplit_once('/').filter(|(_, name)| !name.is_empty()) {
        line = line.replace(root, "⟨project⟩").replace(&format!("`{name}`"), "⟨project⟩");
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while !rest.is_empty() {
        let end = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        if end == 0 {
            let length = rest.chars().next().map_or(0, char::len_utf8);
            out += &rest[..length];
            rest = &rest[length..];
            continue;
        }
        let (word, tail) = rest.split_at(end);
        // Punctuation at the end belongs to the sentence.
        let core = word.trim_end_matches(['.', ':', '-']);
        out += sign(core, next_word(&word[core.len()..], tail)).unwrap_or(core);
        out += &word[core.len()..];
        rest = tail;
    }
    out
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || "._:-µ".contains(c)
}

/// The word behind one blank; empty where something else stands there.
fn next_word<'a>(end: &str, tail: &'a str) -> &'a str {
    let Some(next) = tail.strip_prefix(' ').filter(|_| end.is_empty()) else { return "" };
    next.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default()
}

fn sign(word: &str, next: &str) -> Option<&'static str> {
    let number = |it: &str| it.parse::<f64>().is_ok() && it.starts_with(|c: char| c.is_ascii_digit());
    if is_date(word) || is_clock(word) || is_duration(word) || (number(word) && UNITS.contains(&next)) {
        return Some("⟨time⟩");
    }
    is_id(word).then_some("⟨id⟩")
}

/// `2026-11-22`, with or without a time of day behind it.
fn is_date(word: &str) -> bool {
    let bytes = word.as_bytes();
    let digits = |range: std::ops::Range<usize>| bytes[range].iter().all(u8::is_ascii_digit);
    bytes.len() >= 10 && digits(0..4) && bytes[4] == b'-' && digits(5..7) && bytes[7] == b'-' && digits(8..10)
}

/// `12:34` or `12:34:56.789`.
fn is_clock(word: &str) -> bool {
    let parts: Vec<&str> = word.split(':').collect();
    let two = |it: &str| it.len() == 2 && it.bytes().all(|b| b.is_ascii_digit());
    let seconds = |it: &str| two(it.split('.').next().unwrap_or_default()) && it.parse::<f64>().is_ok();
    match parts[..] {
        [hours, minutes] => two(hours) && two(minutes),
        [hours, minutes, rest] => two(hours) && two(minutes) && seconds(rest),
        _ => false,
    }
}

/// `0.03s`, `12ms`, `1m30s`.
fn is_duration(word: &str) -> bool {
    let mut rest = word;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, tail) = rest.split_at(digits);
        let letters = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        if number.parse::<f64>().is_err() || !UNITS.contains(&&tail[..letters]) {
            return false;
        }
        rest = &tail[letters..];
    }
    !word.is_empty()
}

/// Seven hexadecimal digits or more, letters and numbers among them: a commit, a hash, an address.
fn is_id(word: &str) -> bool {
    let hex = word.strip_prefix("0x").unwrap_or(word).replace('-', "");
    let lower = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    let mixed = hex.bytes().any(|it| it.is_ascii_digit()) && hex.bytes().any(|it| it.is_ascii_alphabetic());
    hex.len() >= 7 && hex.bytes().all(lower) && mixed
}

/// True where `now` is the recorded line with any words in the place of each key that was hidden.
fn fits(recorded: &str, now: &str) -> bool {
    const HIDDEN: &str = "[key]";
    let mut parts = recorded.split(HIDDEN);
    let Some(mut rest) = parts.next().and_then(|it| now.strip_prefix(it)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) if !rest[..at].contains(char::is_whitespace) => rest = &rest[at + part.len()..],
            _ => return false,
        }
    }
    rest.strip_suffix(last).is_some_and(|it| !it.contains(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_varies_is_no_difference_and_what_counts_is_one() {
        let alike = [
            ("finished in 0.03s", "finished in 1.2s"),
            ("took 12 ms.", "took 7 ms."),
            ("in 3 seconds", "in 12 seconds"),
            ("1m30s later", "250ms later"),
            ("at 12:34:56.789 on 2026-11-22", "at 01:00:00 on 2027-01-01"),
            ("commit a1b2c3d4", "commit 9f8e7d6c5b"),
            ("wrote /a/b/x.rs", "wrote /tmp/q/x.rs"),
            ("Project `b`, linux", "Project `q`, linux"),
            ("the key is [key].", "the key is abc123-x."),
        ];
        for (recorded, now) in alike {
            assert!(same(recorded, now, ("/a/b", "/tmp/q")), "{recorded} | {now}");
        }
        let unlike = [
            ("3 tests failed", "4 tests failed"),
            ("line 1200", "line 1300"),
            ("version 1.2.3", "version 1.2.4"),
            ("deadbeef", "feedbeef"),
            ("1234567 bytes", "1234568 bytes"),
            ("x.rs:12:34", "x.rs:12:35"),
            ("the key is [key].", "the key is on the table."),
            ("/a/b/x", "/c/b/x"),
        ];
        for (recorded, now) in unlike {
            assert!(!same(recorded, now, ("/a/b", "/tmp/q")), "{recorded} | {now}");
        }
    }
}
