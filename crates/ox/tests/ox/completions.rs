//! Completions in the shells themselves: what a user types, and what stands there after Tab.
//!
//! PowerShell comes as a .NET tool alone, and no package manager of the test setup has .NET; its script is read by nothing here.

use std::process::Command;

use crate::place::{OX, Place};
use crate::terminal::{Size, Terminal};

/// How the shell is started without anybody's configuration, how it reads the completions, and its prompt.
struct Shell {
    command: &'static [&'static str],
    reads: &'static str,
    variables: &'static [(&'static str, &'static str)],
    prompt: &'static str,
    /// False where what is generated for it says nothing of the values of flags.
    knows_values: bool,
}

#[track_caller]
fn completes(shell: &Shell) {
    let [program, ..] = shell.command else { return };
    if Command::new(program).arg("--version").output().is_err() {
        // The setup of the tests counts it as missing.
        assert!(std::env::var_os("CI").is_none(), "{program} is not installed");
        return;
    }
    let place = Place::new();
    let folder = std::path::Path::new(OX).parent().unwrap().display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    let home = place.root().display().to_string();
    let variables = [&[("PATH", path.as_str()), ("HOME", &home), ("LANG", "C.UTF-8")], shell.variables].concat();
    let mut terminal = Terminal::of_others(&place, shell.command, &variables, Size { columns: 100, rows: 30 });
    let prompted = |terminal: &Terminal| {
        terminal.until("the prompt", |it| it.caret().before.trim_end().ends_with(shell.prompt).then_some(()));
    };
    prompted(&terminal);
    terminal.types(&format!("{}\r", shell.reads));
    // What stands there once it is read: the marker is no part of what was typed.
    terminal.types("echo re''ad\r");
    terminal.until("the completions are read", |it| it.lines().iter().any(|it| it.trim() == "read").then_some(()));
    prompted(&terminal);
    let pairs = [
        ("ox resu", "ox resume"),
        ("ox --appro", "ox --approval"),
        ("ox run --approval acc", "ox run --approval accept-edits"),
    ];
    for (typed, completed) in pairs.into_iter().take(if shell.knows_values { 3 } else { 2 }) {
        terminal.types(&format!("{typed}\t"));
        // Shells differ in what stands behind.
        let stands = |before: &str| before.trim_end_matches([' ', '=']).ends_with(completed);
        terminal.until(completed, |it| stands(&it.caret().before).then_some(()));
        terminal.types("\u{15}");
        prompted(&terminal);
    }
    terminal.closes();
}

#[test]
fn bash() {
    completes(&Shell {
        command: &["bash", "--norc", "--noprofile", "-i"],
        reads: "source <(ox completions bash)",
        variables: &[("PS1", "shell> ")],
        prompt: "shell>",
        knows_values: true,
    });
}

#[test]
fn zsh() {
    completes(&Shell {
        command: &["zsh", "-f", "-i"],
        reads: "autoload -U compinit; compinit -u -D; source <(ox completions zsh)",
        variables: &[("PS1", "shell> ")],
        prompt: "shell>",
        knows_values: true,
    });
}

#[test]
fn fish() {
    completes(&Shell {
        command: &["fish", "--no-config", "--private", "-C", "function fish_prompt; printf 'shell> '; end"],
        reads: "ox completions fish | source",
        variables: &[],
        prompt: "shell>",
        knows_values: true,
    });
}

#[test]
fn elvish() {
    // A folder, and a sign that depends on who one is.
    let is_root = rustix::process::geteuid().is_root();
    completes(&Shell {
        command: &["elvish", "-norc"],
        reads: "eval (ox completions elvish | slurp)",
        variables: &[],
        prompt: if is_root { "~/project#" } else { "~/project>" },
        knows_values: false,
    });
}
