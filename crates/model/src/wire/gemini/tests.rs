//! Recorded streams, cut at every byte.

use expect_test::{Expect, expect};

use super::stream::Stream;
use super::{Gemini, is_version};
use crate::wire::format::Format;
use crate::wire::wire_tests;

fn check(stream: &str, expected: Expect) {
    wire_tests::check::<Stream>(stream, expected);
}

#[test]
fn thoughts_text_and_two_calls() {
    check(
        concat!(
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Read first.\",\"thought\":true}],\"role\":\"model\"},\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":120,\"totalTokenCount\":120},\"modelVersion\":\"gemini-3-pro\",\"responseId\":\"r\"}\r\n\r\n",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Grüße\"}],\"role\":\"model\"},\"index\":0}]}\r\n\r\n",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\" 你好\",\"thoughtSignature\":\"s0\"}],\"role\":\"model\"},\"index\":0}]}\r\n\r\n",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"read_file\",\"args\":{\"path\":\"a.rs\"},\"id\":\"x\"},\"thoughtSignature\":\"s1\"}],\"role\":\"model\"},\"index\":0}]}\r\n\r\n",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"run_checks\"}}],\"role\":\"model\"},\"finishReason\":\"STOP\",\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":120,\"cachedContentTokenCount\":100,\"candidatesTokenCount\":20,\"thoughtsTokenCount\":30,\"totalTokenCount\":170}}\r\n\r\n",
        ),
        expect![[r#"
            Calls "Grüße 你好" "Read first."
            {"type":"gemini","signatures":[{"from":7,"to":14,"signature":"s0"},{"call":0,"signature":"s1"}]}
            @read_file {"path":"a.rs"}
            @run_checks {}
            120 in (100 read, 0 written), 50 out (30 reasoning)
        "#]],
    );
}

#[test]
fn a_signature_in_an_empty_part_at_the_end() {
    check(
        concat!(
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Done\"}]}}]}\n\n",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\",\"thoughtSignature\":\"s\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":1}}\n\n",
        ),
        expect![[r#"
            Stop "Done" ""
            {"type":"gemini","signatures":[{"from":4,"to":4,"signature":"s"}]}
            1 in (0 read, 0 written), 0 out (0 reasoning)
        "#]],
    );
}

#[test]
fn ends_that_are_not_good() {
    let half = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Half\"}]}}]}\n\n";
    check(
        half,
        expect![[r#"
        Cut None: the stream ended before the reply did (shown: "Half")
    "#]],
    );
    let with = |rest: &str| format!("{half}data: {rest}\n\n");
    check(
        &with(r#"{"candidates":[{"finishReason":"MAX_TOKENS"}]}"#),
        expect![[r#"
        Length "Half" ""
    "#]],
    );
    check(
        &with(r#"{"candidates":[{"finishReason":"SAFETY"}]}"#),
        expect![[r#"
        Filter "Half" ""
    "#]],
    );
    check(
        &with(
            r#"{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print(x)"}]}"#,
        ),
        expect![[r#"
            Malformed None: the provider stopped the reply: MALFORMED_FUNCTION_CALL: Malformed function call: print(x) (shown: "Half")
        "#]],
    );
    check(
        &with(
            r#"{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}"#,
        ),
        expect![[r#"
            Overloaded Some(503): The model is overloaded. Please try again later. (shown: "Half")
        "#]],
    );
    check(
        "data: {\"promptFeedback\":{\"blockReason\":\"PROHIBITED_CONTENT\"},\"usageMetadata\":{\"promptTokenCount\":9}}\n\n",
        expect![[r#"
            ContentFilter None: the prompt was blocked, PROHIBITED_CONTENT (shown: "")
        "#]],
    );
}

#[test]
fn where_it_is_asked() {
    let url = |base: &str, name: &str| Gemini::default().endpoint(name, base.trim_end_matches('/')).url().to_string();
    let expected = "https://g.example/v1beta/models/m:streamGenerateContent?alt=sse";
    assert_eq!(url("https://g.example", "m"), expected);
    assert_eq!(url("https://g.example/v1beta/", "models/m"), expected);
    assert!(is_version("v1") && !is_version("vertex"));
}

#[test]
fn ratings_are_no_refusal_and_a_blocked_reply_is_one() {
    check(
        concat!(
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Fine\"}],\"role\":\"model\"},\"index\":0,\"safetyRatings\":[{\"category\":\"HARM_CATEGORY_HARASSMENT\",\"probability\":\"NEGLIGIBLE\"}]}]}\r\n\r\n",
            "data: {\"candidates\":[{\"content\":{\"parts\":[],\"role\":\"model\"},\"finishReason\":\"STOP\",\"index\":0,\"safetyRatings\":[]}],\"usageMetadata\":{\"promptTokenCount\":3,\"candidatesTokenCount\":1}}\r\n\r\n",
        ),
        expect![[r#"
            Stop "Fine" ""
            3 in (0 read, 0 written), 1 out (0 reasoning)
        "#]],
    );
    check(
        "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\",\"safetyRatings\":[{\"category\":\"HARM_CATEGORY_DANGEROUS_CONTENT\",\"probability\":\"HIGH\",\"blocked\":true}]}}\n\n",
        expect![[r#"
            ContentFilter None: the prompt was blocked, SAFETY (shown: "")
        "#]],
    );
}

#[test]
fn a_picture_beside_the_text() {
    check(
        concat!(
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Here: \"}]}}]}\n\n",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"iVBORw0=\"},\"thoughtSignature\":\"s\"}]}}]}\n\n",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"inlineData\":{\"mimeType\":\"audio/wav\",\"data\":\"UklG\"}}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":1}}\n\n",
        ),
        expect![[r#"
            Stop "Here: " ""
            {"type":"gemini","signatures":[{"image":0,"signature":"s"}]}
            image/png iVBORw0=
            1 in (0 read, 0 written), 0 out (0 reasoning)
        "#]],
    );
}

#[test]
fn an_end_that_is_not_known_is_kept_in_its_own_word() {
    let stream =
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Half\"}]},\"finishReason\":\"TIRED\"}]}\n\n";
    check(
        stream,
        expect![[r#"
        Other("TIRED") "Half" ""
    "#]],
    );
}
