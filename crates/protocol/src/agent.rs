//! Sub-agents: what they are asked, what they may spend, and what a reviewer finds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallId, ConversationId, Limits, Money, Problem, Stop, Usage};

/// What a sub-agent is asked to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentRequest {
    /// The kind: `explore`, `review`, `test-writer`, or one of the user's or the project's own.
    pub kind: String,
    /// The task, in the words that it reads.
    pub task: String,
    /// Files that it should begin with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Globs that its edits must stay within, beside those that hold anyway.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
    /// It works in a copy of the project, and what it changed comes back as one change.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub worktree: bool,
}

/// What a sub-agent begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentStart {
    /// The call that it answers; of the turn's own reviewer an id that starts with `review_`.
    pub call: CallId,
    /// Its conversation.
    #[serde(rename = "agent")]
    pub conversation: ConversationId,
    /// What it is to do; the turn's own reviewer is given the turn's task and its change.
    pub request: AgentRequest,
    /// What it may spend, taken from what the turn may still spend.
    pub limits: Limits,
}

/// How a sub-agent ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentEnd {
    /// The call that it answers.
    pub call: CallId,
    /// Its conversation.
    #[serde(rename = "agent")]
    pub conversation: ConversationId,
    /// Why it ended.
    pub stop: Stop,
    /// Requests that it made.
    pub iterations: u32,
    /// Tokens that it used.
    pub usage: Usage,
    /// What it cost, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// What it found, where it is a reviewer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Why nothing can be said of the change, where it is the turn's own reviewer and could not judge it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// A fault that a reviewer found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// How much it weighs.
    pub severity: Severity,
    /// The file, relative to the project root; empty where it is about none in particular.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// 1-based line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What is wrong and why, in one line.
    pub why: String,
    /// What shows it, in one line; empty where the reviewer named nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth a thought.
    Note,
    /// May go wrong.
    Warning,
    /// Is wrong.
    Error,
}

impl Finding {
    /// The findings of a reviewer's last words: lines `error|warning|note PATH:LINE: why`, also as items of a list, each with
    /// `evidence: words` below it where there is some. Any other line is prose.
    pub fn all_of(text: &str) -> Vec<Finding> {
        let mut found: Vec<Finding> = Vec::new();
        for line in text.lines() {
            match (Finding::of_line(line), found.last_mut()) {
                (Some(finding), _) => found.push(finding),
                (None, Some(last)) if last.evidence.is_empty() => {
                    last.evidence = evidence(line).unwrap_or_default().to_owned();
                }
                _ => {}
            }
        }
        found
    }

    /// True where a reviewer's last words judge: they find something, or say that there is nothing.
    pub fn judges(text: &str) -> bool {
        let nothing = |line: &str| {
            let line = line.trim_matches(|it: char| !it.is_alphanumeric()).to_ascii_lowercase();
            line == "no findings" || line == "no faults"
        };
        text.lines().any(nothing) || !Finding::all_of(text).is_empty()
    }

    fn of_line(line: &str) -> Option<Finding> {
        let line = line.trim().trim_start_matches(['-', '*', ' ']).trim_start_matches("**");
        let at = line.find(|it: char| !it.is_ascii_alphabetic())?;
        let severity = match line[..at].to_ascii_lowercase().as_str() {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            "note" => Severity::Note,
            _ => return None,
        };
        let rest = line[at..].trim_start_matches(['*', '`', ' ']);
        let (place, why) = match rest.strip_prefix(':') {
            Some(rest) => rest.trim_start().split_once(": ").unwrap_or(("", rest)),
            None => rest.split_once(": ")?,
        };
        let place = place.trim_matches(['`', '*', ' ']);
        // Words before a colon are no place.
        let (place, why) = match place.contains(char::is_whitespace) {
            true => ("", rest.strip_prefix(':')?),
            false => (place, why),
        };
        let (path, line) = match place.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?))) {
            Some((path, line)) => (path, Some(line)),
            None => (place, None),
        };
        (!why.trim().is_empty()).then(|| Finding {
            severity,
            path: path.to_owned(),
            line: line.filter(|_| !path.is_empty()),
            why: why.trim().to_owned(),
            evidence: String::new(),
        })
    }

    /// The finding in one line, as a reviewer writes it.
    pub fn line(&self) -> String {
        let severity = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        match (self.path.as_str(), self.line) {
            ("", _) => format!("{severity}: {}", self.why),
            (path, None) => format!("{severity} {path}: {}", self.why),
            (path, Some(line)) => format!("{severity} {path}:{line}: {}", self.why),
        }
    }
}

/// The words behind `evidence:`.
fn evidence(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches(['-', '*', ' ']);
    let head = line.get(..9).filter(|it| it.eq_ignore_ascii_case("evidence:"))?;
    Some(line[head.len()..].trim_start_matches('*').trim()).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_read_from_a_reviewers_lines() {
        let text = "I looked at both files.\n\
            error src/a.rs:12: the sum overflows\n\
            evidence: `a + b`\n\
            evidence: of nothing\n\
            - **Error** `src/b.rs:3`: the result is dropped\n\
            * warning: nothing tests the empty case\n\
            note src/c.rs: the name says little\n\
            error messages are fine\n\
            Errors: none\n\
            warning the whole idea: it is odd\n\
            error: that it works: nobody knows";
        let lines: Vec<String> = Finding::all_of(text).iter().map(Finding::line).collect();
        assert_eq!(
            lines,
            [
                "error src/a.rs:12: the sum overflows",
                "error src/b.rs:3: the result is dropped",
                "warning: nothing tests the empty case",
                "note src/c.rs: the name says little",
                "error: that it works: nobody knows",
            ]
        );
        assert_eq!(Finding::all_of(text)[0].evidence, "`a + b`");
        let judging = ["No findings.", "I read it.\n- **no findings**", "note a.rs: odd", "It is fine.", ""];
        assert_eq!(judging.map(Finding::judges), [true, true, true, false, false]);
    }
}
