//! What an endpoint's refusals taught: a set of flags that only grows. It never forgets, and never learns from anything
//! but a refusal of the request itself.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ox_protocol::{Failure, FailureKind};

/// Words that all stand in a refusal (in lower case), and the flag that they teach.
pub(crate) type Lesson<F = u32> = (&'static [&'static str], F);

/// Flags that were learnt.
#[derive(Debug, Default)]
pub(crate) struct Learnt(AtomicU32);

impl Learnt {
    /// True when `flag` was learnt.
    pub(crate) fn has(&self, flag: impl Into<u32>) -> bool {
        self.0.load(Relaxed) & flag.into() != 0
    }

    /// True when the failure is a refusal that teaches something new, so that asking again differently is worth while.
    /// The first lesson whose words all stand in it counts.
    pub(crate) fn learn<F: Copy + Into<u32>>(&self, failure: &Failure, lessons: &[Lesson<F>]) -> bool {
        failure.kind == FailureKind::BadRequest && self.learn_from_words(failure, lessons)
    }

    /// The same for a refusal that was taken for another kind of failure. One that shows a part of a reply is none.
    pub(crate) fn learn_from_words<F: Copy + Into<u32>>(&self, failure: &Failure, lessons: &[Lesson<F>]) -> bool {
        if !failure.partial.is_empty() {
            return false;
        }
        let words = failure.message.to_lowercase();
        let lesson = lessons.iter().find(|(all, _)| all.iter().all(|it| words.contains(it)));
        let flag = lesson.map_or(0, |(_, flag)| (*flag).into());
        self.0.fetch_or(flag, Relaxed) & flag != flag
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::failure;

    #[test]
    fn a_refusal_teaches_once_and_a_fault_nothing() {
        let lessons: &[Lesson] = &[(&["unknown", "temperature"], 1), (&["summary"], 2)];
        let learnt = Learnt::default();
        let refusal = failure(FailureKind::BadRequest, "Unknown field: Temperature");
        assert!(learnt.learn(&refusal, lessons) && learnt.has(1u32) && !learnt.has(2u32));
        assert!(!learnt.learn(&refusal, lessons));
        assert!(!learnt.learn(&failure(FailureKind::Server, "summary"), lessons));
        let half = Failure { partial: "x".into(), ..failure(FailureKind::BadRequest, "summary") };
        assert!(!learnt.learn(&half, lessons));
    }
}
