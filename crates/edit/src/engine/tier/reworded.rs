//! Tier "alike", for comments: the same remark in other words. Only function words (articles,
//! prepositions, pronouns, auxiliaries) may differ, and a few everyday verbs may stand for each other. Never
//! numbers, names or anything else that carries the meaning.

/// Words without a meaning of their own, and full stops.
const FUNCTION_WORDS: &str = include_str!("function_words.txt");

/// Everyday words of one meaning, in their base form: a group a line.
const SYNONYMS: &str = include_str!("synonyms.txt");

/// Whether a line is a comment by its first sign.
pub(crate) fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "#", "/*", "*", "--", ";", "<!--", "%"].iter().any(|sign| line.starts_with(sign))
}

/// Whether the tokens in which two comments differ say the same.
pub(super) fn same(ours: &[&str], theirs: &[&str]) -> bool {
    let matter = |tokens: &[&str]| -> Vec<String> {
        tokens
            .iter()
            .map(|token| token.to_lowercase())
            .filter(|word| !FUNCTION_WORDS.split_whitespace().any(|it| it == word))
            .collect()
    };
    let purpose = |tokens: &[&str]| tokens.len() == 2 && tokens[0].eq_ignore_ascii_case("to");
    let verb_gives_way = purpose(ours) || purpose(theirs);
    let (ours, theirs) = (matter(ours), matter(theirs));
    match (ours.as_slice(), theirs.as_slice()) {
        ([], []) => true,
        // A purpose may be put in one word ("to handle" and "for").
        ([word], []) | ([], [word]) => verb_gives_way && group(word).is_some(),
        (ours, theirs) => {
            ours.len() == theirs.len()
                && ours.iter().zip(theirs).all(|(a, b)| a == b || group(a).is_some() && group(a) == group(b))
        }
    }
}

/// The group of a word, whatever its ending.
fn group(word: &str) -> Option<usize> {
    let endings = ["", "s", "es", "d", "ed", "ing", "ning", "ting", "ped"];
    let is = |base: &str| {
        endings.iter().any(|ending| word.strip_suffix(ending) == Some(base))
            || base.strip_suffix('e').is_some_and(|stem| word.strip_suffix("ing") == Some(stem))
    };
    SYNONYMS.lines().position(|group| group.split(' ').any(is))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glue_and_verbs_of_one_meaning_may_differ() {
        let yes: [(&[&str], &[&str]); 6] = [
            (&["as", "well", "as"], &["and"]),
            (&["employed"], &["used"]),
            (&["gives", "back", "the"], &["returns", "a"]),
            (&["to", "handle"], &["For"]),
            (&["in", "order"], &[]),
            (&["using"], &["with"]),
        ];
        for (ours, theirs) in yes {
            assert!(same(ours, theirs), "{ours:?} {theirs:?}");
        }
        let no: [(&[&str], &[&str]); 6] = [
            (&["object"], &["behaviour"]),
            (&["2"], &["3"]),
            (&["JSON"], &[]),
            (&["set"], &["get"]),
            (&["not"], &[]),
            (&["a"], &["return"]),
        ];
        for (ours, theirs) in no {
            assert!(!same(ours, theirs), "{ours:?} {theirs:?}");
        }
    }
}
