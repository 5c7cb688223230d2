//! Phase 1: the working tree is taken, so that two turns never change it at once.

use ox_protocol::Mode;
use ox_store::{TreeLock, lock_tree};

use crate::AgentError;
use crate::session::{Ask, Session, busy};

/// A turn that has its tree.
pub(super) struct Claimed {
    pub ask: Ask,
    pub mode: Mode,
    pub lock: Option<TreeLock>,
}

/// Takes the tree for a turn that may edit; reading needs no claim.
pub(super) fn claim(session: &mut Session, ask: Ask) -> Result<Claimed, AgentError> {
    let turn = session.journal.turn();
    let mode = ask.mode.or(turn.next_mode()).unwrap_or(session.settings.mode);
    let lock = match mode.may_change() {
        true => Some(lock_tree(&session.state, session.world.tree.root()).map_err(|it| busy(&it))?),
        false => None,
    };
    Ok(Claimed { ask, mode, lock })
}
