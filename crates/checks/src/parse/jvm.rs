//! Java's and Kotlin's compilers, Maven and Gradle: compile errors and failing tests.

use ox_protocol::Diagnostic;

use super::line::{diagnostic, place};

/// `[ERROR] file:[line,column] message`, Maven's list of failed tests, and Gradle's `Class > test FAILED`.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut list = false;
    for (at, line) in lines.iter().enumerate() {
        let Some(said) = line.strip_prefix("[ERROR] ") else {
            list &= line.starts_with("[ERROR]") || line.starts_with(' ');
            found.extend(gradle(line, &lines[at + 1..]).or_else(|| compiler(line, &lines[at + 1..])));
            continue;
        };
        if matches!(said.trim(), "Failures:" | "Errors:") {
            list = true;
        } else if let Some(error) = compile_error(said) {
            found.push(error);
        } else if list && said.starts_with("  ") {
            found.extend(failed_test(said.trim()));
        }
    }
    found
}

fn compile_error(said: &str) -> Option<Diagnostic> {
    let (file, rest) = said.split_once(":[")?;
    let (position, message) = rest.split_once("] ")?;
    let (line, column) = position.split_once(',')?;
    Some(diagnostic(file, line.parse().ok()?, column.parse().ok()?, "", message))
}

/// javac's `file.java:4: error: message` with the symbol that it names further down, kotlinc's `e: file:///file.kt:4:2 …`.
fn compiler(line: &str, rest: &[&str]) -> Option<Diagnostic> {
    if let Some(said) = line.strip_prefix("e: ") {
        let (file, line, column, message) = place(said)?;
        return Some(diagnostic(file, line, column, "", message));
    }
    let (file, line, _, said) = place(line)?;
    let message = said.trim_start().strip_prefix("error: ").filter(|_| file.ends_with(".java"))?;
    let own = rest.iter().take(5).take_while(|it| !it.contains(".java:"));
    let symbol = own.filter_map(|it| it.strip_prefix("  symbol: ")).next().unwrap_or("");
    Some(diagnostic(file, line, 0, "", &format!("{message}\n{}", symbol.trim())))
}

/// `CalcTest.adds:12 expected: <4> but was: <0>`, for an error `CalcTest.adds:12->helper:20 » NullPointer …`.
fn failed_test(said: &str) -> Option<Diagnostic> {
    let (place, message) = said.split_once(' ')?;
    let (test, line) = place.split("->").next()?.split_once(':')?;
    let class = test.split(['.', '$']).find(|it| it.starts_with(char::is_uppercase))?;
    Some(diagnostic(&format!("{class}.java"), line.parse().ok()?, 0, test, message.trim_start_matches("» ")))
}

/// `CalcTest > adds() FAILED`, and beneath it `    org.opentest4j.AssertionFailedError: … at CalcTest.java:12`.
fn gradle(head: &str, rest: &[&str]) -> Option<Diagnostic> {
    let test = head.strip_suffix(" FAILED").filter(|it| it.contains(" > "))?;
    let said: Vec<&str> = rest.iter().take_while(|it| it.starts_with("    ")).map(|it| it.trim()).collect();
    let (message, at) = said.first()?.rsplit_once(" at ").unwrap_or((said.first()?, ""));
    let (file, line) = at.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))).unwrap_or(("", 0));
    Some(diagnostic(file, line, 0, test, message))
}
