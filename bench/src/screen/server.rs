//! The model: one reply of many lines, in the format that it is asked in, a few letters at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use ox_model::Reply as Written;
use ox_scenario::wire::server::{Answer, Serving, serve};
use serde_json::{Value, json};

use crate::agent_loop::request::Format;
use crate::program::runtime;

/// Lines until the next list.
const LIST: usize = 20;

/// So many lines, in lists with a sentence between them.
#[derive(Clone)]
pub struct Reply {
    lines: usize,
}

impl Reply {
    pub fn new(lines: usize) -> Reply {
        Reply { lines }
    }

    /// What the last line ends with.
    pub fn last(&self) -> String {
        format!("the end of {}", self.lines)
    }

    fn text(&self) -> String {
        let lines = (1..=self.lines).map(|it| match it % LIST {
            0 => format!("\nLine {it:06} begins a list:\n\n"),
            _ => format!("- Line {it:06} of the reply.\n"),
        });
        lines.collect::<String>() + "\nThat is " + &self.last() + "."
    }
}

/// Serves it to each request that offers tools; the number of pieces that were sent counts up.
pub fn serving(reply: Reply) -> Result<(Serving, Arc<AtomicUsize>)> {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = sent.clone();
    let serving = runtime().block_on(serve(move |asked| {
        let Some(format) = asked.posted_to().and_then(Format::of) else {
            return Answer::json(200, &json!({"object": "list", "data": [{"id": "mock", "object": "model"}]}));
        };
        let body: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
        let counts = !format.read(&body).tools.is_empty();
        let text = if counts { reply.text() } else { "A reply".to_owned() };
        let written = Written { text, ..Written::default() };
        if body["stream"] != true {
            return Answer::json(200, &format.whole(&written, 0));
        }
        let counted = counted.clone();
        let note = move |_| {
            counted.fetch_add(usize::from(counts), Ordering::Relaxed);
        };
        Answer { sending: Some(Arc::new(note)), ..Answer::events(format.stream(&written, 0)) }
    }))?;
    Ok((serving, sent))
}
