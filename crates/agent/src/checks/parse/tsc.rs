//! The TypeScript compiler, plain or pretty.

use ox_protocol::Diagnostic;

use super::{diagnostic, place};

/// `file(line,column): error TS1234: message`, or `file:line:column - error TS1234: message`.
pub(super) fn read(output: &str) -> Vec<Diagnostic> {
    let lines: Vec<&str> = output.lines().collect();
    (0..lines.len()).filter_map(|at| error(&lines[at..])).collect()
}

fn error(lines: &[&str]) -> Option<Diagnostic> {
    let (head, rest) = lines.split_first()?;
    let (at, said) = head.split_once("error TS")?;
    let (number, message) = said.split_once(": ")?;
    if number.is_empty() || !number.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let (file, line, column) = match at.trim_end() {
        "" => ("", 0, 0),
        at if at.ends_with(" -") => place(at.trim_end_matches(" -")).map(|it| (it.0, it.1, it.2))?,
        at => {
            let (file, position) = at.strip_suffix("):")?.rsplit_once('(')?;
            let (line, column) = position.split_once(',')?;
            (file, line.parse().ok()?, column.parse().ok()?)
        }
    };
    // What follows indented explains; in the pretty form an empty line ends it.
    let more = rest.iter().take_while(|it| it.starts_with("  ") && !it.contains("error TS")).take(6);
    let text = more.fold(message.to_owned(), |text, it| text + "\n" + it.trim_end());
    Some(diagnostic(file, line, column, &format!("TS{number}"), &text))
}
