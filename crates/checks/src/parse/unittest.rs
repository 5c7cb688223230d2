//! Python's own `unittest`.

use ox_protocol::Diagnostic;

use super::line::diagnostic;
use super::traceback;

/// The failures and errors.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let is_head = |at: usize| at > 0 && lines[at - 1].starts_with("=====");
    (1..lines.len()).filter(|it| is_head(*it)).filter_map(|it| failure(lines[it], &lines[it + 1..])).collect()
}

fn failure(head: &str, rest: &[&str]) -> Option<Diagnostic> {
    let name = head.strip_prefix("FAIL: ").or_else(|| head.strip_prefix("ERROR: "))?;
    let (test, owner) =
        name.split_once(" (").map_or((name, ""), |(test, rest)| (test, rest.split(')').next().unwrap_or("")));
    let code = match owner {
        "" => test.to_owned(),
        // Since Python 3.11 the owner ends in the test itself.
        owner if owner.ends_with(&format!(".{test}")) => owner.to_owned(),
        owner => format!("{owner}.{test}"),
    };
    let body: Vec<&str> = rest.iter().skip(1).take_while(|it| !it.starts_with("=====")).copied().collect();
    // Of errors that came of one another the last is the one that was not caught.
    let start = body.iter().rposition(|it| it.starts_with("Traceback"))? + 1;
    let (file, line, said) = traceback::reported(&body[start..])?;
    // Which examples of a docstring failed is told beneath, see `doctest`.
    if said.starts_with("AssertionError: Failed doctest test for ") {
        return None;
    }
    Some(diagnostic(file, line, 0, &code, &said))
}
