//! One end of a session: send commands, receive updates.
//!
//! Promise: updates arrive in the order in which the agent sent them, and `next` returns `None` once the session has
//! ended and everything it said was received. A client never blocks the agent, never drops an update and never reads
//! the log; a command to a session that has ended is dropped, because `next` already tells of the end.

use ox_protocol::{Command, Delta, Frame};
use tokio::sync::mpsc;

/// What a session says.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // Updates are handed on one by one; a box would be an allocation for each.
pub enum Update {
    /// A recorded event.
    Frame(Frame),
    /// Streaming text, shown and never stored.
    Delta(Delta),
}

/// The interface's end of a session. Dropping it tells the agent that nobody listens any more.
#[derive(Debug)]
pub struct Client {
    commands: mpsc::UnboundedSender<Command>,
    updates: mpsc::UnboundedReceiver<Update>,
}

/// The agent's end of a session. `commands` ends when the client is gone; dropping `updates` ends the session.
#[derive(Debug)]
pub struct AgentSide {
    /// What the interface asks, in order.
    pub commands: mpsc::UnboundedReceiver<Command>,
    /// What the interface is told, in order.
    pub updates: mpsc::UnboundedSender<Update>,
}

/// The two ends of a new session in one process.
pub fn pair() -> (Client, AgentSide) {
    let (to_agent, commands) = mpsc::unbounded_channel();
    let (to_client, updates) = mpsc::unbounded_channel();
    (Client { commands: to_agent, updates }, AgentSide { commands, updates: to_client })
}

impl Client {
    /// Sends a command. It is dropped when the session has ended.
    pub fn send(&self, command: Command) {
        // An error means that the agent is gone; `next` reports that to whoever waits.
        let _ = self.commands.send(command);
    }

    /// Sends commands from elsewhere. The session lasts as long as this does, too.
    pub fn sender(&self) -> impl Fn(Command) + Send + Sync + 'static {
        let commands = self.commands.clone();
        move |command| drop(commands.send(command))
    }

    /// A prompt without images and without a change of mode.
    pub fn prompt(&self, text: impl Into<String>) {
        self.send(Command::Prompt { text: text.into(), images: Vec::new(), mode: None });
    }

    /// The next update; `None` when the session has ended. Safe to cancel: no update is lost.
    pub async fn next(&mut self) -> Option<Update> {
        self.updates.recv().await
    }

    /// An update that has already arrived, without waiting.
    pub fn ready(&mut self) -> Option<Update> {
        self.updates.try_recv().ok()
    }
}

impl AgentSide {
    /// Tells the client of a recorded event. False when nobody listens any more.
    pub fn frame(&self, frame: Frame) -> bool {
        self.updates.send(Update::Frame(frame)).is_ok()
    }

    /// Shows a piece of streaming text. False when nobody listens any more.
    pub fn delta(&self, delta: Delta) -> bool {
        self.updates.send(Update::Delta(delta)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use ox_protocol::{Event, Frame, Seq, Time, VERSION};

    use super::*;

    fn frame(seq: u64) -> Frame {
        Frame { v: VERSION, seq: Seq(seq), time: Time(seq), event: Event::Interrupted }
    }

    #[tokio::test]
    async fn updates_arrive_in_order_and_the_end_comes_after_them() {
        let (mut client, agent) = pair();
        assert!(agent.frame(frame(1)) && agent.frame(frame(2)));
        drop(agent);
        assert_eq!(client.next().await, Some(Update::Frame(frame(1))));
        assert_eq!(client.ready(), Some(Update::Frame(frame(2))));
        assert_eq!(client.ready(), None);
        assert_eq!(client.next().await, None);
    }

    #[tokio::test]
    async fn commands_reach_the_agent_until_the_client_is_gone() {
        let (client, mut agent) = pair();
        client.send(Command::Interrupt);
        client.prompt("hi");
        drop(client);
        assert_eq!(agent.commands.recv().await, Some(Command::Interrupt));
        assert!(matches!(agent.commands.recv().await, Some(Command::Prompt { text, .. }) if text == "hi"));
        assert_eq!(agent.commands.recv().await, None);
        assert!(!agent.frame(frame(1)));
    }

    #[tokio::test]
    async fn a_command_to_an_ended_session_is_dropped_quietly() {
        let (mut client, agent) = pair();
        drop(agent);
        client.send(Command::Close);
        assert_eq!(client.next().await, None);
    }
}
