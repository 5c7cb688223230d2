//! pytest: the short summary names the failing tests, the sections above it say where and why.

use ox_protocol::Diagnostic;

use super::line::{diagnostic, place};
use super::traceback;

/// The failures and errors.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = [not_started(lines), broken(lines)].into_iter().flatten().collect();
    found.extend(failures(lines));
    found
}

/// A `conftest.py` that cannot be imported: no test runs.
fn not_started(lines: &[&str]) -> Option<Diagnostic> {
    let words = "ImportError while loading conftest '";
    let start = lines.iter().position(|it| it.starts_with(words))?;
    let (file, _) = lines[start][words.len()..].split_once('\'')?;
    Section { title: "", body: lines[start + 1..].to_vec() }.diagnostic("", file)
}

/// An exception in a hook: pytest itself ended.
fn broken(lines: &[&str]) -> Option<Diagnostic> {
    let reported: Vec<&str> = lines.iter().filter_map(|it| it.strip_prefix("INTERNALERROR>")).collect();
    let reported: Vec<&str> = reported.iter().map(|it| it.strip_prefix(' ').unwrap_or(it)).collect();
    let start = reported.iter().rposition(|it| it.starts_with("Traceback"))?;
    let (file, line, said) = traceback::reported(&reported[start + 1..])?;
    Some(diagnostic(file, line, 0, "", &said))
}

fn failures(lines: &[&str]) -> Vec<Diagnostic> {
    let mut sections = sections(lines);
    let start = lines.iter().position(|it| it.trim_matches('=').trim() == "short test summary info");
    let summary: Vec<(&str, &str)> = lines[start.map_or(lines.len(), |it| it + 1)..]
        .iter()
        .filter_map(|it| it.strip_prefix("FAILED ").or_else(|| it.strip_prefix("ERROR ")))
        .map(|it| it.split_once(" - ").unwrap_or((it, "")))
        .collect();
    if summary.is_empty() {
        return sections.iter().filter_map(|it| it.diagnostic(it.title, "")).collect();
    }
    let mut found = Vec::new();
    for (id, short) in summary {
        let (file, name) = id.split_once("::").unwrap_or((id, ""));
        let name = name.replace("::", ".");
        let at = sections.iter().position(|it| it.is_about(file, &name));
        let section = at.map(|it| sections.remove(it));
        let full = section.and_then(|it| it.diagnostic(id, file));
        // Up to pytest 8 only the section says that a test passed which should not.
        let passed = at.is_some() && short.is_empty();
        let short = if passed { "the test passed, and it is marked as one that has to fail" } else { short };
        found.push(full.unwrap_or_else(|| diagnostic(file, 0, 0, id, short)));
    }
    found
}

/// In the title of a section about a docstring.
const EXAMPLES: &str = "[doctest] ";

/// What is told of one test.
struct Section<'a> {
    title: &'a str,
    body: Vec<&'a str>,
}

fn sections<'a>(lines: &[&'a str]) -> Vec<Section<'a>> {
    let mut sections: Vec<Section<'a>> = Vec::new();
    let mut open = false;
    for line in lines {
        let title = line.strip_prefix("__").map(|it| it.trim_matches('_').trim());
        match title {
            Some(title) if line.ends_with("__") && !title.is_empty() && !title.starts_with("_ _") => {
                sections.push(Section { title, body: Vec::new() });
                open = true;
            }
            _ if line.starts_with("====") => open = false,
            _ => {
                if let Some(section) = sections.last_mut().filter(|_| open) {
                    section.body.push(line);
                }
            }
        }
    }
    sections
}

impl Section<'_> {
    fn is_about(&self, file: &str, name: &str) -> bool {
        match self.title.strip_prefix("ERROR ") {
            Some(error) if name.is_empty() => error.strip_prefix("collecting ") == Some(file),
            Some(error) => {
                error.split_once(" of ").is_some_and(|(_, of)| of == name || name.ends_with(&format!(".{of}")))
            }
            None => self.title.strip_prefix(EXAMPLES).unwrap_or(self.title) == name,
        }
    }

    /// A docstring's example: `015     >>> example`, what was expected, what came, and last the place.
    fn example(&self, code: &str) -> Option<Diagnostic> {
        let ends = |it: &&str| it.ends_with(": DocTestFailure") || it.ends_with(": UnexpectedException");
        let end = self.body.iter().rposition(ends)?;
        let (file, line, ..) = place(self.body[end])?;
        let start = self.body[..end].iter().rposition(|it| numbered(it).is_some_and(|it| it.starts_with(">>> ")))?;
        let mut said: Vec<&str> = Vec::new();
        for it in &self.body[start..end] {
            said.push(numbered(it).unwrap_or(it));
            // The frames beneath carry line numbers.
            if it.starts_with("UNEXPECTED EXCEPTION: ") {
                break;
            }
        }
        Some(diagnostic(file, line, 0, code, &said.join("\n")))
    }

    /// None where the section holds no error, as a section of captured output.
    fn diagnostic(&self, code: &str, file: &str) -> Option<Diagnostic> {
        if self.title.starts_with(EXAMPLES) {
            return self.example(code);
        }
        let errors: Vec<&str> = self.body.iter().filter_map(|it| it.strip_prefix('E')).collect();
        let said: Vec<&str> =
            errors.iter().filter(|it| it.is_empty() || it.starts_with(' ')).map(|it| it.trim()).collect();
        if said.is_empty() {
            return None;
        }
        let frames = self
            .body
            .iter()
            .filter(|it| !it.starts_with([' ', '>', '<']) && !it.starts_with("E "))
            .filter_map(|it| place(it));
        let mut own = frames.filter(|it| it.0.ends_with(".py") && !it.0.starts_with("..") && !is_installed(it.0));
        // A syntax error names its place itself.
        let quoted = said.iter().find_map(|it| traceback::frame(it)).map(|(file, line)| (file, line, 0));
        let (at, line, column) = quoted.or(own.next_back().map(|it| (it.0, it.1, it.2))).unwrap_or((file, 0, 0));
        let words = said.iter().filter(|it| !it.is_empty() && traceback::frame(it).is_none());
        let code = code.strip_prefix("ERROR collecting ").unwrap_or(code);
        // A file that cannot be collected is its own place and needs no second name.
        let code = if code == at && line == 0 { "" } else { code };
        Some(diagnostic(at, line, column, code, &words.copied().collect::<Vec<_>>().join("\n")))
    }
}

/// A line of source behind its number.
fn numbered(line: &str) -> Option<&str> {
    let (number, rest) = line.split_once(' ')?;
    let is_number = number.len() >= 3 && number.bytes().all(|it| it.is_ascii_digit());
    is_number.then(|| rest.trim_start())
}

fn is_installed(path: &str) -> bool {
    path.starts_with('/') && (path.contains("/site-packages/") || path.contains("/lib/python"))
}
