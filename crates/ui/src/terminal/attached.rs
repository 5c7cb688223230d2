//! A session of another process, shown here too: what happened, what goes on, and a line to type between turns as well.
//!
//! Promise: leaving does not end the session. What either side answers first counts.

use std::sync::Arc;

use crossterm::event::{Event as Input, KeyCode, KeyModifiers};
use ox_app::Project;
use ox_client::view::{Entry, EntryKind, View};
use ox_client::{Client, Control, Update};
use ox_protocol::Command;

use super::keys::Keys;
use super::raw::Raw;
use super::{Console, TICK, TerminalOptions, now, size};
use crate::UiError;
use crate::commands::{self, Typed};
use crate::markdown;
use crate::screen::{Act, SIGN};
use crate::signals::Signals;
use crate::text::{Line, Role, each};

/// Entries of a long conversation that are shown of what happened before.
const EARLIER: usize = 20;

/// Shows the session until the user leaves or it ends. `view`: how it stands now.
pub async fn run_attached(
    client: &mut Client,
    view: &View,
    options: &TerminalOptions,
    project: Arc<Project>,
) -> Result<(), UiError> {
    let mut console = Console::new(options, project);
    console.screen.attached = true;
    let args = [("id", view.conversation.0.as_str()), ("root", view.root.as_str())];
    console.print(&[Line::of(&console.screen.look.say("attach.joined", &args), Role::Dim)])?;
    console.screen.look.echo = true;
    let raw = Raw::enter(console.moves)?;
    let mut keys = Keys::read();
    let left = console.attached(client, &raw, &mut keys).await;
    console.painter.close(size().0)?;
    keys.finish().clear();
    drop(raw);
    let key = if left? { "attach.left" } else { "attach.over" };
    console.print(&[Line::of(&console.screen.look.say(key, &[]), Role::Dim)])
}

impl Console {
    /// True where the user left, false where the session ended.
    async fn attached(&mut self, client: &mut Client, raw: &Raw, keys: &mut Keys) -> Result<bool, UiError> {
        let mut signals = Signals::watch();
        let mut tick = tokio::time::interval(TICK);
        loop {
            let (mut lines, mut act) = (Vec::new(), None);
            tokio::select! {
                update = client.next() => match update {
                    Some(update) => self.all(client, update, &mut lines),
                    None => return Ok(false),
                },
                event = keys.next() => match event {
                    Some(event) if self.ends(&event) => return Ok(true),
                    Some(event) => act = self.input(event, &mut lines),
                    None => return Ok(true),
                },
                _ = signals.next() => return Ok(true),
                _ = tick.tick() => {
                    raw.keep()?;
                    let reaction = self.screen.tick(now());
                    (lines, act) = (reaction.lines, reaction.act);
                }
            }
            match act {
                Some(Act::Leave) => return Ok(true),
                Some(Act::Send(command)) => drop(client.send(command)),
                Some(Act::Typed(text)) if self.said(client, &text, &mut lines) => return Ok(true),
                Some(Act::Typed(_)) | None => {}
            }
            self.draw(&lines)?;
        }
    }

    /// Ctrl-D on an empty line.
    fn ends(&self, event: &Input) -> bool {
        let Input::Key(key) = event else { return false };
        key.code == KeyCode::Char('d')
            && key.modifiers.contains(KeyModifiers::CONTROL)
            && self.screen.typing().is_none_or(|it| it.is_empty())
    }

    /// Takes in an update and those that have arrived behind it.
    fn all(&mut self, client: &mut Client, first: Update, lines: &mut Vec<Line>) {
        let mut next = Some(first);
        while let Some(update) = next {
            if let Update::Control(Control::Snapshot { view }) = &update {
                lines.extend(self.earlier(view));
            }
            lines.extend(self.screen.update(&update));
            next = if lines.len() < super::BATCH { client.ready() } else { None };
        }
    }

    /// What a long conversation has said last.
    fn earlier(&self, view: &View) -> Vec<Line> {
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

    /// A line that was typed. True when it asks to leave.
    fn said(&mut self, client: &mut Client, text: &str, lines: &mut Vec<Line>) -> bool {
        let command = match commands::parse(text) {
            Typed::Continue => Command::Continue,
            Typed::Undo(over) => Command::Undo { over },
            Typed::Redo => Command::Redo,
            Typed::Compact => Command::Compact,
            _ => return self.typed(client, text, lines),
        };
        client.send(command);
        false
    }
}
