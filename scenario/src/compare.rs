//! Compares what happened with what the file says, and says where they part.

use similar::TextDiff;

use crate::error::ScenarioError;
use crate::knobs::Speed;
use crate::text::Doc;

/// Holds what happened at `speed` against the file.
pub(crate) fn compare(file: &Doc, happened: &Doc, speed: Speed) -> Result<(), ScenarioError> {
    let (expected, found) = match speed {
        Speed::Core => (without_disk(file), without_disk(happened)),
        _ => (file.to_string(), happened.to_string()),
    };
    match expected == found {
        true => Ok(()),
        false => Err(ScenarioError::Differs(diff(&expected, &found))),
    }
}

/// Without what only a disk, a request or the shell around the fold can tell.
fn without_disk(doc: &Doc) -> String {
    let kinds = ["repo/", "repo-change/", "after/", "prompt", "events", "error:"];
    let reported = doc.sections.iter().filter(|it| !kinds.iter().any(|kind| it.name.starts_with(kind)));
    reported.map(ToString::to_string).collect()
}

fn diff(expected: &str, found: &str) -> String {
    TextDiff::from_lines(expected, found).unified_diff().context_radius(4).to_string()
}
