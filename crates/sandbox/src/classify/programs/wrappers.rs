//! Programs that run another command which stands behind their own options.

use ox_protocol::{EffectKind, Level};

use crate::classify::ground::Use;
use crate::classify::names;
use crate::classify::scope::Scope;
use crate::classify::walk::Walk;
use crate::classify::word::{Word, joined};

/// `env`: without a command it prints the environment, which holds secrets.
pub(super) fn env(walk: &mut Walk<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let mut inside = scope.clone();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        match text {
            "-i" | "-" | "--ignore-environment" | "-0" | "--null" | "-v" | "--debug" | "--" => {}
            "-u" | "--unset" => drop(rest.next()),
            "-C" | "--chdir" => {
                let folder = rest.next().cloned().unwrap_or_default();
                enter(walk, &folder, &mut inside);
            }
            "-S" | "--split-string" => {
                let left: Vec<Word> = rest.cloned().collect();
                return split(walk, &joined_text(&left), &inside);
            }
            _ if text.starts_with("--unset=") => {}
            _ if text.starts_with("--chdir=") => enter(walk, &word.after(8), &mut inside),
            _ if text.starts_with("-C") => enter(walk, &word.after(2), &mut inside),
            _ if text.starts_with("-S") || text.starts_with("-vS") => {
                let at = text.find('S').map_or(2, |it| it + 1);
                let left: Vec<Word> = std::iter::once(word.after(at)).chain(rest.cloned()).collect();
                return split(walk, &joined_text(&left), &inside);
            }
            _ if text.starts_with('-') => walk.facts.add(EffectKind::Unknown, Level::Shell, format!("env {text}")),
            _ if text.contains('=') => {
                let name = text.split('=').next().unwrap_or_default();
                if !names::is_harmless(name) {
                    walk.facts.add(EffectKind::Environment, Level::Shell, name);
                }
            }
            _ => {
                let command: Vec<Word> = std::iter::once(word.clone()).chain(rest.cloned()).collect();
                return walk.run(&command, &mut inside);
            }
        }
    }
    walk.facts.add(EffectKind::Secret, Level::System, "the environment");
}

fn enter(walk: &mut Walk<'_>, folder: &Word, scope: &mut Scope) {
    walk.use_path(folder, Use::Enter, scope);
    scope.folder = walk.ground.enter(&folder.text, &scope.folder);
}

fn joined_text(words: &[Word]) -> Word {
    let text: Vec<&str> = words.iter().map(|it| it.text.as_str()).collect();
    Word::plain(&text.join(" "))
}

fn split(walk: &mut Walk<'_>, text: &Word, scope: &Scope) {
    // `env -S` has its own rules for quotes and variables, so what is read here is a guess.
    walk.facts.obscure(Level::Shell, format!("env -S {}", text.shown()));
    walk.shell_text(text, scope);
}

/// `printenv`: one harmless variable, a secret, or everything.
pub(super) fn printenv(walk: &mut Walk<'_>, _: &str, arguments: &[Word], _: &mut Scope) {
    let mut named = arguments.iter().filter(|it| !it.text.starts_with('-')).peekable();
    if named.peek().is_none() {
        return walk.facts.add(EffectKind::Secret, Level::System, "the environment");
    }
    for word in named {
        if word.has_hole() || crate::is_secret_name(&word.text) || names::is_secret_variable(&word.text) {
            walk.facts.add(EffectKind::Secret, Level::System, word.shown());
        } else if !names::is_public_variable(&word.text) {
            walk.facts.add(EffectKind::Read, Level::Shell, word.shown());
        }
    }
}

/// `xargs`: the command gets words that nobody knows beforehand.
pub(super) fn xargs(walk: &mut Walk<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let mut rest = arguments.iter();
    let mut placeholder = None;
    let mut command: Vec<Word> = Vec::new();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        match text {
            "-a" | "--arg-file" => rest.next().into_iter().for_each(|it| walk.use_path(it, Use::Read, scope)),
            "-I" | "--replace" | "-J" => placeholder = rest.next().map(|it| it.text.clone()),
            "-i" => placeholder = Some("{}".to_owned()),
            "-n" | "-P" | "-L" | "-s" | "-d" | "-E" | "-R" | "-S" | "--max-args" | "--max-procs" | "--max-lines"
            | "--delimiter" | "--max-chars" | "--process-slot-var" => drop(rest.next()),
            _ if text.starts_with("--arg-file=") => walk.use_path(&word.after(11), Use::Read, scope),
            _ if text.starts_with("--replace=") => placeholder = Some(text[10..].to_owned()),
            _ if text.starts_with("-I") || text.starts_with("-i") => placeholder = Some(text[2..].to_owned()),
            _ if text.starts_with("-a") => walk.use_path(&word.after(2), Use::Read, scope),
            _ if text.starts_with('-') => {}
            _ => {
                command.push(word.clone());
                command.extend(rest.by_ref().cloned());
            }
        }
    }
    walk.facts.add(EffectKind::Execute, Level::Shell, format!("xargs {}", joined(&command)));
    if command.is_empty() {
        return;
    }
    match placeholder.filter(|it| !it.is_empty()) {
        None => command.push(Word::unknown()),
        Some(mark) => {
            for word in &mut command {
                if word.text.contains(&mark) {
                    word.text = word.text.replace(&mark, "\u{fffc}");
                }
            }
        }
    }
    walk.run(&command, &mut scope.clone());
}

/// Programs that run the rest of their arguments as a command or as a command line, and whose own options do not matter.
pub(super) fn told(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let outside = matches!(name, "at" | "batch");
    let (kind, level) = if outside { (EffectKind::System, Level::System) } else { (EffectKind::Execute, Level::Shell) };
    walk.facts.add(kind, level, format!("{name} {}", joined(arguments)));
    walk.scan(arguments, scope);
    for (at, word) in arguments.iter().enumerate() {
        let text = word.text.as_str();
        let before = at.checked_sub(1).map_or("", |it| arguments[it].text.as_str());
        if text.contains(char::is_whitespace)
            || word.has_hole()
            || matches!(before, "-c" | "--command" | "-e" | "--exec" | "-x")
        {
            let mut word = word.clone();
            if matches!(name, "parallel" | "rush") {
                word.text = word.text.replace("{}", "\u{fffc}");
            }
            walk.shell_text(&word, scope);
        }
    }
    let is_option = |it: &&Word| it.text.starts_with('-') || it.text.parse::<f64>().is_ok();
    let command: Vec<Word> =
        arguments.iter().skip_while(is_option).take_while(|it| it.text != ":::").cloned().collect();
    let alone = command.first().is_some_and(|it| !it.text.contains(char::is_whitespace) && !it.has_hole());
    if alone
        && matches!(
            name,
            "watch"
                | "parallel"
                | "rush"
                | "sem"
                | "entr"
                | "nodemon"
                | "watchexec"
                | "chronic"
                | "xvfb-run"
                | "dbus-launch"
        )
    {
        let mut inside = scope.clone();
        walk.run(&command, &mut inside);
    }
}
