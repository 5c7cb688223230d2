//! What the engine answers, as JSON. The names of reasons and strategies are stable; the messages are for reading.

use std::fmt::Debug;

use ox_edit::{Candidate, Place, Refusal, Strategy};
use serde_json::{Value, json};

/// `NotFound` as `not_found`.
pub(super) fn snake(name: &impl Debug) -> String {
    let mut out = String::new();
    for letter in format!("{name:?}").chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

/// A likeness with as many digits as mean something.
pub(super) fn likeness(similarity: f32) -> Value {
    json!((f64::from(similarity) * 1000.0).round() / 1000.0)
}

/// A place: its lines before and after, and how it was recognised.
pub(super) fn place(place: &Place) -> Value {
    json!({
        "lines": [place.before.start(), place.before.end()],
        "after": [place.after.start(), place.after.end()],
        "strategy": snake(&place.strategy),
        "similarity": likeness(place.similarity),
    })
}

/// The loosest strategy and the least likeness of some places.
pub(super) fn least<'a>(places: impl Iterator<Item = &'a Place> + Clone) -> (Strategy, f32) {
    let strategy = places.clone().map(|it| it.strategy).max().unwrap_or(Strategy::Exact);
    (strategy, places.map(|it| it.similarity).fold(1.0, f32::min))
}

/// Why nothing was done: the name of the reason, the words, and the places that come into question.
pub(super) fn refusal(refusal: &Refusal) -> Value {
    let candidate = |it: &Candidate| {
        let mut out = json!({
            "lines": [it.lines.start(), it.lines.end()],
            "similarity": likeness(it.similarity),
            "text": it.excerpt,
        });
        if let Some(within) = &it.within {
            out["within"] = json!(within);
        }
        out
    };
    json!({
        "reason": snake(&refusal.reason),
        "message": refusal.message(),
        "block": refusal.block + 1,
        "candidates": refusal.candidates.iter().map(candidate).collect::<Vec<_>>(),
    })
}
