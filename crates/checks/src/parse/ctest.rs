//! CTest's failing tests, and what CMake cannot configure.

use std::sync::LazyLock;

use ox_protocol::Diagnostic;
use regex::Regex;

use super::line::{diagnostic, place, regex};

/// The failing tests with the end of what they printed, and CMake's errors.
pub(super) fn read(lines: &[&str]) -> Vec<Diagnostic> {
    static FAILED: LazyLock<Regex> =
        LazyLock::new(|| regex(r"^ *\d+/\d+ +Test +#\d+: (\S+) \.*([^.]*)\*\*\*([A-Za-z ]+?):? +[\d.]+ sec$"));
    static ERROR: LazyLock<Regex> = LazyLock::new(|| regex(r"^CMake Error at (.+):(\d+)(?: \((\S+)\))?:$"));
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let rest = &lines[at + 1..];
        if !line.contains("***") && !line.starts_with("CMake Error") {
            continue;
        }
        if let Some(it) = FAILED.captures(line) {
            let own = rest.iter().take_while(|it| !it.starts_with("    Start ") && !it.contains(" tests passed, "));
            let said: Vec<&str> = own.filter(|it| !it.is_empty()).copied().collect();
            let place = said.iter().find_map(|it| source(it)).unwrap_or(("", 0));
            let how = if it[2].is_empty() { it[3].to_owned() } else { it[2].to_owned() };
            let last = said[said.len().saturating_sub(12)..].join("\n");
            found.push(diagnostic(place.0, place.1, 0, &it[1], &format!("{how}\n{last}")));
        } else if let Some(it) = ERROR.captures(line) {
            let said = rest.iter().take_while(|it| it.is_empty() || it.starts_with("  ")).take(8);
            let said = said.map(|it| it.trim()).filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n");
            let code = it.get(3).map_or("", |it| it.as_str());
            found.push(diagnostic(&it[1], it[2].parse().unwrap_or(0), 0, code, &said));
        }
    }
    found
}

/// A place in a source, at the start of a line or behind the name of the program: `t: /src/t.c:4: main: …`.
fn source(line: &str) -> Option<(&str, u32)> {
    let line = line.split_once(": ").filter(|it| !it.0.contains('.')).map_or(line, |it| it.1);
    let (file, row, _, _) = place(line)?;
    let ending = file.rsplit_once('.').map_or("", |it| it.1);
    let is_source = ["c", "cc", "cpp", "cxx", "h", "hpp", "m", "py"].contains(&ending) && !file.contains(' ');
    is_source.then_some((file, row))
}
