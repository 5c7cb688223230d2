//! Recorded streams, cut at every byte.

use expect_test::{Expect, expect};

use super::stream::Stream;
use crate::wire::wire_tests;

fn check(stream: &str, expected: Expect) {
    wire_tests::check::<Stream>(stream, expected);
}

/// One event as the provider writes it.
fn event(data: &str) -> String {
    let name = data.split('"').nth(3).unwrap_or_default();
    format!("event: {name}\ndata: {data}\n\n")
}

fn events(all: &[&str]) -> String {
    all.iter().map(|it| event(it)).collect()
}

#[test]
fn reasoning_text_and_two_calls() {
    check(
        &events(&[
            r#"{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","output":[],"error":null}}"#,
            r#"{"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_1","status":"in_progress","output":[]}}"#,
            r#"{"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"id":"rs_1","type":"reasoning","encrypted_content":"half","summary":[]}}"#,
            r#"{"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}"#,
            r#"{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"Read "}"#,
            r#"{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":0,"delta":"first."}"#,
            r#"{"type":"response.reasoning_summary_text.done","item_id":"rs_1","output_index":0,"summary_index":0,"text":"Read first."}"#,
            r#"{"type":"response.reasoning_summary_part.added","item_id":"rs_1","output_index":0,"summary_index":1,"part":{"type":"summary_text","text":""}}"#,
            r#"{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","output_index":0,"summary_index":1,"delta":"Then run."}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","status":"completed","encrypted_content":"gAAA==","summary":[{"type":"summary_text","text":"Read first."},{"type":"summary_text","text":"Then run."}]}}"#,
            r#"{"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","status":"in_progress","content":[],"role":"assistant"}}"#,
            r#"{"type":"response.content_part.added","item_id":"msg_1","output_index":1,"content_index":0,"part":{"type":"output_text","annotations":[],"text":""}}"#,
            r#"{"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"Grüße"}"#,
            r#"{"type":"response.output_text.done","item_id":"msg_1","output_index":1,"content_index":0,"text":"Grüße"}"#,
            r#"{"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","status":"completed","content":[{"type":"output_text","annotations":[],"text":"Grüße"}],"role":"assistant"}}"#,
            r#"{"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call","status":"in_progress","arguments":"","call_id":"call_1","name":"read_file"}}"#,
            r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"{\"path\":"}"#,
            r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":2,"delta":"\"a.rs\"}"}"#,
            r#"{"type":"response.function_call_arguments.done","item_id":"fc_1","output_index":2,"arguments":"{\"path\":\"a.rs\"}"}"#,
            r#"{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\"path\":\"a.rs\"}","call_id":"call_1","name":"read_file"}}"#,
            r#"{"type":"response.output_item.added","output_index":3,"item":{"id":"fc_2","type":"function_call","arguments":"","call_id":"call_2","name":"run_checks"}}"#,
            r#"{"type":"response.output_item.done","output_index":3,"item":{"id":"fc_2","type":"function_call","arguments":"","call_id":"call_2","name":"run_checks"}}"#,
            r#"{"type":"response.completed","response":{"id":"resp_1","status":"completed","error":null,"incomplete_details":null,"output":[{"id":"rs_1","type":"reasoning","summary":[]},{"id":"msg_1","type":"message","content":[{"type":"output_text","text":"Grüße"}]},{"id":"fc_1","type":"function_call","arguments":"{\"path\":\"a.rs\"}","name":"read_file"},{"id":"fc_2","type":"function_call","arguments":"","name":"run_checks"}],"usage":{"input_tokens":120,"input_tokens_details":{"cached_tokens":100},"output_tokens":40,"output_tokens_details":{"reasoning_tokens":20},"total_tokens":160}}}"#,
        ]),
        expect![[r#"
            Calls "Grüße" "Read first.\n\nThen run."
            {"type":"openai_reasoning","item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Read first."},{"type":"summary_text","text":"Then run."}],"encrypted_content":"gAAA=="},"text_before":0,"calls_before":0}
            @read_file {"path":"a.rs"}
            @run_checks {}
            120 in (100 read, 0 written), 40 out (20 reasoning)
        "#]],
    );
}

#[test]
fn servers_that_say_less() {
    // Only the whole response.
    check(
        &events(&[
            r#"{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","id":"m","content":[{"type":"output_text","text":"Hi"}]},{"type":"function_call","id":"f","call_id":"c","name":"t","arguments":{"a":1}}]}}"#,
        ]),
        expect![[r#"
            Calls "Hi" ""
            @t {"a":1}
        "#]],
    );
    // Another id with every event, as one proxy does; text only at the end of its part.
    check(
        &events(&[
            r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"x1","type":"function_call","name":"t","arguments":""}}"#,
            r#"{"type":"response.function_call_arguments.delta","item_id":"x2","output_index":0,"delta":"{\"a\":1}"}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"x3","type":"function_call","name":"t","arguments":"{\"a\":1}"}}"#,
            r#"{"type":"response.output_text.done","item_id":"y","output_index":1,"content_index":0,"text":"Done"}"#,
            r#"{"type":"response.completed","response":{"status":"completed","output":[]}}"#,
        ]),
        expect![[r#"
            Calls "Done" ""
            @t {"a":1}
        "#]],
    );
    // Every item is number 0.
    check(
        &events(&[
            r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"a","type":"function_call","name":"t","arguments":""}}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"a","type":"function_call","name":"t","arguments":"{\"n\":1}"}}"#,
            r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"b","type":"function_call","name":"t","arguments":""}}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"b","type":"function_call","name":"t","arguments":"{\"n\":2}"}}"#,
            r#"{"type":"response.completed","response":{"status":"completed"}}"#,
        ]),
        expect![[r#"
            Calls "" ""
            @t {"n":1}
            @t {"n":2}
        "#]],
    );
}

#[test]
fn ends_that_are_not_good() {
    let half =
        r#"{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"Half"}"#;
    check(
        &events(&[half]),
        expect![[r#"
        Cut None: the stream ended before the reply did (shown: "Half")
    "#]],
    );
    check(
        &events(&[
            half,
            r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"usage":{"input_tokens":5,"output_tokens":2}}}"#,
        ]),
        expect![[r#"
            Length "Half" ""
            5 in (0 read, 0 written), 2 out (0 reasoning)
        "#]],
    );
    check(
        &events(&[
            half,
            r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}"#,
        ]),
        expect![[r#"
            Filter "Half" ""
        "#]],
    );
    check(
        &events(&[
            half,
            r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"Rate limit reached"}}}"#,
        ]),
        expect![[r#"
            RateLimited None: Rate limit reached (shown: "Half")
        "#]],
    );
    check(
        &events(&[half, r#"{"type":"error","code":"server_error","message":"The server had an error","param":null}"#]),
        expect![[r#"
            Server None: The server had an error (shown: "Half")
        "#]],
    );
    check(
        "data: {broken\n\n",
        expect![[r#"
        Malformed None: an event of the stream is not JSON (key must be a string at line 1 column 2): {broken (shown: "")
    "#]],
    );
}

#[test]
fn a_refusal_a_failure_and_a_cache_that_was_written() {
    check(
        &events(&[
            r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message","role":"assistant","content":[]}}"#,
            r#"{"type":"response.content_part.added","item_id":"m","output_index":0,"content_index":0,"part":{"type":"refusal","refusal":""}}"#,
            r#"{"type":"response.refusal.delta","item_id":"m","output_index":0,"content_index":0,"delta":"I can"}"#,
            r#"{"type":"response.refusal.delta","item_id":"m","output_index":0,"content_index":0,"delta":"not."}"#,
            r#"{"type":"response.refusal.done","item_id":"m","output_index":0,"content_index":0,"refusal":"I cannot."}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"m","type":"message","content":[{"type":"refusal","refusal":"I cannot."}]}}"#,
            r#"{"type":"response.completed","response":{"status":"completed","output":[],"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":1,"cache_write_tokens":5},"output_tokens":4}}}"#,
        ]),
        expect![[r#"
            Stop "I cannot." ""
            9 in (1 read, 5 written), 4 out (0 reasoning)
        "#]],
    );
    check(
        &events(&[
            r#"{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"Half"}"#,
            r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"The model broke."},"incomplete_details":null}}"#,
        ]),
        expect![[r#"
            Server None: The model broke. (shown: "Half")
        "#]],
    );
}

#[test]
fn a_picture_that_the_provider_made() {
    check(
        &events(&[
            r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"ig_1","type":"image_generation_call","status":"in_progress","result":null}}"#,
            r#"{"type":"response.image_generation_call.partial_image","item_id":"ig_1","output_index":0,"partial_image_index":0,"partial_image_b64":"aGFsZg=="}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"ig_1","type":"image_generation_call","status":"completed","output_format":"webp","result":"UklGRg=="}}"#,
            r#"{"type":"response.completed","response":{"id":"resp_1","status":"completed","error":null,"output":[{"id":"ig_1","type":"image_generation_call","status":"completed","output_format":"webp","result":"UklGRg=="}],"usage":{"input_tokens":1,"output_tokens":2}}}"#,
        ]),
        expect![[r#"
            Stop "" ""
            image/webp UklGRg==
            1 in (0 read, 0 written), 2 out (0 reasoning)
        "#]],
    );
}

#[test]
fn an_end_that_is_not_known_is_kept_in_its_own_word() {
    check(
        &events(&[
            r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"tired"}}}"#,
        ]),
        expect![[r#"
            Other("tired") "" ""
        "#]],
    );
}
