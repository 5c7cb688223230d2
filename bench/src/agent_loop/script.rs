//! What the mock model does: twenty turns with tools, then an answer, whatever the tools are called.
//!
//! It depends on nothing but the request: the number of results in it is the number of the turn.

use ox_model::{RawCall, Reply};
use ox_protocol::Finish;
use serde_json::{Map, Value, json};

use super::request::Ask;

/// Turns with a tool before the answer.
pub const TURNS: usize = 20;
/// The same in a long conversation.
pub const LONG: usize = 1_000;
/// Lines of a file that one read of a long conversation asks for.
const LINES: usize = 3;
/// Files in the repository that is worked on.
pub const FILES: usize = 200;
/// The file that is read and edited, relative to the repository.
pub const FILE: &str = "src/part_000/file_000.rs";
/// What stands in the file before the edit, once.
pub const OLD: &str = "pub const MARK: u32 = 0;";
/// What stands there after it.
pub const NEW: &str = "pub const MARK: u32 = 1;";

/// Which tools the turns between the first and the last use.
#[derive(Clone, Copy, Default, PartialEq, Debug, clap::ValueEnum)]
pub enum Script {
    /// A read, eighteen commands that do nothing, an edit.
    #[default]
    Commands,
    /// A read, eighteen more reads of other files, an edit: no process is started.
    Files,
    /// A thousand reads of a few lines each.
    Long,
    /// The answer at once.
    Answer,
}

/// What one turn does.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    Read(usize),
    /// A few lines of a file, by the number of the turn: no two reads are the same.
    Lines(usize),
    Run(usize),
    Edit,
}

impl Script {
    /// The reply to a request. `root` is the repository, for tools that demand absolute paths.
    pub fn reply(self, ask: &Ask, root: &str) -> Reply {
        let answer = Reply { text: "Done: MARK is 1 now.".into(), ..Reply::default() };
        let turns = if self == Script::Long { LONG } else { TURNS };
        if ask.tools.is_empty() || ask.results >= turns || self == Script::Answer {
            return alone(&ask.tools).filter(|_| ask.results <= turns).unwrap_or(answer);
        }
        let step = match (ask.results, self) {
            (turn, Script::Long) => Step::Lines(turn),
            (0, _) => Step::Read(0),
            (turn, _) if turn == TURNS - 1 => Step::Edit,
            (turn, Script::Files) => Step::Read(turn),
            (turn, _) => Step::Run(turn),
        };
        call(step, &ask.tools, root).unwrap_or(answer)
    }
}

const READERS: &[&str] = &["read_file", "Read", "read", "view"];
const RUNNERS: &[&str] =
    &["run_command", "Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command", "execute_command"];
const EDITORS: &[&str] = &["edit_file", "Edit", "edit", "replace"];

/// The call that does `step` with the offered tools; a command stands in for a missing reader or editor.
fn call(step: Step, tools: &[(String, Value)], root: &str) -> Option<Reply> {
    let find = |names: &[&str]| names.iter().find_map(|name| tools.iter().find(|(offered, _)| offered == name));
    let (tool, command) = match step {
        Step::Read(number) => (find(READERS), format!("cat {}", path(number))),
        Step::Lines(turn) => (find(READERS), format!("sed -n {}p {}", lines(turn).0, path(turn % FILES))),
        // A number keeps the calls apart: agents stop a model that repeats itself.
        Step::Run(number) => (None, format!("true {number}")),
        Step::Edit => (find(EDITORS), format!("sed -i 's/MARK: u32 = 0/MARK: u32 = 1/' {FILE}")),
    };
    let number = match step {
        Step::Read(number) => number,
        Step::Lines(turn) => turn % FILES,
        Step::Run(_) | Step::Edit => 0,
    };
    let (name, schema) = tool.or_else(|| find(RUNNERS))?;
    let mut args = arguments(schema, &path(number), &command, root);
    if let Step::Lines(turn) = step {
        let (from, to) = lines(turn);
        for (first, last, value) in [("start_line", "end_line", to), ("from", "to", to), ("offset", "limit", LINES)] {
            if !schema["properties"][first].is_null() {
                (args[first], args[last]) = (from.into(), value.into());
            }
        }
    }
    Some(called(name, &args))
}

/// The first and the last line that a turn of a long conversation reads.
fn lines(turn: usize) -> (usize, usize) {
    let from = 1 + turn / FILES * LINES;
    (from, from + LINES - 1)
}

/// An agent whose only tool is a shell takes no answer for an end; mini-swe-agent's last command is this one.
fn alone(tools: &[(String, Value)]) -> Option<Reply> {
    let [(name, schema)] = tools else { return None };
    Some(called(name, &arguments(schema, FILE, "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "")))
}

fn called(name: &str, args: &Value) -> Reply {
    let calls = vec![RawCall { name: name.to_owned(), args: args.to_string() }];
    Reply { calls, finish: Finish::Calls, ..Reply::default() }
}

/// The file of a turn, relative to the repository.
pub fn path(number: usize) -> String {
    format!("src/part_{:03}/file_{number:03}.rs", number % 10)
}

/// Fills in a tool's schema by the names of its fields.
fn arguments(schema: &Value, path: &str, command: &str, root: &str) -> Value {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut args = Map::new();
    let Some(fields) = schema["properties"].as_object() else { return Value::Object(args) };
    for (name, field) in fields {
        let value = match name.as_str() {
            "path" | "file" => json!(path),
            "file_path" | "filePath" | "absolute_path" => json!(format!("{root}/{path}")),
            "command" | "cmd" if field["type"] == "array" => json!(["bash", "-c", command]),
            "command" | "cmd" => json!(command),
            "old" | "old_string" | "oldText" | "oldString" => json!(OLD),
            "new" | "new_string" | "newText" | "newString" => json!(NEW),
            "edits" if required.contains(&"edits") => json!([arguments(&field["items"], path, command, root)]),
            name if required.contains(&name) && field["type"] == "string" => json!("measuring"),
            _ => continue,
        };
        args.insert(name.clone(), value);
    }
    Value::Object(args)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, required: &[&str]) -> (String, Value) {
        let fields: Map<String, Value> =
            required.iter().map(|field| ((*field).into(), json!({ "type": "string" }))).collect();
        (name.into(), json!({ "type": "object", "properties": fields, "required": required }))
    }

    fn calls(tools: &[(String, Value)]) -> Vec<String> {
        [0, 1, 19, 20]
            .map(|results| {
                let reply = Script::Commands.reply(&Ask { tools: tools.to_vec(), results }, "/r");
                reply.calls.first().map_or("answer".into(), |it| format!("{} {}", it.name, it.args))
            })
            .to_vec()
    }

    #[test]
    fn the_turns_are_a_read_commands_an_edit_and_an_answer() {
        let tools = [
            tool("read_file", &["path"]),
            tool("run_command", &["command"]),
            tool("edit_file", &["path", "old", "new"]),
        ];
        assert_eq!(
            calls(&tools),
            [
                r#"read_file {"path":"src/part_000/file_000.rs"}"#,
                r#"run_command {"command":"true 1"}"#,
                r#"edit_file {"path":"src/part_000/file_000.rs","old":"pub const MARK: u32 = 0;","new":"pub const MARK: u32 = 1;"}"#,
                "answer",
            ]
        );
    }

    #[test]
    fn one_command_tool_is_enough() {
        let tools = [tool("bash", &["command", "description"])];
        assert_eq!(calls(&tools)[0], r#"bash {"command":"cat src/part_000/file_000.rs","description":"measuring"}"#);
        assert!(calls(&tools)[2].contains("sed -i"));
        assert!(calls(&tools)[3].contains("echo COMPLETE"));
    }

    #[test]
    fn a_request_without_tools_gets_an_answer_at_once() {
        assert_eq!(calls(&[])[0], "answer");
    }
}
