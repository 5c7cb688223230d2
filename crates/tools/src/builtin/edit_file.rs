//! `edit_file`: old text → new text, at many places in many files with one call.

use ox_edit::Block;
use ox_protocol::{CallKind, Level};
use serde_json::{Map, Value, json};

use crate::args::{flag, given, number, text};
use crate::call::tool::{Alias, Availability, PathAccess, Run, Tool, ToolResult, object};
use crate::edit::places::{Replacement, change};
use crate::{call::context::CallContext, call::error::ToolError};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "edit_file".into(),
        aliases: Alias::list(
            "edit str_replace search_replace search_and_replace multi_edit multiedit replace edit_files string_replace replace_string_in_file multi_replace_string_in_file editor:str_replace",
        ),
        description: "Replace text in files. `old` is exact text of the file that occurs once; if it does not, add lines around it or give `line`. \
To insert, repeat a neighbouring line in `new`. Put several places, also in several files, into `edits`: one call, all or nothing.".into(),
        schema: schema(),
        kind: CallKind::Mutate,
        level: Level::Edit,
        availability: Availability::Build,
        edit_block: true,
        normalize,
        validate,
        paths: |args| {
            replacements(args)
                .into_iter()
                .filter(|it| !it.path.trim().is_empty())
                .map(|it| PathAccess::write(it.path))
                .collect()
        },
        run: Run::Sync(run),
        ..Tool::base()
    }
}

fn schema() -> Value {
    let place = json!({
        "path": {"type": "string"},
        "old": {"type": "string"},
        "new": {"type": "string"},
        "line": {"type": "integer"},
        "all": {"type": "boolean"},
    });
    let mut properties = place.clone();
    properties["line"]["description"] = json!("where `old` starts, if it is not unique");
    properties["all"]["description"] = json!("every occurrence");
    properties["edits"] = json!({"type": "array", "items": object(&["old", "new"], place)});
    properties["why"] = json!({"type": "string", "description": "in a few words"});
    object(&[], properties)
}

/// A list of edits given as `path` is the same as `edits`.
fn normalize(args: &mut Map<String, Value>) {
    if let Some(Value::Array(items)) = args.get("path").cloned()
        && !items.is_empty()
        && items.iter().all(Value::is_object)
    {
        args.shift_remove("path");
        args.insert("edits".into(), Value::Array(items));
    }
}

/// Every place that the call names; an edit without a path is in the file of the call.
fn replacements(args: &Value) -> Vec<Replacement> {
    let path = text(args, "path");
    let listed = args.get("edits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let own = (args.get("old").is_some() || args.get("new").is_some()).then_some(args);
    let request = |it: &Value| Replacement {
        path: given(it, "path").unwrap_or(path).to_string(),
        block: Block {
            search: text(it, "old").to_string(),
            replace: text(it, "new").to_string(),
            hint: number(it, "line").filter(|it| *it > 0),
        },
        all: flag(it, "all"),
    };
    own.into_iter().chain(listed).map(request).collect()
}

fn validate(args: &Value) -> Option<String> {
    let replacements = replacements(args);
    if replacements.is_empty() {
        return Some("there is nothing to edit; give `path`, `old` and `new`, or a list of them as `edits`".into());
    }
    if args.get("old").is_some() != args.get("new").is_some() {
        let missing = if args.get("old").is_some() { "new" } else { "old" };
        return Some(format!("`{missing}` is missing; give it, also where it is empty"));
    }
    let index = replacements.iter().position(|it| it.path.trim().is_empty())?;
    Some(format!("edit {} names no file; give its `path`", index + 1))
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    Ok(change(cx, replacements(args), crate::edit::change::why(args))?.into())
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn one_place_is_edited_and_shown() {
        let fixture = Fixture::new();
        fixture.file("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n");
        let ran = fixture
            .run("edit_file", json!({"path": "src/lib.rs", "old": "a - b", "new": "a + b", "why": "wrong sign"}));
        expect!["edited src/lib.rs:2"].assert_eq(&ran.outcome.output);
        let change = &ran.outcome.changed[0];
        assert_eq!((change.added, change.removed, change.why.as_deref()), (1, 1, Some("wrong sign")));
        assert!(change.diff.contains(" pub fn add"), "the user's diff has context: {}", change.diff);
        assert_eq!(fixture.read("src/lib.rs"), "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n");
    }

    #[test]
    fn many_places_in_many_files_in_one_call() {
        let fixture = Fixture::new();
        fixture.file("a.rs", "one\ntwo\nthree\n");
        fixture.file("b.rs", "fn old() {}\r\nold();\r\n");
        let edits = json!({"path": "a.rs", "edits": [
            {"old": "one", "new": "1"},
            {"old": "three\n", "new": "3\n4\n5\n6\n"},
            {"path": "b.rs", "old": "old", "new": "new", "all": true},
            {"path": "c.rs", "old": "", "new": "fn c() {}\n"},
        ]});
        expect![[r#"
            edited a.rs:1, 3-6
            edited b.rs (2 places)
            @@ -1,2 +1,2 @@
            -fn old() {}
            -old();
            +fn new() {}
            +new();
            created c.rs (1 line)"#]]
        .assert_eq(&fixture.ok("edit_file", edits));
        assert_eq!(fixture.read("b.rs"), "fn new() {}\r\nnew();\r\n");
        assert_eq!(fixture.read("c.rs"), "fn c() {}\n");
    }

    #[test]
    fn one_place_that_fails_leaves_every_file_as_it_was() {
        let fixture = Fixture::new();
        fixture.file("a.rs", "let a = 1;\n");
        fixture.file("b.rs", "let b = 2;\nlet c = 2;\n");
        let words = fixture.fails(
            "edit_file",
            json!({"edits": [{"path": "a.rs", "old": "1", "new": "2"}, {"path": "b.rs", "old": "= 2;", "new": "= 3;"}]}),
        );
        expect![[r#"
            `b.rs` was not edited. The search text fits 2 places equally well.
            line 1:
                let b = 2;
            line 2:
                let c = 2;
            Add lines before or after which only the place you mean has, or give its line number.
            None of the files of this call was changed."#]]
        .assert_eq(&words);
        assert_eq!(fixture.read("a.rs"), "let a = 1;\n");
    }

    #[test]
    fn what_was_written_is_taken_back_when_a_later_file_cannot_be() {
        use std::os::unix::fs::PermissionsExt;
        let fixture = Fixture::new();
        fixture.file("a.rs", "one\r\n");
        fixture.file("locked.rs", "one\n");
        std::fs::set_permissions(fixture.path("locked.rs"), std::fs::Permissions::from_mode(0o444)).unwrap();
        fixture.ok("read_file", json!({"path": "a.rs"}));
        let words = fixture.fails(
            "edit_file",
            json!({"edits": [
                {"path": "a.rs", "old": "one", "new": "1"},
                {"path": "new/b.rs", "old": "", "new": "b"},
                {"path": "locked.rs", "old": "one", "new": "1"},
            ]}),
        );
        expect![[r#"
            `locked.rs` cannot be written: its mode permits nobody to write it
            The other files of this call are as they were."#]]
        .assert_eq(&words);
        assert_eq!(fixture.read("a.rs"), "one\r\n");
        assert!(!fixture.exists("new/b.rs"));
    }

    #[test]
    fn a_place_that_is_not_to_the_letter_shows_what_became_of_it() {
        let fixture = Fixture::new();
        fixture.file("a.py", "class A:\n    def f(self):\n        return 1\n");
        let args = json!({"path": "a.py", "old": "def f(self):\n    return 1", "new": "def f(self):\n    x = 2\n    return x"});
        expect![[r#"
            edited a.py:2-4 (not to the letter: indentation, 99 % alike)
            @@ -3,1 +3,2 @@
            -        return 1
            +        x = 2
            +        return x"#]]
        .assert_eq(&fixture.ok("edit_file", args));
        assert_eq!(fixture.read("a.py"), "class A:\n    def f(self):\n        x = 2\n        return x\n");
    }

    #[test]
    fn a_line_picks_among_equal_places() {
        let fixture = Fixture::new();
        fixture.file("b.rs", "let b = 2;\nlet c = 2;\n");
        fixture.ok("edit_file", json!({"path": "b.rs", "old": "= 2;", "new": "= 3;", "line": 2}));
        assert_eq!(fixture.read("b.rs"), "let b = 2;\nlet c = 3;\n");
    }

    #[test]
    fn an_edit_applies_to_the_file_as_it_is_now() {
        let fixture = Fixture::new();
        fixture.file("a.rs", "one\ntwo\n");
        fixture.ok("read_file", json!({"path": "a.rs"}));
        fixture.file("a.rs", "zero\none\ntwo\n");
        fixture.ok("edit_file", json!({"path": "a.rs", "old": "two", "new": "2"}));
        assert_eq!(fixture.read("a.rs"), "zero\none\n2\n");
        assert!(fixture.fails("write_file", json!({"path": "a.rs", "content": ""})).contains("changed on disk"));
    }

    #[test]
    fn encoding_mark_and_endings_survive() {
        let fixture = Fixture::new();
        let utf16 = |text: &str| -> Vec<u8> {
            "\u{feff}"
                .chars()
                .chain(text.chars())
                .collect::<String>()
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect()
        };
        fixture.bytes("wide.txt", &utf16("one\r\ntwö\r\n"));
        fixture.bytes("latin.txt", b"caf\xe9 one\nna\xefve two\n");
        fixture.bytes("mark.txt", b"\xef\xbb\xbfone\r\ntwo");
        assert_eq!(fixture.ok("read_file", json!({"path": "wide.txt"})), "one\ntwö\n[wide.txt: 2 lines]");
        assert_eq!(fixture.ok("read_file", json!({"path": "latin.txt"})), "café one\nnaïve two\n[latin.txt: 2 lines]");
        let edit = |path: &str, old: &str, new: &str| json!({"path": path, "old": old, "new": new});
        fixture.ok("edit_file", json!({"edits": [edit("wide.txt", "twö\n", "2ö\n3\n"), edit("latin.txt", "naïve two", "naïf 2"), edit("mark.txt", "two", "2\n3")]}));
        let bytes = |path: &str| std::fs::read(fixture.path(path)).unwrap();
        assert_eq!(bytes("wide.txt"), utf16("one\r\n2ö\r\n3\r\n"));
        assert_eq!(bytes("latin.txt"), b"caf\xe9 one\nna\xeff 2\n");
        assert_eq!(bytes("mark.txt"), b"\xef\xbb\xbfone\r\n2\r\n3");
        assert!(fixture.fails("edit_file", edit("latin.txt", "2", "\u{4e2d}")).contains("has no character"));
    }

    #[test]
    fn what_makes_no_sense_is_refused_in_words() {
        let fixture = Fixture::new();
        fixture.file("src/a.rs", "let total = price * count;\n");
        let words: Vec<String> = [
            json!({}),
            json!({"path": "src/a.rs", "old": "x"}),
            json!({"old": "x", "new": "y"}),
            json!({"path": "a.rs", "old": "x", "new": "y"}),
            json!({"path": "src/a.rs", "old": "let total = price / count;", "new": "0"}),
            json!({"edits": [{"path": "src/a.rs", "old": "a", "new": "b", "all": true}, {"path": "src/a.rs", "old": "c", "new": "d"}]}),
        ]
        .map(|args| fixture.fails("edit_file", args))
        .to_vec();
        expect![[r#"
            `edit_file` was not run: there is nothing to edit; give `path`, `old` and `new`, or a list of them as `edits`
            ---
            `edit_file` was not run: `new` is missing; give it, also where it is empty
            ---
            `edit_file` was not run: edit 1 names no file; give its `path`
            ---
            `a.rs` does not exist; did you mean `src/a.rs`?
            The project root is ROOT.
            ---
            `src/a.rs` was not edited. The search text is not in the file. Nearest: line 1 (96 % alike).
            What was sought (-) and what the file has there (+):
            -let total = price / count;
            +let total = price * count;
            Take the lines from the file as it is now (read it again if in doubt) and send the edit again.
            ---
            `src/a.rs`: an edit with `all` cannot be combined with single edits of the same file; nothing was changed. Send it in a call of its own."#]].assert_eq(&words.join("\n---\n"));
    }

    #[test]
    fn other_agents_edits_are_understood() {
        let fixture = Fixture::new();
        for args in [
            json!({"file_path": "a.rs", "old_string": "one", "new_string": "1", "replace_all": false}),
            json!({"filePath": "a.rs", "oldText": "one", "newText": "1"}),
            json!({"path": "a.rs", "edits": [{"old_string": "one", "new_string": "1"}]}),
            json!({"path": "a.rs", "edits": "[{\"old\": \"one\", \"new\": \"1\"}]"}),
            json!({"path": "a.rs", "edits": {"search": "one", "replace": "1"}}),
        ] {
            fixture.file("a.rs", "one\n");
            fixture.ok("edit_file", args.clone());
            assert_eq!(fixture.read("a.rs"), "1\n", "{args}");
        }
    }
}
