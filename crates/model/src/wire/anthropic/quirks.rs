//! What an endpoint's refusals taught: the reply's limit, fields it does not take, reasoning it no longer accepts.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use ox_protocol::{Failure, FailureKind};

use crate::wire::learnt::{Learnt, Lesson};

/// The `thinking` field is not taken.
pub(super) const NO_THINKING: u32 = 1;
/// The temperature cannot be chosen.
pub(super) const NO_TEMPERATURE: u32 = 2;
/// Documents are not taken.
pub(super) const NO_DOCUMENTS: u32 = 4;

/// What refusals teach. The endpoint's own end with a hint at its documentation, so that "document" alone says nothing.
const LESSONS: &[Lesson] = &[
    (&["`document`"], NO_DOCUMENTS),
    (&["'document'"], NO_DOCUMENTS),
    (&["document input"], NO_DOCUMENTS),
    (&["documents are not"], NO_DOCUMENTS),
    (&["pdf", "support"], NO_DOCUMENTS),
    (&["temperature"], NO_TEMPERATURE),
    (&["thinking"], NO_THINKING),
];

/// Everything that was learnt; nothing is ever forgotten.
#[derive(Debug, Default)]
pub(crate) struct Quirks {
    /// Fields that are not taken.
    learnt: Learnt,
    /// Longest reply that the endpoint allows; zero while unknown.
    max_tokens: AtomicU64,
    /// Reasoning in the first so many messages is not sent back.
    without_reasoning: AtomicUsize,
}

impl Quirks {
    /// True when the failure is a refusal that teaches something new. `messages` is how many were sent.
    pub(crate) fn learn(&self, failure: &Failure, messages: usize) -> bool {
        if failure.kind != FailureKind::BadRequest || !failure.partial.is_empty() {
            return false;
        }
        let words = failure.message.to_lowercase();
        let has = |all: [&str; 2]| all.iter().all(|it| words.contains(it));
        if has(["thinking", "signature"]) || has(["thinking` blocks", "cannot be modified"]) {
            return self.without_reasoning.swap(messages, Relaxed) < messages;
        }
        match allowed(&words) {
            Some(limit) => self.max_tokens.swap(limit, Relaxed) != limit,
            None => self.learnt.learn(failure, LESSONS),
        }
    }

    /// True when this was learnt.
    pub(super) fn has(&self, flag: u32) -> bool {
        self.learnt.has(flag)
    }

    /// The limit to ask for where `wanted` is wished.
    pub(crate) fn limit(&self, wanted: u64) -> u64 {
        match self.max_tokens.load(Relaxed) {
            0 => wanted,
            limit => wanted.min(limit),
        }
    }

    /// True when the reasoning of the message at this place is sent back.
    pub(crate) fn keeps_reasoning(&self, message: usize) -> bool {
        message >= self.without_reasoning.load(Relaxed)
    }
}

/// The limit in `max_tokens: 128000 > 64000, which is the maximum allowed …`.
fn allowed(words: &str) -> Option<u64> {
    let (_, rest) = words.split_once("max_tokens: ")?;
    let (_, rest) = rest.split_once(" > ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok().filter(|it| *it > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::failure;

    #[test]
    fn refusals_teach_once() {
        let quirks = Quirks::default();
        let learn = |words: &str, messages| quirks.learn(&failure(FailureKind::BadRequest, words), messages);
        let limit = "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-x";
        assert!(learn(limit, 3) && !learn(limit, 3));
        let bound = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
        assert!(learn(bound, 3) && !learn(bound, 3) && learn(bound, 5));
        let document = "messages.0.content.1.type: unknown variant `document`, expected one of `text`, `image`";
        assert!(learn(document, 3) && !learn(document, 3));
        let pointed = Quirks::default();
        let words =
            "Expected `thinking` or `redacted_thinking`, but found `tool_use`. Please consult our documentation.";
        assert!(pointed.learn(&failure(FailureKind::BadRequest, words), 3));
        assert_eq!((pointed.has(NO_THINKING), pointed.has(NO_DOCUMENTS)), (true, false));
        let adaptive = "adaptive thinking is not supported on this model";
        assert!(learn(adaptive, 3) && !learn(adaptive, 3));
        assert!(!learn("messages: roles must alternate", 3));
        assert_eq!((quirks.limit(128_000), quirks.limit(100)), (64_000, 100));
        assert_eq!((quirks.keeps_reasoning(4), quirks.keeps_reasoning(5)), (false, true));
    }
}
