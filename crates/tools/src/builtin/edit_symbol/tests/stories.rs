//! What a model reads, and what is refused.

use super::samples::RUST;
use super::{call, read};
use crate::tests::testing::Fixture;
use expect_test::expect;
use serde_json::{Value, json};

#[test]
fn what_the_model_reads() {
    let fixture = read("src/lib.rs", RUST);
    let edit = |args: Value| {
        let mut all = json!({"path": "src/lib.rs"});
        all.as_object_mut().unwrap().extend(args.as_object().unwrap().clone());
        fixture.run("edit_symbol", all).outcome.output
    };
    let mut story = Vec::new();
    for args in [
        call("Stack::push", "replace", "pub fn push(&mut self, item: u8) {\n    self.items.insert(0, item);\n}"),
        call("Stack::push", "replace_body", "self.items.insert(0, item);"),
        call("Stack::puhs", "delete", ""),
        call("nothing::like_it", "delete", ""),
        call("LIMIT", "replace_body", "4"),
        call("Stack::len", "replace", "pub fn len(&self) -> usize {\n    (\n}"),
        call("Stack::len", "replace_body", "0 }\n\nfn other() {"),
        call("Stack::len", "replace_signature", "pub fn len(&self) { 1 }\n\nfn x()"),
        call("Stack::len", "replace", ""),
        call("", "delete", ""),
        call("LEAST", "delete", ""),
    ] {
        story.push(edit(args));
    }
    expect![[r#"
        edited src/lib.rs:10-12
        @@ -10,1 +10,0 @@
        -    #[inline]
        @@ -12,1 +11,1 @@
        -        self.items.push(item);
        +        self.items.insert(0, item);
        [no longer there: `#[inline]`]
        ----
        `Stack::push` of src/lib.rs is already so; nothing was written
        ----
        `src/lib.rs` has no definition `Stack::puhs`; nothing was changed. Did you mean Stack::push?
        ----
        `src/lib.rs` has no definition `nothing::like_it`; nothing was changed. Did you mean LIMIT?
        ----
        `src/lib.rs` was not edited: `LIMIT` has no body; use action replace.
        ----
        `src/lib.rs` was not edited: it would no longer parse. The parser stops at line 15, column 9: (
           13 
           14     pub fn len(&self) -> usize {
           15         (
           16     } // how many
        Correct `new`; if the parser is wrong, use edit_file.
        ----
        `src/lib.rs` was not edited: `new` reaches beyond the body; use action replace with the whole definition.
        ----
        `src/lib.rs` was not edited: `new` is not a signature alone, or none of this kind of definition; give the text up to the body, or use action replace with the whole definition.
        ----
        `edit_symbol` was not run: `new` is missing; give the whole new definition, or use action delete to remove it
        ----
        `edit_symbol` was not run: `symbol` is empty; give the name of a definition
        ----
        edited src/lib.rs:18
        @@ -18,1 +18,0 @@
        -const LEAST: usize = 1;"#]].assert_eq(&story.join("\n----\n"));
}

#[test]
fn several_of_one_name_are_listed_and_picked_by_line() {
    let text = "struct A;\n\nimpl std::fmt::Display for A {\n    fn fmt(&self) {}\n}\n\nimpl std::fmt::Debug for A {\n    fn fmt(&self) {}\n}\n";
    let fixture = read("a.rs", text);
    let args = |line: Option<u32>, symbol: &str| json!({"path": "a.rs", "symbol": symbol, "action": "replace_body", "new": "todo()", "line": line});
    let mut story =
        vec![fixture.fails("edit_symbol", args(None, "A::fmt")), fixture.fails("edit_symbol", args(Some(1), "fmt"))];
    story.push(fixture.ok("edit_symbol", args(Some(8), "A::fmt")));
    story.push(fixture.ok("edit_symbol", args(None, "<A as Display>::fmt")));
    expect![[r#"
        `a.rs`: `A::fmt` names 2 definitions; nothing was changed:
        4-4 Display for A::fmt: fn fmt(&self)
        8-8 Debug for A::fmt: fn fmt(&self)
        Give `line`, one of its lines.
        ----
        `a.rs`: `fmt` names 2 definitions, and the line is in none of them; nothing was changed:
        4-4 Display for A::fmt: fn fmt(&self)
        8-8 Debug for A::fmt: fn fmt(&self)
        Give `line`, one of its lines.
        ----
        edited a.rs:9
        @@ -8,1 +8,3 @@
        -    fn fmt(&self) {}
        +    fn fmt(&self) {
        +        todo()
        +    }
        ----
        edited a.rs:5
        @@ -4,1 +4,3 @@
        -    fn fmt(&self) {}
        +    fn fmt(&self) {
        +        todo()
        +    }"#]]
    .assert_eq(&story.join("\n----\n"));
    assert_eq!(fixture.read("a.rs").matches("todo()").count(), 2);
}

#[test]
fn what_was_not_read_is_shown_before_it_is_overwritten() {
    let fixture = Fixture::new();
    fixture.file("src/lib.rs", RUST);
    let delete = json!({"path": "src/lib.rs", "symbol": "Stack::len", "action": "delete"});
    let words = fixture.fails("edit_symbol", delete.clone());
    expect![[r#"
        `src/lib.rs`: you have not read `Stack::len` (line 15); nothing was changed. It is:
            pub fn len(&self) -> usize { self.items.len() } // how many
        Send the call again if it still holds."#]]
    .assert_eq(&words);
    assert_eq!(fixture.read("src/lib.rs"), RUST);
    fixture.ok("edit_symbol", delete);
    // What is only added overwrites nothing.
    fixture.file("b.py", "def f():\n    pass\n");
    fixture.ok(
        "edit_symbol",
        json!({"path": "b.py", "symbol": "f", "action": "insert_after", "new": "def g():\n    pass"}),
    );
    assert_eq!(fixture.read("b.py"), "def f():\n    pass\n\n\ndef g():\n    pass\n");
}

#[test]
fn somebody_elses_change_is_kept_or_met_with_a_refusal() {
    let fixture = read("src/lib.rs", RUST);
    fixture.file("src/lib.rs", &RUST.replace("use std::fmt;", "use std::fmt;\nuse std::io;"));
    let body = |new: &str| json!({"path": "src/lib.rs", "symbol": "Stack::push", "action": "replace_body", "new": new});
    let mut story = vec![fixture.ok("edit_symbol", body("drop(item);"))];
    assert!(fixture.read("src/lib.rs").contains("use std::io;") && fixture.read("src/lib.rs").contains("drop(item)"));
    fixture.file("src/lib.rs", &fixture.read("src/lib.rs").replace("drop(item);", "forget(item);"));
    story.push(fixture.fails("edit_symbol", body("keep(item);")));
    expect![[r#"
        edited src/lib.rs:13
        @@ -13,1 +13,1 @@
        -        self.items.push(item);
        +        drop(item);
        [changed on disk since you read it: src/lib.rs (line 2); both changes are in it now]
        ----
        `src/lib.rs` changed on disk after you read it, at the very place of this edit; nothing was changed.
        Line 13 is now:
                    forget(item);
        Send the edit again for the text as it is now."#]]
    .assert_eq(&story.join("\n----\n"));
}

#[test]
fn other_agents_names_are_understood() {
    for (name, args, expected) in [
        (
            "replace_symbol_body",
            json!({"name_path": "A/f", "relative_path": "a.py", "body": "def f(self):\n    return 2"}),
            "class A:\n    def f(self):\n        return 2\n",
        ),
        (
            "insert_after_symbol",
            json!({"name_path": "A/f", "relative_path": "a.py", "body": "def g(self):\n    pass\n"}),
            "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        pass\n",
        ),
        (
            "insert_before_symbol",
            json!({"name_path": "A", "relative_path": "a.py", "body": "X = 1\n"}),
            "X = 1\n\n\nclass A:\n    def f(self):\n        return 1\n",
        ),
        (
            "replace_function",
            json!({"file_path": "a.py", "function_name": "A.f", "code": "def f(self): pass"}),
            "class A:\n    def f(self): pass\n",
        ),
        (
            "functions.EditSymbol",
            json!({"path": "a.py", "symbol": "A.f", "operation": "replace_body", "content": "return 3"}),
            "class A:\n    def f(self):\n        return 3\n",
        ),
    ] {
        let fixture = read("a.py", "class A:\n    def f(self):\n        return 1\n");
        fixture.ok(name, args);
        assert_eq!(fixture.read("a.py"), expected, "{name}");
    }
}

#[test]
fn a_file_that_was_broken_before_may_be_edited() {
    let fixture = read("a.py", "def f(:\n    pass\n\ndef h():\n    return 2\n");
    fixture.ok("edit_symbol", json!({"path": "a.py", "symbol": "h", "action": "replace_body", "new": "return 3"}));
    assert!(fixture.read("a.py").ends_with("def h():\n    return 3\n"));
}

#[test]
fn other_files_are_left_to_other_tools() {
    let fixture = read("a.txt", "x\n");
    let words = fixture.fails("edit_symbol", json!({"path": "a.txt", "symbol": "x", "action": "delete"}));
    assert!(words.contains("Use edit_file"), "{words}");
}

#[test]
fn the_tool_is_found_by_what_it_does() {
    let fixture = Fixture::new();
    for query in ["edit a function", "symbol", "insert method after class"] {
        let found = fixture.ok("find_tools", json!({"query": query}));
        assert!(found.starts_with("edit_symbol:"), "{query}: {found}");
    }
}

#[test]
fn a_loose_edit_that_breaks_a_file_is_refused_with_the_place() {
    let text = "fn f() {\n    if x {\n        a();\n    }\n}\n";
    let fixture = read("a.rs", text);
    let edit = |old: &str| json!({"path": "a.rs", "old": old, "new": "if y {\n  a();"});
    let words = fixture.fails("edit_file", edit("if x {\n  a();\n}"));
    expect![[r#"
        `a.rs` was not edited. The file could no longer be parsed after this edit.
        The place was met only by indentation (line 2 of the file), and line 1 of the new text is then no valid syntax: column 8, { is not closed.
        If that is meant, send the edit again with its lines to the letter; else check the place and the brackets."#]].assert_eq(&words);
    assert_eq!(fixture.read("a.rs"), text);
    // To the letter it is what was asked for.
    fixture.ok("edit_file", edit("if x {\n        a();\n    }"));
}
