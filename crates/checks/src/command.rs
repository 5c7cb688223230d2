//! The parts of a check's command line: the folder that it changes to and the program that it starts.

/// What `make` reads where it starts.
pub(crate) const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// The folder of a leading `cd … &&`; empty without one.
pub(crate) fn folder(command: &str) -> &str {
    let changes = command.strip_prefix("cd ").and_then(|it| it.split_once(" && "));
    changes.map_or("", |it| it.0.trim_matches('\'').trim_start_matches("./"))
}

/// The program that a command line starts, after a leading `cd … &&`.
pub(crate) fn program(command: &str) -> &str {
    let command = match command.split_once("&&") {
        Some((first, rest)) if first.trim_start().starts_with("cd ") => rest,
        _ => command,
    };
    command.split_whitespace().find(|it| !it.contains('=')).unwrap_or("")
}
