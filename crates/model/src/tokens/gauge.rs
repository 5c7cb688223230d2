//! How large the next request will be, from what the provider said of the last one and what has been added since.
//!
//! Nothing is asked and nothing waits. Texts that were counted for the last request are not counted again.

use std::collections::HashMap;

use ox_protocol::{Message, Part, Tokens, Usage};
use serde_json::Value;

use super::calibration::Calibration;
use super::counter::Counter;
use crate::model::Request;

/// The sizes of a conversation's requests, for each model that it asked.
#[derive(Clone, Debug, Default)]
pub struct Gauge {
    models: HashMap<String, Measured>,
}

#[derive(Clone, Debug, Default)]
struct Measured {
    calibration: Calibration,
    last: Option<Last>,
}

/// The last request that the provider has counted.
#[derive(Clone, Debug)]
struct Last {
    /// Its messages, and the bytes of all that it sent.
    messages: usize,
    bytes: usize,
    counted: Tokens,
    reported: Tokens,
}

impl Gauge {
    /// The input tokens that `model` will report for `request`: what it reported last and, corrected, what has been added.
    /// Where the request does not go on from the last one (the first, or after a pruning) all of it is counted.
    pub fn expect(&self, model: &str, request: &Request) -> Tokens {
        let counter = Counter::for_model(model);
        let Some(it) = self.models.get(model) else { return counter.request(request) };
        match it.last.as_ref().filter(|last| last.precedes(request)) {
            Some(last) => {
                let added = added(counter, &request.messages[last.messages..]);
                Tokens(last.reported.0.saturating_add(it.calibration.correct(added).0))
            }
            None => it.calibration.correct(counter.request(request)),
        }
    }

    /// Takes in what `model` reported for `request`.
    pub fn learn(&mut self, model: &str, request: &Request, usage: Usage) {
        let counter = Counter::for_model(model);
        let it = self.models.entry(model.to_string()).or_default();
        let counted = match it.last.as_ref().filter(|last| last.precedes(request)) {
            Some(last) => Tokens(last.counted.0.saturating_add(added(counter, &request.messages[last.messages..]).0)),
            None => counter.request(request),
        };
        it.calibration.learn(counted, usage.input);
        it.last = (usage.input.0 > 0).then(|| Last {
            messages: request.messages.len(),
            bytes: bytes(request, request.messages.len()),
            counted,
            reported: usage.input,
        });
    }

    /// What the reports of `model` said of our counts.
    pub fn calibration(&self, model: &str) -> Calibration {
        self.models.get(model).map(|it| it.calibration).unwrap_or_default()
    }
}

impl Last {
    /// True where `request` begins with this one, as far as its length tells.
    fn precedes(&self, request: &Request) -> bool {
        self.messages <= request.messages.len() && self.bytes == bytes(request, self.messages)
    }
}

fn added(counter: Counter, messages: &[Message]) -> Tokens {
    Tokens(messages.iter().map(|it| counter.message(it).0).fold(0, u64::saturating_add))
}

/// Bytes of the system prompt, the tools and the first `count` messages, without building any text.
fn bytes(request: &Request, count: usize) -> usize {
    let tools: usize = request.tools.iter().map(|it| it.name.len() + it.description.len()).sum();
    let messages = request.messages[..count].iter().flat_map(|it| &it.parts).map(part);
    request.system.len() + tools + messages.sum::<usize>()
}

fn part(part: &Part) -> usize {
    match part {
        Part::Text { text } => text.len(),
        Part::Image { image } => image.data.len(),
        Part::Call { name, args, .. } => name.len() + value(args),
        Part::Result { text, images, .. } => text.len() + images.iter().map(|it| it.data.len()).sum::<usize>(),
        Part::Reasoning { reasoning } => reasoning.text.len(),
    }
}

fn value(it: &Value) -> usize {
    match it {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(value).sum::<usize>() + 2,
        Value::Object(fields) => fields.iter().map(|(name, it)| name.len() + value(it)).sum::<usize>() + 2,
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
    }
}

#[cfg(test)]
mod tests {
    use ox_protocol::Role;

    use super::*;

    fn request(texts: &[&str]) -> Request {
        let messages = texts.iter().map(|it| Message::text(Role::User, *it)).collect();
        Request { system: "You are Ox.".to_string(), messages, ..Request::default() }
    }

    fn usage(input: u64) -> Usage {
        Usage { input: Tokens(input), ..Usage::default() }
    }

    #[test]
    fn the_next_request_is_the_last_report_and_what_was_added() {
        let mut gauge = Gauge::default();
        let (first, second) = (request(&["one"]), request(&["one", "two more words"]));
        let counter = Counter::for_model("m");
        assert_eq!(gauge.expect("m", &first), counter.request(&first));
        gauge.learn("m", &first, usage(2 * counter.request(&first).0));
        let added = counter.message(&second.messages[1]);
        assert_eq!(gauge.calibration("m").ratio(), 2.0);
        assert_eq!(gauge.expect("m", &second).0, 2 * counter.request(&first).0 + 2 * added.0);
        // Another model knows nothing of it.
        assert_eq!(gauge.expect("other", &second), counter.request(&second));
    }

    #[test]
    fn a_request_that_was_pruned_is_counted_anew() {
        let mut gauge = Gauge::default();
        let long = request(&["one", &"word ".repeat(500)]);
        gauge.learn("m", &long, usage(900));
        for pruned in [request(&["one"]), request(&["one", "[left out]"])] {
            assert!(gauge.expect("m", &pruned) < Tokens(60), "{pruned:?}");
        }
    }

    #[test]
    fn a_report_of_nothing_is_none() {
        let mut gauge = Gauge::default();
        let it = request(&["one"]);
        gauge.learn("m", &it, usage(0));
        assert_eq!(gauge.expect("m", &it), Counter::for_model("m").request(&it));
    }
}
