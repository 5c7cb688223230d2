//! What the user can stop: a turn, or a command of their own.

use ox_protocol::{Command, Time};

use super::{Act, Armed, Block, Reaction, Screen};
use crate::text::{Line, Role};

impl Screen {
    /// A command of the user's own is on its way.
    pub fn begins_own(&mut self, command: &str, now: Time) {
        self.own = Some((command.to_owned(), now));
        self.interrupts = 0;
    }

    pub(super) fn own_ended(&mut self) {
        self.own = None;
        self.output.clear();
    }

    /// True while the model has not read all that the user said to the running turn.
    pub(super) fn has_queued(&self) -> bool {
        !self.view.unread.is_empty()
    }

    /// The last `count` of what the user took back, before what is being typed.
    pub fn returned(&mut self, count: u32) {
        let unread = &self.view.unread;
        let from = unread.len().saturating_sub(count as usize);
        let typed = self.composer.whole();
        let all: Vec<&str> = unread[from..].iter().chain([&typed]).map(String::as_str).collect();
        let text = all.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n");
        self.composer.set(&text);
    }

    /// True while there is something to stop.
    pub(super) fn is_at_work(&self) -> bool {
        self.view.busy || self.own.is_some()
    }

    /// Ctrl-C: clears what is typed, else stops the turn, else leaves when it comes twice.
    pub fn interrupt(&mut self) -> Reaction {
        let armed = self.armed.take();
        if self.is_asked() || self.is_at_work() && self.composer.is_empty() {
            self.interrupts = self.interrupts.saturating_add(1);
            if self.interrupts > 1 {
                return Reaction::act(Act::Leave);
            }
            return self.stopping();
        }
        if !self.composer.is_empty() {
            self.composer.clear();
            return Reaction::default();
        }
        if armed == Some(Armed::Leave) {
            return Reaction::act(Act::Leave);
        }
        self.armed = Some(Armed::Leave);
        let hint = || vec![Line::of(&self.look.say("repl.again_to_leave", &[]), Role::Dim)];
        Reaction { act: None, lines: if self.look.live { Vec::new() } else { hint() } }
    }

    /// Esc: stops the turn, and never leaves.
    pub(super) fn stop(&mut self) -> Reaction {
        self.interrupts = self.interrupts.max(1);
        Reaction { act: Some(Act::Send(Command::Interrupt)), lines: Vec::new() }
    }

    fn stopping(&mut self) -> Reaction {
        let mut lines = Vec::new();
        let note = vec![Line::of(&self.look.say("ui.press_again", &[]), Role::Warn)];
        self.put(&mut lines, Block::Lines, note);
        Reaction { act: Some(Act::Send(Command::Interrupt)), lines }
    }
}
