//! Runs a scenario file at one speed.

use std::path::Path;

use ox_protocol::ToolFormat;

use crate::compare::compare;
use crate::error::ScenarioError;
use crate::knobs::{Knobs, Speed};
use crate::speed::agent::{self, Outside};
use crate::speed::{core, http};
use crate::text::Doc;

/// Runs the file at `path`; with `rewrite` what Ox did at agent speed is written back into it. False where the file
/// says that the speed makes no sense for it.
pub fn run_file(path: &Path, speed: Speed, rewrite: bool) -> Result<bool, ScenarioError> {
    let text = std::fs::read_to_string(path)?;
    let doc = Doc::parse(&text);
    let knobs = Knobs::of(&doc)?;
    // A model without native tools is served by the server that refuses them, and by no other.
    let native = Speed::WIRE.contains(&speed) && speed != Speed::Xml;
    if !knobs.speeds.contains(&speed) || native && knobs.facts.tools == ToolFormat::Xml {
        return Ok(false);
    }
    if let Some(missing) = knobs.needs.iter().find(|it| ox_sandbox::on_path(it).is_none()) {
        return match std::env::var("CI").is_ok_and(|it| it == "true") {
            true => Err(ScenarioError::Story(format!("`{missing}`, which it needs, is not installed"))),
            false => Ok(false),
        };
    }
    let happened = match speed {
        Speed::Core => core::run(&doc, &knobs)?,
        Speed::Agent => agent::run(&doc, &knobs, &Outside::default())?.0,
        _ => http::run(&doc, &knobs, speed)?,
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

/// Tells the log of the file's run at agent speed as a scenario again, and holds that against the fold.
pub fn retell_file(path: &Path) -> Result<(), ScenarioError> {
    let doc = Doc::parse(&std::fs::read_to_string(path)?);
    let (_, frames) = agent::run(&doc, &Knobs::of(&doc)?, &Outside::default())?;
    let reported = Doc::parse(&crate::from_log::from_log(&frames));
    let happened = core::run(&reported, &Knobs::of(&reported)?)?;
    compare(&reported, &happened, Speed::Core)
}
