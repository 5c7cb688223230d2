//! What most compilers and linters print: `file:line:column: message`. Ruff, mypy, flake8, pyright, gcc, clang, javac,
//! golangci-lint, shellcheck and many more.

use std::sync::LazyLock;

use ox_protocol::Diagnostic;
use regex::Regex;

use super::line::{diagnostic, place, regex};

/// The complaints; warnings count only where there is no error, since something made the check fail.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let mut found: Vec<(bool, Diagnostic)> = (0..lines.len()).filter_map(|at| explained(&lines[at..])).collect();
    found.extend(ruff_full(lines).into_iter().map(|it| (false, it)));
    let errors = found.iter().any(|(warning, _)| !warning);
    found.into_iter().filter(|(warning, _)| !(errors && *warning)).map(|(_, it)| it).collect()
}

/// A complaint with its code, where that stands at the end of a deeper line beneath it, as pyright has it.
fn explained(lines: &[&str]) -> Option<(bool, Diagnostic)> {
    let (warning, mut found) = complaint(lines[0])?;
    let depth = |it: &str| it.len() - it.trim_start().len();
    let more: Vec<&str> = lines[1..].iter().take_while(|it| depth(it) > depth(lines[0])).copied().collect();
    let code = more.last().and_then(|it| it.rsplit_once(" (report")?.1.strip_suffix(')'));
    if let (Some(code), true) = (code, found.code.is_empty()) {
        let text = more.iter().map(|it| it.trim()).collect::<Vec<_>>().join("\n");
        found.message = format!("{}\n{}", found.message, text.trim_end_matches(&format!(" (report{code})")));
        found.code = format!("report{code}");
    }
    Some((warning, found))
}

fn complaint(line: &str) -> Option<(bool, Diagnostic)> {
    let (file, row, column, rest) = place(line.trim_start())?;
    let said = rest.trim_start().trim_start_matches("- ");
    let is_path = (file.contains('.') || file.contains('/'))
        && !file.contains([' ', '\t', '(', '"', '=', '|'])
        && !file.contains("://");
    if !is_path || said.is_empty() {
        return None;
    }
    let (level, said) = match said.split_once(':') {
        Some((level, said)) if matches!(level, "error" | "fatal error" | "warning" | "note" | "info" | "hint") => {
            (level, said.trim())
        }
        _ => ("", said),
    };
    // What an interpreter warns of in its own libraries failed nothing.
    if matches!(level, "note" | "info" | "hint") || level.ends_with("Warning") && file.contains("/site-packages/") {
        return None;
    }
    let said = said.strip_prefix("error - ").or_else(|| said.strip_prefix("warning - ")).unwrap_or(said);
    let (code, message) = cop(said).unwrap_or_else(|| coded(said));
    Some((level == "warning", diagnostic(file, row, column, code, message)))
}

/// RuboCop's: `C: [Correctable] Style/Name: message`.
fn cop(said: &str) -> Option<(&str, &str)> {
    let (severity, rest) = said.split_once(": ")?;
    let (code, message) = rest.trim_start_matches("[Correctable] ").split_once(": ")?;
    (severity.len() == 1 && "CWEFRI".contains(severity) && code.contains('/')).then_some((code, message))
}

/// A code in front, as ruff and flake8 have it, or in brackets at the end, as mypy and gcc have it.
fn coded(said: &str) -> (&str, &str) {
    static CODED: LazyLock<Regex> = LazyLock::new(|| {
        let front = r"(?<code>[A-Z]{1,4}\d{3,5}|invalid-syntax):* (?:\[\*\] )?(?<message>.*)";
        regex(&format!(r#"^(?:{front}|(?<text>.*) [\[(](?<end>[^\s\[\]()"]+)[\])])$"#))
    });
    let Some(found) = CODED.captures(said) else { return ("", said) };
    let either = |one: &str, other: &str| found.name(one).or(found.name(other)).map_or("", |it| it.as_str());
    (either("code", "end"), either("message", "text").trim_end())
}

/// Ruff's long form: `F401 [*] message`, and beneath it ` --> file:line:column`.
fn ruff_full(lines: &[&str]) -> Vec<Diagnostic> {
    let both = lines.windows(2).filter_map(|it| {
        let (file, line, column, _) = place(it[1].trim_start().strip_prefix("--> ")?)?;
        let (code, message) = coded(it[0]);
        (!code.is_empty()).then(|| diagnostic(file, line, column, code, message))
    });
    both.collect()
}
