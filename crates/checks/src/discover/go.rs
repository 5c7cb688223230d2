//! Go projects.

use ox_protocol::{Check, CheckKind};

use super::project::Project;

/// `go vet` type-checks everything, tests included, and writes nothing.
pub(super) fn checks(project: &Project<'_>) -> Vec<Check> {
    let Some(source) = project.first(&["go.mod", "go.work"]) else { return Vec::new() };
    vec![
        project.check("go vet", CheckKind::Types, "go vet ./...", source),
        project.tests("go test", "go test ./...", source, "go test ./PACKAGE -run NAME"),
    ]
}
