//! vitest and jest over the reached files, also behind a script that does nothing else; eslint over the changed ones.

use serde_json::Value;

use super::change::{Change, Whole};
use crate::paths::{joined, words};

const ENDINGS: [&str; 8] = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];

pub(super) fn form(change: &Change<'_>, of: &Whole<'_>) -> Option<String> {
    if of.check.name == "eslint" {
        let files = change.files_of(of, &ENDINGS);
        let head = of.command.strip_suffix(" .")?;
        return (!files.is_empty()).then(|| format!("{head} {}", words(&files)));
    }
    let (runner, head) = runner(change, of)?;
    let files = change.tests_of(of, &ENDINGS, &is_test);
    let flag = if runner == "jest" { " --runTestsByPath" } else { "" };
    (!files.is_empty()).then(|| format!("{head}{flag} {}", words(&files)))
}

/// The test runner behind a check, and the command that takes its arguments.
fn runner(change: &Change<'_>, of: &Whole<'_>) -> Option<(&'static str, String)> {
    match of.check.name.as_str() {
        "vitest" => return Some(("vitest", of.command.to_owned())),
        "jest" => return Some(("jest", of.command.to_owned())),
        _ => {}
    }
    let (manager, script) = of.check.name.split_once(" run ")?;
    let package: Value = serde_json::from_str(&change.text(&joined(of.dir, "package.json"))?).ok()?;
    let text = package.get("scripts")?.get(script)?.as_str()?;
    if text.contains(['&', '|', ';', '>', '<', '$', '`', '(']) {
        return None;
    }
    let program = text.split_whitespace().find(|it| !it.contains('=') && *it != "cross-env")?;
    let runner = ["vitest", "jest"].into_iter().find(|it| *it == program)?;
    let pass = if manager == "npm" { " --" } else { "" };
    Some((runner, format!("{}{pass}", of.command)))
}

fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    [".test.", ".spec."].iter().any(|it| name.contains(it)) || path.split('/').any(|it| it == "__tests__")
}
