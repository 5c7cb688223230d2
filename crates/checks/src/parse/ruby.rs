//! Ruby: RSpec, Minitest and test-unit, and what the interpreter itself refuses.

use ox_protocol::Diagnostic;

use super::line::{diagnostic, place};

/// The failures and errors.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for at in 0..lines.len() {
        let rest = &lines[at + 1..];
        let line = lines[at];
        found.extend(rspec(line, rest).or_else(|| minitest(line, rest)).or_else(|| test_unit(line, rest)));
        found.extend(loading(line, rest).or_else(|| syntax(line)));
    }
    found
}

/// The place in `# ./spec/a_spec.rb:4:in …`, `/lib/a.rb:6:in …`, of the project and not of a library.
fn frame(line: &str) -> Option<(&str, u32)> {
    let (file, row, _, _) = place(line.trim().trim_start_matches("# "))?;
    let own = file.ends_with(".rb") && !file.contains("/gems/") && !file.contains("/lib/ruby/") && !file.contains(' ');
    own.then_some((file, row))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

/// `  1) Calc adds`, then `     Failure/Error: code`, the message, and frames behind `#`.
fn rspec(head: &str, rest: &[&str]) -> Option<Diagnostic> {
    let (number, name) = head.trim_start().split_once(") ")?;
    let code = rest.first()?.trim().strip_prefix("Failure/Error: ").filter(|_| is_number(number))?;
    let body = rest[1..].iter().take_while(|it| it.is_empty() || it.starts_with("     "));
    let words: Vec<&str> = body.clone().map(|it| it.trim()).take_while(|it| !it.starts_with("# ")).collect();
    let words: Vec<&str> = words.into_iter().filter(|it| !it.is_empty() && *it != "(compared using ==)").collect();
    let (file, line) = body.filter_map(|it| frame(it)).next().unwrap_or(("", 0));
    Some(diagnostic(file, line, 0, name, &format!("{code}\n{}", words.join("\n"))))
}

/// `An error occurred while loading ./spec/a_spec.rb`.
fn loading(head: &str, rest: &[&str]) -> Option<Diagnostic> {
    let file = head.strip_prefix("An error occurred while loading ")?.split(' ').next()?.trim_end_matches('.');
    let start = rest.iter().position(|it| it.starts_with("Failure/Error: "))?;
    let words = rest[start + 1..].iter().map(|it| it.trim()).take_while(|it| !it.starts_with('#'));
    let words = words.filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n");
    let (file, line) = rest[start..].iter().find_map(|it| frame(it)).unwrap_or((file, 0));
    Some(diagnostic(file, line, 0, "", &words))
}

/// `  1) Failure:`, then `CalcTest#test_add [file:5]:` and the message; of an error the message and frames.
fn minitest(head: &str, rest: &[&str]) -> Option<Diagnostic> {
    let (number, kind) = head.trim_start().split_once(") ")?;
    if !is_number(number) || !matches!(kind, "Failure:" | "Error:") {
        return None;
    }
    let name = rest.first()?.trim_end_matches(':');
    let (name, at) = match name.split_once(" [") {
        Some((name, at)) => (name, place(at.trim_end_matches(']')).map(|it| (it.0, it.1))),
        None => (name, None),
    };
    let body: Vec<&str> = rest[1..].iter().take_while(|it| !it.is_empty()).copied().collect();
    let words: Vec<&str> = body.iter().filter(|it| frame(it).is_none()).map(|it| it.trim()).collect();
    let (file, line) = at.or_else(|| body.iter().find_map(|it| frame(it))).unwrap_or(("", 0));
    Some(diagnostic(file, line, 0, name, &words.join("\n")))
}

/// `Failure: test_add(UnitTest)` or `Error: test_boom(UnitTest): KeyError: gone`, with the place and drawn source.
fn test_unit(head: &str, rest: &[&str]) -> Option<Diagnostic> {
    let said = head.strip_prefix("Failure: ").or_else(|| head.strip_prefix("Error: "))?;
    let (name, after) = said.split_once(')')?;
    let (test, class) = name.split_once('(')?;
    let body: Vec<&str> = rest.iter().take_while(|it| !it.starts_with("=====")).copied().collect();
    let drawn = |it: &str| it.trim_start_matches("  =>").trim_start().split(':').next().is_some_and(is_number);
    let more = body.iter().filter(|it| frame(it).is_none() && !drawn(it)).copied();
    let words = std::iter::once(after.trim_start_matches(": ")).chain(more).collect::<Vec<_>>().join("\n");
    let (file, line) = body.iter().find_map(|it| frame(it))?;
    Some(diagnostic(file, line, 0, &format!("{class}#{test}"), &words))
}

/// `bad.rb:4: syntax error, unexpected …`.
fn syntax(line: &str) -> Option<Diagnostic> {
    let (file, row, _, said) = place(line)?;
    let said = said.trim().strip_prefix("syntax error").filter(|_| file.ends_with(".rb"))?;
    Some(diagnostic(file, row, 0, "", &format!("syntax error{said}")))
}
