//! Programs that run another command which stands behind their own options.

use ox_protocol::{EffectKind, Level};

use crate::analyzer::Analyzer;
use crate::paths::PathAccess;
use crate::scope::Scope;
use crate::variables;
use crate::word::{Word, join_words};
use ox_protocol::word_list::contains;

/// `env`: without a command it prints the environment.
pub(crate) fn env(analyzer: &mut Analyzer<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let mut inside = scope.clone();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        let folder = text.strip_prefix("--chdir=").or_else(|| text.strip_prefix("-C"));
        if text.starts_with("-S") || text.starts_with("-vS") || text.starts_with("--split") {
            // It has its own rules for quotes and variables, so what is read here is a guess.
            let from = text.find(['S', '=']).map_or(text.len(), |it| it + 1);
            let left = std::iter::once(word.after(from)).chain(rest.cloned());
            let left: Vec<String> = left.map(|it| it.text).collect();
            analyzer.findings.add_computed(Level::Shell, word.shown());
            return analyzer.shell_text(&Word::plain(left.join(" ").trim()), &inside);
        } else if matches!(text, "-u" | "--unset") {
            rest.next();
        } else if let Some(folder) = folder {
            let folder = if folder.is_empty() {
                rest.next().cloned().unwrap_or_default()
            } else {
                word.after(text.len() - folder.len())
            };
            change_directory(analyzer, &folder, &mut inside);
        } else if text.starts_with('-') {
            if !matches!(text, "-i" | "-" | "--ignore-environment" | "-0" | "--null" | "-v" | "--debug" | "--")
                && !text.starts_with("--unset=")
            {
                analyzer.findings.add(EffectKind::Unknown, Level::Shell, format!("env {text}"));
            }
        } else if let Some((name, _)) = text.split_once('=') {
            if !variables::is_harmless(name) {
                analyzer.findings.add(EffectKind::Environment, Level::Shell, name);
            }
        } else {
            let command: Vec<Word> = std::iter::once(word).chain(rest).cloned().collect();
            return analyzer.run(&command, &mut inside);
        }
    }
    analyzer.findings.add(EffectKind::Read, Level::System, "the environment");
}

fn change_directory(analyzer: &mut Analyzer<'_>, folder: &Word, scope: &mut Scope) {
    analyzer.access(folder, PathAccess::Enter, scope);
    scope.cwd = analyzer.paths.change_directory(&folder.text, &scope.cwd);
}

/// `printenv`: one harmless variable, a secret, or everything.
pub(crate) fn printenv(analyzer: &mut Analyzer<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let named: Vec<&Word> = arguments.iter().filter(|it| !it.text.starts_with('-')).collect();
    named.iter().for_each(|it| drop(analyzer.variable(&it.text, scope)));
    if named.is_empty() {
        analyzer.findings.add(EffectKind::Read, Level::System, "the environment");
    }
}

/// Options of `xargs` with a value.
const XARGS_VALUED: &str =
    "-n -P -L -s -d -E -R -S --max-args --max-procs --max-lines --delimiter --max-chars --process-slot-var";

/// `xargs`: the command gets words that nobody knows beforehand.
pub(crate) fn xargs(analyzer: &mut Analyzer<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let mut rest = arguments.iter();
    let mut placeholder = String::new();
    let mut command: Vec<Word> = Vec::new();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if matches!(text, "-a" | "--arg-file") {
            rest.next().into_iter().for_each(|it| analyzer.access(it, PathAccess::Read, scope));
        } else if matches!(text, "-I" | "--replace" | "-J") {
            placeholder = rest.next().map(|it| it.text.clone()).unwrap_or_default();
        } else if text.starts_with("-I") || text.starts_with("--replace=") {
            placeholder = text.trim_start_matches("--replace=").trim_start_matches("-I").to_owned();
        } else if contains(XARGS_VALUED, text) {
            rest.next();
        } else if text.starts_with('-') {
            analyzer.scan(std::slice::from_ref(word), scope);
        } else {
            command = std::iter::once(word).chain(rest.by_ref()).cloned().collect();
        }
    }
    analyzer.findings.add(EffectKind::Execute, Level::Shell, format!("xargs {}", join_words(&command)));
    if placeholder.is_empty() {
        command.push(Word::unknown());
    } else {
        command.iter_mut().for_each(|it| it.text = it.text.replace(&placeholder, "\u{fffc}"));
    }
    if command.len() > 1 || !placeholder.is_empty() && !command.is_empty() {
        analyzer.run(&command, &mut scope.clone());
    }
}

/// Programs that run the rest of their arguments as a command or as a command line, and whose own options do not matter.
pub(crate) fn run_arguments(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let outside = matches!(name, "at" | "batch");
    let (kind, level) = if outside { (EffectKind::System, Level::System) } else { (EffectKind::Execute, Level::Shell) };
    analyzer.findings.add(kind, level, format!("{name} {}", join_words(arguments)));
    analyzer.scan(arguments, scope);
    let filled = arguments.iter().map(|it| Word { text: it.text.replace("{}", "\u{fffc}"), ..it.clone() });
    let words: Vec<Word> = filled.take_while(|it| it.text != ":::").collect();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |it| words[it].text.as_str());
        let line = word.text.contains(char::is_whitespace) || word.has_unknown();
        if line || matches!(before, "-c" | "--command" | "-e" | "--exec" | "-x") {
            analyzer.shell_text(word, scope);
        }
    }
    let is_option = |it: &Word| it.text.starts_with('-') || it.text.parse::<f64>().is_ok();
    let from = words.iter().position(|it| !is_option(it)).unwrap_or(words.len());
    let alone = words.get(from).is_some_and(|it| !it.text.contains(char::is_whitespace) && !it.has_unknown());
    if alone && !matches!(name, "script" | "expect" | "hyperfine" | "at" | "batch") {
        analyzer.run(&words[from..], &mut scope.clone());
    }
}
