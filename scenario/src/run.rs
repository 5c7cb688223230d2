//! Runs a scenario file at one speed.

use std::path::Path;

use crate::compare::compare;
use crate::knobs::{Knobs, Speed};
use crate::speed::{agent, core};
use crate::text::Doc;
use crate::ScenarioError;

/// Runs the file at `path`; with `rewrite` what Ox did at agent speed is written back into it. False where the file
/// says that the speed makes no sense for it.
pub fn run_file(path: &Path, speed: Speed, rewrite: bool) -> Result<bool, ScenarioError> {
    let text = std::fs::read_to_string(path)?;
    let doc = Doc::parse(&text);
    let knobs = Knobs::of(&doc)?;
    if !knobs.speeds.contains(&speed) {
        return Ok(false);
    }
    let happened = match speed {
        Speed::Core => core::run(&doc, &knobs)?,
        Speed::Agent => agent::run(&doc, &knobs, None)?,
        Speed::OpenAi | Speed::Anthropic | Speed::Xml => return Ok(false),
    };
    if rewrite && speed == Speed::Agent {
        let new = happened.to_string();
        if new != text {
            std::fs::write(path, new)?;
        }
        return Ok(true);
    }
    compare(&doc, &happened, speed)?;
    Ok(true)
}
