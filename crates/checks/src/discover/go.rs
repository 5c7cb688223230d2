//! Go projects.

use ox_protocol::{Check, CheckKind};

use super::project::Project;
use crate::paths::is_plain;

/// `go vet` type-checks everything, tests included, and writes nothing.
pub(super) fn checks(project: &Project<'_>) -> Vec<Check> {
    let Some(source) = project.first(&["go.work", "go.mod"]) else { return Vec::new() };
    let modules = if source == "go.work" { used(&project.text(source).unwrap_or_default()) } else { Vec::new() };
    // A workspace has packages in its modules only, and the pattern for all must name each.
    let all = match modules.as_slice() {
        [] => "./...".to_owned(),
        some => some.iter().map(|it| pattern(it)).collect::<Vec<_>>().join(" "),
    };
    vec![
        project.check("go vet", CheckKind::Types, &format!("go vet {all}"), source),
        project.tests("go test", &format!("go test {all}"), source, "go test ./PACKAGE -v -run NAME"),
    ]
}

fn pattern(folder: &str) -> String {
    if folder == "." || folder.is_empty() { "./...".to_owned() } else { format!("./{folder}/...") }
}

/// The folders that a workspace uses, those that lie in it and have plain names.
fn used(text: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines().map(|it| it.split("//").next().unwrap_or_default().trim()) {
        match line.strip_prefix("use ").map(str::trim) {
            Some("(") => inside = true,
            Some(one) => found.push(one),
            None if line == ")" => inside = false,
            None if inside && !line.is_empty() => found.push(line),
            None => {}
        }
    }
    let plain = found.iter().map(|it| it.trim_start_matches("./")).filter(|it| is_plain(it) && !it.starts_with(".."));
    plain.map(str::to_owned).collect()
}
