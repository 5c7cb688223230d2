//! The message of a commit, built from what was recorded of the run; no model is asked.
//!
//! The first line is what was asked; the rest says what else was asked, what was done and why, file by file, and what the
//! checks said.

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
    let mut parts = vec![subject(story, language), asked(story.prompts)];
    let words = plain(story.text);
    let words = words.lines().flat_map(|it| wrap(it.trim(), "", WIDTH)).take(WORDS).collect::<Vec<String>>().join("\n");
    parts.push(words.trim().to_string());
    parts.push(reasons(story.files));
    parts.push(checks(story.checks, language));
    parts.retain(|it| !it.is_empty());
    parts.join("\n\n") + "\n"
}

/// The first line: the first sentence of the first prompt, or the files where there is none.
fn subject(story: &Story<'_>, language: Language) -> String {
    let asked = story.prompts.iter().map(|it| plain(it)).find(|it| !it.is_empty());
    if let Some(asked) = asked {
        return cut(&capital(sentence(&asked)));
    }
    let names: Vec<&str> = story.files.iter().map(|(path, _)| path.as_str()).collect();
    let listed = match names.len() {
        0..=NAMED => names.join(", "),
        more => {
            let others = (more - NAMED).to_string();
            language.say("commit.more_files", &[("files", &names[..NAMED].join(", ")), ("count", &others)])
        }
    };
    cut(&language.say("commit.change_files", &[("files", &listed)]))
}

/// What was asked, turn by turn, where that is more than the first line says.
fn asked(prompts: &[String]) -> String {
    let asked: Vec<String> = prompts.iter().map(|it| plain(it)).filter(|it| !it.is_empty()).collect();
    if asked.len() < 2 {
        return String::new();
    }
    asked.iter().map(|it| format!("- {}", cut(&capital(sentence(it))))).collect::<Vec<String>>().join("\n")
}

fn reasons(files: &[(String, Vec<String>)]) -> String {
    let reported = files.iter().filter(|(_, whys)| !whys.is_empty());
    let line = |(path, whys): &(String, Vec<String>)| {
        let whys: Vec<String> = whys.iter().map(|it| plain(it).replace('\n', " ")).collect();
        wrap(&format!("- {path}: {}", whys.join("; ")), "  ", WIDTH)
    };
    reported.flat_map(line).collect::<Vec<String>>().join("\n")
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
        language.say(key, &[("name", &language.check(&it.name))])
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

/// The first sentence without its full stop.
fn sentence(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    let end = [". ", "! ", "。", "！"].into_iter().filter_map(|it| line.find(it)).min().unwrap_or(line.len());
    line[..end].trim_end_matches(['.', '!', ':', ' '])
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
    fn the_first_line_is_what_was_asked() {
        let table = [
            ("add a flag --fast. It should…", "Add a flag --fast"),
            ("**fix** the parser!\n\nIt fails.", "Fix the parser"),
            ("why is it slow?", "Why is it slow?"),
        ];
        for (prompt, expected) in table {
            assert_eq!(subject_of("All done.", &["", prompt, "more"], &["a.rs"]), expected, "{prompt}");
        }
        assert_eq!(subject_of("Done.", &[], &["a.rs"]), "Change a.rs");
        assert_eq!(subject_of("Done.", &[], &["a", "b", "c", "d"]), "Change a, b and 2 more");
    }

    #[test]
    fn a_long_first_line_ends_where_a_thought_does() {
        let prompt = "Fix the total of receipts with more than one tax rate, which is rounded twice and therefore off by a cent.";
        let expected = "Fix the total of receipts with more than one tax rate";
        assert_eq!(subject_of("", &[prompt], &[]), expected);
        let long = format!("Fix {}", "x".repeat(200));
        assert_eq!(subject_of("", &[&long], &[]).chars().count(), SUBJECT);
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
        let prompts = ["fix rounding".to_string(), "and test two rates. Thanks!".to_string()];
        let story = Story { text: "Fixed it.\n\n- one\n- two", prompts: &prompts, files: &files, checks: &checks };
        expect![[r#"
            Fix rounding

            - Fix rounding
            - And test two rates

            Fixed it.

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
