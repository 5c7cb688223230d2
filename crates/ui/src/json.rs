//! JSON lines: every frame and every delta as one object a line, for programs.
//!
//! Promise: standard output carries nothing else, each line is flushed when it is complete, and no line holds a raw
//! line break. When the reader goes away the session is closed.

use std::io::Write;

use ox_client::{Client, Update};
use ox_protocol::Stop;

use crate::session::{Next, follow};

/// Prints the session until its turn is complete. `None` when it ended without a completion.
pub async fn run_json(client: &mut Client) -> Option<Stop> {
    let mut out = std::io::stdout();
    follow(client, |update| match write(&mut out, update) {
        Ok(()) => Next::Go,
        Err(_) => Next::Leave,
    })
    .await
}

/// Writes one update as a line.
pub fn write(out: &mut impl Write, update: &Update) -> std::io::Result<()> {
    let mut line = match update {
        Update::Frame(frame) => serde_json::to_vec(frame)?,
        Update::Delta(delta) => serde_json::to_vec(delta)?,
    };
    line.push(b'\n');
    out.write_all(&line)?;
    out.flush()
}
