//! The sub-agents of a session that run now: what they are begun with, and how they are reached.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ox_config::Settings;
use ox_protocol::{Command, CommandId, ConversationId, Decision, Submission};
use tokio::sync::mpsc::UnboundedSender;

/// What the sub-agents of a session are begun with, and how those that run are reached.
#[derive(Default)]
pub(crate) struct SubAgents {
    pub settings: Settings,
    pub state: PathBuf,
    pub headless: bool,
    /// Held by the one that brings its copy back; the last turn in which one did.
    pub merging: tokio::sync::Mutex<Option<u32>>,
    running: Mutex<Vec<(ConversationId, UnboundedSender<Submission>)>>,
}

impl SubAgents {
    pub fn new(settings: &Settings, state: &Path, headless: bool) -> SubAgents {
        SubAgents { settings: settings.clone(), state: state.to_owned(), headless, ..SubAgents::default() }
    }

    fn running(&self) -> MutexGuard<'_, Vec<(ConversationId, UnboundedSender<Submission>)>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on answers for this conversation go to `inbox`.
    pub fn begin(&self, id: ConversationId, inbox: UnboundedSender<Submission>) {
        self.running().push((id, inbox));
    }

    /// It has ended.
    pub fn end(&self, id: &ConversationId) {
        self.running().retain(|(it, _)| it != id);
    }

    /// Hands an answer to the sub-agent that asked; gives back what is for the conversation itself, whose turn ends with a
    /// sub-agent's where the answer says so.
    pub fn route(&self, submission: Submission) -> Option<Submission> {
        let (Command::Decide { call, .. } | Command::Answer { call, .. }) = &submission.command else {
            return Some(submission);
        };
        let running = self.running();
        let Some((_, inbox)) = running.iter().find(|(id, _)| call.0.starts_with(&id.call_prefix())) else {
            return Some(submission);
        };
        let ends = matches!(submission.command, Command::Decide { decision: Decision::Deny { stop: true, .. }, .. });
        let stop = ends.then(|| Submission { id: submission.id.clone(), command: Command::Interrupt });
        // One that has just ended waits for no answer.
        let _ = inbox.send(submission);
        stop
    }

    /// Those that run ask when the conversation asks.
    pub fn follow(&self, submission: &Submission) {
        if let Command::SetApproval { .. } = submission.command {
            self.running().iter().for_each(|(_, inbox)| drop(inbox.send(submission.clone())));
        }
    }

    /// Stops all that run.
    pub fn interrupt(&self) {
        for (id, inbox) in self.running().iter() {
            let id = CommandId(format!("interrupt-{id}"));
            let _ = inbox.send(Submission { id, command: Command::Interrupt });
        }
    }
}
