//! What differs from one run to the next though nothing differs: how long something took, dates and times of day, ids in
//! hexadecimal digits, and what was hidden.
//!
//! It never hides a difference in a number that counts something.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Units of time, as programs write them.
const UNITS: &str = "ns|µs|us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?|days?|weeks?|ago";

/// A word, and a unit of time one blank behind it.
static WORD: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"(?<word>[\w.:µ-]*[\w\u{{b5}}])(?<unit> (?:{UNITS})\b)?")));

/// A date with or without a time of day, a time of day, a duration.
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(r"^(?:\d{{4}}-\d\d-\d\d.*|\d\d:\d\d(?::\d\d(?:\.\d+)?)?|(?:\d+(?:\.\d+)?(?:{UNITS}))+)$"))
});

static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\d+(?:\.\d+)?$"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("invariant: the pattern is a regular expression")
}

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

/// True where two lines say the same but for what varies.
pub(super) fn same(recorded: &str, now: &str) -> bool {
    recorded == now || {
        let (recorded, now) = (steady(recorded), steady(now));
        recorded == now || fits(&recorded, &now)
    }
}

/// The line with signs in the place of what varies.
fn steady(line: &str) -> String {
    let sign = |found: &Captures<'_>| {
        let (word, unit) = (&found["word"], found.name("unit").map_or("", |it| it.as_str()));
        match word {
            _ if TIME.is_match(word) || (!unit.is_empty() && NUMBER.is_match(word)) => format!("⟨time⟩{unit}"),
            _ if is_id(word) => format!("⟨id⟩{unit}"),
            _ => found[0].to_string(),
        }
    };
    WORD.replace_all(line, sign).into_owned()
}

/// Seven hexadecimal digits or more, letters and numbers among them: a commit, a hash, an address.
fn is_id(word: &str) -> bool {
    let hex = word.strip_prefix("0x").unwrap_or(word).replace('-', "");
    let lower = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    let mixed = hex.bytes().any(|it| it.is_ascii_digit()) && hex.bytes().any(|it| it.is_ascii_alphabetic());
    hex.len() >= 7 && hex.bytes().all(lower) && mixed
}

/// True where `now` is the recorded line with any word in the place of each key that was hidden.
fn fits(recorded: &str, now: &str) -> bool {
    const HIDDEN: &str = "[key]";
    let filled = regex::escape(recorded).replace(&regex::escape(HIDDEN), r"\S*");
    recorded.contains(HIDDEN) && Regex::new(&format!("^{filled}$")).is_ok_and(|it| it.is_match(now))
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
            ("the key is [key].", "the key is abc123-x."),
        ];
        for (recorded, now) in alike {
            assert!(same(recorded, now), "{recorded} | {now}");
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
            assert!(!same(recorded, now), "{recorded} | {now}");
        }
    }
}
