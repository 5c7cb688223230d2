//! What a prompt asks for: the question that a small model is asked about it, and what its answer means.
//!
//! No word of any language is looked for here. Where nobody is asked, the turn's own course decides.

use ox_protocol::{Intent, IntentClass, IntentScope, IntentSource, Money, Usage};
use serde_json::Value;

use crate::Conversation;

/// What the router model is told to do.
pub const SYSTEM: &str = include_str!("router.md");

/// The longest answer that is waited for, in tokens: a short JSON object.
pub const LONGEST_ANSWER: u64 = 200;

/// Characters of the agent's last words that the router sees; their end tells what was asked.
const LAST_WORDS: usize = 1_500;
/// Characters of the prompt that it sees.
const PROMPT: usize = 6_000;
/// Files that it may choose from.
const FILES: usize = 200;
/// Files that it may name.
const PATHS: usize = 5;
/// The longest prompt, in characters, that may be no more than an answer to the agent's question.
const ANSWER: usize = 24;

/// What asking the router brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routed {
    /// The decision; none where it could not be asked.
    pub intent: Option<Intent>,
    /// What asking used.
    pub usage: Usage,
    /// What asking cost, where the price is known.
    pub cost: Option<Money>,
    /// Why it could not be asked.
    pub failure: String,
}

/// The router's question about `prompt`: `last_words` are the agent's, `files` some of the project's.
pub fn question<'a>(prompt: &str, last_words: &str, files: impl Iterator<Item = &'a str>) -> String {
    let files: Vec<&str> = files.take(FILES).collect();
    let from = last_words.char_indices().rev().nth(LAST_WORDS - 1).map_or(0, |it| it.0);
    let until = prompt.char_indices().nth(PROMPT).map_or(prompt.len(), |it| it.0);
    let said = if last_words.is_empty() { "(nothing yet)" } else { &last_words[from..] };
    format!(
        "<files>\n{}\n</files>\n<agent_said>\n{said}\n</agent_said>\n<message>\n{}\n</message>",
        files.join("\n"),
        &prompt[..until]
    )
}

/// What the router's answer means. An answer that cannot be read means that nothing may be changed.
pub fn read(answer: &str, exists: &dyn Fn(&str) -> bool) -> Intent {
    let object = answer.find('{').zip(answer.rfind('}')).filter(|(from, to)| from < to);
    let value =
        object.and_then(|(from, to)| serde_json::from_str::<Value>(&answer[from..=to]).ok()).unwrap_or_default();
    let class = serde_json::from_value(value["class"].clone()).unwrap_or(IntentClass::ReadOnly);
    let scope = serde_json::from_value(value["scope"].clone()).ok().filter(|_| class == IntentClass::CodeChange);
    let mut paths: Vec<String> = Vec::new();
    for path in value["paths"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let path = path.trim_start_matches("./");
        if paths.len() < PATHS && !paths.iter().any(|it| it == path) && exists(path) {
            paths.push(path.to_owned());
        }
    }
    Intent { class, scope: scope.unwrap_or(IntentScope::Narrow), paths, by: IntentSource::Router }
}

/// The intent that a prompt has because it only answers what the agent asked at the end of the turn before, which was to change
/// something. A yes to an answer or a plan often asks for more than those did, so about that the router is asked.
pub fn inherited(conversation: &Conversation, prompt: &str, asked: bool) -> Option<Intent> {
    let intent = conversation.last_intent().filter(|it| it.class == IntentClass::CodeChange)?;
    let short = prompt.trim().chars().count() <= ANSWER;
    (asked && short).then(|| Intent { by: IntentSource::Inherited, ..intent.clone() })
}

/// True where these last words ask the user something.
pub fn asks(last_words: &str) -> bool {
    let closing = |c: char| c.is_whitespace() || "*_)\"'”»）】".contains(c);
    last_words.trim_end_matches(closing).ends_with(['?', '？', '؟'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(answer: &str) -> String {
        let it = read(answer, &|path| path != "gone.rs");
        format!("{:?} {:?} {}", it.class, it.scope, it.paths.join(","))
    }

    #[test]
    fn answers_are_read_whatever_stands_around_them() {
        for (answer, expected) in [
            (
                r#"{"class": "code_change", "scope": "broad", "paths": ["a.rs", "gone.rs", "./b.rs", "a.rs"]}"#,
                "CodeChange Broad a.rs,b.rs",
            ),
            ("```json\n{\"class\":\"conversation\"}\n```", "Conversation Narrow "),
            ("Sure! {\"class\": \"plan_only\", \"scope\": \"broad\"} Anything else?", "PlanOnly Narrow "),
            (r#"{"class": "code_change", "scope": "huge"}"#, "CodeChange Narrow "),
            (r#"{"class": "code_change", "paths": ["1","2","3","4","5","6"]}"#, "CodeChange Narrow 1,2,3,4,5"),
            (r#"{"class": "fix"}"#, "ReadOnly Narrow "),
            ("code_change", "ReadOnly Narrow "),
            ("} {", "ReadOnly Narrow "),
            ("", "ReadOnly Narrow "),
        ] {
            assert_eq!(line(answer), expected, "{answer}");
        }
    }

    #[test]
    fn a_question_is_known_by_its_mark_in_any_script() {
        for words in ["Which one?", "Shall I?\n", "**Soll ich?**", "要继续吗？", "(or the second?)"] {
            assert!(asks(words), "{words}");
        }
        for words in ["", "Done.", "Why? Because.", "let x = 1;"] {
            assert!(!asks(words), "{words}");
        }
    }

    #[test]
    fn a_question_to_the_router_is_bounded() {
        let files: Vec<String> = (0..1000).map(|it| format!("f{it}")).collect();
        let long = "é".repeat(100_000);
        let question = question(&long, &long, files.iter().map(String::as_str));
        assert!(question.chars().count() < LAST_WORDS + PROMPT + FILES * 5 + 200, "{}", question.len());
        assert!(question.contains("f199") && !question.contains("f200"));
    }
}
