//! An event as a row of the log: JSON of the wire format, lifted from older versions when it is read.
//!
//! A row is never rewritten: lifting happens in memory, at each reading.

use ox_protocol::{Frame, VERSION};
use serde::Deserialize;
use serde_json::Value;

/// One step per format version: `STEPS[n]` turns an event of version `n + 1` into one of version `n + 2`.
///
/// 1 to 2: the steps of plans say how far they are instead of whether they are done, which `PlanStep` reads in both forms
/// wherever one stands.
const STEPS: &[fn(&mut Value)] = &[|_| {}];
const _: () = assert!(STEPS.len() + 1 == VERSION as usize, "each format version but the newest needs its step");

#[derive(Deserialize)]
struct Header {
    v: u32,
    event: String,
}

/// The row's JSON.
pub(crate) fn encode(frame: &Frame) -> String {
    serde_json::to_string(frame).expect("invariant: events have string keys and finite numbers")
}

/// The kind of an event: the wire name in its `event` field.
pub(crate) fn kind(json: &str) -> String {
    serde_json::from_str::<Header>(json).map(|it| it.event).unwrap_or_default()
}

/// Reads a row; an event of an unknown kind or shape is `Event::Unknown`. An error where it is no event at all.
pub(crate) fn decode(json: &str) -> Result<Frame, serde_json::Error> {
    let header: Header = serde_json::from_str(json)?;
    if header.v < VERSION { lifted(json, header.v) } else { serde_json::from_str(json) }
}

fn lifted(json: &str, from: u32) -> Result<Frame, serde_json::Error> {
    let mut value: Value = serde_json::from_str(json)?;
    for step in STEPS.iter().skip(from.saturating_sub(1) as usize) {
        step(&mut value);
    }
    serde_json::from_value(value)
}
