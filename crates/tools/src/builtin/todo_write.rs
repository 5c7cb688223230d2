//! `todo_write`: the model's own list of what is to be done. It touches no file, so it runs in any mode; what the list means
//! for the plan is decided where the turn is.

use ox_protocol::{Event, Outcome, Presentation, Todo, TodoState};
use serde_json::{Map, Value, json};

use crate::args::{given, number, texts};
use crate::builtin::todo_read::shown;
use crate::call::tool::{Alias, Availability, Run, Tool, ToolResult, object};
use crate::{call::context::CallContext, call::error::ToolError};

/// Items of a list at most.
const ITEMS: usize = 100;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "todo_write".into(),
        aliases: Alias::list("update_plan write_todos update_todo_list manage_todo_list todo set_todos todo_update"),
        description: "Keep the steps of a larger task. `create` starts a new list.".into(),
        schema: object(
            &["action"],
            json!({
                "action": {"type": "string", "enum": ["create", "add_task", "update", "mark_progress", "mark_completed"]},
                "tasks": {"type": "array", "items": {"type": "string"}},
                "id": {"type": "integer"},
                "state": {"type": "string", "enum": ["pending", "in_progress", "completed"]},
                "priority": {"type": "string", "enum": ["high", "medium", "low"]},
                "notes": {"type": "string"},
            }),
        ),
        availability: Availability::Build,
        normalize,
        run: Run::Sync(run),
        presentation: Presentation::Separate,
        pinned: true,
        ..Tool::base()
    }
}

/// Other agents send the whole list with states each time, or a text with `<task>` items.
fn normalize(args: &mut Map<String, Value>) {
    for key in ["todos", "plan", "items", "todo_list", "todoList"] {
        if !args.contains_key("tasks")
            && let Some(list) = args.shift_remove(key)
        {
            args.insert("tasks".into(), list);
        }
    }
    for key in ["tasks", "content", "task", "text"] {
        match args.get_mut(key) {
            Some(Value::String(text)) if !text.trim_start().starts_with('[') || !is_json(text) => {
                let id_given = ["id", "task_id", "todo_id"].iter().any(|it| args.contains_key(*it));
                let text = args.shift_remove(key).expect("the key was just found");
                let items = split(text.as_str().unwrap_or_default());
                let items = if id_given { vec![items.join("\n")] } else { items };
                args.insert("tasks".into(), items.into_iter().map(Value::from).collect());
            }
            Some(Value::String(text)) => {
                let list: Value = serde_json::from_str(text).unwrap_or_default();
                args.insert("tasks".into(), list);
            }
            _ => {}
        }
    }
    if let Some(Value::Array(tasks)) = args.get_mut("tasks") {
        tasks.iter_mut().for_each(flatten);
    }
    if !args.contains_key("action") && args.contains_key("tasks") {
        args.insert("action".into(), Value::from("create"));
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<Vec<Value>>(text).is_ok()
}

/// An item that is an object becomes its text with its state in front, as Markdown lists have it.
fn flatten(task: &mut Value) {
    let Value::Object(item) = &*task else { return };
    let find = |keys: &[&str]| keys.iter().find_map(|key| item.get(*key)?.as_str()).map(str::to_string);
    let Some(text) = find(&["content", "step", "text", "title", "task", "description"]) else { return };
    let mark = match find(&["status", "state"]).as_deref() {
        Some("completed" | "done") => "[x] ",
        Some("in_progress" | "in-progress" | "inProgress") => "[~] ",
        _ => "",
    };
    *task = Value::String(format!("{mark}{}", text.trim()));
}

/// The items of a text: what stands in `<task>` tags, else its lines without list marks. Empty ones are dropped.
fn split(text: &str) -> Vec<String> {
    if text.contains("<task>") {
        let tasks = text.split("<task>").skip(1).map(|it| it.split("</task>").next().unwrap_or(it).trim().to_string());
        return tasks.filter(|it| !it.is_empty()).collect();
    }
    text.lines().map(|line| unmarked(line).to_string()).filter(|it| !it.is_empty()).collect()
}

/// A line without `-`, `*` or `1.` before it; a box `[x]` stays.
fn unmarked(line: &str) -> &str {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix(['-', '*', '•']) {
        return rest.trim_start();
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match line[digits..].strip_prefix(['.', ')']) {
        Some(rest) if digits > 0 => rest.trim_start(),
        _ => line,
    }
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let mut todos = cx.board.lock();
    let mut next = todos.clone();
    match given(args, "action").unwrap_or_default() {
        "create" => {
            next.clear();
            add(&mut next, args)?;
        }
        "add_task" => add(&mut next, args)?,
        action => update(&mut next, args, action)?,
    }
    let events = vec![Event::Todo { items: next.clone() }];
    let words = shown(&next);
    *todos = next;
    Ok(ToolResult { outcome: Outcome::ok(words), events })
}

fn add(todos: &mut Vec<Todo>, args: &Value) -> Result<(), ToolError> {
    let tasks = texts(args, "tasks");
    if tasks.is_empty() {
        return Err(ToolError::Wrong("`tasks` is empty: give at least one item".into()));
    }
    if todos.len() + tasks.len() > ITEMS {
        return Err(ToolError::Wrong(format!("a list has at most {ITEMS} items; join small ones")));
    }
    let first = todos.iter().map(|it| it.id).max().unwrap_or(0) + 1;
    for (id, task) in (first..).zip(tasks) {
        let (state, text) = boxed(task.trim());
        let wanted = given(args, "state").filter(|_| state == TodoState::Pending);
        todos.push(Todo {
            id,
            text: text.to_string(),
            state: wanted.map_or(state, parsed),
            priority: given(args, "priority").unwrap_or_default().to_string(),
            notes: given(args, "notes").unwrap_or_default().to_string(),
        });
    }
    Ok(())
}

/// The state that a box before the text gives: `[x]`, `[~]`, `[ ]`.
fn boxed(task: &str) -> (TodoState, &str) {
    let marks = [
        ("[x]", TodoState::Completed),
        ("[X]", TodoState::Completed),
        ("[~]", TodoState::InProgress),
        ("[ ]", TodoState::Pending),
    ];
    let found = marks.iter().find_map(|(mark, state)| Some((*state, task.strip_prefix(mark)?.trim_start())));
    found.unwrap_or((TodoState::Pending, task))
}

fn update(todos: &mut [Todo], args: &Value, action: &str) -> Result<(), ToolError> {
    let open = || todos.iter().map(|it| it.id.to_string()).collect::<Vec<_>>().join(", ");
    let Some(id) = number(args, "id") else {
        return Err(ToolError::Wrong(format!("`id` is missing: {action} needs the number of an item ({})", open())));
    };
    let ids = open();
    let Some(todo) = todos.iter_mut().find(|it| it.id as usize == id) else {
        let there = if ids.is_empty() { "the list is empty".to_string() } else { format!("there are {ids}") };
        return Err(ToolError::Wrong(format!("there is no item {id}; {there}")));
    };
    match action {
        "mark_progress" => todo.state = TodoState::InProgress,
        "mark_completed" => todo.state = TodoState::Completed,
        _ => {}
    }
    if let Some(state) = given(args, "state").filter(|_| action == "update") {
        todo.state = parsed(state);
    }
    if let Some(text) = texts(args, "tasks").first() {
        todo.text = (*text).to_string();
    }
    for (key, field) in [("priority", &mut todo.priority), ("notes", &mut todo.notes)] {
        if let Some(value) = given(args, key) {
            *field = value.to_string();
        }
    }
    Ok(())
}

fn parsed(state: &str) -> TodoState {
    match state {
        "in_progress" => TodoState::InProgress,
        "completed" => TodoState::Completed,
        _ => TodoState::Pending,
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn a_list_is_kept_from_start_to_end() {
        let fixture = Fixture::new();
        let story: Vec<String> = [
            json!({"action": "create", "tasks": ["Read the parser", "", "Fix it"], "priority": "high"}),
            json!({"action": "add_task", "tasks": "Add a test", "notes": "in tests/"}),
            json!({"action": "mark_progress", "task_id": "1"}),
            json!({"action": "mark_completed", "id": 1}),
            json!({"action": "update", "id": 2, "task": "Fix the parser", "state": "in_progress", "notes": "line 12"}),
        ]
        .map(|args| fixture.ok("todo_write", args))
        .to_vec();
        expect![[r#"
            1. [ ] Read the parser (high)
            2. [ ] Fix it (high)
            [2 pending, 0 in progress, 0 completed]
            --
            1. [ ] Read the parser (high)
            2. [ ] Fix it (high)
            3. [ ] Add a test
               in tests/
            [3 pending, 0 in progress, 0 completed]
            --
            1. [~] Read the parser (high)
            2. [ ] Fix it (high)
            3. [ ] Add a test
               in tests/
            [2 pending, 1 in progress, 0 completed]
            --
            1. [x] Read the parser (high)
            2. [ ] Fix it (high)
            3. [ ] Add a test
               in tests/
            [2 pending, 0 in progress, 1 completed]
            --
            1. [x] Read the parser (high)
            2. [~] Fix the parser (high)
               line 12
            3. [ ] Add a test
               in tests/
            [1 pending, 1 in progress, 1 completed]"#]]
        .assert_eq(&story.join("\n--\n"));
        assert_eq!(fixture.ok("todo_read", json!({})), story[4]);
    }

    #[test]
    fn lists_are_read_however_they_are_written() {
        let fixture = Fixture::new();
        for args in [
            json!({"action": "create", "content": "<task>One\nmore</task><task> </task>\n<task>Two</task>"}),
            json!({"todos": [{"content": "One\nmore", "status": "pending", "activeForm": "x"}, {"content": "Two"}]}),
            json!({"plan": [{"step": "One\nmore", "status": "pending"}, {"step": "Two", "status": "pending"}]}),
            json!({"action": "create", "tasks": "[\"One\\nmore\", \"Two\"]"}),
        ] {
            assert_eq!(
                fixture.ok("TodoWrite", args),
                "1. [ ] One\nmore\n2. [ ] Two\n[2 pending, 0 in progress, 0 completed]"
            );
        }
        let list = json!({"action": "create", "tasks": "- [x] One\n\n2) Two\n* Three"});
        assert!(fixture.ok("todo_write", list).starts_with("1. [x] One\n2. [ ] Two\n3. [ ] Three\n"));
    }

    #[test]
    fn what_names_no_item_is_refused() {
        let fixture = Fixture::new();
        let mut words = vec![fixture.fails("todo_write", json!({"action": "mark_completed", "id": 1}))];
        fixture.ok("todo_write", json!({"action": "create", "tasks": ["a", "b"]}));
        for args in [
            json!({"action": "mark_completed", "id": 7}),
            json!({"action": "update", "state": "completed"}),
            json!({"action": "create", "tasks": []}),
            json!({"action": "finish", "id": 1}),
        ] {
            words.push(fixture.fails("todo_write", args));
        }
        expect![[r#"
            there is no item 1; the list is empty
            there is no item 7; there are 1, 2
            `id` is missing: update needs the number of an item (1, 2)
            `tasks` is empty: give at least one item
            `todo_write` was not run; its arguments do not fit:
            - `action` must be one of create, add_task, update, mark_progress, mark_completed, not a text ("finish")
            Given: action, id.
            Schema: {"type":"object","properties":{"action":{"type":"string","enum":["create","add_task","update","mark_progress","mark_completed"]},"tasks":{"type":"array","items":{"type":"string"}},"id":{"type":"integer"},"state":{"type":"string","enum":["pending","in_progress","completed"]},"priority":{"type":"string","enum":["high","medium","low"]},"notes":{"type":"string"}},"required":["action"]}"#]].assert_eq(&words.join("\n"));
        assert_eq!(fixture.cx.board.todos().len(), 2);
    }
}
