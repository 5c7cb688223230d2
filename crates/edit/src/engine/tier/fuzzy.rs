//! Tier: alike. A line of the request and a line of the file may differ by a slip of the pen and by nothing else:
//! a misspelt word, a comma at the end, a reworded comment. A changed number, operator or name is no slip; it means
//! that the file has moved on, and then no likeness of the rest makes up for it.

use super::reworded;
use crate::text::fold::key;
use crate::text::tokens::{differences, has_word, is_word, tokens};

/// Words shorter than this are never taken for misspelt.
const SHORTEST: usize = 4;
/// Longer words are never compared.
const LONGEST: usize = 80;
/// From this length on a word may be two steps away.
const LONG: usize = 6;

/// Whether the two lines differ by slips alone. `file` is the whole text: a word which it has somewhere is spelt as
/// meant and no slip.
pub(crate) fn same(search: &str, line: &str, file: &str) -> bool {
    slips(search, line, file).is_some()
}

/// The misspelt words and what they should be; nothing if the lines differ by more than slips.
pub(crate) fn slips<'a, 'b>(search: &'a str, line: &'b str, file: &str) -> Option<Vec<(&'a str, &'b str)>> {
    if key(search) == key(line) {
        return Some(Vec::new());
    }
    let (ours, theirs) = (tokens(search), tokens(line));
    if ours.is_empty() || theirs.is_empty() || ours.len().abs_diff(theirs.len()) > 6 {
        return None;
    }
    let comment = reworded::is_comment(search) && reworded::is_comment(line);
    let mut words = Vec::new();
    let mut reworded_tokens = 0;
    for (ours, theirs) in differences(&ours, &theirs) {
        let pairwise = ours.len() == theirs.len();
        if pairwise && ours.iter().zip(&theirs).all(|(a, b)| is_slip(a, b, file)) {
            words.extend(ours.iter().copied().zip(theirs.iter().copied()));
        } else if comment && reworded::same(&ours, &theirs) && !(line.contains("://") && pairwise) {
            reworded_tokens += ours.len().max(theirs.len());
        } else if !ends_only(search, line, &ours, &theirs) {
            return None;
        }
    }
    (reworded_tokens + words.len() <= ours.len().min(theirs.len()).max(4) / 2).then_some(words)
}

/// Whether one word is a misspelling of the other.
fn is_slip(ours: &str, theirs: &str, file: &str) -> bool {
    let letters = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count();
    let digits = |word: &str| word.chars().filter(char::is_ascii_digit).collect::<String>();
    let shortest = letters(ours).min(letters(theirs));
    let allowed = if shortest >= LONG - 1 { 2 } else { 1 };
    ours.chars().all(is_word)
        && letters(ours).max(letters(theirs)) >= SHORTEST
        && shortest + 1 >= SHORTEST
        && digits(ours) == digits(theirs)
        && starts_alike(ours, theirs)
        && !names_apart(ours, theirs)
        && distance_within(ours, theirs, allowed)
        && !has_word(file, ours)
}

/// Whether the words share their first letter, or have the first two swapped: slips hardly ever hit the first letter,
/// and words that differ in it (`get`, `set`) are most often both meant.
fn starts_alike(ours: &str, theirs: &str) -> bool {
    let (mut a, mut b) = (ours.chars(), theirs.chars());
    let (first, second) = ((a.next(), a.next()), (b.next(), b.next()));
    first.0 == second.0 || first == (second.1, second.0)
}

/// The parts of a name, at underscores and where a capital follows a small letter.
fn parts(name: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    let mut last = '_';
    for (at, c) in name.char_indices() {
        if c == '_' || c.is_uppercase() && last.is_lowercase() {
            out.push(name[from..at].trim_start_matches('_'));
            from = at;
        }
        last = c;
    }
    out.push(name[from..].trim_start_matches('_'));
    out
}

/// Whether two names have the same parts but for a short one in which they differ letter for letter, as `checked_sub`
/// and `checked_mul` do.
fn short_part_differs(ours: &str, theirs: &str) -> bool {
    let (ours, theirs) = (parts(ours), parts(theirs));
    if ours.len() != theirs.len() || ours.len() < 2 {
        return false;
    }
    let length = |part: &str| part.chars().count();
    let mut differing = ours.iter().zip(&theirs).filter(|(a, b)| a != b);
    let one = differing.next();
    differing.next().is_none() && one.is_some_and(|(a, b)| length(a) == length(b) && length(a) < SHORTEST)
}

/// Words which are near another word and spelt as meant wherever they stand: `head` is no misspelt `read`.
const WORDS: &str = include_str!("words.txt");

/// Whether two spellings near each other are two names rather than one misspelt: a word in its own right, a plural, a
/// part more or less, parts of one letter.
fn names_apart(ours: &str, theirs: &str) -> bool {
    let underscores = |word: &str| word.matches('_').count();
    let plural = |one: &str, many: &str| many.strip_suffix(['s', 'S']) == Some(one);
    let more = |one: &str, other: &str| {
        other.strip_prefix(one).and_then(|rest| rest.chars().next()).is_some_and(|c| !c.is_lowercase())
    };
    WORDS.split_whitespace().any(|word| word == ours.to_lowercase())
        || underscores(ours) != underscores(theirs)
        || more(ours, theirs)
        || more(theirs, ours)
        || plural(ours, theirs)
        || plural(theirs, ours)
        || short_part_differs(ours, theirs)
}

/// Whether the only difference is a comma or semicolon at the end of the line, which one side lacks.
fn ends_only(search: &str, line: &str, ours: &[&str], theirs: &[&str]) -> bool {
    let sign = |tokens: &[&str]| matches!(tokens, [] | ["," | ";"]);
    let bare = |line: &str| key(line.trim_end().trim_end_matches([',', ';']));
    sign(ours) && sign(theirs) && bare(search) == bare(line)
}

/// Whether the words are at most `allowed` insertions, deletions, exchanges of a letter or swaps of two neighbours
/// apart (optimal string alignment).
fn distance_within(a: &str, b: &str, allowed: usize) -> bool {
    let (length, other) = (a.chars().count(), b.chars().count());
    length.abs_diff(other) <= allowed && length <= LONGEST && strsim::osa_distance(a, b) <= allowed
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn slips_are_forgiven_and_drift_is_not() {
        let slips = [
            ("let conection = 1;", "let connection = 1;"),
            ("tkoen", "token"),
            ("ioport os", "import os"),
            ("enable: true", "enable: true,"),
            ("def tes_tentry(self):", "def test_entry(self):"),
            ("cookiejar_frot_dict", "cookiejar_from_dict"),
            ("# see when our own bundle will be installed here", "# see if our own bundle is installed"),
            ("// New gives back the engine for tests", "// New returns an engine for tests"),
        ];
        for (search, line) in slips {
            assert!(same(search, line, line), "{search:?} {line:?}");
        }
        let drift = [
            ("i += 1", "i += 17"),
            ("x = min(a)", "x = max(a)"),
            ("timeout = 30", "timeout = 60"),
            ("port1", "port2"),
            ("users(a)", "user(a)"),
            ("test_case_a", "test_case_b"),
            ("checked_sub(a)", "checked_mul(a)"),
            ("GetTimeouts(a)", "SetTimeouts(a)"),
            ("#[setter]", "#[getter]"),
            ("let my_value = 1", "let value = 1"),
            ("connectEx(a)", "connect(a)"),
            ("fn head() {", "fn read() {"),
            ("a == b", "a != b"),
            ("return cert", "return code"),
            ("content: True", "content: False"),
            ("# times out after seconds", "# times out after minutes"),
            ("# see section 4 in it", "# see section 5 of it"),
            ("f(a, b)", "f(a)"),
        ];
        for (search, line) in drift {
            assert!(!same(search, line, line), "{search:?} {line:?}");
        }
        let file = "fn read() {}\nfn head() {}\n";
        assert!(!same("fn read() {}", "fn head() {}", file), "both spellings are in the file");
    }
}
