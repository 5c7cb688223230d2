//! The index at the start of a turn: as fresh as a short wait makes it.
//!
//! Little that changed is taken in at once. Much of it is taken in beside the turn, which begins with what is known; the
//! prompt then says so. Nothing here fails a turn.

use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use crate::knowledge::Knowledge;

/// How long a turn waits for the tree to be listed.
const LISTING: Duration = Duration::from_millis(60);
/// So many changed files are taken in before the first request.
pub(crate) const FEW: usize = 300;
/// A tree of no more files is shown whole in the prompt: nothing is picked from it, and nothing built before it is asked for.
pub(crate) const TINY: usize = 20;
/// How long a turn waits for these.
const TAKING_IN: Duration = Duration::from_millis(400);

/// What a refresh tells while it runs.
enum Step {
    /// So many files are new, changed or gone.
    Behind(usize),
    Done,
}

/// How far the index is behind the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fresh {
    /// It knows everything.
    Whole,
    /// Work goes on beside the turn: so many files were still to be looked at, where that is known.
    Behind(Option<usize>),
}

/// Refreshes, and comes back as soon as that is done or would take too long; the refresh itself goes on.
/// A tiny tree is looked at only if it is `wanted` all the same.
pub(crate) fn freshen(knowledge: &Knowledge, wanted: bool) -> Fresh {
    let (tell, told) = mpsc::channel();
    let knowledge = knowledge.clone();
    let refresh = move || {
        if !wanted && knowledge.snapshot().is_empty() && knowledge.is_tiny(TINY) {
            drop(tell.send(Step::Done));
            return;
        }
        // Who no longer waits is not told.
        let behind = |files| drop(tell.send(Step::Behind(files)));
        let done = knowledge.refresh_telling(false, &behind, &|_| {});
        let _ = done.map(|_| tell.send(Step::Done));
    };
    match std::thread::Builder::new().name("refresh".to_owned()).spawn(refresh) {
        Ok(_) => wait(&told),
        Err(_) => Fresh::Behind(None),
    }
}

fn wait(told: &Receiver<Step>) -> Fresh {
    match told.recv_timeout(LISTING) {
        Ok(Step::Behind(files)) if files > FEW => Fresh::Behind(Some(files)),
        Ok(Step::Behind(files)) => match told.recv_timeout(TAKING_IN) {
            Ok(_) => Fresh::Whole,
            Err(_) => Fresh::Behind(Some(files)),
        },
        Ok(Step::Done) => Fresh::Whole,
        Err(_) => Fresh::Behind(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_waits_for_little_and_never_for_much() {
        let said = |steps: Vec<Step>| {
            let (tell, told) = mpsc::channel();
            steps.into_iter().for_each(|it| tell.send(it).unwrap());
            drop(tell);
            wait(&told)
        };
        assert_eq!(said(vec![Step::Behind(FEW), Step::Done]), Fresh::Whole);
        assert_eq!(said(vec![Step::Behind(0), Step::Done]), Fresh::Whole);
        assert_eq!(said(vec![Step::Behind(FEW + 1), Step::Done]), Fresh::Behind(Some(FEW + 1)));
        assert_eq!(said(vec![Step::Behind(7)]), Fresh::Behind(Some(7)), "a refresh that failed");
        assert_eq!(said(Vec::new()), Fresh::Behind(None));
    }
}
