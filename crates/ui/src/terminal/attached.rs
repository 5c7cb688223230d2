//! A session of another process, shown here too.
//!
//! Promise: leaving does not end the session. What either side answers first counts.

use std::sync::Arc;

use ox_app::Project;
use ox_client::Client;
use ox_client::view::{Entry, EntryKind, View};

use super::console::{Console, Ended};
use super::options::TerminalOptions;
use crate::UiError;
use crate::composer::SIGN;
use crate::markdown;
use crate::text::{Line, Role, each};

/// Entries of a long conversation that are shown of what happened before.
const EARLIER: usize = 20;

/// Shows the session until the user leaves or it ends. `view`: how it stands now.
pub async fn run_attached(
    client: Client,
    view: &View,
    options: &TerminalOptions,
    project: Arc<Project>,
) -> Result<(), UiError> {
    let mut console = Console::new(client, options, project)?;
    console.attached = true;
    console.say("attach.joined", &[("id", &view.conversation.0), ("root", &view.root)], Role::Dim)?;
    let key = if console.run().await? == Ended::Left { "attach.left" } else { "attach.over" };
    console.end(key, &[])
}

impl Console {
    /// The last words after the terminal was given back.
    pub(super) fn end(&mut self, key: &str, args: &[(&str, &str)]) -> Result<(), UiError> {
        let line = Line::of(&self.screen.look.say(key, args), Role::Dim);
        self.show(&[line])
    }

    /// What a long conversation has said last.
    pub(super) fn earlier(&self, view: &View) -> Vec<Line> {
        let width = self.screen.look.width;
        let said = |entry: &Entry| match &entry.kind {
            EntryKind::Prompt { text, .. } | EntryKind::Steering { text, .. } if !text.is_empty() => {
                each(&format!("{SIGN}{text}"), Role::Strong)
            }
            EntryKind::Reply { text, .. } if !text.trim().is_empty() => markdown::lines(text, width),
            EntryKind::Call(call) => each(&format!("  {}", call.tool), Role::Dim),
            _ => Vec::new(),
        };
        let from = view.entries.len().saturating_sub(EARLIER);
        view.entries[from..].iter().flat_map(said).collect()
    }
}
