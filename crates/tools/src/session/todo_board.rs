//! The todo list of a conversation, shared by the calls of one reply, so that two changes in one reply both count. The log
//! stays the truth: every change goes out as an event, and a session fills the board from its turn.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ox_protocol::Todo;

/// The todo list as the tools see and change it.
#[derive(Debug, Default)]
pub struct TodoBoard {
    todos: Mutex<Vec<Todo>>,
}

impl TodoBoard {
    /// A board with these items, by id.
    pub fn new(todos: Vec<Todo>) -> TodoBoard {
        TodoBoard { todos: Mutex::new(todos) }
    }

    /// A copy of what stands on it.
    pub fn todos(&self) -> Vec<Todo> {
        self.lock().clone()
    }

    /// Puts these items on it, where something else than a call changed the list.
    pub fn set(&self, todos: Vec<Todo>) {
        *self.lock() = todos;
    }

    /// Holds the board while it is read and changed in one step.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Vec<Todo>> {
        self.todos.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
