//! Asks an endpoint in a wire format, and reads the answer to its end, whether it streams or comes as one JSON document.

use std::sync::Mutex;

use ox_protocol::{Failure, FailureKind, Finish, Tokens};
use serde_json::Value;

use crate::failure::failure;
use crate::model::{Piece, Reply};
use crate::wire::endpoint::Endpoint;
use crate::wire::http::Answer;
use crate::wire::sse::{Event, Splitter};

/// What is accepted: a stream; an endpoint that cannot stream answers all the same.
pub(crate) const ACCEPT: &str = "text/event-stream";

/// The most bytes that a token of a reply stands for; a reply of more is no reply but a fault.
const BYTES_A_TOKEN: u64 = 8;
/// Bytes at a reply's end that say the same thing again and again, and the longest thing that counts as the same.
const TAIL: usize = 8 << 10;
const PERIOD: usize = 128;

/// What a wire format does with an answer.
pub trait Collector: Send {
    /// Takes one event of a stream.
    fn event(&mut self, event: Event<'_>, show: &Shown<'_>) -> Result<(), Failure> {
        match event.data.trim() {
            "" => Ok(()),
            "[DONE]" => {
                self.end();
                Ok(())
            }
            data if self.plain(data, show) => Ok(()),
            data => parse(data)?.map_or(Ok(()), |value| self.value(event.name, &value, show)),
        }
    }
    /// Takes an event that is a JSON document.
    fn value(&mut self, name: &str, value: &Value, show: &Shown<'_>) -> Result<(), Failure>;
    /// Takes the event `[DONE]`.
    fn end(&mut self) {}
    /// Takes an event of the most frequent kind, without building the whole of it; false where it is of another.
    fn plain(&mut self, _data: &str, _show: &Shown<'_>) -> bool {
        false
    }
    /// Takes an answer that did not stream.
    fn whole(&mut self, body: &Value, show: &Shown<'_>) -> Result<(), Failure>;
    /// Bytes of text, thinking and arguments so far.
    fn held(&self) -> usize;
    /// True after the format's last event.
    fn is_over(&self) -> bool;
    /// True when the reply is complete, even if the format's last event never comes.
    fn is_complete(&self) -> bool;
    /// The reply, or why it is not complete.
    fn finish(self) -> Result<Reply, Failure>;
}

/// Passes pieces on and remembers the text, so that a failure can tell what had been shown.
pub struct Shown<'a> {
    show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    text: Mutex<String>,
}

impl<'a> Shown<'a> {
    pub(crate) fn new(show: &'a (dyn Fn(Piece<'_>) + Send + Sync)) -> Shown<'a> {
        Shown { show, text: Mutex::default() }
    }

    /// Shows a piece of text.
    pub(crate) fn text(&self, text: &str) {
        if !text.is_empty() {
            self.text.lock().expect("no holder of this lock panics").push_str(text);
            (self.show)(Piece::Text(text));
        }
    }

    /// Shows a piece of reasoning.
    pub(crate) fn thinking(&self, text: &str) {
        if !text.is_empty() {
            (self.show)(Piece::Thinking(text));
        }
    }

    /// True where the text goes round in a circle; looked at once for every part of it that could be one.
    fn repeats(&self, looked: &mut usize) -> bool {
        let text = self.text.lock().expect("no holder of this lock panics");
        if text.len() < *looked + TAIL {
            return false;
        }
        *looked = text.len();
        let tail = &text.as_bytes()[text.len() - TAIL..];
        (1..=PERIOD).any(|period| tail[period..] == tail[..TAIL - period])
    }

    /// The text shown so far.
    pub(crate) fn so_far(&self) -> String {
        self.text.lock().expect("no holder of this lock panics").clone()
    }
}

/// Asks `endpoint` for a reply of `most` tokens. Where the provider refuses something of the request and `learn` takes it
/// in, `body` is made and sent once more; each refusal teaches what was not known, so this ends. Other failures are
/// returned: the core decides about retries.
pub(crate) async fn ask<C: Collector + Default>(
    endpoint: &Endpoint,
    most: Tokens,
    body: impl Fn() -> Vec<u8> + Send,
    learn: impl Fn(&Failure) -> bool + Send,
    show: &(dyn Fn(Piece<'_>) + Send + Sync),
) -> Result<Reply, Failure> {
    loop {
        let done = match endpoint.post(body()).await {
            Ok(answer) => receive(answer, C::default(), most, show).await,
            Err(failure) => Err(failure),
        };
        match done {
            Err(failure) if learn(&failure) => {}
            done => return done,
        }
    }
}

/// Reads `answer` into `collector`. Every failure carries the text that had been shown.
async fn receive<C: Collector>(
    answer: Answer,
    collector: C,
    most: Tokens,
    show: &(dyn Fn(Piece<'_>) + Send + Sync),
) -> Result<Reply, Failure> {
    let shown = Shown::new(show);
    read(answer, collector, most, &shown).await.map(tidy).map_err(|mut failure| {
        failure.partial = shown.so_far();
        // A silence in the middle of a reply is a cut: what was shown is superseded, not continued.
        if failure.kind == FailureKind::Timeout && !failure.partial.is_empty() {
            failure.kind = FailureKind::Cut;
        }
        failure
    })
}

async fn read<C: Collector>(
    mut answer: Answer,
    mut collector: C,
    most: Tokens,
    shown: &Shown<'_>,
) -> Result<Reply, Failure> {
    let mut splitter = Splitter::default();
    let mut first = true;
    let (mut looked, room) = (0, most.0.saturating_mul(BYTES_A_TOKEN));
    while !collector.is_over() {
        let next = match answer.next().await {
            Err(_) if collector.is_complete() => None,
            next => next?,
        };
        let Some(chunk) = next else {
            feed(&mut collector, shown, |on| {
                splitter.end(on);
                Ok(())
            })?;
            return collector.finish();
        };
        let bytes = chunk.as_ref();
        if first && bytes.iter().any(|byte| !byte.is_ascii_whitespace()) {
            first = false;
            if let Some(b'{' | b'[' | b'<') = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                let url = answer.url().to_string();
                let body = answer.rest(bytes.to_vec()).await?;
                collector.whole(&document(&body, &url)?, shown)?;
                return collector.finish();
            }
        }
        feed(&mut collector, shown, |on| splitter.feed(bytes, on))?;
        if collector.held() as u64 > room {
            let words = format!(
                "the reply was cut: it has more than {room} bytes, {BYTES_A_TOKEN} for each token that it may have"
            );
            return Err(failure(FailureKind::Malformed, words));
        }
        if shown.repeats(&mut looked) {
            return Err(failure(FailureKind::Malformed, "the reply was cut: it said the same thing again and again"));
        }
    }
    answer.drain().await;
    collector.finish()
}

/// Hands the events that `split` finds to the collector, up to its last.
fn feed<C: Collector>(
    collector: &mut C,
    shown: &Shown<'_>,
    split: impl FnOnce(&mut (dyn FnMut(Event<'_>) + Send)) -> Result<(), crate::wire::sse::TooLong>,
) -> Result<(), Failure> {
    let mut failed = None;
    let mut on = |event: Event<'_>| {
        if failed.is_none() && !collector.is_over() {
            failed = collector.event(event, shown).err();
        }
    };
    let split = split(&mut on);
    match failed {
        Some(failure) => Err(failure),
        None => split.map_err(|_| failure(FailureKind::Malformed, "an event of the stream is too long")),
    }
}

fn document(body: &[u8], url: &str) -> Result<Value, Failure> {
    serde_json::from_slice(body).map_err(|error| {
        let begin = String::from_utf8_lossy(&body[..body.len().min(120)]).into_owned();
        let message = match begin.trim_start().starts_with('<') {
            true => format!("{url} answered with a web page; check the base URL"),
            false => format!("{url} answered with something that is not JSON ({error}): {begin}"),
        };
        failure(FailureKind::Malformed, message)
    })
}

/// A stream that ended before its reply.
pub(crate) fn cut() -> Failure {
    failure(FailureKind::Cut, "the stream ended before the reply did")
}

/// An answer that lacks what makes it one.
pub(crate) fn lacks(what: &str, body: &Value) -> Failure {
    let begin: String = body.to_string().chars().take(200).collect();
    failure(FailureKind::Malformed, format!("the answer has no {what}: {begin}"))
}

/// Parses the data of an event. None where it is no JSON at all: proxies put words such as `keepalive` between events.
fn parse(data: &str) -> Result<Option<Value>, Failure> {
    if !data.starts_with(['{', '[']) {
        return Ok(None);
    }
    serde_json::from_str(data).map(Some).map_err(|error| {
        let begin: String = data.chars().take(120).collect();
        failure(FailureKind::Malformed, format!("an event of the stream is not JSON ({error}): {begin}"))
    })
}

/// A count of tokens. One that no model could have is as good as none.
pub(crate) fn count(usage: &Value, path: &str) -> Option<u64> {
    const MOST: u64 = 1 << 40;
    usage.pointer(path).and_then(Value::as_u64).filter(|it| *it < MOST)
}

/// The reply as it is handed on, whatever the format: usage that says nothing is none, a call that lost its arguments to the
/// reply's limit is not one without arguments, and a name ends where the model's own markers begin.
fn tidy(mut reply: Reply) -> Reply {
    reply.usage = reply.usage.filter(|it| it.input.0 > 0 || it.output.0 > 0);
    for call in &mut reply.calls {
        let name = call.name.split("<|").next().unwrap_or_default().trim();
        call.name = name.to_string();
    }
    let cut_off = reply.finish == Finish::Length;
    if let Some(last) = reply.calls.last_mut().filter(|it| cut_off && it.args == "{}") {
        last.args = "{".to_string();
    }
    reply
}
