//! Where messages begin and end in what a process writes: the `Content-Length` header. Memory is bounded whatever comes.

/// Bytes of a message at most.
pub const LARGEST_MESSAGE: usize = 64 << 20;
/// Bytes between messages that are passed over: some servers greet on the wrong stream.
const NOISE: usize = 64 << 10;
/// Bytes of a head at most.
const HEAD: usize = 4 << 10;
const NAME: &[u8] = b"content-length:";

/// A message with the head that says how long it is.
pub(super) fn encode(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Cuts a stream into messages: holds the bytes that have not made a whole one yet.
#[derive(Default)]
pub(super) struct FrameDecoder {
    bytes: Vec<u8>,
    /// The length of the message that the next bytes belong to, once its head was read.
    length: Option<usize>,
    noise: usize,
}

impl FrameDecoder {
    /// Adds what came.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole message; none while its end has not come.
    ///
    /// # Errors
    /// In words, when what comes is not a message. Nothing after it can be told apart any more.
    pub(super) fn next(&mut self) -> Result<Option<Vec<u8>>, String> {
        if self.length.is_none() {
            self.length = self.head()?;
        }
        let Some(length) = self.length.filter(|it| *it <= self.bytes.len()) else { return Ok(None) };
        self.length = None;
        let rest = self.bytes.split_off(length);
        Ok(Some(std::mem::replace(&mut self.bytes, rest)))
    }

    /// The length that the next head gives, taken off with the head.
    fn head(&mut self) -> Result<Option<usize>, String> {
        self.skip_noise()?;
        if !starts(&self.bytes) {
            return Ok(None);
        }
        let Some(end) = end_of_head(&self.bytes) else {
            return match self.bytes.len() > HEAD {
                true => Err("a message head without an end".into()),
                false => Ok(None),
            };
        };
        let line = self.bytes[NAME.len()..].split(|it| *it == b'\n').next().unwrap_or_default();
        let number = String::from_utf8_lossy(line);
        let number = number.trim();
        let length: usize = number.parse().map_err(|_| format!("a message of {number:?} bytes"))?;
        if length > LARGEST_MESSAGE {
            return Err(format!("a message of {length} bytes, which is more than is taken in"));
        }
        self.bytes.drain(..end);
        self.noise = 0;
        Ok(Some(length))
    }

    /// Drops everything before the next head, other lines of the head among it.
    fn skip_noise(&mut self) -> Result<(), String> {
        let found = (0..self.bytes.len()).find(|at| starts(&self.bytes[*at..]));
        // What may be the beginning of a head stays.
        let end = found.unwrap_or(self.bytes.len().saturating_sub(NAME.len() - 1));
        self.noise += end;
        if self.noise > NOISE {
            return Err("a stream of something that is no message".into());
        }
        self.bytes.drain(..end);
        Ok(())
    }
}

fn starts(bytes: &[u8]) -> bool {
    bytes.get(..NAME.len()).is_some_and(|it| it.eq_ignore_ascii_case(NAME))
}

/// Where the body begins.
fn end_of_head(bytes: &[u8]) -> Option<usize> {
    let all = &bytes[..bytes.len().min(HEAD)];
    let crlf = all.windows(4).position(|it| it == b"\r\n\r\n").map(|it| it + 4);
    let lf = all.windows(2).position(|it| it == b"\n\n").map(|it| it + 2);
    crlf.into_iter().chain(lf).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Result<Vec<String>, String> {
        let mut frames = FrameDecoder::default();
        let mut all = Vec::new();
        for piece in pieces {
            frames.push(piece);
            while let Some(body) = frames.next()? {
                all.push(String::from_utf8(body).unwrap());
            }
        }
        Ok(all)
    }

    #[test]
    fn messages_are_distinguished_however_they_are_cut() {
        let mut stream = b"a greeting\n".to_vec();
        let bodies = ["{}", "{\"a\":\"\u{65e5}\u{672c}\"}", ""];
        stream.extend(encode(bodies[0]));
        stream.extend(b"Content-Type: x\r\n");
        stream.extend(encode(bodies[1]));
        stream.extend(b"content-length:0\n\n");
        assert_eq!(read(&[&stream]).unwrap(), bodies);
        for cut in 0..=stream.len() {
            assert_eq!(read(&[&stream[..cut], &stream[cut..]]).unwrap(), bodies, "cut at {cut}");
        }
        let single: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(read(&single).unwrap(), bodies);
    }

    #[test]
    fn what_is_no_message_ends_it_in_bounded_memory() {
        let flood = vec![b'x'; NOISE * 2];
        let head = [b"Content-Length: 1\r\n".to_vec(), vec![b'y'; HEAD]].concat();
        for (stream, words) in [
            (&b"Content-Length: many\r\n\r\n"[..], "a message of \"many\" bytes"),
            (b"Content-Length: -1\r\n\r\n", "a message of \"-1\" bytes"),
            (b"Content-Length: 99999999999\r\n\r\n", "more than is taken in"),
            (&flood, "no message"),
            (&head, "without an end"),
        ] {
            let error = read(&[stream]).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
