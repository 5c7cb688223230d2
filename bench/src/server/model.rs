//! The model: it works in rounds or tells a long story, as the prompt says, and notes when it sent what is looked for.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use ox_scenario::wire::server::{Answer, Serving, serve};
use serde_json::{Value, json};

use super::client::Message;
use crate::agent_loop::script;

/// Silence before each of the two pieces of a reply that works.
const SILENCE: Duration = Duration::from_millis(100);
/// Lines in one piece of a long reply.
const LINES: usize = 1;

/// The running model.
pub struct Model {
    pub serving: Serving,
    sent: Arc<Mutex<HashMap<String, Instant>>>,
}

/// A prompt that is answered with so many rounds: a word, a read of a file.
pub fn work(rounds: usize) -> String {
    format!("work {rounds}")
}

/// A prompt that is answered with so many lines.
pub fn tell(lines: usize) -> String {
    format!("tell {lines}")
}

impl Model {
    pub async fn start() -> Result<Model> {
        let sent = Arc::<Mutex<HashMap<String, Instant>>>::default();
        let (noted, marks) = (sent.clone(), AtomicUsize::new(0));
        let serving = serve(move |asked| {
            let body: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
            let answer = match prompt(&body) {
                Some(("work", rounds, done)) if done < rounds => {
                    let mark = format!("mark{:06}", marks.fetch_add(1, Ordering::Relaxed));
                    let first = chunk(&json!({"role": "assistant", "content": format!("{mark} ")}), None);
                    let rest = chunk(&read_file(done), None) + &chunk(&json!({}), Some("tool_calls")) + DONE;
                    let noted = noted.clone();
                    let note = move |piece| {
                        if piece == 0 {
                            noted.lock().unwrap_or_else(PoisonError::into_inner).insert(mark.clone(), Instant::now());
                        }
                    };
                    Answer { sending: Some(Arc::new(note)), ..Answer::events(vec![first, rest]) }
                }
                Some(("tell", lines, _)) => {
                    let pieces = (0..lines.div_ceil(LINES)).map(|it| {
                        let text: String = (it * LINES..(it + 1) * LINES).map(|it| line(it + 1)).collect();
                        chunk(&json!({ "content": text }), None)
                    });
                    return Answer::events(pieces.chain([chunk(&json!({}), Some("stop")) + DONE]).collect());
                }
                _ => {
                    let text = chunk(&json!({"role": "assistant", "content": "Done."}), None);
                    Answer::events(vec![text, chunk(&json!({}), Some("stop")) + DONE])
                }
            };
            Answer { pause: SILENCE, ..answer }
        });
        Ok(Model { serving: serving.await?, sent })
    }

    /// Milliseconds from the sending of a marked piece until this came, where it holds one.
    pub fn delay(&self, message: &Message) -> Option<f64> {
        if message.name != "delta" {
            return None;
        }
        let at = message.data.find("mark")?;
        let sent = *self.sent.lock().unwrap_or_else(PoisonError::into_inner).get(message.data.get(at..at + 10)?)?;
        Some(message.came.saturating_duration_since(sent).as_secs_f64() * 1e3)
    }
}

/// A line of a long reply.
pub fn line(number: usize) -> String {
    format!("Line {number:06} of the reply.\n")
}

const DONE: &str = "data: [DONE]\n\n";

/// What the last prompt asks for, how much of it, and how many calls were made since; none where no tools are offered, as when a
/// title is asked for.
fn prompt(body: &Value) -> Option<(&str, usize, usize)> {
    body["tools"].as_array()?;
    let messages = body["messages"].as_array()?;
    let asks = |it: &Value| it["role"] == "user" && text(it).is_some_and(|it| words(it).is_some());
    let at = messages.iter().rposition(asks)?;
    let (verb, count) = words(text(&messages[at])?)?;
    Some((verb, count, messages[at..].iter().filter(|it| it["role"] == "tool").count()))
}

fn text(message: &Value) -> Option<&str> {
    let content = &message["content"];
    content.as_str().or_else(|| content.as_array()?.iter().rev().find_map(|it| it["text"].as_str()))
}

/// The last line of a prompt that says what to do.
fn words(text: &str) -> Option<(&str, usize)> {
    text.lines().rev().find_map(|it| {
        let (verb, count) = it.split_once(' ')?;
        ["work", "tell"].contains(&verb).then_some((verb, count.parse().ok()?))
    })
}

fn read_file(number: usize) -> Value {
    let function =
        json!({"name": "read_file", "arguments": json!({"path": script::path(number % script::FILES)}).to_string()});
    json!({"tool_calls": [{"index": 0, "id": format!("call_{number}"), "type": "function", "function": function}]})
}

fn chunk(delta: &Value, finish: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    let chunk =
        json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": [choice]});
    format!("data: {chunk}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_prompt_counts_and_the_calls_since() {
        let body = json!({"tools": [], "messages": [
            {"role": "user", "content": "tell 5"},
            {"role": "user", "content": [{"type": "text", "text": "It is late.\nwork 3"}]},
            {"role": "tool", "content": "x"},
            {"role": "user", "content": "work on it"},
        ]});
        assert_eq!(prompt(&body), Some(("work", 3, 1)));
        assert_eq!(prompt(&json!({"messages": body["messages"]})), None);
    }
}
