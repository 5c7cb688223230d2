//! Plays recorded streams to a wire format, cut at every byte.

use std::sync::Mutex;

use expect_test::Expect;

use crate::model::Piece;
use crate::wire::exchange::{Collector, Shown};
use crate::wire::sse::{Event, Splitter};

/// Checks what comes of a stream, and that it comes of it wherever the stream is cut.
pub(crate) fn check<C: Collector + Default>(stream: &str, expected: Expect) {
    let whole = play::<C>(stream, 0);
    expected.assert_eq(&whole);
    for at in 1..stream.len() {
        assert_eq!(play::<C>(stream, at), whole, "cut at {at}");
    }
}

fn play<C: Collector + Default>(stream: &str, at: usize) -> String {
    let pieces = Mutex::new((String::new(), String::new()));
    let show = |piece: Piece<'_>| {
        let mut pieces = pieces.lock().unwrap();
        match piece {
            Piece::Text(text) => pieces.0 += text,
            Piece::Thinking(text) => pieces.1 += text,
        }
    };
    let shown = Shown::new(&show);
    let mut collector = C::default();
    let mut splitter = Splitter::default();
    let mut failed = None;
    let mut on = |event: Event<'_>| {
        if failed.is_none() && !collector.is_over() {
            failed = collector.event(event, &shown).err();
        }
    };
    let (left, right) = stream.as_bytes().split_at(at);
    splitter.feed(left, &mut on).unwrap();
    splitter.feed(right, &mut on).unwrap();
    splitter.end(&mut on);
    let reply = failed.map_or_else(|| collector.finish(), Err);
    let (text, thinking) = pieces.into_inner().unwrap();
    match reply {
        Ok(reply) => {
            assert_eq!(text, reply.text, "what was shown is the reply's text");
            assert_eq!(thinking, reply.reasoning.iter().map(|it| it.text.as_str()).collect::<String>());
            let kept = reply.reasoning.iter().filter_map(|it| it.opaque.as_ref());
            let kept: String = kept.map(|it| format!("{it}\n")).collect();
            let calls: String = reply.calls.iter().map(|it| format!("@{} {}\n", it.name, it.args)).collect();
            let usage = reply.usage.map(|it| {
                let (read, write) = (it.cache_read, it.cache_write);
                format!(
                    "{} in ({read} read, {write} written), {} out ({} reasoning)\n",
                    it.input, it.output, it.reasoning
                )
            });
            let pictures = reply.images.iter().map(|it| format!("{} {}\n", it.media_type, it.data));
            let calls: String = pictures.chain([calls]).collect();
            format!("{:?} {text:?} {thinking:?}\n{kept}{calls}{}", reply.finish, usage.unwrap_or_default())
        }
        Err(failure) => format!("{:?} {:?}: {} (shown: {text:?})\n", failure.kind, failure.status, failure.message),
    }
}
