//! `sed`: a script that only prints is harmless; `w` writes, `r` reads, `e` and the flag `e` run commands, `-i` edits.
//!
//! The script is read command by command; one that is not understood counts as running commands.

use ox_protocol::{EffectKind, Level};

use crate::classify::ground::Use;
use crate::classify::scope::Scope;
use crate::classify::walk::Walk;
use crate::classify::word::{HOLE, Word};

/// What is left to read of a script.
struct Script<'s> {
    rest: std::iter::Peekable<std::str::Chars<'s>>,
}

/// Something that a script does beyond printing.
enum Deed {
    Read(String),
    Write(String),
    Run(String),
}

/// Analyses it.
pub(super) fn sed(walk: &mut Walk<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let (mut scripts, mut files, mut edits, mut given) = (Vec::new(), Vec::new(), false, false);
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        let long = text.split('=').next().unwrap_or_default();
        let value = |rest: &mut std::slice::Iter<'_, Word>| match text.split_once('=') {
            Some((name, _)) => word.after(name.len() + 1),
            None => rest.next().cloned().unwrap_or_default(),
        };
        match long {
            "--" => files.extend(rest.by_ref().cloned()),
            _ if is_long(long, "--expression", 3) => {
                scripts.push(value(&mut rest));
                given = true;
            }
            _ if is_long(long, "--file", 4) => {
                script_file(walk, &value(&mut rest), scope);
                given = true;
            }
            _ if is_long(long, "--in-place", 4) => edits = true,
            _ if is_long(long, "--line-length", 4) => drop(value(&mut rest)),
            "--quiet" | "--silent" | "--regexp-extended" | "--null-data" | "--separate" | "--unbuffered"
            | "--posix" | "--sandbox" | "--debug" | "--zero-terminated" | "--version" | "--help" => {}
            _ if long.starts_with("--") => unknown(walk, word),
            _ if text.starts_with('-') && text.len() > 1 => {
                given |= short(walk, word, &mut rest, &mut scripts, &mut edits, scope);
            }
            _ => files.push(word.clone()),
        }
    }
    if !given && !files.is_empty() {
        scripts.push(files.remove(0));
    }
    scripts.iter().for_each(|it| script(walk, it, scope));
    let used = if edits { Use::Write } else { Use::Read };
    files.iter().filter(|it| it.text != "-").for_each(|it| walk.use_path(it, used, scope));
    if edits && files.is_empty() {
        walk.facts.add(EffectKind::Write, Level::Shell, "sed -i");
    }
}

fn is_long(given: &str, name: &str, least: usize) -> bool {
    given.len() >= least && name.starts_with(given)
}

fn unknown(walk: &mut Walk<'_>, word: &Word) {
    walk.facts.add(EffectKind::Unknown, Level::Shell, format!("sed {}", word.shown()));
}

/// A cluster of short options; true if it holds a script.
fn short(
    walk: &mut Walk<'_>,
    word: &Word,
    rest: &mut std::slice::Iter<'_, Word>,
    scripts: &mut Vec<Word>,
    edits: &mut bool,
    scope: &Scope,
) -> bool {
    for (at, letter) in word.text.char_indices().skip(1) {
        let attached = word.after(at + letter.len_utf8());
        let mut value =
            || if attached.text.is_empty() { rest.next().cloned().unwrap_or_default() } else { attached.clone() };
        match letter {
            'n' | 'r' | 'E' | 's' | 'u' | 'z' => {}
            'i' | 'I' => {
                *edits = true;
                return false;
            }
            'e' => {
                scripts.push(value());
                return true;
            }
            'f' => {
                script_file(walk, &value(), scope);
                return true;
            }
            'l' => {
                value();
                return false;
            }
            _ => unknown(walk, word),
        }
    }
    false
}

fn script_file(walk: &mut Walk<'_>, file: &Word, scope: &Scope) {
    walk.use_path(file, Use::Run, scope);
    walk.facts.add(EffectKind::Execute, Level::Shell, format!("sed -f {}", file.shown()));
}

fn script(walk: &mut Walk<'_>, word: &Word, scope: &Scope) {
    let mut deeds = Vec::new();
    let whole = !word.text.contains(HOLE) && Script { rest: word.text.chars().peekable() }.read(&mut deeds).is_some();
    if !whole {
        walk.facts.obscure(Level::Shell, format!("the sed script {}", word.shown()));
        // A script that is not understood may still name what it is after.
        let pieces = word.text.split(|c: char| c.is_whitespace() || c == ';');
        let pieces: Vec<Word> = pieces.filter(|it| it.starts_with(['/', '~', '.'])).map(Word::plain).collect();
        walk.scan(&pieces, scope);
    }
    for deed in deeds {
        match deed {
            Deed::Read(file) => walk.use_path(&Word::plain(&file), Use::Read, scope),
            Deed::Write(file) => walk.use_path(&Word::plain(&file), Use::Write, scope),
            Deed::Run(command) if command.is_empty() => {
                walk.facts.add(EffectKind::Execute, Level::System, "the lines of the file, as commands");
            }
            Deed::Run(command) => walk.shell_text(&Word::plain(&command), scope),
        }
    }
}

impl Script<'_> {
    /// Reads all commands; none where one is not understood.
    fn read(&mut self, deeds: &mut Vec<Deed>) -> Option<()> {
        loop {
            self.skip(|c| c.is_whitespace() || c == ';');
            if self.rest.peek().is_none() {
                return Some(());
            }
            self.addresses()?;
            self.command(deeds)?;
        }
    }

    fn skip(&mut self, of: impl Fn(char) -> bool) {
        while self.rest.next_if(|c| of(*c)).is_some() {}
    }

    fn addresses(&mut self) -> Option<()> {
        loop {
            match self.rest.peek()? {
                '/' => {
                    self.rest.next();
                    self.pattern('/')?;
                    self.skip(|c| c == 'I' || c == 'M');
                }
                '\\' => {
                    self.rest.next();
                    let end = self.rest.next()?;
                    self.pattern(end)?;
                    self.skip(|c| c == 'I' || c == 'M');
                }
                c if c.is_ascii_digit() || "$,~+! \t".contains(*c) => drop(self.rest.next()),
                _ => return Some(()),
            }
        }
    }

    /// Up to an unescaped `end` of a regular expression. Some versions let it end inside brackets and some do not, so a
    /// bracket that holds it is not understood.
    fn pattern(&mut self, end: char) -> Option<()> {
        let text = self.until(end)?;
        let open = text.rfind('[').is_some_and(|at| !text[at + 1..].contains(']'));
        (!open).then_some(())
    }

    /// Up to an unescaped `end`.
    fn until(&mut self, end: char) -> Option<String> {
        let mut out = String::new();
        loop {
            match self.rest.next()? {
                '\\' => {
                    out.push('\\');
                    out.push(self.rest.next()?);
                }
                c if c == end => return Some(out),
                c => out.push(c),
            }
        }
    }

    fn line(&mut self) -> String {
        let mut out = String::new();
        while let Some(c) = self.rest.next_if(|c| *c != '\n') {
            out.push(c);
        }
        out.trim().to_owned()
    }

    fn command(&mut self, deeds: &mut Vec<Deed>) -> Option<()> {
        match self.rest.next()? {
            '{' | '}' => return Some(()),
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {}
            'q' | 'Q' | 'l' | 'L' => self.skip(|c| c.is_ascii_digit() || c == ' '),
            '#' => drop(self.line()),
            ':' | 'b' | 't' | 'T' => self.skip(|c| c.is_alphanumeric() || c == ' ' || c == '_'),
            'a' | 'i' | 'c' => self.text(),
            's' => return self.substitute(deeds),
            'y' => {
                let end = self.rest.next()?;
                self.until(end)?;
                self.until(end)?;
            }
            'r' | 'R' => deeds.push(Deed::Read(self.line())),
            'w' | 'W' => deeds.push(Deed::Write(self.line())),
            'e' => deeds.push(Deed::Run(self.line())),
            _ => return None,
        }
        self.end()
    }

    /// Text that a command adds; a backslash at the end of a line carries it on.
    fn text(&mut self) {
        loop {
            let line = self.line();
            if !line.ends_with('\\') || self.rest.next().is_none() {
                return;
            }
        }
    }

    fn substitute(&mut self, deeds: &mut Vec<Deed>) -> Option<()> {
        let end = self.rest.next().filter(|c| !c.is_alphanumeric() && *c != '\\' && *c != '\n')?;
        self.pattern(end)?;
        let replacement = self.until(end)?;
        while let Some(flag) = self.rest.next_if(|c| c.is_alphanumeric()) {
            match flag {
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' => {}
                'e' => deeds.push(Deed::Run(if replacement.contains(['&', '\\']) {
                    String::new()
                } else {
                    replacement.clone()
                })),
                'w' => deeds.push(Deed::Write(self.line())),
                c if c.is_ascii_digit() => {}
                _ => return None,
            }
        }
        self.end()
    }

    /// A command ends at a separator, a brace or the end.
    fn end(&mut self) -> Option<()> {
        self.skip(|c| c == ' ' || c == '\t');
        match self.rest.peek() {
            None | Some(';' | '\n' | '}' | '#') => Some(()),
            Some(_) => None,
        }
    }
}
