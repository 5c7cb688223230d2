//! From what a model wrote to a call that can be decided on and run, or that says why it cannot.
//!
//! Nothing is run here, and nothing is guessed for a tool that changes something: its arguments are taken as written
//! or rejected with the place and the schema.

use ox_protocol::{Call, CallFacts, CallId, CallKind, Written};
use serde_json::{Map, Value};

use super::context::CallContext;
use super::facts;
use super::tool::Tool;
use super::toolbox::Toolbox;
use crate::args::json::{Broken, read};
use crate::args::{repair::repair, shape};

/// How deep calls of other tools may stand within each other.
const NESTING: usize = 3;

impl Toolbox {
    /// The call that a model wrote as `name` with the JSON text `raw`. Where it cannot run, `facts.rejected` holds the
    /// words for the model.
    pub fn read(&self, cx: &CallContext, id: CallId, name: &str, raw: &str) -> Call {
        let args = match read(raw) {
            Ok(args) => args,
            Err(broken) => match self.mended(name, raw) {
                Some(args) => args,
                None => return self.unreadable(id, name, raw, &broken),
            },
        };
        let written = Written { tool: name.to_string(), args: Value::Object(args.clone()) };
        let mut call = self.fitted(cx, id, name, args);
        if call.tool != written.tool || call.args != written.args {
            call.as_written = Some(written);
        }
        call
    }

    /// The same call with the arguments that someone put in place of the model's, judged anew.
    pub fn amended(&self, cx: &CallContext, call: &Call, args: Value) -> Call {
        let written =
            call.as_written.clone().unwrap_or_else(|| Written { tool: call.tool.clone(), args: call.args.clone() });
        let map = match args {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        Call { as_written: Some(written), ..self.fitted(cx, call.id.clone(), &call.tool, map) }
    }

    /// Unwraps a call of another tool, renames and checks the arguments, computes the facts.
    fn fitted(&self, cx: &CallContext, id: CallId, name: &str, args: Map<String, Value>) -> Call {
        let (mut name, mut args) = (name.to_string(), args);
        let mut wrapper = None;
        for _ in 0..NESTING {
            let tool = match self.resolve(&name, &mut args) {
                Ok(tool) => tool,
                Err(words) => return rejected(id, &name, args, CallKind::Read, words),
            };
            (tool.normalize)(&mut args);
            if let Some(schema) = &tool.strict {
                let args = Value::Object(args);
                let wrong = schema.mistakes(&args);
                let rejected =
                    (!wrong.is_empty()).then(|| misfit(&tool, &wrong, args.as_object().expect("made above")));
                let facts = CallFacts { rejected, ..facts::of(cx, &tool, &args) };
                return Call { id, tool: tool.name.to_string(), args, facts, as_written: None };
            }
            args = match shape::fit(&tool.schema, tool.argument_aliases, args.clone()) {
                Ok(args) => args,
                Err(wrong) => return rejected(id, &tool.name, args.clone(), tool.kind, misfit(&tool, &wrong, &args)),
            };
            if !tool.wraps {
                let args = Value::Object(args);
                let mut facts = facts::of(cx, &tool, &args);
                if let Some(words) = (tool.validate)(&args) {
                    facts.rejected = Some(format!("`{}` was not run: {words}", tool.name));
                }
                return Call { id, tool: tool.name.to_string(), args, facts, as_written: None };
            }
            wrapper = Some(tool);
            name = args.get("name").and_then(Value::as_str).unwrap_or_default().to_string();
            args = match args.shift_remove("args") {
                Some(Value::Object(inner)) => inner,
                _ => Map::new(),
            };
        }
        let wrapper = wrapper.map_or_else(String::new, |it| it.name.to_string());
        let words = format!("{wrapper} calls a tool, not itself. Give the tool's own name.");
        rejected(id, &name, args, CallKind::Read, words)
    }

    /// Repaired arguments, for a tool that only reads. One that wraps may wrap one that writes, so it is not repaired.
    fn mended(&self, name: &str, raw: &str) -> Option<Map<String, Value>> {
        let tool = self.find(name)?;
        (tool.kind == CallKind::Read && !tool.wraps).then(|| repair(raw)).flatten()
    }

    fn unreadable(&self, id: CallId, name: &str, raw: &str, broken: &Broken) -> Call {
        let tool = self.find(name);
        let shown = tool.as_deref().map_or(name, |it| &it.name);
        let advice = match broken.ends_early {
            true => {
                "They end in the middle: the reply probably hit its output limit. Send less in one call, for example several smaller edits."
            }
            false => {
                "A quote, backslash or line break inside a text is written \\\", \\\\ or \\n. Send the call again."
            }
        };
        let mut words = format!(
            "`{shown}` was not run: its arguments cannot be read as JSON ({} at line {}, column {}):\n{}\n{advice}",
            broken.what, broken.line, broken.column, broken.around
        );
        if let Some(tool) = &tool {
            words.push_str(&format!("\nSchema: {}", tool.schema));
        }
        let kind = tool.as_ref().map_or(CallKind::Read, |it| it.kind);
        let written = Map::from_iter([("unparsed".to_string(), Value::from(raw))]);
        let as_written =
            (shown != name).then(|| Written { tool: name.to_string(), args: Value::Object(written.clone()) });
        Call { as_written, ..rejected(id, shown, written, kind, words) }
    }
}

fn rejected(id: CallId, name: &str, args: Map<String, Value>, kind: CallKind, words: String) -> Call {
    let facts = CallFacts { kind, rejected: Some(words), ..CallFacts::default() };
    Call { id, tool: name.to_string(), args: Value::Object(args), facts, as_written: None }
}

fn misfit(tool: &Tool, wrong: &[String], args: &Map<String, Value>) -> String {
    let given: Vec<&str> = args.keys().map(String::as_str).collect();
    let given = if given.is_empty() { "nothing".to_string() } else { given.join(", ") };
    let wrong: String = wrong.iter().map(|it| format!("\n- {it}")).collect();
    format!("`{}` was not run; its arguments do not fit:{wrong}\nGiven: {given}.\nSchema: {}", tool.name, tool.schema)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use ox_protocol::Level;
    use serde_json::json;

    fn raw(fixture: &Fixture, name: &str, raw: &str) -> Call {
        fixture.toolbox.read(&fixture.cx, CallId("call_1_0".into()), name, raw)
    }

    #[test]
    fn a_call_in_our_own_words_is_taken_as_it_is() {
        let fixture = Fixture::new();
        let call = fixture.call("read_file", json!({"path": "src/a.rs"}));
        assert_eq!((call.as_written, call.facts.rejected), (None, None));
        assert_eq!(call.facts.paths[0].path, "src/a.rs");
    }

    #[test]
    fn what_the_model_wrote_is_kept_where_it_differs() {
        let fixture = Fixture::new();
        let call = fixture.call("Read", json!({"file_path": "./src/../a.rs", "offset": null}));
        assert_eq!((call.tool.as_str(), &call.args), ("read_file", &json!({"path": "./src/../a.rs"})));
        assert_eq!(call.facts.paths[0].path, "a.rs", "permission sees the place, not the words");
        let written = call.as_written.unwrap();
        assert_eq!(
            (written.tool.as_str(), written.args),
            ("Read", json!({"file_path": "./src/../a.rs", "offset": null}))
        );
    }

    #[test]
    fn use_tool_is_unwrapped_whatever_holds_the_arguments() {
        let fixture = Fixture::new();
        for args in [
            json!({"name": "delete_file", "args": {"path": "a"}}),
            json!({"tool": "rm", "arguments": "{\"file\": \"a\"}"}),
            json!({"tool_name": "delete_file", "path": "a"}),
            json!({"name": "use_tool", "args": {"name": "delete_file", "args": {"path": "a"}}}),
        ] {
            let call = fixture.call("use_tool", args.clone());
            assert_eq!((call.tool.as_str(), &call.args), ("delete_file", &json!({"path": "a"})), "{args}");
            assert_eq!((call.facts.kind, call.facts.level), (CallKind::Mutate, Level::Edit));
            assert_eq!(call.as_written.map(|it| it.args), Some(args));
        }
        let within = |inner: Value| json!({"name": "use_tool", "args": inner});
        let deep = within(within(within(within(json!({"name": "think", "args": {"thought": "x"}})))));
        assert!(fixture.call("use_tool", deep).facts.rejected.unwrap().contains("not itself"));
        assert!(fixture.call("use_tool", json!({"name": "fly"})).facts.rejected.unwrap().contains("no tool `fly`"));
        assert!(fixture.call("use_tool", json!({})).facts.rejected.unwrap().contains("`name` is missing"));
    }

    #[test]
    fn broken_json_is_mended_only_for_tools_that_read() {
        let fixture = Fixture::new();
        let call = raw(&fixture, "read_file", "{'path': 'a.rs',}");
        assert_eq!((call.args, call.facts.rejected), (json!({"path": "a.rs"}), None));
        assert_eq!(
            call.as_written.map(|it| it.args),
            None,
            "the mended form is what goes back: providers take JSON only"
        );
        for name in ["write_file", "edit_file", "run_command", "delete_file", "use_tool", "nonsense"] {
            let call = raw(&fixture, name, "{'path': 'a.rs',}");
            assert!(call.facts.rejected.is_some(), "{name}");
            assert_eq!(call.args, json!({"unparsed": "{'path': 'a.rs',}"}));
        }
        assert_eq!(raw(&fixture, "Write", "{").facts.kind, CallKind::Mutate, "it still counts as a change that failed");
    }

    #[test]
    fn a_rejection_shows_the_place_and_the_schema() {
        let fixture = Fixture::new();
        let words: Vec<String> = [
            ("write_file", r#"{"path": "a.rs", "content": "let s = "x";"}"#),
            ("write_file", r#"{"path": "a.rs", "content": "fn main() {"#),
            ("delete_file", r#"{"victim": "a.rs"}"#),
            ("delete_file", r#"["a.rs"]"#),
            ("move_file", "{}"),
        ]
        .map(|(name, args)| raw(&fixture, name, args).facts.rejected.unwrap())
        .to_vec();
        expect![[r#"
            `write_file` was not run: its arguments cannot be read as JSON (expected `,` or `}` at line 1, column 39):
            {"path": "a.rs", "content": "let s = "⟨here⟩x";"}
            A quote, backslash or line break inside a text is written \", \\ or \n. Send the call again.
            Schema: {"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},"why":{"type":"string","description":"in a few words"}},"required":["path","content"]}
            ---
            `write_file` was not run: its arguments cannot be read as JSON (EOF while parsing a string at line 1, column 40):
            {"path": "a.rs", "content": "fn main() {⟨here⟩
            They end in the middle: the reply probably hit its output limit. Send less in one call, for example several smaller edits.
            Schema: {"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},"why":{"type":"string","description":"in a few words"}},"required":["path","content"]}
            ---
            `delete_file` was not run; its arguments do not fit:
            - `path` is missing
            Given: victim.
            Schema: {"type":"object","properties":{"path":{"type":"string"},"why":{"type":"string","description":"in a few words"}},"required":["path"]}
            ---
            `delete_file` was not run: its arguments cannot be read as JSON (an object such as {"path": "src/main.rs"} is expected, not a list at line 1, column 1):
            ["a.rs"]
            A quote, backslash or line break inside a text is written \", \\ or \n. Send the call again.
            Schema: {"type":"object","properties":{"path":{"type":"string"},"why":{"type":"string","description":"in a few words"}},"required":["path"]}
            ---
            `move_file` was not run; its arguments do not fit:
            - `from` is missing
            - `to` is missing
            Given: nothing.
            Schema: {"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string","description":"the new path, or an existing folder to move into"},"why":{"type":"string","description":"in a few words"}},"required":["from","to"]}"#]].assert_eq(&words.join("\n---\n"));
    }

    #[test]
    fn facts_follow_from_the_arguments() {
        let fixture = Fixture::new();
        fixture.file("src/a.rs", "");
        fixture.file(".env", "");
        let other = Fixture::new();
        other.file("x", "");
        std::os::unix::fs::symlink(other.root(), fixture.path("out")).unwrap();
        let up = format!("../{}/x", other.name());
        let table: Vec<String> = [
            ("read_file", json!({"path": "src/a.rs"})),
            ("read_file", json!({"paths": ["src/a.rs", "b.rs", "./b.rs"]})),
            ("read_file", json!({"path": up})),
            ("read_file", json!({"path": format!("{}/x", other.root())})),
            ("read_file", json!({"path": "out/x"})),
            ("read_file", json!({"path": ".env"})),
            ("search_code", json!({"pattern": "x"})),
            (
                "edit_file",
                json!({"path": "src/a.rs", "old": "a", "new": "b", "edits": [{"path": "b", "old": "", "new": ""}]}),
            ),
            ("write_file", json!({"path": format!("{}/new", other.root()), "content": ""})),
            ("write_file", json!({"path": ".env", "content": ""})),
            ("delete_file", json!({"path": "src"})),
            ("move_file", json!({"from": "src/a.rs", "to": "src/b.rs"})),
            ("run_command", json!({"command": "rm -rf /"})),
            ("run_command", json!({"command": "ls", "cwd": "src"})),
            ("run_checks", json!({})),
            ("git_log", json!({})),
            ("todo_write", json!({"action": "create", "tasks": ["a"]})),
            ("ask_user", json!({"question": "?"})),
            ("attempt_completion", json!({"result": "."})),
        ]
        .map(|(name, args)| {
            let facts = fixture.call(name, args.clone()).facts;
            let paths: Vec<String> =
                facts.paths.iter().map(|it| format!("{}{}", it.path, if it.write { "!" } else { "" })).collect();
            let said = facts.rejected.map(|it| format!(" rejected: {it}")).unwrap_or_default();
            let command = facts.command.map(|it| format!(" `{it}`")).unwrap_or_default();
            let explores = if facts.explores { " explores" } else { "" };
            format!(
                "{name} {args}\n  {:?} {:?} [{}]{command}{explores}{said}",
                facts.kind,
                facts.level,
                paths.join(" ")
            )
        })
        .to_vec();
        expect![[r#"
            read_file {"path":"src/a.rs"}
              Read Read [src/a.rs] explores
            read_file {"paths":["src/a.rs","b.rs","./b.rs"]}
              Read Read [src/a.rs b.rs] explores
            read_file {"path":"../NAME/x"}
              Read System [OTHER/x] explores
            read_file {"path":"OTHER/x"}
              Read System [OTHER/x] explores
            read_file {"path":"out/x"}
              Read System [OTHER/x] explores
            read_file {"path":".env"}
              Read System [.env] explores
            search_code {"pattern":"x"}
              Read Read [.] explores
            edit_file {"path":"src/a.rs","old":"a","new":"b","edits":[{"path":"b","old":"","new":""}]}
              Mutate Edit [src/a.rs! b!]
            write_file {"path":"OTHER/new","content":""}
              Mutate System [OTHER/new!]
            write_file {"path":".env","content":""}
              Mutate Edit [] rejected: `.env` is protected and is never written: it is a file of secrets; ask the user to change it, or write a template such as `.env.example`
            delete_file {"path":"src"}
              Mutate System [src!]
            move_file {"from":"src/a.rs","to":"src/b.rs"}
              Mutate Edit [src/a.rs! src/b.rs!]
            run_command {"command":"rm -rf /"}
              Mutate System [/!] `rm -rf /` explores
            run_command {"command":"ls","cwd":"src"}
              Mutate Read [src] `ls` explores
            run_checks {}
              Checks Edit [] explores
            git_log {}
              Read Read [.] explores
            todo_write {"action":"create","tasks":["a"]}
              Read Read []
            ask_user {"question":"?"}
              Question Read []
            attempt_completion {"result":"."}
              Conclude Read []"#]]
        .assert_eq(&table.join("\n").replace(&fixture.root(), "ROOT").replace(&other.root(), "OTHER").replace(&other.name(), "NAME"));
    }

    #[test]
    fn nobody_is_asked_about_an_outside_path_that_is_not_there() {
        let fixture = Fixture::new();
        fixture.file("src/lib.rs", "");
        let words: Vec<String> = [
            ("read_file", json!({"path": "/src/lib.rs"})),
            ("write_file", json!({"path": "/no-such-workspace/src/lib.rs", "content": ""})),
            ("search_code", json!({"pattern": "x", "path": "/no-such-folder"})),
        ]
        .map(|(name, args)| fixture.call(name, args).facts.rejected.unwrap().replace(&fixture.root(), "ROOT"))
        .to_vec();
        expect![[r#"
            `/src/lib.rs` does not exist; did you mean `src/lib.rs`?
            The project root is ROOT.
            `/no-such-workspace/src/lib.rs` does not exist; did you mean `src/lib.rs`?
            The project root is ROOT.
            `/no-such-folder` does not exist; list the folder or search to find the right path
            The project root is ROOT."#]]
        .assert_eq(&words.join("\n"));
    }

    #[test]
    fn an_amended_call_is_judged_anew_and_keeps_what_the_model_wrote() {
        let fixture = Fixture::new();
        let first = fixture.call("bash", json!({"cmd": "rm x"}));
        let second = fixture.toolbox.amended(&fixture.cx, &first, json!({"command": "ls x"}));
        assert_eq!((second.id.clone(), second.facts.command.as_deref()), (first.id.clone(), Some("ls x")));
        assert_eq!(second.as_written, first.as_written);
        assert_eq!(second.as_written.unwrap().args, json!({"cmd": "rm x"}));
    }
}
