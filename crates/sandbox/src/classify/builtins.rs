//! What the shell's own commands do.

use ox_protocol::{EffectKind, Level};

use super::ground::Use;
use super::names;
use super::scope::{Folder, Scope, Stdin};
use super::walk::Walk;
use super::word::{HOLE, Word, joined};

/// Builtins that change nothing but the shell, which ends with the line.
const INERT: &[&str] = &[
    ":", "true", "false", "wait", "times", "pwd", "dirs", "exit", "return", "break", "continue", "shift", "echo",
    "jobs", "umask", "type", "unalias", "caller",
];

/// Analyses a builtin; false when the name is none.
pub(super) fn builtin(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) -> bool {
    let first = arguments.first().map_or("", |it| it.text.as_str());
    match name {
        _ if INERT.contains(&name) => {}
        "cd" | "pushd" | "popd" => walk.enter(name, arguments, scope),
        "command" if first.starts_with("-v") || first.starts_with("-V") => {}
        "command" | "builtin" | "noglob" | "nocorrect" | "!" | "time" | "coproc" | "-" => {
            walk.passed_on(arguments, scope);
        }
        "exec" if arguments.is_empty() => {}
        "exec" => {
            walk.facts.add(EffectKind::Execute, Level::Shell, format!("exec {}", joined(arguments)));
            walk.passed_on(arguments, scope);
        }
        "eval" => walk.eval(arguments, scope),
        "source" | "." => walk.source(arguments, scope),
        "export" | "declare" | "typeset" | "local" | "readonly" => walk.facts.computed(Level::Shell, name),
        "set" if arguments.is_empty() => walk.facts.add(EffectKind::Read, Level::System, "all variables"),
        "set" => {}
        "shopt" if arguments.iter().all(|it| !it.text.starts_with("-s")) => {}
        "trap" => walk.trap(arguments, scope),
        "alias" => walk.alias(arguments, scope),
        "hash" if arguments.is_empty() || first == "-r" || first == "-l" => {}
        "ulimit" if arguments.iter().all(|it| it.text.starts_with('-')) => {}
        "read" | "getopts" | "mapfile" | "readarray" => walk.read_variables(name, arguments, scope),
        "printf" => walk.printf(arguments, scope),
        "test" | "[" => walk.test_words(arguments),
        "let" => walk.facts.computed(Level::Shell, format!("let {}", joined(arguments))),
        "history" | "fc" => walk.facts.add(EffectKind::Secret, Level::System, name),
        "kill" => walk.kill(arguments),
        "shopt" | "hash" | "ulimit" | "enable" | "complete" | "compgen" | "compopt" | "bind" | "suspend" | "logout"
        | "disown" | "bg" | "fg" => {
            walk.facts.add(EffectKind::Execute, Level::Shell, format!("{name} {}", joined(arguments)));
        }
        _ => return false,
    }
    true
}

impl Walk<'_> {
    fn enter(&mut self, name: &str, arguments: &[Word], scope: &mut Scope) {
        let mut named = arguments.iter().filter(|it| it.text == "-" || !it.text.starts_with('-'));
        let home = Word::plain(&self.ground.home_text());
        let target = match named.next() {
            None if name == "cd" => &home,
            Some(target) if target.text != "-" && !target.text.starts_with('+') && named.next().is_none() => target,
            _ => {
                self.facts.add(EffectKind::Read, Level::Shell, format!("{name} {}", joined(arguments)));
                scope.folder = Folder::Unknown;
                return;
            }
        };
        self.use_path(target, Use::Enter, scope);
        scope.folder = self.ground.enter(&target.text, &scope.folder);
    }

    /// A command behind a word that changes nothing about it.
    fn passed_on(&mut self, arguments: &[Word], scope: &mut Scope) {
        let own = |it: &Word| it.text.starts_with('-') && it.text != "-";
        let from = arguments.iter().position(|it| !own(it)).unwrap_or(arguments.len());
        self.run(&arguments[from..], scope);
    }

    fn eval(&mut self, arguments: &[Word], scope: &mut Scope) {
        let text: Vec<&str> = arguments.iter().map(|it| it.text.as_str()).collect();
        let text = text.join(" ");
        let level = if text.contains(HOLE) { Level::System } else { Level::Shell };
        self.facts.computed(level, format!("eval {}", joined(arguments)));
        self.line(&text.replace(HOLE, " "), scope);
    }

    fn source(&mut self, arguments: &[Word], scope: &mut Scope) {
        let Some(file) = arguments.first() else { return };
        match (file.text.as_str(), scope.stdin.clone()) {
            ("/dev/stdin" | "/dev/fd/0", Stdin::Text(text)) => self.line(&text, scope),
            ("/dev/stdin" | "/dev/fd/0", _) => self.facts.computed(Level::System, "a script that is not known"),
            _ => self.use_path(file, Use::Run, scope),
        }
        self.facts.add(EffectKind::Execute, Level::Shell, format!("source {}", file.shown()));
        self.scan(&arguments[1..], scope);
    }

    fn trap(&mut self, arguments: &[Word], scope: &mut Scope) {
        let inert = |it: &&Word| !matches!(it.text.as_str(), "-l" | "-p" | "-" | "");
        let Some(first) = arguments.first().filter(inert) else { return };
        let action = if first.text == "--" { arguments.get(1).unwrap_or(first) } else { first };
        self.shell_text(action, scope);
    }

    fn alias(&mut self, arguments: &[Word], scope: &mut Scope) {
        for word in arguments {
            let Some((name, _)) = word.text.split_once('=') else { continue };
            self.facts.computed(Level::Shell, format!("alias {name}"));
            self.shell_text(&word.after(name.len() + 1), scope);
            scope.defined.insert(name.to_owned());
        }
    }

    fn read_variables(&mut self, name: &str, arguments: &[Word], scope: &mut Scope) {
        for (at, word) in arguments.iter().enumerate() {
            let text = word.text.as_str();
            if matches!(name, "mapfile" | "readarray") && text.starts_with("-C") {
                let next = || arguments.get(at + 1).cloned().unwrap_or_default();
                let callback = if text.len() > 2 { word.after(2) } else { next() };
                self.shell_text(&callback, scope);
            }
            self.variable_word(word);
            if text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                scope.forget(text);
            }
        }
        for name in ["REPLY", "MAPFILE", "OPTARG"] {
            scope.forget(name);
        }
    }

    /// A word that a builtin takes for the name of a variable: a subscript in it is evaluated.
    pub fn variable_word(&mut self, word: &Word) {
        if word.has_hole() || word.text.contains('[') {
            self.facts.computed(Level::Shell, word.source.clone());
        }
        if names::is_trap(&word.text) {
            self.facts.add(EffectKind::Environment, Level::Shell, word.text.clone());
        }
    }

    fn printf(&mut self, arguments: &[Word], scope: &mut Scope) {
        let Some(first) = arguments.first().filter(|it| it.text.starts_with("-v")) else { return };
        let attached = first.text.len() > 2;
        let name = if attached { Some(first.after(2)) } else { arguments.get(1).cloned() };
        if let Some(name) = name {
            self.variable_word(&name);
            scope.forget(&name.text);
        }
    }

    fn test_words(&mut self, arguments: &[Word]) {
        for pair in arguments.windows(2) {
            if matches!(pair[0].text.as_str(), "-v" | "-R") && (pair[1].has_hole() || pair[1].text.contains('[')) {
                self.facts.computed(Level::Shell, pair[1].source.clone());
            }
        }
    }

    fn kill(&mut self, arguments: &[Word]) {
        let first = arguments.first().map_or("", |it| it.text.as_str());
        if matches!(first, "-l" | "-L") {
            return;
        }
        let all = arguments.iter().skip(1).any(|it| matches!(it.text.as_str(), "-1" | "1" | "0")) || first == "1";
        let level = if all { Level::System } else { Level::Shell };
        self.facts.add(EffectKind::Process, level, format!("kill {}", joined(arguments)));
    }
}
