//! The stored conversations as a list to choose from shows them, and what going back in one of them would change.
//!
//! Promise: nothing is changed here.

use ox_protocol::{ConversationId, Event, Frame, Problem, Stop, Summary};
use ox_repo::{UndoOutcome, UndoPreview};
use ox_store::{Info, Log};

use super::stored::Conversations;
use crate::project::Project;

/// Turns that are looked at for the last words.
const TURNS: usize = 5;

/// A conversation that can be gone on with.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// What the store knows of it.
    pub info: Info,
    /// The last prompt.
    pub prompt: String,
    /// The branch that was checked out when its last turn began; empty where there was none.
    pub branch: String,
    /// What was said last: the end of the last turn in the model's words, or of the last one that came to any.
    pub reply: String,
}

impl Project {
    /// The conversations of this project, the most recently used first.
    pub fn listed_conversations(&self, limit: usize) -> Result<Vec<Listed>, Problem> {
        let log = self.store()?;
        let infos = Conversations::of(log.clone()).list(Some(&self.root_name()), limit)?;
        Ok(infos.into_iter().map(|info| Listed::of(log.as_ref(), info)).collect())
    }

    /// What going back to before a turn would change in the files; none where nothing would be.
    pub fn would_rewind(&self, conversation: &ConversationId, turn: u32) -> Result<Option<UndoPreview>, Problem> {
        Ok(match self.recorded_states()?.would_rewind(conversation, turn)? {
            UndoOutcome::Asks(preview) => Some(*preview),
            UndoOutcome::Nothing | UndoOutcome::Done(_) => None,
        })
    }

    /// A new conversation that is another one up to before `turn`; none where that is its beginning.
    pub fn fork_before(&self, conversation: &ConversationId, turn: u32) -> Result<Option<Info>, Problem> {
        match turn.checked_sub(1).filter(|it| *it > 0) {
            Some(last) => Conversations::of(self.store()?).fork(&conversation.0, Some(last)).map(Some),
            None => Ok(None),
        }
    }
}

impl Listed {
    /// What is said of a conversation beside what the store knows of it.
    pub fn of(log: &dyn Log, info: Info) -> Listed {
        let frames = log.recent_turns(&info.id, TURNS).map(|it| it.frames).unwrap_or_default();
        let last = |pick: fn(&Frame) -> Option<String>| frames.iter().rev().find_map(pick).unwrap_or_default();
        let prompt = last(|it| match &it.event {
            Event::TurnStart { prompt, .. } if !prompt.trim().is_empty() => Some(prompt.clone()),
            _ => None,
        });
        let reply = last(|it| match &it.event {
            Event::Summary { summary: Summary { text, .. } } | Event::StreamComplete { text, .. } => {
                Some(text.clone()).filter(|it| !it.trim().is_empty())
            }
            _ => None,
        });
        let branch = last(|it| match &it.event {
            Event::TurnStart { branch, .. } => branch.clone(),
            _ => None,
        });
        Listed { branch, prompt: if prompt.is_empty() { info.prompt.clone() } else { prompt }, reply, info }
    }

    /// True where the last turn did not end as it should.
    pub fn failed(&self) -> bool {
        self.info.stop.is_some_and(|it| it.exit_code() != 0 && !matches!(it, Stop::Interrupted))
    }
}
