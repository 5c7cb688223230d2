//! A stored conversation's traffic with its models, as its log has it: each request as it was sent, and what came of it.
//!
//! Nothing is asked anew. What the log does not have, the pieces in which an answer arrived, is left to the cassette.

use std::collections::BTreeMap;

use ox_context::Transcript;
use ox_core::{Conversation, Want};
use ox_model::{RawCall, Reply, Request};
use ox_protocol::{Call, Event, Failure, Frame, Mode, ModelFacts, Rules, ToolChoice, WantId};

use crate::turn::model;

/// A request, and its reply or its failure.
pub type Exchange = (Request, Result<Reply, Failure>);

/// What a log has of the models that were asked.
#[derive(Debug, Default)]
pub struct Traffic {
    /// The first model; none where no turn began.
    pub model: Option<ModelFacts>,
    /// The mode and the policy of the first turn.
    pub turn: Option<(Mode, Rules)>,
    /// Requests in the order in which they were answered.
    pub exchanges: Vec<Exchange>,
    /// Somebody interrupted the run while the last of them was answered or carried out. What came after that depends on
    /// the moment, and is left out.
    pub interrupted: bool,
}

/// The traffic of a whole log.
pub fn traffic(frames: &[Frame]) -> Traffic {
    let mut traffic = Traffic::default();
    let mut conversation = Conversation::default();
    let mut facts: Option<ModelFacts> = None;
    // When each request was wanted: how many frames there were, and what the model had to do about tools.
    let mut wanted: BTreeMap<WantId, (usize, ToolChoice)> = BTreeMap::new();
    for (at, frame) in frames.iter().enumerate() {
        let done = match &frame.event {
            Event::TurnStart { model, mode, rules, .. } => {
                facts = Some(model.clone());
                traffic.model.get_or_insert_with(|| model.clone());
                traffic.turn.get_or_insert_with(|| (*mode, rules.clone()));
                None
            }
            Event::StreamComplete { want, .. } => Some((*want, Ok(reply(&frame.event)))),
            Event::ModelFailed { want, failure, .. } => Some((*want, Err(failure.clone()))),
            Event::Interrupted if conversation.is_running() => {
                traffic.interrupted = true;
                let model = |it| if let Want::Model { id, .. } = it { Some(id) } else { None };
                conversation.wants().into_iter().find_map(model).map(|it| (it, Ok(Reply::default())))
            }
            _ => None,
        };
        if let (Some((want, done)), Some(facts)) = (done, &facts)
            && let Some((known, choice)) = wanted.remove(&want)
        {
            traffic.exchanges.push((model::request(&Transcript::of(&frames[..known]), choice, facts), done));
        }
        if traffic.interrupted {
            break;
        }
        conversation.apply(frame);
        for want in conversation.wants() {
            if let Want::Model { id, choice, .. } = want {
                wanted.entry(id).or_insert((at + 1, choice));
            }
        }
    }
    traffic
}

/// The reply that an event holds.
fn reply(event: &Event) -> Reply {
    let Event::StreamComplete { text, reasoning, images, calls, finish, usage, .. } = event else {
        return Reply::default();
    };
    Reply {
        text: text.clone(),
        reasoning: reasoning.clone(),
        images: images.clone(),
        calls: calls.iter().map(raw).collect(),
        finish: finish.clone(),
        usage: Some(*usage),
    }
}

/// The call as the model wrote it.
fn raw(call: &Call) -> RawCall {
    let (name, args) = match &call.as_written {
        Some(it) => (&it.tool, &it.args),
        None => (&call.tool, &call.args),
    };
    // Arguments that were no JSON are kept as a text.
    let unparsed = args.as_object().filter(|it| it.len() == 1).and_then(|it| it.get("unparsed")?.as_str());
    RawCall { name: name.clone(), args: unparsed.map_or_else(|| args.to_string(), str::to_string) }
}
