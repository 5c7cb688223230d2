//! `cargo test`: failing tests with where they panicked and what they said.

use ox_protocol::Diagnostic;

use super::line::{diagnostic, place};

/// The failing tests, and test programs that died.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if let Some(name) = line.strip_prefix("---- ").and_then(|it| it.strip_suffix(" stdout ----")) {
            let body: Vec<&str> = lines[at + 1..].iter().take_while(|it| !is_end(it)).copied().collect();
            found.push(failure(name, &body));
        }
        if let Some((_, how)) =
            line.trim().strip_prefix("process didn't exit successfully: ").and_then(|it| it.split_once("` ("))
            && how.starts_with("signal")
        {
            found.push(diagnostic("", 0, 0, "", &format!("a test program died: {}", how.trim_end_matches(')'))));
        }
    }
    if found.is_empty() { nextest(lines) } else { found }
}

/// nextest names each test in a line of its own, `FAIL [ 0.004s] package test`, and prints its panic anywhere after it.
fn nextest(lines: &[&str]) -> Vec<Diagnostic> {
    let failed =
        lines.iter().filter_map(|it| it.trim_start().strip_prefix("FAIL [")?.split_once("] ")?.1.split_once(' '));
    let mut names: Vec<&str> = Vec::new();
    failed.for_each(|(_, name)| {
        if !names.contains(&name) {
            names.push(name)
        }
    });
    let body = |name: &str| -> Vec<&str> {
        let own = [format!("thread '{name}' "), "FAIL [".to_owned()];
        let own_line = |it: &&str| it.trim_start().starts_with(&own[1]) && it.ends_with(&format!(" {name}"));
        // What failed without a panic said something right beneath its line.
        let start = lines.iter().position(|it| it.trim_start().starts_with(&own[0]));
        let start = start.or_else(|| lines.iter().position(own_line).map(|it| it + 1));
        let rest = start.map_or(&[][..], |it| &lines[it..]);
        let said = rest.iter().map(|it| it.trim()).take_while(|it| !it.starts_with(&own[1]) && !it.is_empty());
        let said = said.filter(|it| !it.ends_with("───"));
        said.collect()
    };
    names.into_iter().map(|it| failure(it, &body(it))).collect()
}

fn is_end(line: &str) -> bool {
    line.starts_with("---- ") || line == "failures:" || line.starts_with("test result: ")
}

fn failure(name: &str, body: &[&str]) -> Diagnostic {
    // A documentation test carries its line in its name, which moves; the rest of the name stays.
    let (code, doc_line) = match name.rsplit_once(" (line ") {
        Some((rest, line)) => (rest, line.trim_end_matches(')').parse().unwrap_or(0)),
        None => (name, 0),
    };
    let own = format!("thread '{name}'");
    let panics = || body.iter().enumerate().filter(|(_, it)| it.starts_with("thread '") && it.contains("panicked at "));
    // The test's own panic tells more than that of a thread it started; without one, the last it is.
    let panic = panics().find(|(_, it)| it.starts_with(&own)).or_else(|| panics().next_back());
    let doc_file = code.split_once(" - ").map_or("", |it| it.0);
    let (file, line, column, message) = match panic {
        Some((at, line)) => panicked(line, &body[at + 1..]),
        None => unpanicked(body),
    };
    // Lines within a documentation test are those of the file.
    match (doc_line, file) {
        (0, file) => diagnostic(file, line, column, code, &message),
        (doc, "") => diagnostic(doc_file, doc, 0, code, &message),
        (_, file) => diagnostic(file, line, column, code, &message),
    }
}

/// Place and words of a panic.
fn panicked<'a>(line: &'a str, rest: &[&str]) -> (&'a str, u32, u32, String) {
    let after = line.split_once("panicked at ").map_or("", |it| it.1);
    // Before Rust 1.73 the words came first, in quotes.
    if let Some((words, at)) = after.strip_prefix('\'').and_then(|it| it.rsplit_once("', ")) {
        let (file, line, column, _) = place(at).unwrap_or(("", 0, 0, ""));
        return (file, line, column, words.to_owned());
    }
    let (file, line, column, _) = place(after.trim_end_matches(':')).unwrap_or(("", 0, 0, ""));
    let ends =
        |it: &&&str| it.starts_with("stack backtrace:") || it.starts_with("thread '") || it.starts_with("note: ");
    let mut words: Vec<&str> = rest.iter().take_while(|it| !ends(it)).copied().collect();
    // A test that should have panicked differently says so after the panic.
    if let Some(at) = rest.iter().position(|it| it.starts_with("note: panic did not contain")) {
        words.extend(&rest[at..]);
    }
    (file, line, column, words.join("\n"))
}

/// A test that failed without a panic: by what it returned, or because it should have panicked.
fn unpanicked<'a>(body: &[&'a str]) -> (&'a str, u32, u32, String) {
    let words = body.join("\n");
    let marker = "test did not panic as expected at ";
    let at = body.iter().find_map(|it| it.split_once(marker)).and_then(|it| place(it.1));
    match at {
        Some((file, line, column, _)) => (file, line, column, "test did not panic as expected".to_owned()),
        None => ("", 0, 0, if words.trim().is_empty() { "the test failed".to_owned() } else { words }),
    }
}
