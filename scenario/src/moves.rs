//! What the outside env does, read from the sections that supply it.

use std::time::Duration;

use ox_model::scripted::{Step, parse_reply, parse_step};
use ox_protocol::{
    Check, CheckKind, CheckReport, CheckResult, CheckStatus, Command, Diagnostic, EarlierTurn, Mode, Tests,
};
use serde_json::Value;

use crate::error::ScenarioError;
use crate::text::{Doc, Section};

/// One thing that the outside env does, or a place where the file shows something.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // A scenario has a few dozen of them.
pub enum Move {
    /// The user types something; the paths are those of images.
    Say { text: String, mode: Option<Mode>, images: Vec<String> },
    /// The user answers a request for consent.
    Decide(Consent),
    /// The user answers a question.
    Answer(String),
    /// The user stops the turn, while this tool runs or while the model thinks.
    Interrupt { during: Option<String> },
    /// The user has the last turn taken up.
    Continue,
    /// Between two turns the user comments on the plan, or says which files are kept in view and which are left out.
    Between(Command),
    /// Between two turns the user edits the plan's form; an empty one drops the plan.
    Form(String),
    /// The model replies or fails.
    Model(Step),
    /// The project's checks end so.
    Checked(CheckReport),
    /// Time passes.
    Clock(Duration),
    /// The process is killed.
    Crash(Moment),
    /// Somebody else changes a file.
    Change(String),
    /// The turn ends here.
    Stop,
    /// The file shows what the model is sent, all of it or only what is new.
    Prompt { new: bool },
    /// The file shows what was recorded since the last such place, the stages and token counts only where `all`.
    Events { all: bool },
}

/// An answer to a request for consent.
#[derive(Clone, Debug, PartialEq)]
pub enum Consent {
    /// Yes.
    Allow,
    /// Yes, and never ask again.
    Always,
    /// Yes, with these arguments.
    Amend(Value),
    /// No, with a reason.
    Deny(String),
}

/// When the process is killed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Where the section stands.
    Here,
    /// After this tool's start was recorded and before it did anything.
    During(String),
    /// After this tool did its work and before that was recorded.
    After(String),
}

/// The moves of a scenario with their sections, in order. Sections that Ox produces are left out.
pub(crate) fn script(doc: &Doc) -> Result<Vec<(Move, Section)>, ScenarioError> {
    let mut moves = Vec::new();
    for section in &doc.sections {
        let found = of(section).map_err(|why| ScenarioError::Syntax(format!("`-- {} --`: {why}", section.name)))?;
        moves.extend(found.map(|it| (it, section.clone())));
    }
    Ok(moves)
}

fn of(section: &Section) -> Result<Option<Move>, String> {
    let name = section.name.as_str();
    if let Some(path) = name.strip_prefix("repo-change/") {
        return Ok(Some(Move::Change(path.to_string())));
    }
    if name.contains('/') && ["repo/", "after/", "served/"].iter().any(|it| name.starts_with(it)) {
        return Ok(None);
    }
    let (kind, rest) = name.split_once(':').map_or((name, ""), |(kind, rest)| (kind, rest.trim()));
    let (kind, rest) = match kind.split_once(' ') {
        Some(("crash", when)) => ("crash", when),
        _ => (kind, rest),
    };
    Ok(Some(match kind {
        "user" => user(rest, &section.body)?,
        "model" => Move::Model(parse_step(name, &section.body).ok_or("a model replies, fails or is cut")?),
        "check" => Move::Checked(report(rest, &section.body)?),
        "clock" => Move::Clock(humantime::parse_duration(rest.trim_start_matches('+')).map_err(|it| it.to_string())?),
        "crash" => Move::Crash(moment(rest)?),
        "stop" => Move::Stop,
        "prompt" => Move::Prompt { new: rest == "new" },
        "events" => Move::Events { all: rest == "all" },
        "tool" | "ask" | "refusal" | "error" | "set" | "baseline" => return Ok(None),
        _ => return Err("no section is called so".to_string()),
    }))
}

fn user(what: &str, body: &str) -> Result<Move, String> {
    let (word, rest) = what.split_once(' ').unwrap_or((what, ""));
    Ok(match word {
        "" => say(body, None),
        "chat" => say(body, Some(Mode::Chat)),
        "plan" => say(body, Some(Mode::Plan)),
        "comment" => Move::Between(Command::CommentPlan { step: number(rest)?, text: body.trim().to_string() }),
        "settle" => Move::Between(Command::AnswerPlan { question: number(rest)?, text: body.trim().to_string() }),
        "add" => Move::Between(Command::AddFiles { files: lines(body) }),
        "drop" => Move::Between(Command::DropFiles { files: lines(body) }),
        "exclude" => Move::Between(Command::Exclude { globs: lines(body) }),
        "earlier" => {
            Move::Between(Command::AddEarlierTurns { turns: lines(body).iter().map(|it| earlier(it)).collect() })
        }
        "include" => Move::Between(Command::Include { globs: lines(body) }),
        "form" => Move::Form(body.to_string()),
        "auto" => say(body, Some(Mode::Auto)),
        "build" => say(body, Some(Mode::Build)),
        "allow" => Move::Decide(Consent::Allow),
        "always" => Move::Decide(Consent::Always),
        "deny" => Move::Decide(Consent::Deny(format!("{rest}{}", body.trim()))),
        "amend" => {
            let call = parse_reply(&format!("@call\n{body}")).calls.pop().ok_or("the new arguments are missing")?;
            Move::Decide(Consent::Amend(serde_json::from_str(&call.args).map_err(|it| it.to_string())?))
        }
        "answer" => Move::Answer(body.trim().to_string()),
        "interrupt" => Move::Interrupt { during: rest.strip_prefix("during ").map(str::to_string) },
        "continue" => Move::Continue,
        other => return Err(format!("a user does not `{other}`")),
    })
}

/// `instruction → summary`.
fn earlier(line: &str) -> EarlierTurn {
    let (instruction, summary) = line.split_once('→').unwrap_or((line, ""));
    EarlierTurn { instruction: instruction.trim().to_owned(), summary: summary.trim().to_owned(), files: Vec::new() }
}

fn lines(body: &str) -> Vec<String> {
    body.lines().map(str::trim).filter(|it| !it.is_empty()).map(str::to_string).collect()
}

fn number(word: &str) -> Result<u32, String> {
    word.parse().map_err(|_| format!("`{word}` is no number of a step or a question"))
}

/// Lines `@image PATH` before the words attach pictures of the project.
fn say(body: &str, mode: Option<Mode>) -> Move {
    let images: Vec<String> =
        body.lines().map_while(|it| it.strip_prefix("@image ")).map(|it| it.trim().to_string()).collect();
    let text: Vec<&str> = body.lines().skip(images.len()).collect();
    Move::Say { text: text.join("\n").trim().to_string(), mode, images }
}

fn moment(when: &str) -> Result<Moment, String> {
    match when.split_once(' ') {
        None if when.is_empty() => Ok(Moment::Here),
        Some(("during", tool)) => Ok(Moment::During(tool.to_string())),
        Some(("after", tool)) => Ok(Moment::After(tool.to_string())),
        _ => Err("write `crash`, `crash during TOOL` or `crash after TOOL`".to_string()),
    }
}

/// The one check that scenarios know.
pub(crate) fn the_check() -> Check {
    Check::new("check", CheckKind::Test, "./check", 60_000, "scenario")
}

/// The check of scenarios that are about narrower forms.
pub(crate) fn pytest() -> Check {
    Check { name: "pytest".to_string(), command: "python3 -m pytest -q".to_string(), ..the_check() }
}

/// The state of the tree before the first edit, as the `baseline:` section tells it.
pub(crate) fn baseline(doc: &Doc) -> Result<CheckReport, ScenarioError> {
    let section = doc.sections.iter().find_map(|it| it.name.strip_prefix("baseline:").map(|how| (how.trim(), it)));
    let (how, body) = section.map_or(("pass", ""), |(how, it)| (how, it.body.as_str()));
    report(how, body).map_err(ScenarioError::Syntax)
}

fn report(how: &str, body: &str) -> Result<CheckReport, String> {
    let (status, exit_code) = match how {
        "pass" => (CheckStatus::Passed, Some(0)),
        "fail" => (CheckStatus::Failed, Some(1)),
        "timeout" => (CheckStatus::TimedOut, None),
        "unavailable" => (CheckStatus::NotInstalled, None),
        other => return Err(format!("checks pass, fail, timeout or are unavailable; they do not `{other}`")),
    };
    let diagnostics: Vec<Diagnostic> = body.lines().filter_map(diagnostic).collect();
    let tail = if diagnostics.is_empty() { body.to_string() } else { String::new() };
    let tests = body.lines().find_map(counted);
    let result = CheckResult { exit_code, diagnostics, tail, tests, ..CheckResult::ended(the_check(), status) };
    Ok(CheckReport { results: vec![result], tree: String::new() })
}

/// `812 passed, 1 failed`.
fn counted(line: &str) -> Option<Tests> {
    let (passed, failed) = line.strip_suffix(" failed")?.split_once(" passed, ")?;
    Some(Tests { passed: passed.parse().ok()?, failed: failed.parse().ok()? })
}

/// `src/lib.rs:3:1: [E0308] message`, the code and the column as far as there are any.
fn diagnostic(line: &str) -> Option<Diagnostic> {
    let (file, rest) = line.split_once(':')?;
    let (line, rest) = rest.split_once(':')?;
    let line: u32 = line.parse().ok()?;
    let column = rest.split_once(':').and_then(|(number, rest)| Some((number.parse().ok()?, rest)));
    let (column, rest) = column.unwrap_or((0, rest));
    let code = rest.trim().strip_prefix('[').and_then(|it| it.split_once(']'));
    let (code, message) = code.unwrap_or(("", rest));
    let message = message.trim().to_string();
    Some(Diagnostic { file: file.to_string(), line, column, code: code.to_string(), message })
}
