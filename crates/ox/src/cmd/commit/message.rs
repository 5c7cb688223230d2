//! The message of a commit, built from what was recorded of the run; no model is asked.
//!
//! The first line says what the change does, in the imperative where the words allow it; the rest says why, file by
//! file, and what the checks said.

use ox_protocol::locale::Language;
use ox_protocol::{CheckLine, CheckStatus};

/// Characters of the first line.
pub const SUBJECT: usize = 72;
/// Characters of the other lines.
const WIDTH: usize = 72;
/// Files named in a first line that has nothing else to say.
const NAMED: usize = 2;
/// Lines taken over from the model's last words.
const WORDS: usize = 12;

/// What a message is made of.
#[derive(Clone, Debug, Default)]
pub struct Story<'a> {
    /// The model's last words.
    pub text: &'a str,
    /// What the user asked, turn by turn.
    pub prompts: &'a [String],
    /// The files of the commit with the reasons that were given for each.
    pub files: &'a [(String, Vec<String>)],
    /// The last checks.
    pub checks: &'a [CheckLine],
}

/// The message, with a line break at its end.
pub fn compose(story: &Story<'_>, language: Language) -> String {
    let words = plain(story.text);
    let (first, rest) = sentence(&words);
    let (subject, used) = subject(story, first, language);
    let rest = if used { rest.to_string() } else { words.clone() };
    let mut parts = vec![subject];
    let rest: Vec<String> = rest.lines().flat_map(|it| wrap(it.trim(), "", WIDTH)).collect();
    let rest = rest.into_iter().take(WORDS).collect::<Vec<String>>().join("\n");
    parts.push(rest.trim().to_string());
    parts.push(reasons(story.files));
    parts.push(checks(story.checks, language));
    parts.retain(|it| !it.is_empty());
    parts.join("\n\n") + "\n"
}

/// The first line; true when it is made of the model's first sentence.
fn subject(story: &Story<'_>, first: &str, language: Language) -> (String, bool) {
    if let Some(said) = commanded(first) {
        return (cut(&said), said.chars().count() <= SUBJECT);
    }
    let asked = story.prompts.iter().map(|it| plain(it)).find_map(|it| {
        let (first, _) = sentence(&it);
        BASES.contains(&first_word(first).as_str()).then(|| capital(first))
    });
    if let Some(asked) = asked {
        return (cut(asked.trim_end_matches(['.', '!', '。'])), false);
    }
    let names: Vec<&str> = story.files.iter().map(|(path, _)| path.as_str()).collect();
    let listed = match names.len() {
        0..=NAMED => names.join(", "),
        more => {
            let others = (more - NAMED).to_string();
            language.say("commit.more_files", &[("files", &names[..NAMED].join(", ")), ("count", &others)])
        }
    };
    (cut(&language.say("commit.change_files", &[("files", &listed)])), false)
}

fn reasons(files: &[(String, Vec<String>)]) -> String {
    let told = files.iter().filter(|(_, whys)| !whys.is_empty());
    let line = |(path, whys): &(String, Vec<String>)| {
        let whys: Vec<String> = whys.iter().map(|it| plain(it).replace('\n', " ")).collect();
        wrap(&format!("- {path}: {}", whys.join("; ")), "  ", WIDTH)
    };
    told.flat_map(line).collect::<Vec<String>>().join("\n")
}

fn checks(checks: &[CheckLine], language: Language) -> String {
    if checks.is_empty() {
        return String::new();
    }
    let one = |it: &CheckLine| {
        let key = match it.status {
            CheckStatus::Passed => "commit.check.passed",
            _ if it.failed_before => "commit.check.failed_before",
            CheckStatus::Failed => "commit.check.failed",
            _ => "commit.check.other",
        };
        language.say(key, &[("name", &it.name)])
    };
    let all = checks.iter().map(one).collect::<Vec<String>>().join("; ");
    wrap(&language.say("commit.checks", &[("checks", &all)]), "  ", WIDTH).join("\n")
}

/// Words without marks of emphasis, headings and bullets, and without what would steer a terminal.
fn plain(text: &str) -> String {
    let line = |it: &str| {
        let it = it.trim_start().trim_start_matches('#').trim_start();
        it.replace("**", "").replace("__", "").chars().filter(|c| !c.is_control()).collect::<String>()
    };
    text.trim().lines().map(line).collect::<Vec<String>>().join("\n").trim().to_string()
}

/// The first sentence without its full stop, and what comes after it.
fn sentence(text: &str) -> (&str, &str) {
    let line = text.find('\n').unwrap_or(text.len());
    let stop = |mark: &str| text[..line].find(mark).map(|at| (at, at + mark.len()));
    let at = [". ", "! ", "。", "！"].into_iter().filter_map(stop).min().unwrap_or((line, line));
    (text[..at.0].trim_end_matches(['.', '!', ':', ' ']), text[at.1..].trim())
}

/// A sentence that tells what was done, as a command: "I've added a test" becomes "Add a test".
fn commanded(sentence: &str) -> Option<String> {
    const BEFORE: [&str; 9] =
        ["I have now ", "I have ", "I've now ", "I've ", "We have ", "I ", "We ", "This change ", "The change "];
    let rest = BEFORE.iter().find_map(|it| sentence.strip_prefix(it)).unwrap_or(sentence);
    let mut words = rest.split(' ');
    let verb = base(words.next()?)?;
    let mut out = capital(&verb);
    let mut joins = false;
    for word in words {
        // "Fixed a and added b" has two of them.
        let word = if joins { base(word).unwrap_or_else(|| word.to_string()) } else { word.to_string() };
        joins = matches!(word.as_str(), "and" | "then") || word.ends_with(',');
        out.push(' ');
        out.push_str(&word);
    }
    Some(out)
}

/// Verbs that begin what commits say.
const BASES: [&str; 62] = [
    "add",
    "allow",
    "apply",
    "avoid",
    "bump",
    "call",
    "change",
    "check",
    "clean",
    "convert",
    "copy",
    "correct",
    "cover",
    "create",
    "define",
    "delete",
    "describe",
    "document",
    "drop",
    "enable",
    "ensure",
    "explain",
    "export",
    "extend",
    "extract",
    "fix",
    "format",
    "guard",
    "handle",
    "implement",
    "improve",
    "inline",
    "introduce",
    "limit",
    "mention",
    "merge",
    "move",
    "pass",
    "port",
    "prevent",
    "refactor",
    "remove",
    "rename",
    "reorder",
    "repair",
    "replace",
    "restore",
    "return",
    "show",
    "simplify",
    "sort",
    "support",
    "switch",
    "test",
    "tighten",
    "translate",
    "update",
    "upgrade",
    "use",
    "validate",
    "verify",
    "wrap",
];
/// Those whose past is not made by the rule.
const IRREGULAR: [(&str, &str); 18] = [
    ("made", "make"),
    ("wrote", "write"),
    ("rewrote", "rewrite"),
    ("kept", "keep"),
    ("split", "split"),
    ("put", "put"),
    ("set", "set"),
    ("cut", "cut"),
    ("let", "let"),
    ("ran", "run"),
    ("built", "build"),
    ("gave", "give"),
    ("took", "take"),
    ("sent", "send"),
    ("got", "get"),
    ("told", "tell"),
    ("undid", "undo"),
    ("found", "find"),
];

/// The verb that a word is a form of, in lower case; what follows the word, such as a colon, stays.
fn base(word: &str) -> Option<String> {
    let end = word.find(|c: char| !c.is_alphabetic()).unwrap_or(word.len());
    let (word, tail) = word.split_at(end);
    if !matches!(tail, "" | ":" | ",") {
        return None;
    }
    let lower = word.to_lowercase();
    if let Some((_, base)) = IRREGULAR.iter().find(|(past, base)| lower == *past || lower == *base) {
        return Some(format!("{base}{tail}"));
    }
    let found = BASES.iter().find(|it| lower == **it || forms(it).contains(&lower))?;
    Some(format!("{found}{tail}"))
}

/// Third person and past of a regular verb.
fn forms(verb: &str) -> Vec<String> {
    let stem = &verb[..verb.len() - 1];
    let last = &verb[verb.len() - 1..];
    let doubled = format!("{verb}{last}ed");
    match last {
        "e" => vec![format!("{verb}s"), format!("{verb}d")],
        "y" if !stem.ends_with(['a', 'e', 'o']) => vec![format!("{stem}ies"), format!("{stem}ied")],
        "s" | "x" | "h" => vec![format!("{verb}es"), format!("{verb}s"), format!("{verb}ed")],
        _ => vec![format!("{verb}s"), format!("{verb}ed"), doubled],
    }
}

fn first_word(text: &str) -> String {
    text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase()
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|it| it.to_uppercase().collect::<String>() + rest.as_str()).unwrap_or_default()
}

/// At most [`SUBJECT`] characters, cut where a thought ends if there is such a place in the second half, else at a word.
fn cut(text: &str) -> String {
    let text = text.trim();
    let Some((end, _)) = text.char_indices().nth(SUBJECT) else { return text.to_string() };
    let head = &text[..end];
    let thought = ["; ", ": ", ", ", " and ", " so that ", " because ", "，", "；"];
    let at = thought.iter().filter_map(|it| head.rfind(it)).max().filter(|it| *it >= end / 2);
    if let Some(at) = at {
        return head[..at].to_string();
    }
    let (end, _) = text.char_indices().nth(SUBJECT - 1).unwrap_or((end, ' '));
    let at = text[..end].rfind(' ').filter(|it| *it >= end / 2).unwrap_or(end);
    format!("{}…", text[..at].trim_end())
}

/// Lines of at most `width` characters; those after the first begin with `indent`. A longer word stays whole.
fn wrap(text: &str, indent: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').filter(|it| !it.is_empty()) {
        let long = line.chars().count() + 1 + word.chars().count() > width;
        if long && !line.trim().is_empty() {
            lines.push(std::mem::replace(&mut line, indent.to_string()));
        }
        if !line.trim().is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn subject_of(text: &str, prompts: &[&str], files: &[&str]) -> String {
        let prompts: Vec<String> = prompts.iter().map(ToString::to_string).collect();
        let files: Vec<(String, Vec<String>)> = files.iter().map(|it| (it.to_string(), Vec::new())).collect();
        let story = Story { text, prompts: &prompts, files: &files, checks: &[] };
        compose(&story, Language::En).lines().next().unwrap().to_string()
    }

    #[test]
    fn the_first_line_is_a_command_where_the_words_allow_it() {
        let table = [
            ("Fixed the sign in `add`. All tests pass.", "Fix the sign in `add`"),
            ("I've added a test and fixed the parser.", "Add a test and fix the parser"),
            ("**Renamed** `a` to `b`, updated all callers.", "Rename `a` to `b`, update all callers"),
            ("## Removes the old cache", "Remove the old cache"),
            ("Fixed: add now adds.", "Fix: add now adds"),
            ("Simplified the loop!", "Simplify the loop"),
            ("Stopped", "Change a.rs"),
            ("Testing was hard.", "Change a.rs"),
            ("", "Change a.rs"),
        ];
        for (text, expected) in table {
            assert_eq!(subject_of(text, &["why is it slow?"], &["a.rs"]), expected, "{text}");
        }
        assert_eq!(subject_of("All done.", &["hm", "add a flag --fast. It should…"], &["a.rs"]), "Add a flag --fast");
        assert_eq!(subject_of("Done.", &[], &["a", "b", "c", "d"]), "Change a, b and 2 more");
    }

    #[test]
    fn a_long_first_line_ends_where_a_thought_does_and_loses_nothing() {
        let text = "Fixed the total of receipts with more than one tax rate, which was rounded twice and therefore off by a cent. Tests pass.";
        let story = Story { text, ..Story::default() };
        expect![[r#"
            Fix the total of receipts with more than one tax rate

            Fixed the total of receipts with more than one tax rate, which was
            rounded twice and therefore off by a cent. Tests pass.
        "#]]
        .assert_eq(&compose(&story, Language::En));
        let long = format!("Fix {}", "x".repeat(200));
        assert_eq!(subject_of(&long, &[], &[]).chars().count(), SUBJECT);
        let chinese = format!("修复{}", "税".repeat(200));
        let story = Story { prompts: &[chinese], ..Story::default() };
        assert!(compose(&story, Language::Zh).lines().all(|it| it.chars().count() <= SUBJECT));
    }

    #[test]
    fn the_rest_says_why_file_by_file_and_what_the_checks_said() {
        let files = [
            (
                "src/money.rs".to_string(),
                vec![
                    "round once, at the end, because rounding each line adds up to cents".to_string(),
                    "name the rate".into(),
                ],
            ),
            ("tests/till.rs".to_string(), vec!["cover two rates".to_string()]),
            ("Cargo.lock".to_string(), vec![]),
        ];
        let check = |name: &str, status, failed_before| CheckLine { failed_before, ..CheckLine::new(name, status) };
        let checks = [check("cargo test", CheckStatus::Passed, false), check("clippy", CheckStatus::Failed, true)];
        let story = Story { text: "Fixed rounding.\n\n- one\n- two", prompts: &[], files: &files, checks: &checks };
        expect![[r#"
            Fix rounding

            - one
            - two

            - src/money.rs: round once, at the end, because rounding each line adds
              up to cents; name the rate
            - tests/till.rs: cover two rates

            Checks: cargo test passed; clippy failed, as before
        "#]]
        .assert_eq(&compose(&story, Language::En));
    }
}
