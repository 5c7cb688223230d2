//! What a new conversation is told of earlier tasks of its project, and having some of it forgotten.
//!
//! Forgetting changes no log: whoever goes on with the conversation still has it.

use ox_agent::memory::{Memory, memory};
use ox_protocol::{ConversationId, Problem, Seq};
use ox_store::Log;

use crate::project::Project;

/// Turns of one conversation that are forgotten at once, at most.
const TURNS: usize = 10_000;

impl Project {
    /// What the conversation `here` was told of earlier ones; for an empty id what a new one would be told.
    pub fn memory(&self, here: &ConversationId) -> Result<Memory, Problem> {
        let store = self.store()?;
        let frames = store.read(here).map(|it| it.frames).unwrap_or_default();
        let limits = (self.settings.memory_tasks, self.window());
        Ok(memory(store.as_ref(), &self.root_name(), (here, &frames), limits)?)
    }

    /// Leaves tasks out of the memory from now on and says how many: those named by a conversation, or by `ID:N` for its
    /// turn N alone. All are looked up before anything is forgotten.
    pub fn forget(&self, ids: &[String]) -> Result<usize, Problem> {
        let store = self.store()?;
        forget(store.as_ref(), named(store.as_ref(), ids)?)
    }

    /// The same for every task of the project so far.
    pub fn forget_all(&self) -> Result<usize, Problem> {
        let store = self.store()?;
        forget(store.as_ref(), remembered(store.as_ref(), &self.root_name())?)
    }
}

fn forget(store: &dyn Log, turns: Turns) -> Result<usize, Problem> {
    for (id, begun) in &turns {
        store.forget(id, begun)?;
    }
    Ok(turns.iter().map(|(_, begun)| begun.len()).sum())
}

/// Turns by the conversations that they belong to.
type Turns = Vec<(ConversationId, Vec<Seq>)>;

/// Every turn of the project that is still remembered.
fn remembered(store: &dyn Log, root: &str) -> Result<Turns, Problem> {
    let all = store.list(Some(root), usize::MAX)?;
    all.into_iter().map(|it| Ok((it.id.clone(), of(store, &it.id, None)?))).collect()
}

/// The turns that are named; all are looked up before anything is forgotten.
fn named(store: &dyn Log, ids: &[String]) -> Result<Turns, Problem> {
    let mut turns = Vec::new();
    for name in ids {
        let (id, number) = match name.rsplit_once(':').map(|(id, turn)| (id, turn.parse::<u32>())) {
            Some((id, Ok(turn))) => (id, Some(turn)),
            _ => (name.as_str(), None),
        };
        let id = store.find(id)?.id;
        let found = of(store, &id, number)?;
        if found.is_empty() {
            return Err(Problem::new("memory.unknown").with("id", name));
        }
        turns.push((id, found));
    }
    Ok(turns)
}

fn of(store: &dyn Log, id: &ConversationId, number: Option<u32>) -> Result<Vec<Seq>, Problem> {
    let reported = store.recent_turns(id, TURNS)?;
    let turns = ox_context::turns(id, &reported.frames).into_iter();
    let wanted = turns.filter(|it| number.is_none_or(|number| it.turn == number));
    Ok(wanted.map(|it| it.begun).filter(|it| !reported.forgotten.contains(it)).collect())
}
