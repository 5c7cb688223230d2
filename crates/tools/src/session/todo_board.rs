//! The todo list and the plan of a conversation, shared by the calls of one reply, so that two changes in one reply
//! both count. The log stays the truth: every change goes out as an event, and a session fills the board from its turn.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ox_protocol::{Plan, Todo};

/// Todos and plan as the tools see and change them.
#[derive(Debug, Default)]
pub struct TodoBoard {
    notes: Mutex<Notes>,
}

/// What stands on a board.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// All items, by id.
    pub todos: Vec<Todo>,
    /// The plan, where there is one.
    pub plan: Option<Plan>,
}

impl TodoBoard {
    /// A board with this on it.
    pub fn new(todos: Vec<Todo>, plan: Option<Plan>) -> TodoBoard {
        TodoBoard { notes: Mutex::new(Notes { todos, plan }) }
    }

    /// A copy of what stands on it.
    pub fn notes(&self) -> Notes {
        self.lock().clone()
    }

    /// Holds the board while it is read and changed in one step.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
