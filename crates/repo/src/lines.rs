//! Reading a range of lines in bounded memory, from a file of any size.

use std::io::{Read, Seek};

use sha2::{Digest, Sha256};

use crate::encoding::{self, Encoding, Sniffed};
use crate::read::WHOLE;
use crate::{Access, Hash, RepoError, Tree, error};

/// A range of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Relative to the root.
    pub rel: String,
    /// The lines with their line endings.
    pub text: String,
    /// First line of the text, 1-based.
    pub from: usize,
    /// Last line of the text, inclusive; `from - 1` when the file has no such lines.
    pub to: usize,
    /// Lines in the file; none when it was too large to count them all.
    pub total_lines: Option<usize>,
    /// Of the whole file's raw bytes; none when it was too large to read all of it.
    pub hash: Option<Hash>,
    /// Size of the file in bytes.
    pub size: u64,
    /// True when `text` stops before `to` because of the byte limit; its last line may then be incomplete.
    pub truncated: bool,
}

impl Tree {
    /// Reads lines `from` to `to` (1-based, inclusive; the end by default), at most about `max_bytes` of them.
    pub fn read_lines(&self, path: &str, from: usize, to: Option<usize>, max_bytes: usize) -> Result<Lines, RepoError> {
        let place = self.locate(path, Access::Read)?;
        if self.inner.unsaved.has(&place.abs)
            && let Ok(file) = self.read(path)
        {
            let mut window = Window::new(from.max(1), to, max_bytes);
            window.feed(file.text.as_bytes());
            return Ok(window.finish(place.rel, Encoding::UTF8, true, Some(file.hash), file.size));
        }
        let (mut file, size) = self.open_file(&place)?;
        let fail = |it| error::reading(&place.rel, it);
        let whole = size <= WHOLE;
        // The encoding of a large file is judged by its start alone.
        let mut sample = Vec::new();
        (&mut file).take(if whole { WHOLE } else { 256 << 10 }).read_to_end(&mut sample).map_err(fail)?;
        file.rewind().map_err(fail)?;
        let (encoding, bom) =
            detect_encoding(&sample).ok_or_else(|| RepoError::Binary { path: place.rel.clone(), size })?;
        drop(sample);

        let mut window = Window::new(from.max(1), to, max_bytes);
        let mut wide = (!encoding.has_plain_newlines()).then(|| encoding.0.new_decoder_without_bom_handling());
        let mut digest = Sha256::new();
        let mut buffer = vec![0; 64 << 10];
        let mut skip = bom;
        let mut ended = false;
        while !ended && (whole || !window.full()) {
            let count = file.read(&mut buffer).map_err(fail)?;
            ended = count == 0;
            digest.update(&buffer[..count]);
            let bytes = &buffer[skip.min(count)..count];
            skip -= skip.min(count);
            match &mut wide {
                None => window.feed(bytes),
                Some(decoder) => {
                    let mut text = String::with_capacity(bytes.len() * 3 + 16);
                    let _ = decoder.decode_to_string(bytes, &mut text, ended);
                    window.feed(text.as_bytes());
                }
            }
        }
        let stored = if wide.is_some() { Encoding::UTF8 } else { encoding };
        let hash = (whole && ended).then(|| Hash::finish(digest));
        Ok(window.finish(place.rel, stored, ended, hash, size))
    }
}

fn detect_encoding(sample: &[u8]) -> Option<(Encoding, usize)> {
    match encoding::sniff(sample) {
        Sniffed::Binary => None,
        Sniffed::Known(encoding, bom) => Some((encoding, bom)),
        Sniffed::Open => match std::str::from_utf8(sample) {
            Ok(_) => Some((Encoding::UTF8, 0)),
            // A character cut by the end of the sample is no sign of another encoding.
            Err(it) if it.error_len().is_none() => Some((Encoding::UTF8, 0)),
            Err(_) => Some((encoding::decode(sample).map_or_else(|| encoding::guess(sample), |it| it.1), 0)),
        },
    }
}

/// Collects the wanted lines from a stream of bytes in which 0x0A ends a line.
struct Window {
    from: usize,
    to: usize,
    limit: usize,
    kept: Vec<u8>,
    /// Line that the next byte belongs to.
    line: usize,
    /// Last line of which something was kept.
    last: usize,
    truncated: bool,
    at_line_start: bool,
}

impl Window {
    fn new(from: usize, to: Option<usize>, limit: usize) -> Window {
        let to = to.unwrap_or(usize::MAX);
        Window { from, to, limit, kept: Vec::new(), line: 1, last: from - 1, truncated: false, at_line_start: true }
    }

    fn full(&self) -> bool {
        self.truncated || self.line > self.to
    }

    fn feed(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|it| *it == b'\n') {
            if (self.from..=self.to).contains(&self.line) && !self.truncated {
                let room = self.limit - self.kept.len();
                self.truncated = part.len() > room;
                self.kept.extend_from_slice(&part[..part.len().min(room)]);
                if room > 0 {
                    self.last = self.line;
                }
            }
            self.at_line_start = part.ends_with(b"\n");
            self.line += usize::from(self.at_line_start);
        }
    }

    fn finish(mut self, rel: String, encoding: Encoding, ended: bool, hash: Option<Hash>, size: u64) -> Lines {
        if self.truncated && encoding == Encoding::UTF8 {
            let cut = match std::str::from_utf8(&self.kept) {
                Err(it) if it.error_len().is_none() => it.valid_up_to(),
                _ => self.kept.len(),
            };
            self.kept.truncate(cut);
        }
        let (text, _) = encoding.0.decode_without_bom_handling(&self.kept);
        let total_lines = ended.then_some(self.line - usize::from(self.at_line_start));
        Lines {
            rel,
            text: text.into_owned(),
            from: self.from,
            to: self.last,
            total_lines,
            hash,
            size,
            truncated: self.truncated,
        }
    }
}
