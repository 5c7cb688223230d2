//! `ox acp`: an editor that speaks the Agent Client Protocol, message by message.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};

use serde_json::{Value, json};

use crate::place::Place;

/// A client of `ox acp`.
struct Editor {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
    last: u64,
    /// What came before the last answer.
    seen: Vec<Value>,
    /// The option that is chosen where permission is asked; none where nobody answers.
    chooses: Option<&'static str>,
}

impl Editor {
    fn start(place: &Place, args: &[&str]) -> Editor {
        let mut command = place.command(&[&["acp"], args].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let stdin = child.stdin.take();
        Editor { stdin, child, lines, last: 0, seen: Vec::new(), chooses: Some("allow") }
    }

    /// The same after its first words, with a script as the model.
    fn open(place: &Place, script: &str) -> Editor {
        let model = place.script(script);
        let mut editor = Editor::start(place, &["--model", &model]);
        let hello = editor.ask("initialize", json!({ "protocolVersion": 1, "clientCapabilities": {} })).unwrap();
        assert_eq!((&hello["protocolVersion"], &hello["agentInfo"]["name"]), (&json!(1), &json!("ox")));
        editor
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The next message; every line of standard output is one.
    fn read(&mut self) -> Value {
        let line = self.lines.next().expect("ox ended").unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        if let (Some(option), true) = (self.chooses, message["method"] == "session/request_permission") {
            let chosen = json!({ "outcome": { "outcome": "selected", "optionId": option } });
            self.say(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": chosen }));
        }
        message
    }

    /// Reads on to the answer of a request.
    fn answer(&mut self, id: u64) -> Result<Value, Value> {
        self.seen.clear();
        loop {
            let message = self.read();
            if message["id"] == id && message.get("method").is_none() {
                return message.get("result").cloned().ok_or_else(|| message["error"].clone());
            }
            self.seen.push(message);
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.send(method, params);
        self.answer(id)
    }

    fn new_session(&mut self, place: &Place) -> String {
        let asked = self.ask("session/new", json!({ "cwd": place.project(""), "mcpServers": [] }));
        asked.unwrap()["sessionId"].as_str().unwrap().to_owned()
    }

    fn prompt(&mut self, session: &str, text: &str) -> Result<Value, Value> {
        let blocks = json!([{ "type": "text", "text": text }]);
        self.ask("session/prompt", json!({ "sessionId": session, "prompt": blocks }))
    }

    /// Reads on to a message of this method.
    fn until(&mut self, method: &str) -> Value {
        loop {
            let message = self.read();
            if message["method"] == method {
                return message;
            }
        }
    }

    /// The updates of a kind before the last answer.
    fn updates(&self, kind: &str) -> Vec<&Value> {
        let all = self.seen.iter().map(|it| &it["params"]["update"]);
        all.filter(|it| it["sessionUpdate"] == kind).collect()
    }

    /// The text of the chunks of a kind before the last answer.
    fn text(&self, kind: &str) -> String {
        self.updates(kind).iter().filter_map(|it| it["content"]["text"].as_str()).collect()
    }

    /// Closes the input and waits for the end.
    fn end(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.lines.by_ref().for_each(drop);
        self.child.wait().unwrap().code()
    }
}

const EDIT: &str = "-- model --\n@read_file\npath: a.txt\n\
                    -- model --\nI will change it.\n@edit_file\npath: a.txt\nold: two\nnew: zwei\n\
                    -- model --\n@run_command\ncommand: echo hello\n\
                    -- model --\n@attempt_completion\nresult: All is done.\n";

#[test]
fn a_prompt_streams_its_calls_its_diffs_and_its_end() {
    let place = Place::new();
    place.write("a.txt", "one\ntwo\n");
    let mut editor = Editor::open(&place, EDIT);
    let session = editor.new_session(&place);
    let done = editor.prompt(&session, "Change two to zwei.").unwrap();
    assert_eq!((&done["stopReason"], &done["_meta"]["ox"]["exitCode"]), (&json!("end_turn"), &json!(0)));
    assert_eq!(place.read("a.txt"), "one\nzwei\n");
    let calls = editor.updates("tool_call");
    let kinds: Vec<&Value> = calls.iter().map(|it| &it["kind"]).collect();
    assert_eq!(kinds, ["read", "edit", "execute"]);
    let file = place.project("a.txt").canonicalize().unwrap();
    assert_eq!((&calls[0]["locations"][0]["path"], &calls[0]["rawInput"]["path"]), (&json!(file), &json!("a.txt")));
    let asked = editor.seen.iter().find(|it| it["method"] == "session/request_permission").unwrap();
    let call = &asked["params"]["toolCall"];
    assert_eq!((&call["content"][1]["type"], &call["content"][1]["newText"]), (&json!("diff"), &json!("one\nzwei\n")));
    let all = editor.updates("tool_call_update");
    let of = |at: usize| all.iter().rfind(|it| it["toolCallId"] == calls[at]["toolCallId"]).unwrap();
    assert_eq!((&of(0)["status"], &of(1)["status"]), (&json!("completed"), &json!("completed")));
    let diff = json!({ "type": "diff", "path": file, "oldText": "one\ntwo\n", "newText": "one\nzwei\n" });
    assert_eq!((&of(1)["content"][0], &of(1)["locations"][0]["line"]), (&diff, &json!(2)));
    assert_eq!(
        (&of(2)["content"][0]["content"]["text"], &of(2)["rawOutput"]["exit_code"]),
        (&json!("hello\n"), &json!(0))
    );
    let said = editor.text("agent_message_chunk");
    assert!(
        said.starts_with("I will change it.") && said.contains("All is done.") && said.contains("not verified"),
        "{said}"
    );
    assert!(editor.updates("usage_update").iter().all(|it| it["cost"].is_null() && it["used"].as_u64() > Some(0)));

    // A command behind a slash is done between two turns.
    assert_eq!(editor.prompt(&session, "/undo").unwrap()["stopReason"], "end_turn");
    assert_eq!(place.read("a.txt"), "one\ntwo\n");
    assert!(editor.text("agent_message_chunk").contains("is as it was"));
    editor.prompt(&session, "/redo").unwrap();
    assert_eq!(place.read("a.txt"), "one\nzwei\n");
    editor.prompt(&session, "/sessions").unwrap();
    assert!(editor.text("agent_message_chunk").contains("/sessions is not available here"));

    // What was stored is listed and can be loaded by another process.
    let listed = editor.ask("session/list", json!({ "cwd": place.project("") })).unwrap();
    assert_eq!(
        (&listed["sessions"][0]["sessionId"], &listed["sessions"][0]["title"]),
        (&json!(session), &json!("Change two to zwei."))
    );
    assert_eq!(editor.end(), Some(0));
    let mut editor = Editor::open(&place, "-- model --\nIt was wanted.\n");
    let load = json!({ "sessionId": session, "cwd": place.project(""), "mcpServers": [] });
    let loaded = editor.ask("session/load", load.clone()).unwrap();
    assert_eq!(loaded["modes"]["currentModeId"], "auto");
    assert_eq!(editor.text("user_message_chunk"), "Change two to zwei.");
    assert_eq!(editor.updates("tool_call").len(), 3);
    assert!(editor.text("agent_message_chunk").contains("All is done."));
    editor.prompt(&session, "Why?").unwrap();
    assert_eq!(editor.text("agent_message_chunk").trim(), "It was wanted.");
    // A session that is resumed shows nothing of what was.
    assert_eq!(editor.ask("session/close", json!({ "sessionId": session })), Ok(json!({})));
    assert!(editor.prompt(&session, "And?").is_err());
    editor.ask("session/resume", load).unwrap();
    assert_eq!(editor.text("user_message_chunk"), "");
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn a_refusal_is_kept_and_a_question_is_answered_by_choice_or_by_the_next_prompt() {
    let place = Place::new();
    place.write("a.txt", "mine\n");
    let script = "-- model --\n@run_command\ncommand: rm a.txt\n\
                  -- model --\n@ask_user\nquestion: Which colour?\noptions: [\"red\", \"blue\"]\n\
                  -- model --\n@ask_user\nquestion: Which name?\n\
                  -- model --\nIt is so.\n";
    let mut editor = Editor::open(&place, script);
    let session = editor.new_session(&place);
    editor.chooses = Some("reject");
    let blocks = json!([{ "type": "text", "text": "Tidy up." }]);
    let id = editor.send("session/prompt", json!({ "sessionId": session, "prompt": blocks }));
    let asked = editor.until("session/request_permission");
    assert_eq!(asked["params"]["toolCall"]["title"], "rm a.txt");
    editor.chooses = Some("choice_1");
    assert_eq!(editor.answer(id).unwrap()["stopReason"], "end_turn");
    assert_eq!(place.read("a.txt"), "mine\n");
    let asked = editor.seen.iter().find(|it| it["method"] == "session/request_permission").unwrap();
    assert_eq!(asked["params"]["options"][1]["name"], "blue");
    // There is nothing to choose from: the turn waits for the next prompt.
    assert!(editor.text("agent_message_chunk").ends_with("Which name?"));
    assert_eq!(editor.prompt(&session, "Otto").unwrap()["_meta"]["ox"]["stop"], "stop.permission_refused");
    assert!(editor.text("agent_message_chunk").contains("It is so."));
    let stored = place.ox(&["sessions", "export", &session]).out;
    assert!(stored.contains("blue") && stored.contains("Otto"), "{stored}");
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn a_question_of_a_server_is_asked_like_one_of_the_agent() {
    let place = Place::new();
    if !crate::mcp::allowed_server(&place) {
        return;
    }
    let elicit = |schema: &str| {
        format!(
            "-- model --\n@use_tool\nserver: fake\ntool: elicit\n\
             args: = {{\"requestedSchema\": {{\"type\": \"object\", \"properties\": {{\"size\": {schema}}}}}}}\n"
        )
    };
    let script = format!(
        "-- model --\n@find_tools\nquery: fake elicit\n{}{}-- model --\nIt is so.\n",
        elicit("{\"type\": \"string\", \"enum\": [\"small\", \"large\"]}"),
        elicit("{\"type\": \"integer\"}")
    );
    let mut editor = Editor::open(&place, &script);
    let session = editor.new_session(&place);
    editor.chooses = Some("choice_1");
    let blocks = json!([{ "type": "text", "text": "Ask." }]);
    let id = editor.send("session/prompt", json!({ "sessionId": session, "prompt": blocks }));
    let asked = editor.until("session/request_permission");
    assert!(asked["params"]["toolCall"]["title"].as_str().unwrap().contains("MCP server fake"), "{asked}");
    assert_eq!(asked["params"]["options"][1]["name"], "large");
    // A number is none of the answers to choose from.
    editor.chooses = Some("reject");
    editor.until("session/request_permission");
    assert_eq!(editor.answer(id).unwrap()["stopReason"], "end_turn");
    assert_eq!(editor.prompt(&session, "42").unwrap()["stopReason"], "end_turn");
    assert!(editor.text("agent_message_chunk").contains("It is so."));
    let stored = place.ox(&["sessions", "export", &session]).out;
    for answer in ["{\"size\": \"large\"}", "{\"size\": 42}"] {
        assert!(stored.contains(answer), "{answer}: {stored}");
    }
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn a_cancelled_prompt_is_answered_so_and_its_command_ends() {
    let place = Place::new();
    let script = "-- model --\n@run_command\ncommand: sleep 600\n-- model --\nNever.\n";
    let mut editor = Editor::open(&place, script);
    let session = editor.new_session(&place);
    let blocks = json!([{ "type": "text", "text": "Wait." }]);
    let id = editor.send("session/prompt", json!({ "sessionId": session, "prompt": blocks }));
    while editor.until("session/update")["params"]["update"]["status"] != "in_progress" {}
    editor.say(&json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": session } }));
    assert_eq!(editor.answer(id).unwrap()["stopReason"], "cancelled");
    let failed = editor.updates("tool_call_update").iter().any(|it| it["status"] == "failed");
    assert!(failed, "{:?}", editor.seen);
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn a_client_that_does_not_say_what_is_open_is_asked_once_and_waited_for_no_longer() {
    let place = Place::new();
    place.write("a.txt", "one\ntwo\n");
    let model = place.script(EDIT);
    let mut editor = Editor::start(&place, &["--model", &model]);
    let fs = json!({ "fs": { "readTextFile": true, "writeTextFile": true } });
    editor.ask("initialize", json!({ "protocolVersion": 1, "clientCapabilities": fs })).unwrap();
    let session = editor.new_session(&place);
    assert_eq!(editor.prompt(&session, "Change two to zwei.").unwrap()["stopReason"], "end_turn");
    assert_eq!(place.read("a.txt"), "one\nzwei\n");
    let is_of_files = |it: &&Value| it["method"].as_str().is_some_and(|it| it.starts_with("fs/"));
    let asked: Vec<&Value> = editor.seen.iter().filter(is_of_files).collect();
    let file = place.project("a.txt").canonicalize().unwrap();
    assert_eq!(asked.iter().map(|it| &it["method"]).collect::<Vec<_>>(), ["fs/read_text_file"]);
    assert_eq!((&asked[0]["params"]["sessionId"], &asked[0]["params"]["path"]), (&json!(session), &json!(file)));
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn the_end_of_the_input_ends_every_session_with_what_it_runs() {
    let place = Place::new();
    let script = "-- model --\n@run_command\ncommand: sleep 613\n-- model --\nNever.\n";
    let mut editor = Editor::open(&place, script);
    let (one, other) = (editor.new_session(&place), editor.new_session(&place));
    assert_ne!(one, other);
    let blocks = json!([{ "type": "text", "text": "Wait." }]);
    editor.send("session/prompt", json!({ "sessionId": one, "prompt": blocks }));
    while editor.until("session/update")["params"]["update"]["status"] != "in_progress" {}
    assert_eq!(editor.end(), Some(0));
    let left = std::fs::read_dir("/proc").unwrap().flatten().any(|it| {
        let command = std::fs::read(it.path().join("cmdline")).unwrap_or_default();
        command.starts_with(b"sleep\x00613\x00")
    });
    assert!(!left, "the command goes on");
    assert_eq!(place.ox(&["ps"]).refusal(0), "No conversation is running.\n");
}

#[test]
fn modes_and_models_are_chosen_and_what_is_not_there_is_refused() {
    let place = Place::new();
    let mut editor = Editor::open(&place, "-- model --\nYes.\n");
    let session = editor.new_session(&place);
    let mode = |mode: &str| json!({ "sessionId": session, "modeId": mode });
    assert_eq!(editor.ask("session/set_mode", mode("plan")), Ok(json!({})));
    assert_eq!(editor.updates("current_mode_update")[0]["currentModeId"], "plan");
    assert_eq!(editor.ask("session/set_mode", mode("fast")).unwrap_err()["code"], -32602);
    let set = |id: &str, value: &str| json!({ "sessionId": session, "configId": id, "value": value });
    let options = editor.ask("session/set_config_option", set("mode", "chat")).unwrap();
    assert_eq!(options["configOptions"][0]["currentValue"], "chat");
    let error = editor.ask("session/set_config_option", set("model", "anthropic/claude-x")).unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("ANTHROPIC_API_KEY"), "{error}");
    assert_eq!(editor.ask("session/set_config_option", set("colour", "red")).unwrap_err()["code"], -32602);
    assert_eq!(editor.prompt(&session, "Is it?").unwrap()["stopReason"], "end_turn");
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn each_error_has_a_code_and_says_what_to_do() {
    let place = Place::new();
    let mut editor = Editor::open(&place, "-- model --\nYes.\n");
    let here = place.project("");
    let table = [
        ("session/new", json!({ "cwd": "project", "mcpServers": [] }), -32602, "absolute path"),
        ("session/new", json!({ "cwd": here.join("nowhere"), "mcpServers": [] }), -32602, "Open a folder"),
        ("session/load", json!({ "sessionId": "nope", "cwd": here, "mcpServers": [] }), -32002, "session/list"),
        ("session/prompt", json!({ "sessionId": "nope", "prompt": [] }), -32002, "session/new"),
        ("session/list", json!({ "cursor": "x" }), -32602, "nextCursor"),
        ("authenticate", json!({ "methodId": "x" }), -32602, "stored-key"),
        ("session/nothing", json!({}), -32601, "not found"),
        ("session/new", json!({}), -32602, "Invalid params"),
    ];
    for (method, params, code, words) in table {
        let error = editor.ask(method, params).unwrap_err();
        assert_eq!(error["code"], code, "{method}: {error}");
        assert!(error["message"].as_str().unwrap().contains(words), "{method}: {error}");
    }
    let session = editor.new_session(&place);
    assert_eq!(editor.prompt(&session, " ").unwrap_err()["code"], -32602);
    let audio = json!([{ "type": "audio", "data": "", "mimeType": "audio/wav" }]);
    let error = editor.ask("session/prompt", json!({ "sessionId": session, "prompt": audio })).unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("audio"), "{error}");
    // A conversation is loaded in its own project alone.
    editor.prompt(&session, "Is it?").unwrap();
    let elsewhere = json!({ "sessionId": session, "cwd": place.home(""), "mcpServers": [] });
    let error = editor.ask("session/load", elsewhere).unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("belongs to"), "{error}");
    let gone = editor.ask("session/delete", json!({ "sessionId": session }));
    assert_eq!(gone, Ok(json!({})));
    assert_eq!(editor.ask("session/list", json!({})).unwrap()["sessions"], json!([]));
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn without_a_key_a_session_says_how_to_get_one() {
    let place = Place::new();
    let mut editor = Editor::start(&place, &[]);
    let able = json!({ "protocolVersion": 1, "clientCapabilities": { "auth": { "terminal": true } } });
    let methods = editor.ask("initialize", able).unwrap()["authMethods"].clone();
    assert_eq!(
        (&methods[0]["id"], &methods[1]["type"], &methods[1]["args"]),
        (&json!("stored-key"), &json!("terminal"), &json!(["--login"]))
    );
    for (method, params) in [
        ("session/new", json!({ "cwd": place.project(""), "mcpServers": [] })),
        ("authenticate", json!({ "methodId": "stored-key" })),
    ] {
        let error = editor.ask(method, params).unwrap_err();
        assert_eq!(error["code"], -32000, "{error}");
        assert!(error["message"].as_str().unwrap().contains("ox login"), "{error}");
    }
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn custom_commands_are_offered_with_where_they_came_from_and_are_prompts() {
    let place = Place::new();
    place.write(".claude/commands/fix.md", "---\ndescription: Fixes it\nargument-hint: issue\n---\nFix issue $1.");
    place.trusts();
    let mut editor = Editor::open(&place, "-- model --\nFixed.\n");
    let session = editor.new_session(&place);
    let update = loop {
        let message = editor.until("session/update");
        if message["params"]["update"]["sessionUpdate"] == "available_commands_update" {
            break message["params"]["update"].clone();
        }
    };
    let offered = update["availableCommands"].as_array().unwrap();
    let fix = offered.iter().find(|it| it["name"] == "fix").unwrap();
    assert_eq!((&fix["description"], &fix["input"]["hint"]), (&json!("Fixes it (project)"), &json!("issue")));
    let ended = editor.prompt(&session, "/fix 12").unwrap();
    assert_eq!(ended["stopReason"], "end_turn");
    let log = place.ox(&["sessions", "export", "--format", "json", &session]);
    assert!(log.out.contains("Fix issue 12."), "{}{}", log.out, log.err);
}
