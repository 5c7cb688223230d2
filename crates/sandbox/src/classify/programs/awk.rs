//! `awk`: a program that only prints is harmless; `system`, pipes, `getline` and `print >` reach further.
//!
//! The program is cut into tokens, strings and regular expressions apart, so that a `>` in a comparison is not taken for a
//! redirection and a `|` in a pattern not for a pipe. In doubt it is.

use ox_protocol::{EffectKind, Level};

use crate::classify::ground::Use;
use crate::classify::scope::{Scope, Stdin};
use crate::classify::walk::Walk;
use crate::classify::word::{HOLE, Word};

/// A piece of a program.
#[derive(Debug, PartialEq)]
enum Token {
    Text(String),
    Pattern,
    Name(String),
    Number,
    Mark(char),
    Line,
}

/// Analyses it.
pub(super) fn awk(walk: &mut Walk<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let mut rest = arguments.iter();
    let (mut program, mut files) = (None, Vec::new());
    let mut from_file = false;
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        match text {
            "--" => {
                let left: Vec<Word> = rest.by_ref().cloned().collect();
                files.extend(left);
            }
            "-F" | "-v" | "--field-separator" | "--assign" => drop(rest.next()),
            "-f" | "--file" | "-E" | "--exec" | "-i" | "--include" | "-l" | "--load" => {
                from_file = true;
                rest.next().into_iter().for_each(|it| walk.use_path(it, Use::Run, scope));
                walk.facts.add(EffectKind::Execute, Level::Shell, format!("awk {text}"));
            }
            "-e" | "--source" => {
                let source = rest.next().cloned().unwrap_or_default();
                look(walk, &source, scope);
                from_file = true;
            }
            _ if text.starts_with("-F") || text.starts_with("-v") => {}
            "--posix"
            | "--traditional"
            | "--re-interval"
            | "--csv"
            | "-k"
            | "-P"
            | "-c"
            | "-S"
            | "--sandbox"
            | "-b"
            | "--characters-as-bytes"
            | "-n"
            | "--non-decimal-data"
            | "-N"
            | "--use-lc-numeric"
            | "-M"
            | "--bignum" => {}
            _ if text.starts_with("--field-separator=") || text.starts_with("--assign=") => {}
            _ if text.starts_with('-') && text.len() > 1 => {
                walk.facts.add(EffectKind::Execute, Level::Shell, format!("awk {}", word.shown()));
                from_file |= text.starts_with("-f") || text.starts_with("--file") || text.starts_with("-E");
                if text.len() > 2 {
                    walk.scan(&[word.after(2)], scope);
                }
            }
            _ => {
                // The first argument that is no option is the program, and all behind it are files.
                files.push(word.clone());
                files.extend(rest.by_ref().cloned());
            }
        }
    }
    if !from_file && !files.is_empty() {
        program = Some(files.remove(0));
    }
    program.iter().for_each(|it| look(walk, it, scope));
    for file in files.iter().filter(|it| it.text != "-" && !it.text.contains('=')) {
        walk.use_path(file, Use::Read, scope);
    }
}

fn look(walk: &mut Walk<'_>, word: &Word, scope: &Scope) {
    let text = word.text.as_str();
    let said = |walk: &mut Walk<'_>, kind, level| walk.facts.add(kind, level, format!("awk {}", word.shown()));
    if text.contains(HOLE) {
        walk.facts.obscure(Level::System, word.source.clone());
    }
    if text.contains("ENVIRON") || text.contains("SYMTAB") {
        said(walk, EffectKind::Secret, Level::System);
    }
    if text.contains("/inet") {
        walk.facts.host("*");
    }
    let Some(tokens) = tokens(text) else {
        return walk.facts.obscure(Level::Shell, format!("awk {}", word.shown()));
    };
    let mut prints = false;
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Name(name) if name == "system" => run(walk, &tokens[at + 1..], scope),
            Token::Name(name) if name == "getline" => getline(walk, &tokens, at, scope),
            Token::Name(name) if matches!(name.as_str(), "close" | "ARGV" | "PROCINFO") => {
                said(walk, EffectKind::Execute, Level::Shell);
            }
            Token::Name(name) if name == "print" || name == "printf" => (prints, depth) = (true, 0),
            Token::Mark('(') => depth += 1,
            Token::Mark(')') => depth = depth.saturating_sub(1),
            Token::Line | Token::Mark(';' | '}') => prints = false,
            Token::Mark('@') => said(walk, EffectKind::Execute, Level::Shell),
            Token::Mark('|') => pipe(walk, &tokens, at, scope),
            Token::Mark('>') if prints && depth == 0 => writes(walk, &tokens[at + 1..], scope),
            _ => {}
        }
    }
}

/// The literal text at the beginning of the tokens, if that is all of the operand.
fn literal(tokens: &[Token]) -> Option<&str> {
    let mut rest = tokens.iter().skip_while(|it| matches!(it, Token::Mark('(' | '>' | '|' | '&')));
    let Some(Token::Text(text)) = rest.next() else { return None };
    let ends = matches!(rest.next(), None | Some(Token::Line | Token::Mark(';' | '}' | ')' | '|')));
    ends.then_some(text.as_str())
}

fn run(walk: &mut Walk<'_>, behind: &[Token], scope: &Scope) {
    match literal(behind) {
        Some(command) => walk.shell_text(&Word::plain(command), scope),
        None => walk.facts.obscure(Level::System, "a command that awk computes"),
    }
}

fn writes(walk: &mut Walk<'_>, behind: &[Token], scope: &Scope) {
    match literal(behind) {
        Some(file) => walk.use_path(&Word::plain(file), Use::Write, scope),
        None => walk.use_path(&Word::unknown(), Use::Write, scope),
    }
}

/// `||` is no pipe; `"cmd" | getline` runs what stands before it, `print | "cmd"` what stands behind it.
fn pipe(walk: &mut Walk<'_>, tokens: &[Token], at: usize, scope: &Scope) {
    let bar = |at: Option<usize>| at.and_then(|at| tokens.get(at)) == Some(&Token::Mark('|'));
    if bar(at.checked_sub(1)) || bar(Some(at + 1)) {
        return;
    }
    let behind = tokens[at + 1..].iter().find(|it| **it != Token::Mark('&'));
    if behind == Some(&Token::Name("getline".to_owned())) {
        match at.checked_sub(1).and_then(|before| tokens.get(before)) {
            Some(Token::Text(command)) => walk.shell_text(&Word::plain(command), scope),
            _ => walk.facts.obscure(Level::System, "a command that awk computes"),
        }
        return;
    }
    // What is printed is the input of what stands behind the pipe.
    run(walk, &tokens[at + 1..], &scope.fed(Stdin::Unknown));
}

/// `getline < "file"` reads it; alone it reads the next line.
fn getline(walk: &mut Walk<'_>, tokens: &[Token], at: usize, scope: &Scope) {
    let behind = tokens[at + 1..].iter().take(4).position(|it| *it == Token::Mark('<'));
    match behind.map(|it| literal(&tokens[at + 2 + it..])) {
        None => walk.facts.add(EffectKind::Execute, Level::Shell, "getline"),
        Some(Some(file)) => walk.use_path(&Word::plain(file), Use::Read, scope),
        Some(None) => walk.use_path(&Word::unknown(), Use::Read, scope),
    }
}

/// Cuts a program into tokens; none where a string or a pattern does not end.
fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut out = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                let mut string = String::new();
                loop {
                    match rest.next()? {
                        '"' => break,
                        '\\' => string.push(escape(rest.next()?)),
                        c => string.push(c),
                    }
                }
                out.push(Token::Text(string));
            }
            '/' if pattern_may_begin(out.last()) => {
                loop {
                    match rest.next()? {
                        '/' => break,
                        '\\' => drop(rest.next()?),
                        '\n' => return None,
                        _ => {}
                    }
                }
                out.push(Token::Pattern);
            }
            '#' => while rest.next_if(|c| *c != '\n').is_some() {},
            '\n' => out.push(Token::Line),
            c if c.is_whitespace() => {}
            '\\' => drop(rest.next()),
            c if c.is_ascii_digit() || c == '.' => {
                while rest.next_if(|c| c.is_ascii_alphanumeric() || *c == '.').is_some() {}
                out.push(Token::Number);
            }
            c if c.is_alphabetic() || c == '_' => {
                let mut name = c.to_string();
                while let Some(c) = rest.next_if(|c| c.is_alphanumeric() || *c == '_') {
                    name.push(c);
                }
                out.push(Token::Name(name));
            }
            c => out.push(Token::Mark(c)),
        }
    }
    Some(out)
}

/// What an escape in a string stands for; one by number could be any character.
fn escape(c: char) -> char {
    match c {
        'n' => '\n',
        't' => '\t',
        c if c.is_ascii_digit() || c == 'x' || c == 'u' => HOLE,
        c => c,
    }
}

/// A slash begins a pattern where no operand stands before it.
fn pattern_may_begin(before: Option<&Token>) -> bool {
    match before {
        None | Some(Token::Line) => true,
        Some(Token::Mark(c)) => !matches!(c, ')' | ']' | '$'),
        Some(Token::Name(name)) => matches!(name.as_str(), "print" | "return" | "in" | "case"),
        Some(Token::Text(_) | Token::Pattern | Token::Number) => false,
    }
}
