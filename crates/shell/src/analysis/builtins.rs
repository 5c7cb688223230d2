//! What the shell's own commands do.

use ox_protocol::{EffectKind, Level};

use crate::analyzer::Analyzer;
use crate::paths::PathAccess;
use crate::scope::{Scope, Stdin, WorkingDirectory};
use crate::variables;
use crate::word::{UNKNOWN, Word, join_words};

/// Builtins that change nothing but the shell, which ends with the line.
const INERT: &[&str] = &[
    ":", "true", "false", "wait", "times", "pwd", "dirs", "exit", "return", "break", "continue", "shift", "echo",
    "jobs", "umask", "type", "unalias", "caller",
];

/// Analyses a builtin; false when the name is none.
pub(crate) fn builtin(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &mut Scope) -> bool {
    let first = arguments.first().map_or("", |it| it.text.as_str());
    match name {
        _ if INERT.contains(&name) => {}
        "cd" | "pushd" | "popd" => analyzer.change_directory(name, arguments, scope),
        "command" if first.starts_with("-v") || first.starts_with("-V") => {}
        "command" | "builtin" | "noglob" | "nocorrect" | "!" | "time" | "coproc" | "-" => {
            analyzer.run_after_options(arguments, scope);
        }
        "exec" if arguments.is_empty() => {}
        "exec" => {
            analyzer.findings.add(EffectKind::Execute, Level::Shell, format!("exec {}", join_words(arguments)));
            analyzer.run_after_options(arguments, scope);
        }
        "eval" => analyzer.eval(arguments, scope),
        "source" | "." => analyzer.source(arguments, scope),
        "export" | "declare" | "typeset" | "local" | "readonly" => analyzer.findings.add_computed(Level::Shell, name),
        "set" if arguments.is_empty() => analyzer.findings.add(EffectKind::Read, Level::System, "all variables"),
        "set" => {}
        "shopt" if arguments.iter().all(|it| !it.text.starts_with("-s")) => {}
        "trap" => analyzer.trap(arguments, scope),
        "alias" => analyzer.alias(arguments, scope),
        "hash" if arguments.is_empty() || first == "-r" || first == "-l" => {}
        "ulimit" if arguments.iter().all(|it| it.text.starts_with('-')) => {}
        "read" | "getopts" | "mapfile" | "readarray" => analyzer.read_variables(name, arguments, scope),
        "printf" => analyzer.printf(arguments, scope),
        "test" | "[" => analyzer.test_words(arguments),
        "let" => analyzer.findings.add_computed(Level::Shell, format!("let {}", join_words(arguments))),
        "history" | "fc" => analyzer.findings.add(EffectKind::Secret, Level::System, name),
        "kill" => analyzer.kill(arguments),
        "shopt" | "hash" | "ulimit" | "enable" | "complete" | "compgen" | "compopt" | "bind" | "suspend" | "logout"
        | "disown" | "bg" | "fg" => {
            analyzer.findings.add(EffectKind::Execute, Level::Shell, format!("{name} {}", join_words(arguments)));
        }
        _ => return false,
    }
    true
}

impl Analyzer<'_> {
    fn change_directory(&mut self, name: &str, arguments: &[Word], scope: &mut Scope) {
        let mut named = arguments.iter().filter(|it| it.text == "-" || !it.text.starts_with('-'));
        let home = Word::plain(&self.paths.home_text());
        let target = match named.next() {
            None if name == "cd" => &home,
            Some(target) if target.text != "-" && !target.text.starts_with('+') && named.next().is_none() => target,
            _ => {
                self.findings.add(EffectKind::Read, Level::Shell, format!("{name} {}", join_words(arguments)));
                scope.cwd = WorkingDirectory::Unknown;
                return;
            }
        };
        self.access(target, PathAccess::Enter, scope);
        scope.cwd = self.paths.change_directory(&target.text, &scope.cwd);
    }

    /// A command behind a word that changes nothing about it.
    fn run_after_options(&mut self, arguments: &[Word], scope: &mut Scope) {
        let own = |it: &Word| it.text.starts_with('-') && it.text != "-";
        let from = arguments.iter().position(|it| !own(it)).unwrap_or(arguments.len());
        self.run(&arguments[from..], scope);
    }

    fn eval(&mut self, arguments: &[Word], scope: &mut Scope) {
        let text: Vec<&str> = arguments.iter().map(|it| it.text.as_str()).collect();
        let text = text.join(" ");
        let level = if text.contains(UNKNOWN) { Level::System } else { Level::Shell };
        self.findings.add_computed(level, format!("eval {}", join_words(arguments)));
        self.line(&text.replace(UNKNOWN, " "), scope);
    }

    fn source(&mut self, arguments: &[Word], scope: &mut Scope) {
        let Some(file) = arguments.first() else { return };
        match (file.text.as_str(), scope.stdin.clone()) {
            ("/dev/stdin" | "/dev/fd/0", Stdin::Text(text)) => self.line(&text, scope),
            ("/dev/stdin" | "/dev/fd/0", _) => self.findings.add_computed(Level::System, "the script"),
            _ => self.access(file, PathAccess::Run, scope),
        }
        self.findings.add(EffectKind::Execute, Level::Shell, format!("source {}", file.shown()));
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
            self.findings.add_computed(Level::Shell, format!("alias {name}"));
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
        if word.has_unknown() || word.text.contains('[') {
            self.findings.add_computed(Level::Shell, word.source.clone());
        }
        if variables::redirects_programs(&word.text) {
            self.findings.add(EffectKind::Environment, Level::Shell, word.text.clone());
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
            if matches!(pair[0].text.as_str(), "-v" | "-R") && (pair[1].has_unknown() || pair[1].text.contains('[')) {
                self.findings.add_computed(Level::Shell, pair[1].source.clone());
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
        self.findings.add(EffectKind::Process, level, format!("kill {}", join_words(arguments)));
    }
}
