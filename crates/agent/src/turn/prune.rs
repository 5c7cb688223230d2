//! Makes what the model reads shorter, and has it summed up where a model is configured for that.
//!
//! Never fails: where nothing can be left out, the event says so; where the summary cannot be had, the digest stands alone.

use std::sync::Arc;

use ox_context::{Pruned, prompt_tokens, prune, summary_request};
use ox_model::Model;
use ox_protocol::{BoxFuture, Event, Frame, Problem, Tokens, WantId};

use super::context::TurnContext;
use crate::Journal;
use crate::notes::notes;

/// The longest summary, in tokens.
const LONGEST: Tokens = Tokens(1_500);

/// Prunes for `want`, so that the whole prompt has about `target` of the provider's tokens.
pub(crate) fn pruned(
    cx: &TurnContext,
    journal: &Journal,
    want: WantId,
    target: Tokens,
) -> BoxFuture<'static, Vec<Event>> {
    let frames = Arc::new(journal.frames().to_vec());
    let reported = journal.conversation().prompt_tokens();
    let (keep, summary) = (cx.env.keep_iterations as usize, cx.summary.clone());
    Box::pin(async move {
        let log = frames.clone();
        let work = move || {
            // The target is in the provider's tokens, what is measured here in bytes.
            let counted = prompt_tokens(&log).0.max(1);
            let ratio = (counted as f64 / reported.0.max(1) as f64).clamp(0.25, 4.0);
            prune(&log, Tokens((target.0 as f64 * ratio) as u64), keep)
        };
        let mut it =
            tokio::task::spawn_blocking(work).await.expect("invariant: pruning reads a log and does not panic");
        if let Some(model) = summary {
            sum_up(model.as_ref(), &frames, &mut it).await;
        }
        vec![Event::Pruned { want, pruning: it.pruning, before: it.before, after: it.after }]
    })
}

/// Prunes between two turns, to half of what there is. The problem `compact.nothing` where that gains nothing.
pub(crate) async fn compacted(journal: &Journal, keep: u32, summary: Option<Arc<dyn Model>>) -> Result<Event, Problem> {
    let frames = Arc::new(journal.frames().to_vec());
    let log = frames.clone();
    let work = move || prune(&log, Tokens(prompt_tokens(&log).0 / 2), keep as usize);
    let mut it = tokio::task::spawn_blocking(work).await.expect("invariant: pruning reads a log and does not panic");
    if it.after >= it.before {
        return Err(Problem::new("compact.nothing").with("tokens", it.before.0));
    }
    if let Some(model) = summary {
        sum_up(model.as_ref(), &frames, &mut it).await;
    }
    Ok(Event::Pruned { want: WantId::default(), pruning: it.pruning, before: it.before, after: it.after })
}

/// Adds the summary of what the digest tells of.
async fn sum_up(model: &dyn Model, frames: &[Frame], it: &mut Pruned) {
    let Some(until) = it.pruning.until else { return };
    let room = Tokens(model.facts().window.0 / 2);
    let (system, text) = summary_request(frames, until, room);
    let notes = notes(model, system, text, LONGEST).await.map(|it| it.text).unwrap_or_default();
    if notes.is_empty() {
        return;
    }
    it.pruning.digest.push_str("\n\n# Notes on it\n");
    it.pruning.digest.push_str(&notes);
    it.after = Tokens(it.after.0 + ox_context::estimate(&notes).0);
}
