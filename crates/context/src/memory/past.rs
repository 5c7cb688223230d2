//! A conversation's turns as they look from later: what was asked, what came of it, which files.
//!
//! A turn and those that continued it are one. It reads the whole log or only its outline; what the outline lacks stays
//! empty.

use ox_protocol::{
    CheckLine, CommandId, ConversationId, Event, FileChange, Frame, IntentClass, Mode, Plan, Seq, Stop, Time,
};

/// A turn of the past.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// Whose turn it was.
    pub conversation: ConversationId,
    /// 1-based number in the conversation.
    pub turn: u32,
    /// The event that began it.
    pub begun: Seq,
    /// The last event of it that was read.
    pub ended: Seq,
    /// When it began.
    pub time: Time,
    /// What it might do.
    pub mode: Mode,
    /// What the user asked.
    pub instruction: String,
    /// The model's last words; empty where it said none.
    pub summary: String,
    /// Files that it changed, without their diffs.
    pub files: Vec<FileChange>,
    /// The plan that it made or worked by.
    pub plan: Option<Plan>,
    /// The last checks.
    pub checks: Vec<CheckLine>,
    /// Pictures that came with it, by name.
    pub images: Vec<String>,
    /// Ox itself asked.
    pub of_ox: bool,
    /// What was asked for, where somebody decided that.
    pub intent: Option<IntentClass>,
    /// How it ended; none where that was not read or it was cut off.
    pub stop: Option<Stop>,
}

/// The turns of `id` that these frames tell of, oldest first.
pub fn turns<'a>(id: &ConversationId, frames: impl IntoIterator<Item = &'a Frame>) -> Vec<Past> {
    let mut all: Vec<Past> = Vec::new();
    for frame in frames {
        if let Event::TurnStart { turn, mode, prompt, images, continues, .. } = &frame.event
            && (!*continues || all.is_empty())
        {
            all.push(Past {
                conversation: id.clone(),
                turn: *turn,
                begun: frame.seq,
                time: frame.time,
                mode: *mode,
                instruction: prompt.trim().to_owned(),
                images: images.iter().map(|it| it.name.clone()).collect(),
                of_ox: frame.command.as_ref().is_some_and(CommandId::is_of_ox),
                ..Past::default()
            });
        }
        if let Some(past) = all.last_mut() {
            past.ended = frame.seq;
            past.take(&frame.event);
        }
    }
    all
}

impl Past {
    /// True for what another conversation should know of: a task of the user's that changed something, or that was more
    /// than small talk and came to an answer.
    pub fn is_worth_telling(&self) -> bool {
        let answered = self.stop.is_some_and(|it| matches!(it.exit_code(), 0 | 3)) && !self.summary.is_empty();
        let is_talk = self.intent == Some(IntentClass::Conversation);
        !self.of_ox && (!self.files.is_empty() || answered && !is_talk)
    }

    fn take(&mut self, event: &Event) {
        match event {
            // Taken up again: what ended it does no longer count.
            Event::TurnStart { .. } => self.stop = None,
            Event::Intent { decision } => self.intent = decision.intent.as_ref().map(|it| it.class),
            Event::Plan { plan } => self.plan = Some(plan.clone()),
            Event::StreamComplete { text, .. } if !text.trim().is_empty() => text.trim().clone_into(&mut self.summary),
            Event::Summary { summary } => {
                if !summary.text.trim().is_empty() {
                    summary.text.trim().clone_into(&mut self.summary);
                }
                self.files.clone_from(&summary.files);
                self.checks.clone_from(&summary.checks);
            }
            Event::Completion { stop, .. } => self.stop = Some(*stop),
            _ => {}
        }
    }
}
