//! Answers the first iterations from a cassette and the others by a live model.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ox_protocol::{BoxFuture, Failure, ModelFacts};

use super::replay::Replay;
use crate::model::{Model, Piece, Reply, Request};

/// A replay that goes on live. It never asks the live model before its iteration.
pub struct ReplayThenLive {
    replay: Arc<Replay>,
    live: Arc<dyn Model>,
    /// The first iteration that is asked live, from 1.
    from: usize,
    replied: AtomicUsize,
    answered: AtomicUsize,
}

impl ReplayThenLive {
    /// Iterations before `from`, counted from 1, are answered by `replay`. Failures of a recorded request belong to the
    /// iteration that it was made for.
    pub fn new(replay: Arc<Replay>, live: Arc<dyn Model>, from: usize) -> ReplayThenLive {
        ReplayThenLive { replay, live, from, replied: AtomicUsize::new(0), answered: AtomicUsize::new(0) }
    }

    /// True once the live model is asked.
    pub fn is_live(&self) -> bool {
        self.replied.load(Ordering::SeqCst) + 1 >= self.from
    }

    /// The first iteration that is asked live, and how many the live model has answered from there on.
    pub fn answered(&self) -> (usize, usize) {
        (self.from, self.answered.load(Ordering::SeqCst))
    }

    /// What is known of the live model.
    pub fn live(&self) -> &ModelFacts {
        self.live.facts()
    }
}

impl Model for ReplayThenLive {
    fn facts(&self) -> &ModelFacts {
        if self.is_live() { self.live.facts() } else { self.replay.facts() }
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let is_live = self.is_live();
            let done = if is_live { self.live.ask(request, show).await } else { self.replay.ask(request, show).await };
            let count = if is_live { &self.answered } else { &self.replied };
            count.fetch_add(usize::from(done.is_ok()), Ordering::SeqCst);
            done
        })
    }
}
