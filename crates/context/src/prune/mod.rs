//! Makes what the model reads of a conversation shorter: old results first, then sections that tools can bring back,
//! then a digest in the place of old iterations.
//!
//! The log is never touched. What the user said, the project's rules, decisions, the plan, open todos and errors that
//! nothing has resolved stay word for word; results of files that are being edited stay; the last iterations stay whole.

mod digest;
mod keep;

#[cfg(test)]
pub(crate) use digest::SUMMARY;
pub use digest::summary_request;
use ox_protocol::{CallId, Event, Frame, Message, Part, Pruning, Seq, Tokens};

use crate::estimate;
use crate::transcript::{LeftOut, SHORT, Transcript, remembered};

/// What a picture costs at most providers, in tokens.
const PICTURE: u64 = 1_500;
/// The part of the target by which files that are being edited may go beyond it. The target is half of the room for a prompt, so
/// that even then a quarter of the room is free, more than a pruning has to gain.
const FOR_FILES: u64 = 2;

/// What to leave out, and what it gains, in tokens by bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// What to leave out.
    pub pruning: Pruning,
    /// The whole prompt before.
    pub before: Tokens,
    /// The whole prompt after.
    pub after: Tokens,
}

/// Tokens of the whole prompt that the log amounts to, by bytes.
pub fn prompt_tokens(frames: &[Frame]) -> Tokens {
    tokens(frames, LeftOut::of(frames))
}

/// What to leave out so that the prompt has no more than `target` tokens, as far as that is possible. The last `keep`
/// iterations that were answered stay as they are.
pub fn prune(frames: &[Frame], target: Tokens, keep: usize) -> Pruned {
    let already = LeftOut::of(frames);
    let mut plan = Plan { frames, already: &already, target, pruning: Pruning::default(), now: Tokens(0) };
    plan.measure();
    let before = plan.now;
    let iterations = iterations(frames, &already);
    // The last one has only begun.
    let safe = iterations.len().saturating_sub(keep + 1);
    plan.shrink(iterations.get(safe).copied());
    plan.drop_sections();
    plan.fold(&iterations[..iterations.len().min(safe + 1)]);
    Pruned { pruning: plan.pruning, before, after: plan.now }
}

/// A pruning as it grows.
struct Plan<'a> {
    frames: &'a [Frame],
    already: &'a LeftOut,
    target: Tokens,
    pruning: Pruning,
    /// Tokens of the prompt with what is left out so far.
    now: Tokens,
}

impl Plan<'_> {
    fn fits(&self) -> bool {
        self.now <= self.target
    }

    fn measure(&mut self) {
        let mut left_out = self.already.clone();
        left_out.add(&self.pruning);
        self.now = tokens(self.frames, left_out);
    }

    /// Shortens results and arguments before `end`, the oldest first, until the prompt fits.
    fn shrink(&mut self, end: Option<Seq>) {
        let kept = keep::pinned_calls(self.frames);
        for (call, bytes) in long_calls(self.frames, end) {
            if self.fits() {
                break;
            }
            if self.already.is_shrunk(&call) || kept.contains(&call) {
                continue;
            }
            self.pruning.shrunk.push(call);
            let saved = bytes.saturating_sub(SHORT) as u64 * 10 / 42;
            self.now = Tokens(self.now.0.saturating_sub(saved));
        }
        self.measure();
    }

    /// Leaves out what the model can look up again.
    fn drop_sections(&mut self) {
        if self.fits() {
            return;
        }
        for frame in remembered(self.frames) {
            let Event::Prompted { context, .. } = &frame.event else { continue };
            for section in context.iter().filter(|it| self.already.keeps(it)) {
                if !keep::is_pinned(section) && !self.pruning.sections.contains(&section.name) {
                    self.pruning.sections.push(section.name.clone());
                }
            }
        }
        self.measure();
    }

    /// Puts a digest in the place of the oldest iterations: of as few as make the prompt fit, or of all of these. Looked
    /// for by halving, because every try builds the whole prompt. The files that are being edited then get what room is
    /// left, so that they need not be read again.
    fn fold(&mut self, boundaries: &[Seq]) {
        if self.fits() || boundaries.is_empty() {
            return;
        }
        let part = Tokens(self.target.0 / 4);
        let too_long = |it: &Seq| self.folded(*it, part).is_none_or(|(_, now)| now > self.target);
        let at = boundaries.partition_point(too_long).min(boundaries.len() - 1);
        let bare = self.folded(boundaries[at], Tokens(0)).map_or(0, |(_, now)| now.0);
        let most = self.target.0.saturating_add(self.target.0 / FOR_FILES);
        let rooms = [Tokens(most.saturating_sub(bare).max(part.0)), part];
        // What is told in short may be no shorter than what it tells of.
        let mut shorter =
            rooms.into_iter().filter_map(|it| self.folded(boundaries[at], it)).filter(|it| it.1 < self.now);
        if let Some((pruning, now)) = shorter.next() {
            (self.pruning, self.now) = (pruning, now);
        }
    }

    /// The pruning with a digest in the place of everything before the iteration that begins there, which has `for_files` for
    /// the files that are being edited, and the tokens of the prompt then.
    fn folded(&self, boundary: Seq, for_files: Tokens) -> Option<(Pruning, Tokens)> {
        let until = last_before(self.frames, boundary).filter(|it| Some(*it) > self.already.until)?;
        let digest = digest::digest(self.frames, until, Tokens(self.target.0 / 4), for_files);
        let pruning = Pruning { until: Some(until), digest, ..self.pruning.clone() };
        let mut left_out = self.already.clone();
        left_out.add(&pruning);
        let now = tokens(self.frames, left_out);
        Some((pruning, now))
    }
}

/// Where each iteration that is not yet told by a digest begins.
fn iterations(frames: &[Frame], already: &LeftOut) -> Vec<Seq> {
    let begins = |it: &&Frame| matches!(it.event, Event::IterationStart { .. }) && Some(it.seq) > already.until;
    remembered(frames).filter(begins).map(|it| it.seq).collect()
}

/// The last event that the model remembers before `seq`.
fn last_before(frames: &[Frame], seq: Seq) -> Option<Seq> {
    remembered(frames).map(|it| it.seq).take_while(|it| *it < seq).last()
}

/// The calls before `end` whose texts are worth shortening, oldest first, with their bytes.
fn long_calls(frames: &[Frame], end: Option<Seq>) -> Vec<(CallId, usize)> {
    let mut found: Vec<(CallId, usize)> = Vec::new();
    for frame in remembered(frames).take_while(|it| end.is_none_or(|end| it.seq < end)) {
        match &frame.event {
            Event::StreamComplete { calls, .. } => {
                found.extend(calls.iter().map(|it| (it.id.clone(), it.args.to_string().len())));
            }
            Event::ToolComplete { call, outcome, .. } => {
                let bytes = outcome.output.len() + outcome.images.len() * (PICTURE as usize) * 4;
                if let Some(known) = found.iter_mut().rev().find(|(id, _)| id == call) {
                    known.1 += bytes;
                }
            }
            _ => {}
        }
    }
    found.retain(|(_, bytes)| *bytes > SHORT);
    found
}

fn tokens(frames: &[Frame], left_out: LeftOut) -> Tokens {
    let transcript = Transcript::without(frames, left_out);
    let tools = serde_json::to_string(&transcript.tools).unwrap_or_default();
    let messages: u64 = transcript.messages().iter().map(|it| of_message(it)).sum();
    Tokens(estimate(&transcript.system).0 + estimate(&tools).0 + messages)
}

fn of_message(message: &Message) -> u64 {
    let part = |it: &Part| match it {
        Part::Text { text } => estimate(text).0,
        Part::Image { .. } => PICTURE,
        Part::Reasoning { reasoning } => {
            estimate(&reasoning.text).0 + reasoning.opaque.as_ref().map_or(0, |it| estimate(&it.to_string()).0)
        }
        Part::Call { name, args, .. } => estimate(name).0 + estimate(&args.to_string()).0,
        Part::Result { text, images, .. } => estimate(text).0 + PICTURE * images.len() as u64,
        #[allow(unreachable_patterns)] // Further kinds of parts count by what they say.
        _ => 0,
    };
    message.parts.iter().map(part).sum::<u64>() + 4
}
