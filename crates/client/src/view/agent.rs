//! Sub-agents in a view: what each is at, and what it asks.

use ox_protocol::{ConversationId, Event, Frame};

use super::View;
use super::entry::RunningAgent;

impl View {
    /// True where a frame or a piece of text belongs to a sub-agent of this conversation.
    pub fn is_of_agent(&self, conversation: &ConversationId) -> bool {
        !self.conversation.is_empty() && !conversation.is_empty() && *conversation != self.conversation
    }

    /// The sub-agent that works in this conversation.
    pub fn agent_of(&self, conversation: &ConversationId) -> Option<&RunningAgent> {
        self.agents.iter().find(|it| it.conversation == *conversation)
    }

    pub(super) fn agent(&mut self, event: &Event) {
        match event {
            Event::AgentStart(start) => self.agents.push(RunningAgent {
                conversation: start.conversation.clone(),
                call: start.call.clone(),
                kind: start.request.kind.clone(),
                iteration: (0, start.limits.iterations),
                tool: String::new(),
            }),
            Event::AgentEnd(end) => {
                // What it used holds what its own sub-agents used.
                if end.conversation.parent().as_ref() == Some(&self.conversation) {
                    self.account.add_agent(end.usage, end.cost, end.iterations);
                }
                self.agents.retain(|it| it.conversation != end.conversation);
            }
            _ => {}
        }
    }

    /// What happens in a sub-agent: how far it is, and what it asks.
    pub(super) fn agent_frame(&mut self, frame: &Frame) {
        let kind = self.agent_of(&frame.conversation).map(|it| it.kind.clone());
        match &frame.event {
            Event::ApprovalRequest { .. } | Event::Question { .. } => {
                self.ask(&frame.event, kind.or(Some(String::new())))
            }
            Event::Approval { call, .. } | Event::Answer { call, .. } => self.settled(call),
            Event::Amended { call } => self.settled(&call.id),
            Event::ToolComplete { call, .. } => self.asked.retain(|asked| asked.call() != call),
            Event::Completion { .. } => {
                let prefix = frame.conversation.call_prefix();
                self.asked.retain(|asked| !asked.call().0.starts_with(&prefix));
            }
            // One of its own sub-agents.
            Event::AgentStart(..) | Event::AgentEnd(..) => self.agent(&frame.event),
            _ => {}
        }
        let Some(agent) = self.agents.iter_mut().find(|it| it.conversation == frame.conversation) else { return };
        match &frame.event {
            Event::IterationStart { iteration, total, .. } => agent.iteration = (*iteration, *total),
            Event::ToolStart { tool, .. } => agent.tool.clone_from(tool),
            _ => {}
        }
    }
}
