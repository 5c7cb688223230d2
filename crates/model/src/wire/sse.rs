//! Splits a byte stream into server-sent events, in time linear in its length.
//!
//! Takes chunks cut anywhere, even inside a character or between CR and LF. It never copies a line that arrived whole,
//! never looks at a byte twice, and never keeps more than one event.

/// The most bytes one event may have; a provider's largest events are a few megabytes.
pub(crate) const LIMIT: usize = 64 << 20;
/// The most bytes that are kept of a line which is no JSON: whatever it is, it is no event of a provider.
const GARBAGE: usize = 1 << 20;

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The `event:` field; empty when absent.
    pub name: &'a str,
    /// The `data:` lines, joined by line breaks.
    pub data: &'a str,
}

/// An event grew beyond 64 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

/// Splits a stream of bytes into events.
#[derive(Debug, Default)]
pub struct Splitter {
    /// The beginning of a line whose end has not arrived.
    line: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// The last byte was a CR, so that a LF now belongs to it.
    after_cr: bool,
    /// Something has been read, so that a byte order mark is no longer one.
    begun: bool,
    /// The rest of the line is thrown away.
    skipping: bool,
}

impl Splitter {
    /// Reads one chunk and hands each event that it completes to `on`.
    pub fn feed(&mut self, chunk: &[u8], on: &mut (dyn FnMut(Event<'_>) + Send)) -> Result<(), TooLong> {
        let mut rest = chunk;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = line_end_in(rest) {
            self.line_end(&rest[..end], on);
            let was_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
            if was_cr {
                self.after_cr = rest.is_empty();
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
            if self.data.len() > LIMIT {
                return Err(TooLong);
            }
        }
        if !self.skipping {
            self.line.extend_from_slice(rest);
            self.skipping = self.line.len() > GARBAGE && !is_json(&self.line);
        }
        if self.skipping {
            self.line.clear();
        }
        if self.line.len() > LIMIT { Err(TooLong) } else { Ok(()) }
    }

    /// Ends the stream. An event whose closing blank line is missing counts: some servers leave it out.
    pub(crate) fn end(&mut self, on: &mut (dyn FnMut(Event<'_>) + Send)) {
        if !self.line.is_empty() {
            self.line_end(b"", on);
        }
        self.dispatch(on);
    }

    fn line_end(&mut self, tail: &[u8], on: &mut (dyn FnMut(Event<'_>) + Send)) {
        if std::mem::take(&mut self.skipping) {
            // What is left is neither a field nor the blank line that ends an event.
        } else if self.line.is_empty() {
            self.field(tail, on);
        } else {
            let mut line = std::mem::take(&mut self.line);
            line.extend_from_slice(tail);
            self.field(&line, on);
            line.clear();
            self.line = line;
        }
    }

    fn field(&mut self, line: &[u8], on: &mut (dyn FnMut(Event<'_>) + Send)) {
        let line = if self.begun { line } else { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) };
        self.begun = true;
        if line.is_empty() {
            return self.dispatch(on);
        }
        let colon = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
        let (field, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
                self.has_data = true;
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            // Comments (an empty field name), `id` and `retry` mean nothing to us.
            _ => {}
        }
    }

    fn dispatch(&mut self, on: &mut (dyn FnMut(Event<'_>) + Send)) {
        if self.has_data {
            on(Event { name: &String::from_utf8_lossy(&self.name), data: &String::from_utf8_lossy(&self.data) });
        }
        self.data.clear();
        self.name.clear();
        self.has_data = false;
    }
}

/// Where the next line ends.
fn line_end_in(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'))
}

/// True for a line of data that may be JSON, or a further line of it.
fn is_json(line: &[u8]) -> bool {
    let value = line.strip_prefix(b"data:").map(<[u8]>::trim_ascii_start);
    value.and_then(<[u8]>::first).is_some_and(|it| matches!(it, b'{' | b'[' | b'"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(chunks: &[&[u8]]) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut on = |event: Event<'_>| found.push((event.name.to_string(), event.data.to_string()));
        let mut splitter = Splitter::default();
        for chunk in chunks {
            splitter.feed(chunk, &mut on).unwrap();
        }
        splitter.end(&mut on);
        found
    }

    fn check(stream: &str, expected: &[(&str, &str)]) {
        let bytes = stream.as_bytes();
        let expected: Vec<(String, String)> = expected.iter().map(|(n, d)| (n.to_string(), d.to_string())).collect();
        assert_eq!(split(&[bytes]), expected, "whole");
        for at in 0..=bytes.len() {
            assert_eq!(split(&[&bytes[..at], &bytes[at..]]), expected, "split at {at}");
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(split(&single), expected, "byte by byte");
    }

    #[test]
    fn any_line_ending_and_any_cut_gives_the_same_events() {
        for end in ["\n", "\r\n", "\r"] {
            let stream =
                "event: message_start\ndata: {\"a\":1}\n\n: ping\n\ndata: grüße 你好\ndata:two\n\ndata: [DONE]\n\n";
            check(
                &stream.replace('\n', end),
                &[("message_start", "{\"a\":1}"), ("", "grüße 你好\ntwo"), ("", "[DONE]")],
            );
        }
    }

    #[test]
    fn odd_streams() {
        check("", &[]);
        check("data", &[("", "")]);
        check("data: no blank line at the end", &[("", "no blank line at the end")]);
        check("\u{feff}data: after a byte order mark\n\n", &[("", "after a byte order mark")]);
        check("id: 7\nretry: 10\nevent: only a name\n\ndata: x\n\n", &[("", "x")]);
        check("data:  two spaces\n\n\n\ndata:\n\n", &[("", " two spaces"), ("", "")]);
        check("data: a\rdata: b\r\r\ndata: c\n\n", &[("", "a\nb"), ("", "c")]);
    }

    #[test]
    fn an_endless_event_is_refused_and_endless_garbage_is_skipped() {
        let chunk = vec![b'x'; 1 << 20];
        let mut splitter = Splitter::default();
        splitter.feed(b"data: {\"", &mut |_| {}).unwrap();
        let fed = (1..=64).find(|_| splitter.feed(&chunk, &mut |_| {}).is_err());
        assert_eq!(fed, Some(64));
        let mut found = Vec::new();
        let mut splitter = Splitter::default();
        for piece in std::iter::once(&b"data: a\ndata: "[..]).chain(std::iter::repeat_n(chunk.as_slice(), 70)) {
            splitter.feed(piece, &mut |_| panic!("nothing has ended")).unwrap();
            assert!(splitter.line.len() <= 2 << 20);
        }
        splitter.feed(b"\ndata: b\n\n", &mut |it| found.push(it.data.to_string())).unwrap();
        assert_eq!(found, ["a\nb"]);
    }
}
