//! Failing tests of Swift: XCTest's `file:7: error: Class.test : message`, and `✘ Test name recorded an issue at file:9:5: …`.

use ox_protocol::Diagnostic;

use super::line::{diagnostic, place};

/// The failures. What the compiler says is read by its general form, beside them.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let found: Vec<Diagnostic> = lines.iter().copied().filter_map(|it| xctest(it).or_else(|| testing(it))).collect();
    if found.is_empty() {
        return found;
    }
    let compiler = lines.iter().copied().filter_map(|line| {
        let (file, row, column, said) = place(line).filter(|it| it.0.ends_with(".swift") && it.2 > 0)?;
        Some(diagnostic(file, row, column, "", said.trim().strip_prefix("error: ")?))
    });
    compiler.chain(found).collect()
}

fn xctest(line: &str) -> Option<Diagnostic> {
    let (file, row, _, said) = place(line).filter(|it| it.0.ends_with(".swift"))?;
    let (name, message) = said.trim().strip_prefix("error: ")?.split_once(" : ")?;
    let is_test = name.contains('.') && !name.contains(' ') || name.starts_with("-[");
    is_test.then(|| diagnostic(file, row, 0, name, message))
}

fn testing(line: &str) -> Option<Diagnostic> {
    let (name, at) =
        line.trim_start_matches(['✘', '􀢄', ' ']).strip_prefix("Test ")?.split_once(" recorded an issue")?;
    let (_, at) = at.split_once(" at ")?;
    let (file, row, column, said) = place(at)?;
    Some(diagnostic(file, row, column, name.trim_matches('"'), said))
}
