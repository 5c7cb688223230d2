//! CMake builds, and the targets of a Makefile that are named like checks.

use ox_protocol::{Check, CheckKind};

use super::project::Project;
use crate::command::MAKEFILES;

const TARGETS: [(&str, CheckKind); 5] = [
    ("typecheck", CheckKind::Types),
    ("lint", CheckKind::Lint),
    ("build", CheckKind::Build),
    ("test", CheckKind::Test),
    ("check", CheckKind::Test),
];

/// What the folder's build files offer.
pub(super) fn checks(project: &Project<'_>) -> Vec<Check> {
    let made = make(project);
    if made.is_empty() { cmake(project) } else { made }
}

fn make(project: &Project<'_>) -> Vec<Check> {
    let Some(file) = project.first(&MAKEFILES) else { return Vec::new() };
    let text = project.text(file).unwrap_or_default();
    let has = |target: &str| {
        text.lines().any(|line| {
            line.split_once(':').is_some_and(|(names, rest)| {
                !rest.starts_with('=') && !line.starts_with('\t') && names.split_whitespace().any(|it| it == target)
            })
        })
    };
    let mut checks: Vec<Check> = Vec::new();
    for (target, kind) in TARGETS {
        let is_long = || said_of(&text, target).contains("long") && has("check");
        if has(target) && !checks.iter().any(|it| it.kind == kind) && !(target == "test" && is_long()) {
            let command = format!("make {target}");
            checks.push(project.check(&command, kind, &command, file));
        }
    }
    checks
}

/// What the makefile's own help says of a target, in small letters: `## test: run long-duration tests`.
fn said_of(text: &str, target: &str) -> String {
    let of = |line: &str| {
        Some(line.strip_prefix("##")?.trim_start().strip_prefix(target)?.strip_prefix(':')?.to_lowercase())
    };
    text.lines().find_map(of).unwrap_or_default()
}

/// An existing build folder is used; otherwise one outside the project, which stays as it is.
fn cmake(project: &Project<'_>) -> Vec<Check> {
    let source = "CMakeLists.txt";
    if !project.has(source) {
        return Vec::new();
    }
    let (prepare, folder) = match project.has("build/CMakeCache.txt") {
        true => (String::new(), "build".to_owned()),
        false => {
            let place = ox_repo::Hash::of(project.tree.root().as_os_str().as_encoded_bytes()).to_string();
            let folder = format!("\"${{TMPDIR:-/tmp}}/ox-cmake-{}\"", &place[..12]);
            (format!("cmake -S . -B {folder} && "), folder)
        }
    };
    let build = format!("{prepare}cmake --build {folder}");
    let mut checks = vec![project.check("cmake --build", CheckKind::Build, &build, source)];
    if project.text(source).is_some_and(|it| it.contains("enable_testing") || it.contains("CTest")) {
        // The folder outside may be gone by then: checks do not share their temporary files.
        let build = if prepare.is_empty() { String::new() } else { format!("{build} && ") };
        let test = format!("{build}ctest --test-dir {folder} --output-on-failure");
        checks.push(project.tests("ctest", &test, source, &format!("{test} -R NAME")));
    }
    checks
}
