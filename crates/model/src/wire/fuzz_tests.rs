//! Recorded streams of all formats, cut and damaged at random: ours and those of LiteLLM's proxy (`recorded/`). `OX_EXTENDED=1`
//! makes it a million tries.
//!
//! However a stream is cut, the same comes of it; so it does when something harmless stands between its events, when its line
//! ends are others, and when its last event comes twice. Of a stream that ends early comes either the whole reply or a failure
//! that tells what was shown: a call with half its arguments never comes of it. Whatever else happens to the bytes, nothing
//! panics and what was shown is what is kept. Text with calls in XML holds to the same.

use std::sync::Mutex;

use ox_protocol::Failure;

use crate::model::{Piece, RawCall, Reply};
use crate::output::xml::Parser;
use crate::sample::tool;
use crate::wire::exchange::{Collector, Shown};
use crate::wire::sse::{Event, Splitter};

/// Tries for each stream.
fn tries() -> usize {
    if std::env::var_os("OX_EXTENDED").is_some_and(|it| it == "1") { 120_000 } else { 500 }
}

/// A small generator of numbers; the same each time, so that a failure comes again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

type Came = (Result<Reply, Failure>, String, String);

/// What comes of a stream, and the text and the thinking that were shown.
fn came<C: Collector + Default>(pieces: &[&[u8]]) -> Came {
    let shown = Mutex::new((String::new(), String::new()));
    let show = |piece: Piece<'_>| {
        let mut shown = shown.lock().unwrap();
        match piece {
            Piece::Text(text) => shown.0 += text,
            Piece::Thinking(text) => shown.1 += text,
        }
    };
    let through = Shown::new(&show);
    let mut collector = C::default();
    let mut splitter = Splitter::default();
    let mut failed = None;
    let mut on = |event: Event<'_>| {
        if failed.is_none() && !collector.is_over() {
            failed = collector.event(event, &through).err();
        }
    };
    for piece in pieces {
        splitter.feed(piece, &mut on).unwrap();
    }
    splitter.end(&mut on);
    let reply = failed.map_or_else(|| collector.finish(), Err);
    let (text, thinking) = shown.into_inner().unwrap();
    (reply, text, thinking)
}

fn cut_at_random<'a>(stream: &'a [u8], dice: &mut Dice) -> Vec<&'a [u8]> {
    let mut cuts: Vec<usize> = (0..dice.below(6)).map(|_| dice.below(stream.len() + 1)).collect();
    cuts.extend([0, stream.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|it| &stream[it[0]..it[1]]).collect()
}

/// The stream with one to three things done to its bytes or lines.
fn damaged(stream: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = stream.to_vec();
    for _ in 0..=dice.below(3) {
        let at = dice.below(bytes.len());
        let end = (at + 1 + dice.below(40)).min(bytes.len());
        match dice.below(6) {
            0 if !bytes.is_empty() => bytes[at] = dice.below(256) as u8,
            1 => drop(bytes.drain(at..end)),
            2 => bytes.insert(at, [b'\n', b'\r', b'"', b'{', b'}', 0xff, 0][dice.below(7)]),
            3 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            4 => bytes.truncate(at),
            _ => {
                // An event that comes twice, or two that change places.
                let mut events: Vec<Vec<u8>> = bytes.split_inclusive(|it| *it == b'\n').map(<[u8]>::to_vec).collect();
                if events.len() > 3 {
                    let (one, other) = (dice.below(events.len()), dice.below(events.len()));
                    events.swap(one, other);
                }
                bytes = events.concat();
            }
        }
    }
    bytes
}

/// The stream with things between its events that mean nothing, and with line ends of another kind.
fn noisy(stream: &str, dice: &mut Dice) -> Vec<u8> {
    const NOISE: [&str; 8] = [
        ": ping\n\n",
        "\n",
        "event: ping\ndata:\n\n",
        "retry: 10\n\n",
        "id: 7\n",
        "data: keepalive\n\n",
        ":\n\n\n",
        "",
    ];
    let stream = stream.replace("\r\n", "\n");
    let events = stream.split_inclusive("\n\n").map(|event| format!("{}{event}", NOISE[dice.below(NOISE.len())]));
    let events: String = events.collect();
    let bom = ["", "\u{feff}"][dice.below(2)];
    let end = ["\n", "\r\n", "\r"][dice.below(3)];
    (bom.to_string() + &events.replace('\n', end)).into_bytes()
}

/// The stream with its last event twice.
fn ended_twice(stream: &str) -> Vec<u8> {
    let stream = stream.replace("\r\n", "\n");
    let last = stream.trim_end().rfind("\n\n").map_or("", |at| stream[at..].trim());
    format!("{stream}{last}\n\n").into_bytes()
}

fn fuzz<C: Collector + Default>(stream: &str, seed: u64) {
    let text = stream;
    let mut dice = Dice(seed);
    let stream = stream.as_bytes();
    let whole = came::<C>(&[stream]);
    let reply = whole.0.as_ref().unwrap();
    assert!(!reply.calls.is_empty() && !reply.text.is_empty(), "the recorded stream has text and calls");
    for end in 0..stream.len() {
        match came::<C>(&[&stream[..end]]) {
            (Ok(half), text, _) => {
                assert_eq!((&half.text, &half.calls), (&reply.text, &reply.calls), "ended at {end}");
                assert_eq!(text, half.text);
            }
            (Err(_), text, _) => assert!(reply.text.starts_with(&text), "ended at {end}: {text}"),
        }
    }
    assert_eq!(came::<C>(&[&ended_twice(text)]), whole);
    for _ in 0..tries() {
        assert_eq!(came::<C>(&cut_at_random(stream, &mut dice)), whole);
        let noisy = noisy(text, &mut dice);
        assert_eq!(came::<C>(&cut_at_random(&noisy, &mut dice)), whole, "{}", String::from_utf8_lossy(&noisy));
        let bytes = damaged(stream, &mut dice);
        let first = came::<C>(&[&bytes]);
        assert_eq!(came::<C>(&cut_at_random(&bytes, &mut dice)), first, "{}", String::from_utf8_lossy(&bytes));
        if let (Ok(reply), text, thinking) = &first {
            assert_eq!(&reply.text, text, "{}", String::from_utf8_lossy(&bytes));
            // Items stand by their index, whatever the order in which a broken stream brought them: nothing is lost or doubled.
            let letters = |text: &str| {
                let mut all: Vec<char> = text.chars().collect();
                all.sort_unstable();
                all
            };
            let kept: String = reply.reasoning.iter().map(|it| it.text.as_str()).collect();
            assert_eq!(letters(&kept), letters(thinking), "{}", String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn chat_completions() {
    fuzz::<crate::wire::openai_chat::Stream>(CHAT, 1);
    fuzz::<crate::wire::openai_chat::Stream>(include_str!("recorded/litellm_chat.sse"), 5);
}

#[test]
fn responses() {
    fuzz::<crate::wire::openai_responses::Stream>(RESPONSES, 2);
    fuzz::<crate::wire::openai_responses::Stream>(include_str!("recorded/litellm_responses.sse"), 6);
}

#[test]
fn messages() {
    fuzz::<crate::wire::anthropic::Stream>(MESSAGES, 3);
    fuzz::<crate::wire::anthropic::Stream>(include_str!("recorded/litellm_messages.sse"), 7);
}

#[test]
fn gemini() {
    fuzz::<crate::wire::gemini::Stream>(GEMINI, 4);
    fuzz::<crate::wire::gemini::Stream>(include_str!("recorded/litellm_gemini.sse"), 8);
}

/// What comes of a text with calls in XML: calls, text and thinking.
fn read(pieces: &[&str]) -> (Vec<RawCall>, String, String) {
    let mut parser =
        Parser::new(&[tool("read_file", "path"), tool("write_file", "content"), tool("run_checks", "scope")]);
    let (mut text, mut thinking) = (String::new(), String::new());
    let mut on = |piece: Piece<'_>| match piece {
        Piece::Text(it) => text += it,
        Piece::Thinking(it) => thinking += it,
    };
    pieces.iter().for_each(|it| parser.feed(it, &mut on));
    parser.end(&mut on);
    (parser.into_calls(), text, thinking)
}

/// The text that is shown while more may come.
fn shown_before_the_end(begin: &str) -> String {
    let mut parser =
        Parser::new(&[tool("read_file", "path"), tool("write_file", "content"), tool("run_checks", "scope")]);
    let mut text = String::new();
    parser.feed(begin, &mut |piece: Piece<'_>| {
        if let Piece::Text(it) = piece {
            text += it;
        }
    });
    text
}

/// The text cut at random, between characters.
fn cut_text<'a>(text: &'a str, dice: &mut Dice) -> Vec<&'a str> {
    let mut cuts: Vec<usize> =
        (0..dice.below(8)).map(|_| text.floor_char_boundary(dice.below(text.len() + 1))).collect();
    cuts.extend([0, text.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|it| &text[it[0]..it[1]]).collect()
}

#[test]
fn calls_in_xml() {
    let mut dice = Dice(9);
    let whole = read(&[XML]);
    assert_eq!(whole.0.len(), 4);
    for end in (0..XML.len()).filter(|at| XML.is_char_boundary(*at)) {
        let (calls, _, _) = read(&[&XML[..end]]);
        let (last, before) = calls.split_last().map_or((None, &calls[..]), |(last, before)| (Some(last), before));
        assert_eq!(before, &whole.0[..before.len()], "ended at {end}");
        // The last call is whole, or it is left as it was written, which no tool that changes anything takes.
        let is_json = |it: &RawCall| serde_json::from_str::<serde_json::Value>(&it.args).is_ok();
        let fine = last.is_none_or(|it| *it == whole.0[before.len()] || !is_json(it));
        assert!(fine, "ended at {end}: {last:?}");
        let shown = shown_before_the_end(&XML[..end]);
        assert!(whole.1.starts_with(&shown), "after {end}: half a tag was shown: {shown}");
    }
    for _ in 0..tries() {
        assert_eq!(read(&cut_text(XML, &mut dice)), whole);
        let bytes = damaged(XML.as_bytes(), &mut dice);
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(read(&cut_text(&text, &mut dice)), read(&[&text]), "{text}");
    }
}

const XML: &str = concat!(
    "<think>Hm, a < b</think>\nGrüße 你好, if a < b && c:\n",
    "<read_file>\n<path>ä.rs</path>\n</read_file>\n",
    "<write_file><content>\nfn f() -> Vec<u8> { \"</x>\" }\n<path>inner</path> &amp; <![CDATA[ a ]]>\n</content></write_file>\n",
    "and then\n<run_checks></run_checks>\n<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"b\"}}\n</tool_call>\n",
);

const CHAT: &str = concat!(
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"Hm, \"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Grüße \"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"你好 \\\"x\\\"\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"read_file\",\"arguments\":\"\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"path\\\":\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"run_checks\",\"arguments\":\"{}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"ä.rs\\\"}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":9}}\n\n",
    "data: [DONE]\n\n",
);

const RESPONSES: &str = concat!(
    "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"status\":\"in_progress\"}}\n\n",
    "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"id\":\"r\",\"type\":\"reasoning\",\"summary\":[]}}\n\n",
    "event: response.reasoning_summary_text.delta\ndata: {\"type\":\"response.reasoning_summary_text.delta\",\"item_id\":\"r\",\"output_index\":0,\"delta\":\"Hm.\"}\n\n",
    "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"id\":\"r\",\"type\":\"reasoning\",\"summary\":[{\"text\":\"Hm.\"}],\"encrypted_content\":\"g==\"}}\n\n",
    "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"item_id\":\"m\",\"output_index\":1,\"content_index\":0,\"delta\":\"Grüße \"}\n\n",
    "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"item_id\":\"m\",\"output_index\":1,\"content_index\":0,\"delta\":\"你好\"}\n\n",
    "event: response.output_text.done\ndata: {\"type\":\"response.output_text.done\",\"item_id\":\"m\",\"output_index\":1,\"content_index\":0,\"text\":\"Grüße 你好\"}\n\n",
    "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"output_index\":2,\"item\":{\"id\":\"f\",\"type\":\"function_call\",\"name\":\"read_file\",\"arguments\":\"\"}}\n\n",
    "event: response.function_call_arguments.delta\ndata: {\"type\":\"response.function_call_arguments.delta\",\"item_id\":\"f\",\"output_index\":2,\"delta\":\"{\\\"path\\\":\\\"ä.rs\\\"}\"}\n\n",
    "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":2,\"item\":{\"id\":\"f\",\"type\":\"function_call\",\"name\":\"read_file\",\"arguments\":\"{\\\"path\\\":\\\"ä.rs\\\"}\"}}\n\n",
    "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[],\"usage\":{\"input_tokens\":9,\"output_tokens\":4}}}\n\n",
);

const MESSAGES: &str = concat!(
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":25,\"output_tokens\":1}}}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Hm.\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"s==\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"Grüße 你好\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"read_file\",\"input\":{}}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"path\\\": \\\"\"}}\n\n",
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"ä.rs\\\"}\"}}\n\n",
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":2}\n\n",
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":89}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
);

const GEMINI: &str = concat!(
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hm.\",\"thought\":true}]}}]}\r\n\r\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Grüße \"}]}}]}\r\n\r\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"你好\",\"thoughtSignature\":\"s\"}]}}]}\r\n\r\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"read_file\",\"args\":{\"path\":\"ä.rs\"}},\"thoughtSignature\":\"t\"}]}}]}\r\n\r\n",
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"run_checks\"}}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":9,\"candidatesTokenCount\":4}}\r\n\r\n",
);
