//! The position of reasoning among the text and the calls of a reply, so that it can go back there.
//!
//! A reply keeps its text in one piece and its calls in one list; each piece of reasoning notes how many bytes of text and
//! how many calls came before it.

use serde_json::{Value, json};

/// Notes the position in what is kept of a piece of reasoning.
pub(crate) fn note_position(kept: &mut Value, text_before: usize, calls_before: usize) {
    kept["text_before"] = json!(text_before);
    kept["calls_before"] = json!(calls_before);
}

/// The noted position: bytes of text, calls.
pub(crate) fn position(kept: &Value) -> (usize, usize) {
    let count = |key: &str| kept.get(key).and_then(Value::as_u64).unwrap_or_default() as usize;
    (count("text_before"), count("calls_before"))
}

/// Text, calls and reasoning in the order in which the model gave them; text is worded by `say`, blank text left out.
pub(crate) fn interleave(
    text: &str,
    mut calls: Vec<Value>,
    reasoning: Vec<((usize, usize), Value)>,
    say: impl Fn(&str) -> Value,
) -> Vec<Value> {
    let mut out = Vec::new();
    let (mut said, mut called) = (0, 0);
    for ((text_before, calls_before), block) in reasoning {
        let until = text_before.clamp(said, text.len());
        if text.is_char_boundary(until) && !text[said..until].trim().is_empty() {
            out.push(say(&text[said..until]));
            said = until;
        }
        let until = calls_before.clamp(called, calls.len());
        out.extend(calls[called..until].iter().cloned());
        called = until;
        out.push(block);
    }
    if !text[said..].trim().is_empty() {
        out.push(say(&text[said..]));
    }
    out.extend(calls.drain(called..));
    out
}
