//! Recorded streams, cut at every byte.

use expect_test::{Expect, expect};

use super::stream::Stream;
use crate::wire::wire_tests;

fn check(stream: &str, expected: Expect) {
    wire_tests::check::<Stream>(stream, expected);
}

#[test]
fn text_and_usage() {
    check(
        concat!(
            "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"gpt-x\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null},\"logprobs\":null,\"finish_reason\":null}],\"usage\":null}\n\n",
            "data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Grüße\"},\"finish_reason\":null}],\"usage\":null}\n\n",
            "data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" 你好\"},\"finish_reason\":null}],\"usage\":null}\n\n",
            "data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":null}\n\n",
            "data: {\"id\":\"chatcmpl-1\",\"choices\":[],\"usage\":{\"prompt_tokens\":120,\"completion_tokens\":9,\"total_tokens\":129,\"prompt_tokens_details\":{\"cached_tokens\":100,\"audio_tokens\":0},\"completion_tokens_details\":{\"reasoning_tokens\":4}}}\n\n",
            "data: [DONE]\n\n",
        ),
        expect![[r#"
            Stop "Grüße 你好" ""
            120 in (100 read, 0 written), 9 out (4 reasoning)
        "#]],
    );
}

#[test]
fn parallel_calls() {
    check(
        concat!(
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"index\":0,\"id\":\"call_a\",\"type\":\"function\",\"function\":{\"name\":\"read_file\",\"arguments\":\"\"}}]},\"finish_reason\":null}]}\n\n",
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"path\\\":\"}}]},\"finish_reason\":null}]}\n\n",
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"a.rs\\\"}\"}}]},\"finish_reason\":null}]}\n\n",
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"call_b\",\"type\":\"function\",\"function\":{\"name\":\"run_checks\",\"arguments\":\"{}\"}}]},\"finish_reason\":null}]}\n\n",
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
            "data: [DONE]\n\n",
        ),
        expect![[r#"
            Calls "" ""
            @read_file {"path":"a.rs"}
            @run_checks {}
        "#]],
    );
}

#[test]
fn reasoning_in_its_three_forms() {
    check(
        concat!(
            "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"Hm\"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"reasoning\":\" so\",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"index\":0,\"text\":\"so\"}]}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"reasoning_details\":[{\"type\":\"reasoning.text\",\"index\":0,\"text\":\"!\",\"signature\":\"s\"}],\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\" yes\"}]},{\"type\":\"text\",\"text\":\"Ok\"}]}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\",\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}]}\n\n",
        ),
        expect![[r#"
            Stop "Ok" "Hm so yes"
            {"reasoning_details":[{"type":"reasoning.text","index":0,"text":"so!","signature":"s"}]}
            5 in (0 read, 0 written), 2 out (0 reasoning)
        "#]],
    );
    check(
        concat!(
            "data: {\"choices\":[{\"delta\":{\"content\":\"<think>a \"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"content\":\"plan</think>\\n\\nDone.\"},\"finish_reason\":\"stop\"}]}\n\n",
            "data: [DONE]\n\n",
        ),
        expect![[r#"
            Stop "Done." "a plan"
        "#]],
    );
}

#[test]
fn ends_that_are_not_good() {
    check(
        "data: {\"choices\":[{\"delta\":{\"content\":\"Half a\"}}]}\n\n",
        expect![[r#"
        Cut None: the stream ended before the reply did (shown: "Half a")
    "#]],
    );
    check(
        "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n",
        expect![[r#"
            Length "x" ""
        "#]],
    );
    check(
        "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: {\"error\":{\"message\":\"Overloaded, sorry\",\"type\":\"server_error\",\"code\":503}}\n\n",
        expect![[r#"
            Overloaded Some(503): Overloaded, sorry (shown: "x")
        "#]],
    );
    check(
        "event: error\ndata: {\"message\":\"boom\"}\n\n",
        expect![[r#"
        Server None: boom (shown: "")
    "#]],
    );
    check(
        "data: {broken\n\n",
        expect![[r#"
        Malformed None: an event of the stream is not JSON (key must be a string at line 1 column 2): {broken (shown: "")
    "#]],
    );
    check(
        "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"error\"}]}\n\n",
        expect![[r#"
        Server None: the provider stopped the reply: finish_reason `error` (shown: "x")
    "#]],
    );
}

#[test]
fn a_filter_and_a_refusal() {
    check(
        concat!(
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Half\"},\"content_filter_results\":{}}],\"prompt_filter_results\":[]}\n\n",
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"content_filter\"}]}\n\n",
            "data: [DONE]\n\n",
        ),
        expect![[r#"
            Filter "Half" ""
        "#]],
    );
    check(
        concat!(
            "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null,\"refusal\":\"I can\"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"refusal\":\"not.\"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
            "data: [DONE]\n\ndata: [DONE]\n\n",
        ),
        expect![[r#"
            Stop "I cannot." ""
        "#]],
    );
}

#[test]
fn pictures_of_a_router_and_the_call_of_old_servers() {
    check(
        concat!(
            "data: {\"choices\":[{\"delta\":{\"content\":\"Here.\",\"images\":[{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,iVBORw0=\"}},{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://x.example/y.png\"}}]}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"function_call\":{\"name\":\"read_file\",\"arguments\":\"{\\\"path\\\":\"}}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"function_call\":{\"arguments\":\"\\\"a.rs\\\"}\"}},\"finish_reason\":\"function_call\"}]}\n\n",
            "data: [DONE]\n\n",
        ),
        expect![[r#"
            Calls "Here." ""
            image/png iVBORw0=
            @read_file {"path":"a.rs"}
        "#]],
    );
}

#[test]
fn an_end_that_is_not_known_is_kept_in_its_own_word() {
    let ended = |reason: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"Half\"}},\"finish_reason\":\"{reason}\"}}]}}\n\ndata: [DONE]\n\n"
        )
    };
    check(
        &ended("eos"),
        expect![[r#"
        Other("eos") "Half" ""
    "#]],
    );
    check(
        &ended("insufficient_system_resource"),
        expect![[r#"
        Other("insufficient_system_resource") "Half" ""
    "#]],
    );
    check(
        &ended("eos_token"),
        expect![[r#"
        Stop "Half" ""
    "#]],
    );
}
