//! Interpreters of programming languages: whatever they run is level shell, and what it names openly counts.

use ox_protocol::{EffectKind, Level};

use super::scripts::is_code;
use crate::analyzer::Analyzer;
use crate::paths::PathAccess;
use crate::scope::{Scope, Stdin};
use crate::table;
use crate::word::{Word, join_words};

/// Options that only tell about the interpreter.
const TELLS: &[&str] = &["-v", "-V", "-VV", "--version", "-version", "-h", "--help", "version"];
/// Modules of Python that are package managers.
const MANAGERS: &[&str] = &["pip", "pipx", "poetry", "uv", "pipenv", "conda", "twine"];

/// Analyses it.
pub(crate) fn interpreter(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    if matches!(arguments, [one] if TELLS.contains(&one.text.as_str())) {
        return;
    }
    let first = arguments.first().map_or("", |it| it.text.as_str());
    // `deno`, `bun`, `swift` and others are package managers as well.
    if let Some(known) = table::program(&format!("{name}/{first}")) {
        return analyzer.by_table(&format!("{name}/{first}"), known, &arguments[1..], scope);
    }
    if let Some(at) = arguments.iter().position(|it| it.text == "-m").filter(|_| name.starts_with("py"))
        && let Some(module) = arguments.get(at + 1).filter(|it| MANAGERS.contains(&it.text.as_str()))
    {
        return analyzer.named(&module.text, &arguments[at + 2..], scope);
    }
    analyzer.findings.add(EffectKind::Execute, Level::Shell, format!("{name} {}", join_words(arguments)));
    let mut given = false;
    for (at, word) in arguments.iter().enumerate() {
        let text = word.text.as_str();
        let option = at.checked_sub(1).is_some_and(|it| arguments[it].text.starts_with('-'));
        if is_code(text) || text.starts_with('-') && text.len() > 2 && !text.starts_with("--") {
            given |= is_code(text);
            analyzer.code(word, scope);
        } else if !text.starts_with('-') {
            if !given && !option && !text.contains("://") {
                analyzer.access(word, PathAccess::Run, scope);
            }
            given = true;
        }
    }
    analyzer.scan(arguments, scope);
    if given {
        return;
    }
    match scope.stdin.clone() {
        Stdin::Closed => {}
        Stdin::Text(text) => analyzer.code(&Word::plain(&text), scope),
        Stdin::Unknown => analyzer.findings.add_computed(Level::System, "the code that is piped into an interpreter"),
    }
}
