//! The terminal: a `Screen` drawn as a session goes on, and the keyboard.
//!
//! Promise: the terminal is given back as it was found. Everything typed is the user's: it answers what is asked, steers a
//! turn that runs, or begins the next. While nothing goes on nothing wakes the process.

mod attached;
mod choose;
mod clipboard;
mod console;
mod entered;
mod fullscreen;
mod handover;
mod inside;
mod keys;
mod looked;
mod notify;
mod options;
mod own;
mod painter;
mod picked;
mod probe;
mod raw;
mod review;
mod status_line;
mod surface;
mod taken;

use std::sync::Arc;

use ox_app::Project;
use ox_client::Client;
use ox_protocol::Command;

use crate::UiError;
pub use attached::run_attached;
pub use choose::{Choice, choose_answer, choose_conversation};
use console::{Console, Ended};
pub use options::{OwnCommand, Start, TerminalOptions};
pub(crate) use options::{now, size};
pub(crate) use painter::Painter;

/// Talks with the user until they leave. False when the session ended by itself.
pub async fn converse(
    client: Client,
    start: Start,
    options: &TerminalOptions,
    project: Arc<Project>,
) -> Result<bool, UiError> {
    let mut console = Console::new(client, options, project)?;
    console.greet(&start, &options.version)?;
    console.recap(start.model)?;
    if let Some(first) = start.first {
        console.client.send(first);
        console.screen.begins(now());
    }
    let ended = console.run().await?;
    let view = &console.screen.view;
    let id = view.conversation.0.clone();
    match ended {
        Ended::Gone => console.end("ui.session_ended", &[])?,
        Ended::Left if !view.turns.is_empty() => console.end("ui.resume_with", &[("id", &id)])?,
        Ended::Left => {}
    }
    console.client.send(Command::Close);
    Ok(ended == Ended::Left)
}
