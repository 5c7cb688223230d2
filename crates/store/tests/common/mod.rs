//! Events to store, as short as the tests need them.
#![allow(dead_code)] // Each test binary uses some of them.

#[cfg(target_os = "linux")]
pub mod postgres;

use ox_protocol::{
    ConversationId, Event, Finish, Frame, Limits, MessageId, Mode, ModelFacts, Money, Rules, Seq, Stop, Time, Tokens,
    Usage, Verification, WantId,
};

pub fn frame(seq: u64, time: u64, event: Event) -> Frame {
    Frame::new(Seq(seq), Time(time), event)
}

pub fn first(id: &str, root: &str, time: u64) -> Frame {
    frame(
        1,
        time,
        Event::ConversationId { id: ConversationId(id.into()), root: root.into(), ox: "0.1.0".into(), from: None },
    )
}

pub fn turn(turn: u32, prompt: &str) -> Event {
    Event::TurnStart {
        turn,
        mode: Mode::Build,
        prompt: prompt.into(),
        images: vec![],
        continues: false,
        branch: None,
        rules: Rules::default(),
        limits: Limits::default(),
        model: ModelFacts::default(),
        fallbacks: Vec::new(),
        verification: Verification::Full,
        review: ox_protocol::ReviewPolicy::Off,
        checks: vec![],
        fixers: Vec::new(),
        router: None,
    }
}

/// A reply of 12 tokens that cost `cost` millionths of a dollar.
pub fn reply(text: &str, cost: u64) -> Event {
    Event::StreamComplete {
        want: WantId::default(),
        message_id: MessageId("m1".into()),
        text: text.into(),
        reasoning: vec![],
        images: Vec::new(),
        calls: vec![],
        finish: Finish::Stop,
        usage: Usage { input: Tokens(10), output: Tokens(2), ..Usage::default() },
        cost: Some(Money(cost)),
        order: Vec::new(),
        total_length: text.len() as u64,
        duration_ms: 5,
    }
}

pub fn completion(stop: Stop) -> Event {
    Event::Completion { stop, exit_code: stop.exit_code() }
}
