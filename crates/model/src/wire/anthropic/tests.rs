//! Recorded streams, cut at every byte.

use expect_test::{Expect, expect};

use super::stream::Stream;
use crate::wire::wire_tests;

fn check(stream: &str, expected: Expect) {
    wire_tests::check::<Stream>(stream, expected);
}

#[test]
fn thinking_text_and_two_calls() {
    check(
        concat!(
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"model\":\"claude-x\",\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":25,\"cache_creation_input_tokens\":10,\"cache_read_input_tokens\":1000,\"output_tokens\":1}}}\n\n",
            "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n",
            "event: ping\ndata: {\"type\": \"ping\"}\n\n",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Read \"}}\n\n",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"first.\"}}\n\n",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"EqQB==\"}}\n\n",
            "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
            "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"Grüße\"}}\n\n",
            "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
            "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"read_file\",\"input\":{}}}\n\n",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}\n\n",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"path\\\": \\\"a\"}}\n\n",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\".rs\\\"}\"}}\n\n",
            "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":2}\n\n",
            "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"redacted_thinking\",\"data\":\"EmwK\"}}\n\n",
            "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":3}\n\n",
            "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":4,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_2\",\"name\":\"run_checks\",\"input\":{}}}\n\n",
            "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":4}\n\n",
            "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":89}}\n\n",
            "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
        ),
        expect![[r#"
            Calls "Grüße" "Read first."
            {"type":"thinking","signature":"EqQB==","text_before":0,"calls_before":0}
            {"type":"redacted_thinking","data":"EmwK","text_before":7,"calls_before":1}
            @read_file {"path": "a.rs"}
            @run_checks {}
            1035 in (1000 read, 10 written), 89 out (0 reasoning)
        "#]],
    );
}

#[test]
fn ends_that_are_not_good() {
    let begin = concat!(
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":25,\"output_tokens\":1}}}\n\n",
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Half\"}}\n\n",
    );
    check(
        begin,
        expect![[r#"
        Cut None: the stream ended before the reply did (shown: "Half")
    "#]],
    );
    let overloaded = "event: error\ndata: {\"type\": \"error\", \"error\": {\"type\": \"overloaded_error\", \"message\": \"Overloaded\"}}\n\n";
    check(
        &format!("{begin}{overloaded}"),
        expect![[r#"
        Overloaded None: Overloaded (shown: "Half")
    "#]],
    );
    let stop = |reason: &str| {
        format!(
            "{begin}data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{reason}\"}},\"usage\":{{\"output_tokens\":9}}}}\n\n"
        )
    };
    // The last event is missing, but the reply is whole.
    check(
        &stop("end_turn"),
        expect![[r#"
        Stop "Half" ""
        25 in (0 read, 0 written), 9 out (0 reasoning)
    "#]],
    );
    check(
        &stop("max_tokens"),
        expect![[r#"
        Length "Half" ""
        25 in (0 read, 0 written), 9 out (0 reasoning)
    "#]],
    );
    check(
        &stop("refusal"),
        expect![[r#"
        Filter "Half" ""
        25 in (0 read, 0 written), 9 out (0 reasoning)
    "#]],
    );
}

/// A stream of these events, each named by its type.
fn events(all: &[&str]) -> String {
    let named = |data: &&str| {
        let value: serde_json::Value = serde_json::from_str(data).unwrap();
        format!("event: {}\ndata: {data}\n\n", value["type"].as_str().unwrap())
    };
    all.iter().map(named).collect()
}

#[test]
fn blocks_side_by_side_and_blocks_that_are_all_counted_as_zero() {
    check(
        &events(&[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"read_file","input":{}}}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"b","name":"list_files","input":{}}}"#,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"src\"}"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\"a.rs\"}"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#,
            r#"{"type":"message_stop"}"#,
        ]),
        expect![[r#"
            Calls "" ""
            @read_file {"path":"a.rs"}
            @list_files {"path":"src"}
            0 in (0 read, 0 written), 9 out (0 reasoning)
        "#]],
    );
    check(
        &events(&[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"read_file","input":{}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"a\"}"}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"b","name":"read_file","input":{}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"b\"}"}}"#,
            r#"{"type":"message_stop"}"#,
            r#"{"type":"message_stop"}"#,
        ]),
        expect![[r#"
            Calls "" ""
            @read_file {"path":"a"}
            @read_file {"path":"b"}
            0 in (0 read, 0 written), 0 out (0 reasoning)
        "#]],
    );
}

#[test]
fn a_tool_of_the_provider_is_no_call_of_ours_and_a_pause_is_an_end() {
    check(
        &events(&[
            r#"{"type":"message_start","message":{"usage":{"input_tokens":7,"output_tokens":1}}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"text","text":"","citations":null}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"citations_delta","citation":{"type":"char_location"}}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Found."}}"#,
            r#"{"type":"content_block_stop","index":2}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"pause_turn","stop_sequence":null},"usage":{"output_tokens":3}}"#,
            r#"{"type":"message_stop"}"#,
        ]),
        expect![[r#"
            Stop "Found." ""
            7 in (0 read, 0 written), 3 out (0 reasoning)
        "#]],
    );
}

#[test]
fn a_refusal_in_the_middle_with_its_details() {
    check(
        &events(&[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"EmwK"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"I"}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":null}},"usage":{"output_tokens":3}}"#,
            r#"{"type":"message_stop"}"#,
        ]),
        expect![[r#"
            Filter "I" ""
            {"type":"redacted_thinking","data":"EmwK","text_before":0,"calls_before":0}
            0 in (0 read, 0 written), 3 out (0 reasoning)
        "#]],
    );
    check(
        &events(&[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Half"}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"},"usage":{"output_tokens":3}}"#,
        ]),
        expect![[r#"
            Length "Half" ""
            0 in (0 read, 0 written), 3 out (0 reasoning)
        "#]],
    );
}

#[test]
fn an_end_that_is_not_known_is_kept_in_its_own_word() {
    check(
        &events(&[
            r#"{"type":"message_start","message":{"usage":{"input_tokens":5,"output_tokens":1}}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tired"},"usage":{"output_tokens":3}}"#,
            r#"{"type":"message_stop"}"#,
        ]),
        expect![[r#"
            Other("tired") "" ""
            5 in (0 read, 0 written), 3 out (0 reasoning)
        "#]],
    );
}
