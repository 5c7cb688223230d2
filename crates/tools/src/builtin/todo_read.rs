//! `todo_read`: the todo list with counts by state.

use std::fmt::Write as _;

use ox_protocol::{Outcome, Presentation, Todo, TodoState};

use crate::call::tool::{Alias, Run, Tool};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "todo_read".into(),
        aliases: Alias::list("read_todos get_todos todo_list list_todos read_todo_list"),
        description: "Show your todo list.".into(),
        run: Run::Sync(|cx, _| Ok(Outcome::ok(shown(&cx.board.todos())).into())),
        presentation: Presentation::Separate,
        ..Tool::base()
    }
}

/// One line for each item and one with the counts.
pub(crate) fn shown(todos: &[Todo]) -> String {
    if todos.is_empty() {
        return "[the list is empty]".into();
    }
    let mut out = String::new();
    for todo in todos {
        let mark = match todo.state {
            TodoState::Pending => "[ ]",
            TodoState::InProgress => "[~]",
            TodoState::Completed => "[x]",
        };
        let _ = write!(out, "{}. {mark} {}", todo.id, todo.text);
        if !todo.priority.is_empty() {
            let _ = write!(out, " ({})", todo.priority);
        }
        out.push('\n');
        if !todo.notes.is_empty() {
            let _ = writeln!(out, "   {}", todo.notes.replace('\n', "\n   "));
        }
    }
    let of = |state: TodoState| todos.iter().filter(|it| it.state == state).count();
    let (pending, progress, completed) = (of(TodoState::Pending), of(TodoState::InProgress), of(TodoState::Completed));
    let _ = write!(out, "[{pending} pending, {progress} in progress, {completed} completed]");
    out
}
