//! How a cassette looks: a text in sections, which a person can read and change.
//!
//! The first line is `ox-cassette 2`, then comes a head in JSON. A line `-- name --` begins a section, and every line up to
//! the next one belongs to it, word for word; a line that only looks like one is written with a backslash before it.
//! `-- request N --` begins an entry: `keeps` messages `of` request M, then the new ones (`user`, `assistant`, `tool`, and
//! `text`, `call`, `result`, `reasoning`, `image` where a message has several parts). `-- reply --` or `-- failure --`
//! begins the answer. A section whose name ends in `json` holds its text as a JSON string, since it has characters that
//! an editor may change. `pieces` are the lengths in bytes in which text and thinking arrived; where they do not add up,
//! because somebody changed the text, it is cut anew.

mod read;
mod write;

use ox_protocol::{Finish, ToolChoice, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(super) use read::read;
pub(super) use write::{Writer, head};

/// The word with which the first line begins.
pub(super) const MARK: &str = "ox-cassette";

/// The first lines of a request.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct RequestHead {
    /// How many messages are those of another request.
    #[serde(skip_serializing_if = "is_zero")]
    keeps: usize,
    /// Which one.
    #[serde(skip_serializing_if = "is_zero")]
    of: usize,
    choice: ToolChoice,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<Value>,
}

/// The first lines of a reply.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct ReplyHead {
    finish: Finish,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    /// The model, where it is not that of the head.
    #[serde(skip_serializing_if = "String::is_empty")]
    model: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pieces: Vec<Run>,
}

/// Pieces of one kind that arrived one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Run {
    Text(Vec<usize>),
    Thinking(Vec<usize>),
}

#[allow(clippy::trivially_copy_pass_by_ref)] // Serde hands out references.
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The name of a section, where the line is the first of one.
fn name(line: &str) -> Option<&str> {
    line.strip_prefix("-- ")?.strip_suffix(" --")
}

/// True for a line that is, or would be without its backslashes, the first of a section.
fn looks_like_name(line: &str) -> bool {
    name(line.trim_start_matches('\\')).is_some()
}

#[cfg(test)]
mod tests;
