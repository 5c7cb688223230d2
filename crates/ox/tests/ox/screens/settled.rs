//! What is different in every run, made the same: times, ids, what depends on the machine, and the picture of the spinner.

use std::sync::LazyLock;

use regex::Regex;

/// A pattern and what stands for what it finds. Their order matters.
const VARYING: [(&str, &str); 9] = [
    // What took no whole millisecond is not timed at all, and a long time may stand on a row of its own.
    (r"(\n +| )\(\d+(\.\d+)? (ms|s)\)", ""),
    (r"\b\d{8}-[a-z0-9]{6}\b", "<id>"),
    (r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]", "⠋"),
    (r"\b\d+(\.\d+)? (ms|s)\b", "<t>"),
    (r"\b\d+:\d\d\b", "<t>"),
    (r"/tmp/\.tmp\w{6}/", "/tmp/.tmp######/"),
    // The system prompt names the system and its programs.
    (r"(?s)  \d+ (iterations|steps) · .*?(context window|<t>)", "  <account>"),
    (r"\b\d+ ?% (of )?context", "<n> % ${1}context"),
    (r"Ox \d+\.\d+\.\d+", "Ox <version>"),
];

static PATTERNS: LazyLock<Vec<(Regex, &str)>> =
    LazyLock::new(|| VARYING.iter().map(|(it, with)| (Regex::new(it).unwrap(), *with)).collect());

/// The text with nothing in it that depends on the clock.
pub fn settled(text: &str) -> String {
    PATTERNS.iter().fold(text.to_string(), |text, (it, with)| it.replace_all(&text, *with).into_owned())
}

#[test]
fn times_and_ids_are_made_the_same() {
    let text = "✓ sh check.sh (12 ms) · 1.4 s · 20261122-chyqv4 · ⠹ 0:07 · 3 steps";
    assert_eq!(settled(text), "✓ sh check.sh · <t> · <id> · ⠋ <t> · 3 steps");
    assert_eq!(settled("$ sh check.sh\n    (120 ms)\n  passed"), "$ sh check.sh\n  passed");
}
