//! Walking through the parts at a terminal: one key and Enter for each.
//!
//! What is shown was written by a model: whatever would steer a terminal is shown as what it is.

use std::io::{BufRead, Write};

use ox_app::accept::{Body, Decided, Part, Reviewed, State};
use ox_protocol::locale::Language;

use crate::cmd::trust::plain;

/// An answer to one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    /// This and the rest of the file.
    YesFile,
    NoFile,
    /// Leaves it undecided.
    Later,
    Quit,
    Help,
}

/// Asks about every part that nobody decided on. `input` is where answers come from, `output` where questions go.
pub fn walk(
    files: &[Reviewed],
    language: Language,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    colour: bool,
) -> std::io::Result<Decided> {
    let mut decided = Decided::default();
    let total = files.iter().flat_map(|it| &it.parts).filter(|it| it.state == State::Pending).count();
    let mut number = 0;
    for file in files.iter().filter(|it| it.parts.iter().any(|it| it.state != State::Accepted)) {
        write!(output, "{}", head(file, language, colour))?;
        let mut rest = None;
        for part in &file.parts {
            if part.state != State::Pending {
                if part.state == State::Foreign {
                    writeln!(output, "{}{}", painted(&file.shown(part), colour), language.say("accept.foreign", &[]))?;
                }
                continue;
            }
            number += 1;
            let answer = match rest {
                Some(answer) => answer,
                None => {
                    write!(output, "{}", painted(&file.shown(part), colour))?;
                    ask(language, (number, total), input, output)?
                }
            };
            match answer {
                Answer::Yes | Answer::YesFile => decided.accepted.insert(part.id.clone()),
                Answer::No | Answer::NoFile => decided.rejected.insert(part.id.clone()),
                Answer::Quit => return Ok(decided),
                Answer::Later | Answer::Help => true,
            };
            rest = rest.or(Some(answer).filter(|it| matches!(it, Answer::YesFile | Answer::NoFile)));
        }
    }
    Ok(decided)
}

fn ask(
    language: Language,
    (number, total): (usize, usize),
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> std::io::Result<Answer> {
    loop {
        let question = language.say("accept.ask", &[("number", &number.to_string()), ("total", &total.to_string())]);
        write!(output, "{question} [y,n,a,d,s,q,?] ")?;
        output.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(Answer::Quit);
        }
        match answer(line.trim()) {
            Some(Answer::Help) | None => writeln!(output, "{}", language.say("accept.help", &[]))?,
            Some(answer) => return Ok(answer),
        }
    }
}

fn answer(key: &str) -> Option<Answer> {
    Some(match key {
        "y" => Answer::Yes,
        "n" => Answer::No,
        "a" => Answer::YesFile,
        "d" => Answer::NoFile,
        "s" => Answer::Later,
        "q" => Answer::Quit,
        "?" => Answer::Help,
        _ => return None,
    })
}

/// The file and why it was changed.
pub fn head(file: &Reviewed, language: Language, colour: bool) -> String {
    let path = match &file.change.from {
        Some(from) => format!("{from} → {}", file.change.path),
        None => file.change.path.clone(),
    };
    let mut text = paint(&plain(&path), "1", colour);
    if let Body::Whole(key) = file.body {
        text += &format!(" ({})", language.say(key, &[]));
    }
    text.push('\n');
    for why in &file.whys {
        text += &format!("  {}\n", plain(&why.replace('\n', " ")));
    }
    text
}

/// A diff in colours, if colours are wanted.
pub fn painted(diff: &str, colour: bool) -> String {
    let line = |line: &str| {
        let code = match line.as_bytes().first() {
            Some(b'+') => "32",
            Some(b'-') => "31",
            Some(b'@') => "36",
            _ => "",
        };
        paint(&plain(&line.replace('\t', "    ")), code, colour) + "\n"
    };
    diff.lines().map(line).collect()
}

fn paint(text: &str, code: &str, colour: bool) -> String {
    if colour && !code.is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
}

/// The part's state behind its diff.
pub fn stands(part: &Part, language: Language) -> String {
    language.say(&format!("accept.state.{}", part.state.name()), &[])
}
