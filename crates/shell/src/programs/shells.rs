//! Shells inside the shell. What they are given is analysed like the line itself; that it hides there is counted.

use ox_protocol::{EffectKind, Level};

use crate::analyzer::Analyzer;
use crate::paths::PathAccess;
use crate::scope::{Scope, Stdin};
use crate::word::{Word, join_words};

/// `bash`, `sh` and their relatives; those with another language are close enough to show what they are told.
pub(crate) fn shell(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    analyzer.findings.add(EffectKind::Execute, Level::Shell, format!("{name} {}", join_words(arguments)));
    let mut rest = arguments.iter();
    let (mut text, mut reads_stdin) = (false, false);
    while let Some(word) = rest.next() {
        match word.text.as_str() {
            "--" | "-" => {}
            "--rcfile" | "--init-file" => {
                rest.next().into_iter().for_each(|it| analyzer.access(it, PathAccess::Run, scope))
            }
            "-o" | "+o" | "-O" | "+O" => drop(rest.next()),
            long if long.starts_with("--") => {}
            short if short.starts_with(['-', '+']) => {
                text |= short.contains('c');
                reads_stdin |= short.contains('s');
            }
            _ if text => {
                // The words behind it are `$0`, `$1` and so on of the text.
                analyzer.shell_text(word, &scope.with_stdin(scope.stdin.clone()));
                return analyzer.scan(rest.as_slice(), scope);
            }
            _ if reads_stdin => break,
            _ => {
                script(analyzer, word, scope);
                return analyzer.scan(rest.as_slice(), scope);
            }
        }
    }
    standard_input(analyzer, scope);
}

fn script(analyzer: &mut Analyzer<'_>, word: &Word, scope: &mut Scope) {
    match word.text.as_str() {
        "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => standard_input(analyzer, scope),
        _ => analyzer.access(word, PathAccess::Run, scope),
    }
}

/// A shell that takes its commands from what is piped into it.
fn standard_input(analyzer: &mut Analyzer<'_>, scope: &mut Scope) {
    match scope.stdin.clone() {
        Stdin::Closed => {}
        Stdin::Text(text) => {
            analyzer.findings.add_computed(Level::Shell, "the commands that are piped into a shell");
            analyzer.line(&text, &mut scope.with_stdin(Stdin::Closed));
        }
        Stdin::Unknown => analyzer.findings.add_computed(Level::System, "the commands that are piped into a shell"),
    }
}
