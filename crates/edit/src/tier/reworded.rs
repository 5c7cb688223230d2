//! Tier "alike", for comments: the same remark in other words. Only words without a matter of their own (articles,
//! prepositions, pronouns, auxiliaries) may differ, and a few everyday verbs may stand for each other. Never
//! numbers, names or anything else that carries the meaning.

/// Words without a matter of their own, and full stops.
const GLUE: &[&str] = &[
    "a", "an", "the", "this", "that", "these", "those", "it", "its", "we", "you", "they", "us", "our", "your", "their",
    "is", "are", "was", "were", "be", "been", "being", "will", "would", "shall", "should", "can", "could", "may",
    "might", "must", "do", "does", "did", "has", "have", "had", "and", "or", "but", "also", "as", "well", "so", "then",
    "thus", "if", "when", "whenever", "while", "where", "which", "who", "whose", "because", "since", "in", "inside",
    "within", "into", "on", "onto", "upon", "at", "of", "out", "from", "to", "for", "with", "using", "via", "by",
    "through", "about", "order", "here", "there", "now", "just", "simply", "please", "note", "back", ".", ",", ";",
    ":", "!",
];

/// Everyday words of one meaning, in their base form.
const ALIKE: &[&[&str]] = &[
    &["use", "employ", "utilize", "utilise"],
    &["set", "assign", "define"],
    &["return", "give", "yield"],
    &["get", "fetch", "retrieve", "obtain"],
    &["check", "verify", "test", "ensure"],
    &["make", "create", "build", "construct"],
    &["remove", "delete", "drop"],
    &["start", "begin"],
    &["end", "finish", "stop"],
    &["handle", "process", "treat"],
    &["call", "invoke"],
    &["show", "display", "print"],
    &["change", "modify", "alter", "update"],
    &["need", "require"],
    &["allow", "permit", "let", "enable"],
    &["keep", "retain", "preserve"],
    &["find", "locate"],
    &["add", "append", "insert"],
    &["convert", "transform", "turn"],
    &["want", "wish"],
    &["try", "attempt"],
];

/// Whether a line is a comment by its first sign.
pub(crate) fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "#", "/*", "*", "--", ";", "<!--", "%"].iter().any(|sign| line.starts_with(sign))
}

/// Whether the tokens in which two comments differ say the same.
pub(super) fn same(ours: &[&str], theirs: &[&str]) -> bool {
    let matter = |tokens: &[&str]| -> Vec<String> {
        tokens.iter().map(|token| token.to_lowercase()).filter(|word| !GLUE.contains(&word.as_str())).collect()
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
    ALIKE.iter().position(|group| group.iter().any(|base| is(base)))
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
