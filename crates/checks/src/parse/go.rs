//! `go vet` and `go test`.

use ox_protocol::Diagnostic;

use super::line::{diagnostic, place};

/// Compile errors, vet's complaints, failing tests and panics.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut pending = Vec::new();
    let mut package = "";
    let mut failed = "";
    for (at, line) in lines.iter().enumerate() {
        if let Some(name) = line.strip_prefix("# ") {
            package = name.split(' ').next().unwrap_or(name);
        } else if let Some(it) = line.trim_start().strip_prefix("--- FAIL: ") {
            failed = it.split(" (").next().unwrap_or(it);
            pending.extend(failure(it, &lines[at..]));
        } else if line.starts_with("panic: ") {
            // Only right beneath its name is it known whose panic it is.
            let name = if at > 0 && lines[at - 1].trim_start().starts_with("--- FAIL: ") { failed } else { "" };
            pending.extend(panicked(line, name, &lines[at + 1..]));
        } else if let Some(rest) = line.strip_prefix("FAIL\t") {
            // Only here is it said which package the tests above belong to.
            let package = rest.split('\t').next().unwrap_or("");
            found.extend(pending.drain(..).map(|it: Diagnostic| in_package(package, it)));
        } else if !package.is_empty() || line.starts_with("vet: ") {
            found.extend(complaint(line));
        }
    }
    found.extend(pending);
    found
}

fn complaint(line: &str) -> Option<Diagnostic> {
    let (file, line, column, said) = place(line.strip_prefix("vet: ").unwrap_or(line))?;
    let is_go = file.ends_with(".go") && !file.starts_with([' ', '\t']);
    is_go.then(|| diagnostic(file, line, column, "", said))
}

/// A failing test with what it logged. One whose subtests failed says nothing itself.
fn failure(head: &str, lines: &[&str]) -> Option<Diagnostic> {
    let name = head.split(" (").next().unwrap_or(head);
    let indent = lines[0].len() - lines[0].trim_start().len();
    let deeper = |it: &&&str| it.len() - it.trim_start().len() > indent;
    let body: Vec<&str> =
        lines[1..].iter().take_while(deeper).map(|it| it.trim()).take_while(|it| !it.starts_with("--- ")).collect();
    let subtests = lines[1..].iter().take_while(deeper).any(|it| it.trim_start().starts_with("--- FAIL: "));
    let logged = body.iter().position(|it| place(it).is_some_and(|it| it.0.ends_with(".go")));
    match logged {
        Some(at) => {
            let (file, line, _, said) = place(body[at])?;
            let more = body[at + 1..]
                .iter()
                .map(|it| place(it).filter(|it| it.0.ends_with(".go")).map_or(*it, |it| it.3.trim()));
            let text = std::iter::once(said.trim()).chain(more).collect::<Vec<_>>().join("\n");
            Some(diagnostic(file, line, 0, name, &text))
        }
        None if subtests || lines.get(1).is_some_and(|it| it.starts_with("panic: ")) => None,
        None => Some(diagnostic("", 0, 0, name, if body.is_empty() { "the test failed" } else { body[0] })),
    }
}

fn panicked(line: &str, test: &str, rest: &[&str]) -> Option<Diagnostic> {
    let own = |it: &&&str| {
        it.starts_with('\t')
            && place(it.trim()).is_some_and(|it| it.0.ends_with(".go"))
            && !it.contains("/src/runtime/")
            && !it.contains("/src/testing/")
    };
    let frame = rest.iter().take_while(|it| !it.starts_with("FAIL")).find(own);
    let (file, at, _, _) = frame.and_then(|it| place(it.trim())).unwrap_or(("", 0, 0, ""));
    Some(diagnostic(file, at, 0, test, line.trim_end_matches(" [recovered]")))
}

fn in_package(package: &str, it: Diagnostic) -> Diagnostic {
    match it.file.contains('/') || it.file.is_empty() {
        true => it,
        false => Diagnostic { file: format!("{package}/{}", it.file), ..it },
    }
}
