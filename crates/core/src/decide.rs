//! Commands become events here, or are rejected with a reason. Pure; what it returns is appended and folded.

use ox_protocol::{Command, Decision, Event, Outcome};

use crate::Turn;

/// Why a command has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// No turn runs; a prompt begins a task, which is not decided here.
    Idle,
    /// A turn runs and this has to wait for its end.
    Busy,
    /// No such request is open.
    NotAsked,
    /// The shell has to compute the facts of the amended call first.
    NeedsFacts,
}

/// What `command` means in this state.
pub fn decide(turn: &Turn, command: &Command) -> Result<Vec<Event>, Rejected> {
    match command {
        Command::Prompt { text, images, .. } if turn.is_running() => {
            Ok(vec![Event::Queued { text: text.clone(), images: images.clone() }])
        }
        Command::Prompt { .. } | Command::Continue => {
            Err(if turn.is_running() { Rejected::Busy } else { Rejected::Idle })
        }
        Command::Interrupt | Command::Close if turn.is_running() => Ok(vec![Event::Interrupted]),
        Command::Interrupt | Command::Close => Err(Rejected::Idle),
        Command::Retry => match turn.waits_until() {
            Some(at) => Ok(vec![Event::Woken { at }]),
            None => Err(Rejected::Idle),
        },
        Command::Decide { call, .. } if !turn.is_asking(call) => Err(Rejected::NotAsked),
        Command::Decide { decision: Decision::Amend { .. }, .. } => Err(Rejected::NeedsFacts),
        Command::Decide { call, decision } => {
            Ok(vec![Event::Approval { call: call.clone(), decision: decision.clone(), by: "user".to_string() }])
        }
        Command::Answer { call, .. } if !turn.is_questioning(call) => Err(Rejected::NotAsked),
        Command::Answer { call, text } => Ok(vec![
            Event::Answer { call: call.clone(), text: text.clone() },
            Event::ToolComplete {
                call: call.clone(),
                tool: "ask_user".to_string(),
                outcome: Outcome::ok(text.clone()),
            },
        ]),
        Command::Undo { .. } | Command::Redo | Command::Rewind { .. } | Command::Compact | Command::Clear => {
            Err(if turn.is_running() { Rejected::Busy } else { Rejected::Idle })
        }
        Command::SetMode { mode } => Ok(vec![Event::ModeSet { mode: *mode }]),
        Command::SetModel { model } => Ok(vec![Event::ModelSet { model: model.clone() }]),
    }
}
