//! `edit_lines`: lines of one file, named by number, exchanged for others. Numbers are believed only of a file that the
//! model has read as it is, or where the old text of the lines comes with them.

use ox_edit::{LineRange, Request};
use ox_protocol::{CallKind, Level};
use serde_json::{Map, Value, json};

use crate::args::{number, text};
use crate::call::tool::{Alias, PathAccess, Run, Tool, ToolResult, object};
use crate::edit::patch::plan;
use crate::{call::context::CallContext, call::error::ToolError};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "edit_lines".into(),
        aliases: Alias::list("replace_lines line_edit edit_file_lines replace_range edit_range editor:insert"),
        description: "Replace lines by number, as the file is before the call: `from` to `to` become `new`. Empty `new` removes them; `to` = `from` - 1 inserts before `from`. \
`expected` is the present text of the lines; without it you must have read them.".into(),
        schema: schema(),
        kind: CallKind::Mutate,
        level: Level::Edit,
        normalize,
        validate,
        paths: |args| vec![PathAccess::write(text(args, "path"))],
        run: Run::Sync(run),
        ..Tool::base()
    }
}

fn schema() -> Value {
    let place = json!({
        "from": {"type": "integer", "description": "from 1"},
        "to": {"type": "integer", "description": "inclusive; `from` if left out"},
        "new": {"type": "string"},
        "expected": {"type": "string"},
    });
    let mut properties = json!({"path": {"type": "string"}});
    let items = place.as_object().expect("a place is an object");
    properties.as_object_mut().expect("properties are an object").extend(items.clone());
    let bare: Map<String, Value> = items.keys().map(|key| (key.clone(), json!({"type": items[key]["type"]}))).collect();
    properties["edits"] = json!({"type": "array", "items": object(&["from", "new"], bare.into()), "description": "several places of the file"});
    properties["why"] = json!({"type": "string", "description": "in a few words"});
    object(&["path"], properties)
}

/// An insertion names the line after which it stands; a range may be a pair.
fn normalize(args: &mut Map<String, Value>) {
    let whole = |value: &Value| value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    if let Some(after) = args.get("insert_line").and_then(whole) {
        args.insert("from".into(), Value::from(after + 1));
        args.insert("to".into(), Value::from(after));
    }
    for key in ["range", "line_range", "lines"] {
        if let Some([from, to]) = args.get(key).and_then(Value::as_array).map(Vec::as_slice) {
            let (from, to) = (from.clone(), to.clone());
            args.insert("from".into(), from);
            args.insert("to".into(), to);
        }
    }
    for key in ["insert_text", "content", "text"] {
        if let Some(new) = args.get(key).filter(|_| !args.contains_key("new")).cloned() {
            args.insert("new".into(), new);
        }
    }
}

/// Every range that the call names.
fn ranges(args: &Value) -> Vec<LineRange> {
    let listed = args.get("edits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let own = (args.get("from").is_some() || args.get("new").is_some()).then_some(args);
    let range = |it: &Value| {
        let from = number(it, "from").unwrap_or_default();
        LineRange {
            from,
            to: number(it, "to").unwrap_or(from),
            new: text(it, "new").to_string(),
            old: it.get("expected").and_then(Value::as_str).map(str::to_string),
        }
    };
    own.into_iter().chain(listed).map(range).collect()
}

fn validate(args: &Value) -> Option<String> {
    let ranges = ranges(args);
    if ranges.is_empty() {
        return Some("there is nothing to edit; give `from`, `to` and `new`, or a list of them as `edits`".into());
    }
    if args.get("from").is_some() != args.get("new").is_some() {
        let missing = if args.get("from").is_some() { "new" } else { "from" };
        return Some(format!("`{missing}` is missing; give it, also where it is empty"));
    }
    let wrong = ranges.iter().find(|it| it.from == 0 || it.to.saturating_add(1) < it.from)?;
    Some(format!("lines {} to {} are none; lines count from 1, both ends included", wrong.from, wrong.to))
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let request = Request::LineRange { path: text(args, "path"), ranges: &ranges(args) };
    let draft = plan(&cx.tree, Some(&cx.reads), &request)?;
    let mut outcome = draft.make(cx, crate::edit::change::why(args))?;
    if let Some(note) = draft.doubled() {
        outcome.output.push_str(&format!("\n{note}"));
    }
    Ok(outcome.into())
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use serde_json::json;

    /// A project with one file of six lines that the model has read.
    fn read() -> Fixture {
        let fixture = Fixture::new();
        fixture.file("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\n");
        fixture.ok("read_file", json!({"path": "a.txt"}));
        fixture
    }

    #[test]
    fn lines_are_replaced_inserted_and_deleted() {
        let fixture = read();
        let edits = json!({"path": "a.txt", "edits": [
            {"from": 2, "to": 3, "new": "2\n3\n3½"},
            {"from": 5, "to": 4, "new": "4½\n"},
            {"from": 6, "new": ""},
        ]});
        expect![[r#"
            edited a.txt:2-4, 6, 8
            @@ -2,2 +2,3 @@
            -two
            -three
            +2
            +3
            +3½
            @@ -5,0 +6,1 @@
            +4½
            @@ -6,1 +8,0 @@
            -six"#]]
        .assert_eq(&fixture.ok("edit_lines", edits));
        assert_eq!(fixture.read("a.txt"), "one\n2\n3\n3½\nfour\n4½\nfive\n");
        // What it made itself the model knows; numbers go on from there.
        fixture.ok("edit_lines", json!({"path": "a.txt", "from": 7, "to": 7, "new": "5"}));
        assert_eq!(fixture.read("a.txt"), "one\n2\n3\n3½\nfour\n4½\n5\n");
    }

    #[test]
    fn a_line_below_the_range_that_stands_twice_is_reported() {
        let fixture = Fixture::new();
        fixture.file("a.c", "int f() {\n    int x = 1;\n    return x;\n}\n");
        fixture.ok("read_file", json!({"path": "a.c"}));
        expect![[r#"
            edited a.c:2-3
            @@ -2,1 +2,2 @@
            -    int x = 1;
            +    int x = 2;
            +    return x;
            [line 4 of a.c repeats the line above it: `return x;`; if the range ended too early, remove it]"#]]
        .assert_eq(
            &fixture.ok("edit_lines", json!({"path": "a.c", "from": 2, "new": "    int x = 2;\n    return x;\n"})),
        );
        let fine = json!({"path": "a.c", "from": 2, "to": 3, "new": "    int x = 3;\n"});
        assert!(!fixture.ok("edit_lines", fine).contains("repeats"));
    }

    #[test]
    fn numbers_prove_nothing_of_a_file_that_was_not_read() {
        let fixture = Fixture::new();
        fixture.file("a.txt", "one\ntwo\nthree\n");
        let mut story = vec![fixture.fails("edit_lines", json!({"path": "a.txt", "from": 2, "to": 2, "new": "2"}))];
        assert_eq!(fixture.read("a.txt"), "one\ntwo\nthree\n");
        story.push(
            fixture.ok("edit_lines", json!({"path": "a.txt", "from": 3, "to": 3, "new": "2", "expected": "two"})),
        );
        story.push(
            fixture.fails("edit_lines", json!({"path": "a.txt", "from": 3, "to": 3, "new": "2", "expected": "second"})),
        );
        expect![[r#"
            `a.txt`: you have not read this file as it is now, so its line numbers prove nothing; nothing was changed. Read it first, or give the text of these lines as `expected`.
            edited a.txt:2
            @@ -2,1 +2,1 @@
            -two
            +2
            `a.txt` was not edited. The search text is not in the file, and nothing in it is alike.
            What is there, line 3:
            three
            Take the lines from the file as it is now (read it again if in doubt) and send the edit again."#]]
        .assert_eq(&story.join("\n"));
        // A part is enough to know its numbers.
        fixture.file("b.txt", &"line\n".repeat(50));
        fixture.ok("read_file", json!({"path": "b.txt", "start_line": 40, "end_line": 42}));
        fixture.ok("edit_lines", json!({"path": "b.txt", "from": 41, "to": 41, "new": "LINE"}));
        assert_eq!(fixture.read("b.txt").lines().position(|it| it == "LINE"), Some(40));
    }

    #[test]
    fn numbers_count_in_the_text_that_was_read() {
        let fixture = read();
        fixture.file("a.txt", "zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\n");
        expect![[r#"
            edited a.txt:4
            @@ -4,1 +4,1 @@
            -three
            +3
            [changed on disk since you read it: a.txt (line 1, 8); both changes are in it now]"#]]
        .assert_eq(&fixture.ok("edit_lines", json!({"path": "a.txt", "from": 3, "to": 3, "new": "3"})));
        fixture.file("a.txt", "zero\none\ntwo\n3\nfour\nFIVE!\nsix\nseven\n");
        expect![[r#"
            `a.txt` changed on disk after you read it, at the very place of this edit; nothing was changed.
            Line 6 is now:
                FIVE!
            Send the edit again for the text as it is now."#]]
        .assert_eq(&fixture.fails("edit_lines", json!({"path": "a.txt", "from": 5, "to": 5, "new": "5"})));
        assert!(fixture.read("a.txt").contains("FIVE!"));
    }

    #[test]
    fn a_large_file_is_edited_by_number_only_as_it_was_read() {
        let fixture = Fixture::new();
        let text = "some text of a line\n".repeat(20_000);
        fixture.file("big.txt", &text);
        fixture.ok("read_file", json!({"path": "big.txt", "start_line": 10_000, "end_line": 10_002}));
        fixture.ok("edit_lines", json!({"path": "big.txt", "from": 10_001, "to": 10_001, "new": "X"}));
        fixture.ok("edit_lines", json!({"path": "big.txt", "from": 10_002, "to": 10_002, "new": "Y"}));
        assert!(fixture.read("big.txt").contains("line\nX\nY\nsome"));
        fixture.file("big.txt", &format!("one more\n{text}"));
        let words = fixture.fails("edit_lines", json!({"path": "big.txt", "from": 10_001, "to": 10_001, "new": "Z"}));
        assert!(words.contains("prove nothing"), "{words}");
    }

    #[test]
    fn what_makes_no_sense_is_refused_in_words() {
        let fixture = read();
        let words: Vec<String> = [
            json!({"path": "a.txt"}),
            json!({"path": "a.txt", "from": 2}),
            json!({"path": "a.txt", "from": 0, "to": 1, "new": "x"}),
            json!({"path": "a.txt", "from": 4, "to": 2, "new": "x"}),
            json!({"path": "a.txt", "from": 5, "to": 9, "new": "x"}),
            json!({"path": "a.txt", "edits": [{"from": 1, "new": "x"}, {"from": 1, "to": 2, "new": "y"}]}),
            json!({"path": "b.txt", "from": 1, "new": "x"}),
        ]
        .map(|args| fixture.fails("edit_lines", args))
        .to_vec();
        expect![[r#"
            `edit_lines` was not run: there is nothing to edit; give `from`, `to` and `new`, or a list of them as `edits`
            ---
            `edit_lines` was not run: `new` is missing; give it, also where it is empty
            ---
            `edit_lines` was not run: lines 0 to 1 are none; lines count from 1, both ends included
            ---
            `edit_lines` was not run: lines 4 to 2 are none; lines count from 1, both ends included
            ---
            `a.txt` was not edited. The file does not have these lines.
            Lines 5 to 9 were named; the file has 6.
            Read the file again and give the numbers it has now, counted from 1, both ends named.
            ---
            `a.txt` was not edited. Range 2 of 2: Two blocks change the same lines. None of the ranges was applied.
            Blocks 1 and 2 meet here.
            Join them into one block.
            ---
            `b.txt` does not exist; did you mean `a.txt`?
            The project root is ROOT."#]].assert_eq(&words.join("\n---\n"));
        assert_eq!(fixture.read("a.txt"), "one\ntwo\nthree\nfour\nfive\nsix\n");
    }

    #[test]
    fn other_agents_ways_of_naming_lines_are_understood() {
        for (args, expected) in [
            (
                json!({"file_path": "a.txt", "start_line": 2, "end_line": "3", "new_text": "x"}),
                "one\nx\nfour\nfive\nsix\n",
            ),
            (
                json!({"path": "a.txt", "range": [2, 3], "content": "x", "old_text": "two\nthree"}),
                "one\nx\nfour\nfive\nsix\n",
            ),
            (json!({"path": "a.txt", "line": 6, "new": "x"}), "one\ntwo\nthree\nfour\nfive\nx\n"),
        ] {
            let fixture = read();
            fixture.ok("edit_lines", args);
            assert_eq!(fixture.read("a.txt"), expected);
        }
        let fixture = read();
        fixture.ok(
            "str_replace_based_edit_tool",
            json!({"command": "insert", "path": "a.txt", "insert_line": 0, "insert_text": "zero\n"}),
        );
        assert_eq!(fixture.read("a.txt"), "zero\none\ntwo\nthree\nfour\nfive\nsix\n");
    }
}
