//! Bun's and Deno's own test runners.

use ox_protocol::Diagnostic;

use super::line::{diagnostic, frame, place};

/// The failures of both.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let mut found = bun(lines);
    found.extend(deno(lines));
    found.extend(deno_types(lines));
    found
}

/// A line of drawn source, such as `3 | code`.
fn is_drawn(line: &str) -> bool {
    line.trim().split_once(" |").is_some_and(|(number, _)| number.bytes().all(|it| it.is_ascii_digit()))
}

/// The error stands above the name: `(fail) math > adds [0.20ms]`. What no test could start for has no name.
fn bun(lines: &[&str]) -> Vec<Diagnostic> {
    let Some(start) = lines.iter().position(|it| it.starts_with("bun test v")) else { return Vec::new() };
    let (mut found, mut above, mut file) = (Vec::new(), Vec::new(), "");
    for line in &lines[start + 1..] {
        if let Some(name) = line.strip_prefix("(fail) ") {
            let name = name.rsplit_once(" [").map_or(name, |it| it.0);
            found.extend(failure(name, file, &above));
            above.clear();
        } else if line.starts_with("(pass) ") || line.starts_with("# Unhandled error") {
            above.clear();
        } else if line.starts_with("-----") {
            found.extend(failure("", file, &above));
            above.clear();
        } else if line.ends_with(':') && !line.contains(' ') {
            file = line.trim_end_matches(':');
        } else {
            above.push(*line);
        }
    }
    found
}

fn failure(name: &str, file: &str, above: &[&str]) -> Option<Diagnostic> {
    let start =
        above.iter().position(|it| it.split_once(": ").is_some_and(|it| it.0.to_lowercase().ends_with("error")))?;
    let body = &above[start..];
    let words = body.iter().map(|it| it.trim()).take_while(|it| !it.starts_with("at ") && !is_drawn(it));
    let words = words.filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n");
    let (file, line, column) = body.iter().find_map(|it| frame(it)).unwrap_or((file, 0, 0));
    Some(diagnostic(file, line, column, name, words.trim_start_matches("error: ")))
}

/// Beneath ` ERRORS ` each failure begins with `name => file:line:column`.
fn deno(lines: &[&str]) -> Vec<Diagnostic> {
    let Some(start) = lines.iter().position(|it| it.trim() == "ERRORS") else { return Vec::new() };
    let end = lines.iter().position(|it| it.trim() == "FAILURES").filter(|it| *it > start).unwrap_or(lines.len());
    let lines = &lines[start + 1..end];
    let head = |line: &str| line.split_once(" => ").filter(|it| place(it.1).is_some()).is_some();
    let heads: Vec<usize> = (0..lines.len()).filter(|it| head(lines[*it])).collect();
    let ends = heads.iter().skip(1).copied().chain([lines.len()]);
    let failure = |(at, end): (&usize, usize)| {
        let (name, at_test) = lines[*at].split_once(" => ")?;
        let body = &lines[at + 1..end];
        let error = body.iter().find_map(|it| it.strip_prefix("error: "))?;
        let test = place(at_test)?;
        let own = body.iter().find_map(|it| frame(it)).unwrap_or((test.0, test.1, test.2));
        Some(diagnostic(own.0, own.1, own.2, name, error.trim_start_matches("Error: ")))
    };
    heads.iter().zip(ends).filter_map(failure).collect()
}

/// `TS2322 [ERROR]: message`, drawn source, and `    at file:///path:line:column`.
fn deno_types(lines: &[&str]) -> Vec<Diagnostic> {
    let errors = lines.iter().enumerate().filter_map(|(at, line)| {
        let (code, message) = line.split_once(" [ERROR]: ")?;
        let (file, row, column) = lines[at + 1..].iter().take(8).find_map(|it| frame(it))?;
        code.starts_with("TS").then(|| diagnostic(file, row, column, code, message))
    });
    errors.collect()
}
