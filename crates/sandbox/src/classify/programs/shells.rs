//! Shells inside the shell. What they are given is analysed like the line itself; that it hides there is counted.

use ox_protocol::{EffectKind, Level};

use crate::classify::ground::Use;
use crate::classify::scope::{Scope, Stdin};
use crate::classify::walk::Walk;
use crate::classify::word::{Word, joined};

/// `bash`, `sh` and their relatives; those with another language are close enough to show what they are told.
pub(super) fn shell(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    walk.facts.add(EffectKind::Execute, Level::Shell, format!("{name} {}", joined(arguments)));
    let mut rest = arguments.iter();
    let (mut text, mut reads_stdin) = (false, false);
    while let Some(word) = rest.next() {
        match word.text.as_str() {
            "--" | "-" => {}
            "--rcfile" | "--init-file" => rest.next().into_iter().for_each(|it| walk.use_path(it, Use::Run, scope)),
            "-o" | "+o" | "-O" | "+O" => drop(rest.next()),
            long if long.starts_with("--") => {}
            short if short.starts_with(['-', '+']) => {
                text |= short.contains('c');
                reads_stdin |= short.contains('s');
            }
            _ if text => {
                // The words behind it are `$0`, `$1` and so on of the text.
                walk.shell_text(word, &scope.fed(scope.stdin.clone()));
                return walk.scan(rest.as_slice(), scope);
            }
            _ if reads_stdin => break,
            _ => {
                script(walk, word, scope);
                return walk.scan(rest.as_slice(), scope);
            }
        }
    }
    standard_input(walk, scope);
}

fn script(walk: &mut Walk<'_>, word: &Word, scope: &mut Scope) {
    match word.text.as_str() {
        "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => standard_input(walk, scope),
        _ => walk.use_path(word, Use::Run, scope),
    }
}

/// A shell that takes its commands from what is piped into it.
fn standard_input(walk: &mut Walk<'_>, scope: &mut Scope) {
    match scope.stdin.clone() {
        Stdin::Closed => {}
        Stdin::Text(text) => {
            walk.facts.computed(Level::Shell, "commands that are piped into a shell");
            walk.line(&text, &mut scope.fed(Stdin::Closed));
        }
        Stdin::Unknown => walk.facts.computed(Level::System, "a shell that runs what it is piped"),
    }
}
