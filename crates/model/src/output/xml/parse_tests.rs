//! Answers as models write them, cut at every byte.

use expect_test::{Expect, expect};
use ox_protocol::ToolSpec;
use serde_json::json;

use super::*;

fn tools() -> Vec<ToolSpec> {
    let tool = |name: &str, properties: Value, required: Value| ToolSpec {
        name: name.to_string(),
        description: String::new(),
        schema: json!({"type": "object", "properties": properties, "required": required}),
        edit_block: name == "edit_file",
    };
    let text = json!({"type": "string"});
    vec![
        tool("read_file", json!({"path": text, "from": {"type": "integer"}}), json!(["path"])),
        tool("write_file", json!({"path": text, "content": text}), json!(["path", "content"])),
        tool("edit_file", json!({"path": text, "old": text, "new": text, "why": text}), json!(["path"])),
        tool("run_checks", json!({}), json!([])),
        tool("think", json!({"thought": text}), json!(["thought"])),
    ]
}

fn read(pieces: &[&str]) -> String {
    let mut parser = Parser::new(&tools());
    let (mut text, mut thinking) = (String::new(), String::new());
    let mut on = |piece: Piece<'_>| match piece {
        Piece::Text(it) => text += it,
        Piece::Thinking(it) => thinking += it,
    };
    pieces.iter().for_each(|piece| parser.feed(piece, &mut on));
    parser.end(&mut on);
    let mut out = format!("{text:?}\n");
    if !thinking.is_empty() {
        out += &format!("thinking {thinking:?}\n");
    }
    parser.into_calls().iter().for_each(|it| out += &format!("@{} {}\n", it.name, it.args));
    out
}

fn check(answer: &str, expected: Expect) {
    let whole = read(&[answer]);
    expected.assert_eq(&whole);
    for at in (1..answer.len()).filter(|at| answer.is_char_boundary(*at)) {
        assert_eq!(read(&[&answer[..at], &answer[at..]]), whole, "cut at {at}");
    }
    let mut single = [0; 4];
    let letters: Vec<String> = answer.chars().map(|c| c.encode_utf8(&mut single).to_string()).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    assert_eq!(read(&letters), whole, "letter by letter");
}

#[test]
fn text_before_between_and_after() {
    check(
        "I will look. 你好\n\n<read_file>\n<path>src/lib.rs</path>\n<from>3</from>\n</read_file>\n\nand\n<run_checks></run_checks>\n\nDone.\n",
        expect![[r#"
            "I will look. 你好\n\nand\n\nDone."
            @read_file {"path":"src/lib.rs","from":3}
            @run_checks {}
        "#]],
    );
    check(
        "<run_checks/>",
        expect![[r#"
        ""
        @run_checks {}
    "#]],
    );
    check(
        "<run_checks />\nafter",
        expect![[r#"
        "after"
        @run_checks {}
    "#]],
    );
    check(
        "checks: <run_checks>",
        expect![[r#"
        "checks:"
        @run_checks {}
    "#]],
    );
}

#[test]
fn code_with_angle_brackets_and_ampersands() {
    check(
        "<write_file>\n<path>a.html</path>\n<content>\n<div class=\"a\">x && y < z</div>\n<path>not an argument</path>\n</content> is not the end\n<read_file>\n</content>\n</write_file>",
        expect![[r#"
            ""
            @write_file {"path":"a.html","content":"<div class=\"a\">x && y < z</div>\n<path>not an argument</path>\n</content> is not the end\n<read_file>\n"}
        "#]],
    );
    check(
        "<edit_file><path>a.rs</path><old>Vec<String></old><new>Vec<&'a str></new></edit_file>",
        expect![[r#"
        ""
        @edit_file {"path":"a.rs","old":"Vec<String>","new":"Vec<&'a str>"}
    "#]],
    );
}

#[test]
fn prose_about_tools_is_no_call() {
    check(
        "Use <read_file> to read, or `<write_file>` to write. a < b, <em>x</em>, <unknown_tool>\n<path>x</path>\n</unknown_tool> <",
        expect![[r#"
            "Use <read_file> to read, or `<write_file>` to write. a < b, <em>x</em>, <unknown_tool>\n<path>x</path>\n</unknown_tool> <"
        "#]],
    );
}

#[test]
fn a_call_in_a_code_fence_is_no_call() {
    let call = "<read_file>\n<path>a</path>\n</read_file>";
    // One behind it is, and a fence of one line is closed in it; a shorter one inside closes nothing.
    check(
        &format!("So:\n```xml\n{call}\n```\n````\n```\n{call}\n````\n``` x ```\n<run_checks/>"),
        expect![[r#"
            "So:\n```xml\n<read_file>\n<path>a</path>\n</read_file>\n```\n````\n```\n<read_file>\n<path>a</path>\n</read_file>\n````\n``` x ```"
            @run_checks {}
        "#]],
    );
    check(
        &format!("  ```{call}"),
        expect![[r#"
            "```<read_file>\n<path>a</path>\n</read_file>"
        "#]],
    );
    check(
        &format!("not ``` a fence {call}"),
        expect![[r#"
            "not ``` a fence"
            @read_file {"path":"a"}
        "#]],
    );
}

#[test]
fn calls_under_the_names_of_other_agents() {
    check(
        "<write_to_file>\n<path>a.rs</path>\n<content>\nx\n</content>\n</write_to_file>\n<execute_command><command>ls</command></execute_command>",
        expect![[r#"
            ""
            @write_to_file {"path":"a.rs","content":"x\n"}
            @execute_command {"command":"ls"}
        "#]],
    );
    check(
        "<read>\n<line>1</line></read> and <view></view>",
        expect![[r#"
        "<read>\n<line>1</line></read> and <view></view>"
    "#]],
    );
}

#[test]
fn missing_end_tags() {
    check(
        "<read_file>\n<path>a.rs</path>\n",
        expect![[r#"
            ""
            @read_file <path>a.rs</path>
        "#]],
    );
    check(
        "<read_file>\n<path>a.rs",
        expect![[r#"
            ""
            @read_file <path>a.rs
        "#]],
    );
    check(
        "<read_file>\n<path>a.rs\n</read_file>\n",
        expect![[r#"
            ""
            @read_file <path>a.rs
            </read_file>
        "#]],
    );
    check(
        "<read_file>\n<path>a.rs</read_file>\n<read_file><path>b.rs</path></read_file>",
        expect![[r#"
            ""
            @read_file <path>a.rs</read_file>
            @read_file {"path":"b.rs"}
        "#]],
    );
    check(
        "<read_file>\n<path>a.rs</path>\n<run_checks>\n</run_checks>",
        expect![[r#"
            ""
            @read_file <path>a.rs</path>
            @run_checks {}
        "#]],
    );
    check(
        "<read_file><path>a.rs</path> and then some",
        expect![[r#"
            "and then some"
            @read_file <path>a.rs</path>
        "#]],
    );
    check(
        "<read_file><path>",
        expect![[r#"
            ""
            @read_file <path>
        "#]],
    );
}

#[test]
fn arguments_that_the_tool_does_not_know() {
    check(
        "<read_file><filename>a.rs</filename><path>b</path><why>so</why></read_file>",
        expect![[r#"
        ""
        @read_file {"filename":"a.rs","path":"b","why":"so"}
    "#]],
    );
    check(
        "<read_file>stray <b><path>b</path> more </read_file>",
        expect![[r#"
        "<read_file>stray <b><path>b</path> more </read_file>"
    "#]],
    );
}

#[test]
fn thinking() {
    check(
        "<thinking>\na < b </thinkin\n</thinking>\n\n<run_checks></run_checks>",
        expect![[r#"
        ""
        thinking "\na < b </thinkin\n"
        @run_checks {}
    "#]],
    );
    check(
        "<think>plan</think>Answer with <thinking> inside.",
        expect![[r#"
        "Answer with <thinking> inside."
        thinking "plan"
    "#]],
    );
    check(
        "<think><thought>a tool</thought></think>",
        expect![[r#"
        ""
        @think {"thought":"a tool"}
    "#]],
    );
    check(
        "<thinking>never ends",
        expect![[r#"
        ""
        thinking "never ends"
    "#]],
    );
}

#[test]
fn edit_blocks() {
    check(
        "Two places.\n<edit>\n<file>src/a.rs</file>\n<search>\n    a - b\n</search>\n<replace>\n    a + b\n</replace>\n<description>fix the sign</description>\n<search>x</search>\n<replace></replace>\n</edit>\n",
        expect![[r#"
            "Two places."
            @edit_file {"path":"src/a.rs","old":"    a - b","new":"    a + b","why":"fix the sign"}
            @edit_file {"path":"src/a.rs","old":"x","new":""}
        "#]],
    );
}

#[test]
fn values_with_tags_of_their_own_name() {
    check(
        "<write_file><path>a.xml</path><content>\n<content>x</content>\n</content>\n</write_file>\n<run_checks/>",
        expect![[r#"
            ""
            @write_file {"path":"a.xml","content":"<content>x</content>\n"}
            @run_checks {}
        "#]],
    );
    // A whole call stands in a text.
    check(
        "<write_file>\n<path>a.md</path>\n<content>\n<write_file>\n<path>b</path>\n<content>c</content>\n</write_file>\n</content>\n</write_file>",
        expect![[r#"
            ""
            @write_file {"path":"a.md","content":"<write_file>\n<path>b</path>\n<content>c</content>\n</write_file>\n"}
        "#]],
    );
    // An opening tag without a closing one is text too.
    check(
        "<write_file><path>a.md</path><content>Write <content> first.</content></write_file>\n<run_checks/>\nafter",
        expect![[r#"
            "after"
            @write_file {"path":"a.md","content":"Write <content> first."}
            @run_checks {}
        "#]],
    );
}

#[test]
fn character_data() {
    check(
        "<write_file><path>a.html</path><content><![CDATA[<b></content>\n</write_file>\n]] > &amp;]]></content></write_file>",
        expect![[r#"
            ""
            @write_file {"path":"a.html","content":"<b></content>\n</write_file>\n]] > &amp;"}
        "#]],
    );
    check(
        "<write_file><path>a.html</path><content><![CDATA[never ends</content></write_file>",
        expect![[r#"
        ""
        @write_file <path>a.html</path><content><![CDATA[never ends</content></write_file>
    "#]],
    );
}

#[test]
fn arguments_as_attributes() {
    check(
        "<read_file path=\"a > b.rs\" from='3'/>\n<read_file path=\"c\"></read_file><read_file path=\"d\"><from>2</from></read_file>",
        expect![[r#"
            ""
            @read_file {"path":"a > b.rs","from":3}
            @read_file {"path":"c"}
            @read_file {"path":"d","from":2}
        "#]],
    );
    check(
        "Use <read_file path or <read_file of=\"x\"/> or <read_file path=\"a",
        expect![[r#"
        "Use <read_file path or <read_file of=\"x\"/> or <read_file path=\"a"
    "#]],
    );
}

#[test]
fn json_between_tags() {
    check(
        "I look.\n<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a</tool_call>.rs\"}}\n</tool_call>\n<tool_call>\n{\"name\":\"run_checks\"}\n</tool_call>\nDone.",
        expect![[r#"
            "I look.\nDone."
            @read_file {"path":"a</tool_call>.rs"}
            @run_checks {}
        "#]],
    );
    // The end is missing, which loses nothing; the text is cut, which does.
    check(
        "<tool_call>\n{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}",
        expect![[r#"
        ""
        @read {"path":"a"}
    "#]],
    );
    check(
        "<tool_call>\n{\"name\":\"write_file\",\"arguments\":{\"path\":\"a\"",
        expect![[r#"
        ""
        @write_file {"name":"write_file","arguments":{"path":"a"
    "#]],
    );
    check(
        "Write <tool_call> and </tool_call> around it.",
        expect![[r#"
        "Write <tool_call> and </tool_call> around it."
    "#]],
    );
}

#[test]
fn parameters_by_name() {
    let call = |inner: &str| {
        format!("<function_calls>\n<{INVOKE} name=\"read_file\">{inner}</{INVOKE}>\n</function_calls>\nafter")
    };
    check(
        &call("\n<parameter name=\"path\">a.rs</parameter>\n<parameter name=\"from\">3</parameter>\n"),
        expect![[r#"
            "after"
            @read_file {"path":"a.rs","from":3}
        "#]],
    );
    check(
        &call("<parameter name=\"path\">a.rs"),
        expect![[r#"
        "after"
        @read_file <parameter name="path">a.rs</invoke>
    "#]],
    );
    check(
        "<tool_call>\n<function=write_file>\n<parameter=path>\na.rs\n</parameter>\n<parameter=content>\nif a < b </parameter> {}\n</parameter>\n</function>\n</tool_call>",
        expect![[r#"
            ""
            @write_file {"path":"a.rs","content":"if a < b </parameter> {}\n"}
        "#]],
    );
    check(
        "<function=read_file>\n<parameter=path>a",
        expect![[r#"
        ""
        @read_file <parameter=path>a
    "#]],
    );
}

/// The tag of a call by name.
const INVOKE: &str = "invoke";

proptest::proptest! {
    /// Whatever is said, it is read alike in one piece and in many, and nothing of it panics.
    #[test]
    fn any_answer_is_read_alike_however_it_is_cut(
        words in proptest::collection::vec(proptest::sample::select(WORDS), 0..24),
        cuts in proptest::collection::vec(0usize..400, 0..6),
    ) {
        let answer = words.concat();
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|at| answer.is_char_boundary(*at)).collect();
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for at in cuts {
            pieces.push(&answer[from..at]);
            from = at;
        }
        pieces.push(&answer[from..]);
        proptest::prop_assert_eq!(read(&pieces), read(&[&answer]), "{}", answer);
    }
}

/// What answers are made of.
const WORDS: &[&str] = &[
    "\n```xml\n",
    "```",
    "<read_file>",
    "</read_file>",
    "<path>",
    "</path>",
    "<write_file>",
    "<content>",
    "</content>",
    "</write_file>",
    "<edit>",
    "<search>",
    "</search>",
    "<replace>",
    "</replace>",
    "</edit>",
    "<run_checks/>",
    "<run_checks>",
    "</run_checks>",
    "<think>",
    "</think>",
    "<thinking>",
    "</thinking>",
    "<",
    ">",
    "</",
    "\n",
    "  ",
    "a.rs",
    "a < b && c",
    "你好",
    "<b>",
    "<other>",
    "<tool_call>",
    "</tool_call>",
    "{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}",
    "<function=read_file>",
    "</function>",
    "<parameter=path>",
    "</parameter>",
    "<read_file path=\"a\"/>",
    "<read_file path=\"",
    "<![CDATA[",
    "]]>",
    "<thought>",
];
