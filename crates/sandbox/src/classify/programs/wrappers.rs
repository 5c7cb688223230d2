//! Programs that run another command which stands behind their own options.

use ox_protocol::{EffectKind, Level};

use crate::classify::ground::Use;
use crate::classify::names;
use crate::classify::scope::Scope;
use crate::classify::walk::Walk;
use crate::classify::word::{Word, joined};

/// `env`: without a command it prints the environment.
pub(super) fn env(walk: &mut Walk<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
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
            walk.facts.computed(Level::Shell, word.shown());
            return walk.shell_text(&Word::plain(left.join(" ").trim()), &inside);
        } else if matches!(text, "-u" | "--unset") {
            rest.next();
        } else if let Some(folder) = folder {
            let folder = if folder.is_empty() {
                rest.next().cloned().unwrap_or_default()
            } else {
                word.after(text.len() - folder.len())
            };
            enter(walk, &folder, &mut inside);
        } else if text.starts_with('-') {
            if !matches!(text, "-i" | "-" | "--ignore-environment" | "-0" | "--null" | "-v" | "--debug" | "--")
                && !text.starts_with("--unset=")
            {
                walk.facts.add(EffectKind::Unknown, Level::Shell, format!("env {text}"));
            }
        } else if let Some((name, _)) = text.split_once('=') {
            if !names::is_harmless(name) {
                walk.facts.add(EffectKind::Environment, Level::Shell, name);
            }
        } else {
            let command: Vec<Word> = std::iter::once(word).chain(rest).cloned().collect();
            return walk.run(&command, &mut inside);
        }
    }
    walk.facts.add(EffectKind::Read, Level::System, "the environment");
}

fn enter(walk: &mut Walk<'_>, folder: &Word, scope: &mut Scope) {
    walk.use_path(folder, Use::Enter, scope);
    scope.folder = walk.ground.enter(&folder.text, &scope.folder);
}

/// `printenv`: one harmless variable, a secret, or everything.
pub(super) fn printenv(walk: &mut Walk<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let named: Vec<&Word> = arguments.iter().filter(|it| !it.text.starts_with('-')).collect();
    named.iter().for_each(|it| drop(walk.variable(&it.text, scope)));
    if named.is_empty() {
        walk.facts.add(EffectKind::Read, Level::System, "the environment");
    }
}

/// Options of `xargs` with a value.
const XARGS_VALUED: &str =
    "-n -P -L -s -d -E -R -S --max-args --max-procs --max-lines --delimiter --max-chars --process-slot-var";

/// `xargs`: the command gets words that nobody knows beforehand.
pub(super) fn xargs(walk: &mut Walk<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let mut rest = arguments.iter();
    let mut placeholder = String::new();
    let mut command: Vec<Word> = Vec::new();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if matches!(text, "-a" | "--arg-file") {
            rest.next().into_iter().for_each(|it| walk.use_path(it, Use::Read, scope));
        } else if matches!(text, "-I" | "--replace" | "-J") {
            placeholder = rest.next().map(|it| it.text.clone()).unwrap_or_default();
        } else if text.starts_with("-I") || text.starts_with("--replace=") {
            placeholder = text.trim_start_matches("--replace=").trim_start_matches("-I").to_owned();
        } else if super::lists(XARGS_VALUED, text) {
            rest.next();
        } else if text.starts_with('-') {
            walk.scan(std::slice::from_ref(word), scope);
        } else {
            command = std::iter::once(word).chain(rest.by_ref()).cloned().collect();
        }
    }
    walk.facts.add(EffectKind::Execute, Level::Shell, format!("xargs {}", joined(&command)));
    if placeholder.is_empty() {
        command.push(Word::unknown());
    } else {
        command.iter_mut().for_each(|it| it.text = it.text.replace(&placeholder, "\u{fffc}"));
    }
    if command.len() > 1 || !placeholder.is_empty() && !command.is_empty() {
        walk.run(&command, &mut scope.clone());
    }
}

/// Programs that run the rest of their arguments as a command or as a command line, and whose own options do not matter.
pub(super) fn told(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let outside = matches!(name, "at" | "batch");
    let (kind, level) = if outside { (EffectKind::System, Level::System) } else { (EffectKind::Execute, Level::Shell) };
    walk.facts.add(kind, level, format!("{name} {}", joined(arguments)));
    walk.scan(arguments, scope);
    let filled = arguments.iter().map(|it| Word { text: it.text.replace("{}", "\u{fffc}"), ..it.clone() });
    let words: Vec<Word> = filled.take_while(|it| it.text != ":::").collect();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |it| words[it].text.as_str());
        let line = word.text.contains(char::is_whitespace) || word.has_hole();
        if line || matches!(before, "-c" | "--command" | "-e" | "--exec" | "-x") {
            walk.shell_text(word, scope);
        }
    }
    let is_option = |it: &Word| it.text.starts_with('-') || it.text.parse::<f64>().is_ok();
    let from = words.iter().position(|it| !is_option(it)).unwrap_or(words.len());
    let alone = words.get(from).is_some_and(|it| !it.text.contains(char::is_whitespace) && !it.has_hole());
    if alone && !matches!(name, "script" | "expect" | "hyperfine" | "at" | "batch") {
        walk.run(&words[from..], &mut scope.clone());
    }
}
