//! A crate is one job, a file is one idea, and a function fits on a screen.
//!
//! In files and functions lines count as they stand, blank ones and comments too; in crates blank ones do not. Generated and
//! vendored code is not Rust here, so nothing is exempt.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{Breach, Rule};
use crate::source::Source;
use crate::workspace::Workspace;

pub const RULE: Rule = Rule {
    name: "sizes",
    why: "what is too long to see at once is read wrongly; split it where the idea changes",
    check,
};

/// Lines of a crate that are neither blank nor test code.
const CRATE: usize = 10_000;
/// Crates that are being made smaller. The aim is that nothing is here.
const LARGER: &[&str] = &[];
/// Lines of a file that are not test code.
const FILE: usize = 500;
/// Lines of a file with its tests, and of a file of tests.
const FILE_WITH_TESTS: usize = 800;
/// Lines of a function, from `fn` to the closing brace.
const FUNCTION: usize = 70;
/// Lines of a function in test code, where tables of examples are data.
const TEST_FUNCTION: usize = 140;

fn check(workspace: &Workspace) -> Result<Vec<Breach>> {
    let mut breaches = Vec::new();
    let mut crates: BTreeMap<&str, usize> = BTreeMap::new();
    for (file, source) in workspace.sources() {
        breaches.extend(too_long(&file.path, &source));
        if let Some((root, _)) = file.path.split_once("/src/") {
            let lines = file.text.lines().enumerate();
            let product = lines.filter(|(at, line)| !line.trim().is_empty() && !source.in_tests(at + 1));
            *crates.entry(root).or_default() += product.count();
        }
    }
    breaches.extend(crates.into_iter().filter_map(|(root, lines)| too_large(root, lines)));
    Ok(breaches)
}

fn too_large(root: &str, lines: usize) -> Option<Breach> {
    match (lines > CRATE, LARGER.contains(&root)) {
        (true, false) => Some(Breach::of(root, format!("{lines} lines outside tests, {CRATE} at most"))),
        (false, true) => Some(Breach::of(root, "is not too large any more; take it out of LARGER")),
        _ => None,
    }
}

fn too_long(path: &str, source: &Source) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let (all, product) = (source.code.lines().count(), source.product_lines());
    if product > FILE {
        breaches.push(Breach::of(path, format!("{product} lines, {FILE} at most")));
    } else if all > FILE_WITH_TESTS {
        breaches.push(Breach::of(path, format!("{all} lines with its tests, {FILE_WITH_TESTS} at most")));
    }
    for function in source.functions() {
        let (start, lines) = (*function.lines.start(), function.lines.count());
        let limit = if source.in_tests(start) { TEST_FUNCTION } else { FUNCTION };
        if lines > limit {
            breaches.push(Breach::at(path, start, format!("`{}` has {lines} lines, {limit} at most", function.name)));
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds() {
        super::super::assert_holds(&RULE);
    }

    #[test]
    fn a_crate_may_have_so_many_lines() {
        assert_eq!(too_large("crates/a", CRATE), None);
        let breach = too_large("crates/a", CRATE + 1).map(|it| it.to_string());
        assert_eq!(breach.as_deref(), Some("crates/a: 10001 lines outside tests, 10000 at most"));
    }

    #[test]
    fn each_limit_is_reached_by_one_line_more() {
        let function = |lines: usize| format!("fn f() {{\n{}}}\n", "x;\n".repeat(lines - 2));
        let breaches = |path: &str, text: &str| -> Vec<String> {
            too_long(path, &Source::new(path, text)).iter().map(ToString::to_string).collect()
        };
        assert!(breaches("a.rs", &function(70)).is_empty());
        assert_eq!(breaches("a.rs", &function(71)), ["a.rs:1: `f` has 71 lines, 70 at most"]);
        assert_eq!(breaches("tests/a.rs", &function(141)), ["tests/a.rs:1: `f` has 141 lines, 140 at most"]);
        assert!(breaches("a.rs", &"\n".repeat(500)).is_empty());
        assert_eq!(breaches("a.rs", &"\n".repeat(501)), ["a.rs: 501 lines, 500 at most"]);
        assert_eq!(breaches("tests/a.rs", &"\n".repeat(801)), ["tests/a.rs: 801 lines with its tests, 800 at most"]);
    }
}
