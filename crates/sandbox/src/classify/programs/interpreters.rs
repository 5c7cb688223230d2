//! Interpreters of programming languages: a script of the project is level 2, a program on the command line is looked at.

use ox_protocol::{EffectKind, Level};

use crate::classify::code;
use crate::classify::ground::Use;
use crate::classify::scope::{Scope, Stdin};
use crate::classify::table;
use crate::classify::walk::Walk;
use crate::classify::word::{Word, joined};

/// Options whose value is a program, by interpreter; a letter may end a cluster.
const CODE: &[(&str, &[&str])] = &[
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("jruby", &["-e"]),
    ("node", &["-e", "-p", "-pe", "--eval", "--print"]),
    ("nodejs", &["-e", "-p", "-pe", "--eval", "--print"]),
    ("php", &["-r", "-B", "-R", "-E"]),
    ("bun", &["-e", "-p", "--eval", "--print"]),
    ("deno", &["eval"]),
    ("R", &["-e"]),
    ("elixir", &["-e", "--eval"]),
    ("erl", &["-eval"]),
    ("guile", &["-c"]),
    ("racket", &["-e", "--eval"]),
    ("ghc", &["-e"]),
    ("sbcl", &["--eval"]),
    ("octave", &["--eval"]),
];
/// Options whose value is code that is loaded, for any of them.
const LOADS: &[&str] = &["-r", "--require", "--import", "--loader", "--experimental-loader", "-I", "-l", "-L"];

/// Programs and subcommands that only tell about the interpreter.
const TELLS: &[&str] = &["-v", "-V", "-VV", "--version", "-version", "-h", "--help", "version"];

/// Modules of Python that reach the network.
const NETWORK_MODULES: &[&str] = &[
    "http.server",
    "smtpd",
    "ftplib",
    "telnetlib",
    "aiosmtpd",
    "twine",
    "SimpleHTTPServer",
    "pyftpdlib",
    "webbrowser",
    "xmlrpc.server",
];

/// `python`.
pub(super) fn python(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    if tells(arguments) {
        return;
    }
    walk.facts.add(EffectKind::Execute, Level::Shell, format!("{name} {}", joined(arguments)));
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        match text {
            "-W" | "-X" | "--check-hash-based-pycs" => drop(rest.next()),
            "-" => break,
            _ if text.starts_with("--") => {}
            _ if text.starts_with('-') => match text.char_indices().skip(1).find(|(_, c)| "cmWX".contains(*c)) {
                Some((at, 'c')) => {
                    program(walk, &value(word, at, &mut rest));
                    return walk.scan(rest.as_slice(), scope);
                }
                Some((at, 'm')) => {
                    let module = value(word, at, &mut rest);
                    return run_module(walk, &module.text, rest.as_slice(), scope);
                }
                _ => {}
            },
            _ => {
                walk.use_path(word, Use::Run, scope);
                return walk.scan(rest.as_slice(), scope);
            }
        }
    }
    standard_input(walk, scope);
}

fn value(word: &Word, at: usize, rest: &mut std::slice::Iter<'_, Word>) -> Word {
    let attached = word.after(at + 1);
    if attached.text.is_empty() { rest.next().cloned().unwrap_or_default() } else { attached }
}

/// `python -m module`.
fn run_module(walk: &mut Walk<'_>, module: &str, arguments: &[Word], scope: &mut Scope) {
    match module {
        "pip" | "pipx" | "poetry" | "uv" | "build" | "pipenv" | "conda" => walk.named(module, arguments, scope),
        _ if NETWORK_MODULES.contains(&module) => walk.facts.host("*"),
        "timeit" | "trace" | "cProfile" | "profile" | "pdb" => {
            arguments.iter().filter(|it| it.text.contains(['(', ' ', ';'])).for_each(|it| program(walk, it));
            walk.scan(arguments, scope);
        }
        _ => walk.scan(arguments, scope),
    }
}

/// A program on the command line.
fn program(walk: &mut Walk<'_>, word: &Word) {
    if word.has_hole() {
        walk.facts.obscure(Level::System, word.source.clone());
    }
    code::look(walk.facts, &word.text);
}

fn standard_input(walk: &mut Walk<'_>, scope: &Scope) {
    match &scope.stdin {
        Stdin::Closed => {}
        Stdin::Text(text) => code::look(walk.facts, text),
        Stdin::Unknown => walk.facts.obscure(Level::System, "an interpreter that runs what it is piped"),
    }
}

fn tells(arguments: &[Word]) -> bool {
    matches!(arguments, [one] if TELLS.contains(&one.text.as_str()))
}

/// Any other interpreter.
pub(super) fn interpreter(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let first = arguments.first().map_or("", |it| it.text.as_str());
    if tells(arguments) {
        return;
    }
    // `deno`, `bun`, `swift` and others are package managers as well.
    if let Some(known) = table::program(&format!("{name}/{first}")) {
        return walk.by_table(&format!("{name}/{first}"), known, &arguments[1..], scope);
    }
    walk.facts.add(EffectKind::Execute, Level::Shell, format!("{name} {}", joined(arguments)));
    let codes = CODE.iter().find(|it| it.0 == name).map_or(&["-e"][..], |it| it.1);
    let mut rest = arguments.iter();
    let mut script = false;
    let mut inline = false;
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if codes.contains(&text) {
            inline = true;
            rest.next().into_iter().for_each(|it| program(walk, it));
        } else if let Some(code) = codes.iter().find(|it| it.starts_with("--") && text.starts_with(&format!("{it}="))) {
            inline = true;
            program(walk, &word.after(code.len() + 1));
        } else if LOADS.contains(&text) && !(name == "perl" || name == "ruby") {
            rest.next().into_iter().for_each(|it| walk.scan(std::slice::from_ref(it), scope));
        } else if text.starts_with('-') && text.len() > 1 {
            option(walk, name, word, codes, &mut rest, &mut inline);
            script |= name == "java" || name == "erl";
        } else if !script && !inline {
            script = true;
            let runs_file = name != "java" && name != "deno" && name != "bun" && text != "-";
            if runs_file && !text.contains("://") {
                walk.use_path(word, Use::Run, scope);
            }
        }
    }
    walk.scan(arguments, scope);
    if !script && !inline {
        standard_input(walk, scope);
    }
}

/// Any option but those that stand alone before their program.
fn option(
    walk: &mut Walk<'_>,
    name: &str,
    word: &Word,
    codes: &[&str],
    rest: &mut std::slice::Iter<'_, Word>,
    inline: &mut bool,
) {
    let text = word.text.as_str();
    if matches!(name, "perl" | "ruby") && ["-M", "-m", "-r", "-I"].iter().any(|it| text.starts_with(it)) {
        return program(walk, word);
    }
    let letters: String = codes.iter().filter(|it| it.len() == 2).map(|it| &it[1..]).collect();
    let cluster = !text.starts_with("--") && matches!(name, "perl" | "ruby" | "node" | "php");
    let Some(at) = text.find(|c| letters.contains(c)).filter(|_| cluster) else { return };
    *inline = true;
    let attached = word.after(at + 1);
    if attached.text.is_empty() {
        rest.next().into_iter().for_each(|it| program(walk, it));
    } else {
        program(walk, &attached);
    }
}
