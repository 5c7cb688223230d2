//! PHP: PHPUnit and Pest, and what the interpreter itself refuses.

use ox_protocol::Diagnostic;

use super::line::{diagnostic, place};

/// The failures and errors.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let ours = lines.iter().any(|it| it.starts_with("PHPUnit ") || it.starts_with("Tests: "));
    let tests = (0..lines.len()).filter(|_| ours).filter_map(|at| failure(lines[at], &lines[at + 1..]));
    tests.chain(lines.iter().filter_map(|it| refused(it))).collect()
}

/// `1) CalcTest::testAdd`, the message, and frames of which the last is the test's own.
fn failure(head: &str, rest: &[&str]) -> Option<Diagnostic> {
    let (number, name) = head.split_once(") ")?;
    if number.is_empty() || !number.bytes().all(|it| it.is_ascii_digit()) || !name.contains("::") {
        return None;
    }
    let at = |it: &&str| place(it).is_some_and(|it| it.0.ends_with(".php") && it.3.is_empty() && !it.0.contains(' '));
    let start = rest.iter().position(&at).unwrap_or(0);
    let words = rest[..start].iter().filter(|it| !it.is_empty()).copied().collect::<Vec<_>>().join("\n");
    let frames = rest[start..].iter().take_while(|it| at(it)).filter_map(|it| place(it));
    let own = |it: &(&str, u32, u32, &str)| !it.0.contains("/vendor/") && !it.0.contains("/share/php/");
    // Of an error the innermost place says most; an assertion's is the test itself.
    let (file, line) = frames.filter(own).map(|it| (it.0, it.1)).next().unwrap_or(("", 0));
    Some(diagnostic(file, line, 0, name, &words))
}

/// `PHP Parse error:  syntax error, … in bad.php on line 4`, also of fatal errors.
fn refused(line: &str) -> Option<Diagnostic> {
    let said = line.trim_start_matches("PHP ");
    let (kind, rest) = ["Parse error: ", "Fatal error: "].iter().find_map(|it| Some((*it, said.strip_prefix(it)?)))?;
    let (message, at) = rest.rsplit_once(" in ")?;
    let (file, row) = at.split_once(" on line ").or_else(|| at.rsplit_once(':'))?;
    Some(diagnostic(file, row.trim().parse().ok()?, 0, "", &format!("{kind}{}", message.trim())))
}
