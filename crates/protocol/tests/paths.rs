//! The paths under which subscribers find what happens.

use ox_protocol::{CallId, ConversationId, Delta, DeltaKind, Event, MessageId, Problem, Stop, Usage};

#[test]
fn subscribers_have_eight_paths() {
    let delta = |kind| Delta {
        conversation: ConversationId::default(),
        kind,
        message_id: MessageId::default(),
        call: None,
        offset: 0,
        delta: String::new(),
    };
    let call = CallId("call_1_0".to_owned());
    let (id, text) = (ConversationId("a".to_owned()), String::new);
    let usage = Usage::default();
    let found = [
        Event::ConversationId { id, root: text(), ox: text(), from: None }.path(),
        delta(DeltaKind::Thinking).path(),
        delta(DeltaKind::Text).path(),
        Event::ToolStart { call: call.clone(), tool: text(), args: serde_json::Value::Null, iteration: 1 }.path(),
        Event::Lost { call }.path(),
        Event::TokenUsage { turn: usage, conversation: usage, cost: None, used: 1, window: 2 }.path(),
        Event::Error { problem: Problem::new("x") }.path(),
        Event::Completion { stop: Stop::Answered, exit_code: 0 }.path(),
    ];
    let names = "conversation_id thinking output tool/call tool/result token_usage error completion";
    let expected: Vec<String> = names.split(' ').map(|it| format!("/agent/edit/{it}")).collect();
    assert_eq!(found.to_vec(), expected);
}
