//! The turn's own reviewer: when one looks at the change, and what follows from what it finds.
//!
//! It is a sub-agent that sees task and change alone. What it calls an error is put to the model once; it never keeps a turn from
//! ending, neither by what it says nor by failing.

use ox_protocol::{
    AgentEnd, AgentRequest, CallId, ChangeSize, Finding, Gate, IntentScope, Limits, Outcome, ReviewPolicy,
    ReviewSummary, Severity, Stop, WantId,
};

use super::conclude::{Conclusion, event};
use super::state::{Concluding, Conversation, Review};
use crate::want::Want;

/// The kind of sub-agent that reviews.
pub const REVIEW: &str = "review";

/// A change of so many files or lines is broad: more is no longer read in one look (reviewers find fewer faults for each line
/// beyond two hundred), and its model has asked for ten replies and more, of which a review is a small part.
const BROAD: ChangeSize = ChangeSize { files: 8, lines: 200 };
/// The end of a turn waits so long for a reviewer: that is about ten requests.
const PATIENCE_MS: u64 = 300_000;
/// The first review, and one more where the repair is broad itself.
const MOST: u32 = 2;

impl Conversation {
    /// What reviewers said, or why none did, where one was to look at the change of a turn that is over.
    pub fn review(&self) -> Option<ReviewSummary> {
        let review = &self.turn.review;
        if review.begun == 0 {
            let over = matches!(self.stopped(), Some(Stop::Done | Stop::DoneUnchecked | Stop::ChecksNotRun));
            let not_reviewed = ox_protocol::Problem::new("reviewer.no_budget");
            let missing = ReviewSummary { not_reviewed: Some(not_reviewed), ..ReviewSummary::default() };
            return (over && self.review_is_due()).then_some(missing);
        }
        Some(ReviewSummary { kept: self.kept().cloned().collect(), not_reviewed: review.problem.clone() })
    }

    /// What stands between a change whose checks have decided and the end of its turn.
    pub(super) fn review_conclusion(&self, it: &Concluding) -> Option<Conclusion> {
        if self.turn.review.want.is_some() {
            return Some(Conclusion::Wait);
        }
        if let Some(limits) = self.review_is_due().then(|| self.share(2)).flatten() {
            let time_ms = Some(limits.time_ms.unwrap_or(PATIENCE_MS).min(PATIENCE_MS));
            let request = AgentRequest { kind: REVIEW.to_string(), ..AgentRequest::default() };
            let call = CallId::of_review(self.seq.next());
            return Some(event(self.agent_start(call, request, Limits { time_ms, ..limits })));
        }
        let is_new = |it: &&Finding| it.severity == Severity::Error && !self.turn.review.put.contains(it);
        let used_up = self.turn.refusals >= self.turn.limits.stop_hook_retries;
        (!used_up && self.kept().any(|it| is_new(&it))).then(|| self.refuse(Gate::Review, it))
    }

    fn review_is_due(&self) -> bool {
        let (turn, review) = (&self.turn, &self.turn.review);
        if turn.changes == 0 || !self.mode().may_change() {
            return false;
        }
        match (turn.policy, review.begun) {
            (ReviewPolicy::Off, _) => false,
            (ReviewPolicy::Always, 0) => true,
            (ReviewPolicy::Auto, 0) => self.is_of_scope(IntentScope::Broad) || is_broad(turn.size),
            // What could not be judged once is not tried again.
            (_, begun) => begun < MOST && review.problem.is_none() && is_broad(self.size_since_review()),
        }
    }

    fn size_since_review(&self) -> ChangeSize {
        let files = u32::try_from(self.turn.review.touched.len()).unwrap_or(u32::MAX);
        ChangeSize { files, lines: self.turn.review.lines }
    }

    /// Errors and warnings about files that nobody has changed since.
    fn kept(&self) -> impl Iterator<Item = &Finding> {
        let review = &self.turn.review;
        let stands = |it: &&Finding| match it.path.is_empty() {
            true => review.touched.is_empty(),
            false => !review.touched.contains(&it.path),
        };
        review.findings.iter().filter(|it| it.severity >= Severity::Warning).filter(stands)
    }

    /// The reviewer that runs. It is wanted whatever the turn does meanwhile: the user may have said something.
    pub(super) fn review_want(&self) -> Option<Want> {
        let id = self.turn.review.want.filter(|_| self.is_running() && !self.is_stopping())?;
        let agent = self.turn.agents.running.iter().find(|it| it.call.is_review())?;
        Some(Want::Agent { id, agent: Box::new(agent.clone()) })
    }

    pub(super) fn review_started(&mut self, want: WantId) {
        let kept = self.kept().cloned().collect();
        let review = &mut self.turn.review;
        review.findings = kept;
        review.begun += 1;
        review.want = Some(want);
        review.touched.clear();
        review.lines = 0;
    }

    pub(super) fn reviewed(&mut self, end: &AgentEnd) {
        let review = &mut self.turn.review;
        review.want = None;
        review.problem.clone_from(&end.problem);
        let new = end.findings.iter().filter(|it| !review.findings.contains(it));
        let new: Vec<Finding> = new.cloned().collect();
        review.findings.extend(new);
    }

    /// The model is asked about all that was found.
    pub(super) fn put_review(&mut self) {
        let Review { put, findings, .. } = &mut self.turn.review;
        put.extend(findings.iter().cloned());
    }

    /// What a call changed since a reviewer began to look.
    pub(super) fn changed_since_review(&mut self, outcome: &Outcome) {
        let review = &mut self.turn.review;
        if review.begun == 0 {
            return;
        }
        for file in &outcome.changed {
            review.lines = review.lines.saturating_add(file.added).saturating_add(file.removed);
            review.touched.extend(file.from.iter().chain([&file.path]).cloned());
        }
    }
}

fn is_broad(size: ChangeSize) -> bool {
    size.files >= BROAD.files || size.lines >= BROAD.lines
}
