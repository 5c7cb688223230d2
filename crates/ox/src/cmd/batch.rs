//! Answering standard input line by line: one JSON document a line, one answer a line, in the same order and as they come.

use std::io::{self, BufRead, BufReader, BufWriter, Write};

use ox_protocol::Problem;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Answers every line until the input ends; a blank one is none. `answer` is given the line and its number, from 1.
pub(super) fn answer_lines(answer: impl Fn(&[u8], usize) -> Value) -> anyhow::Result<u8> {
    let mut lines = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut line = Vec::new();
    let mut number = 0usize;
    loop {
        line.clear();
        let read = lines.read_until(b'\n', &mut line);
        if read.map_err(|error| Problem::new("usage.stdin_edit").with("why", error))? == 0 {
            break;
        }
        number += 1;
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let said = serde_json::to_writer(&mut out, &answer(text, number)).map_err(io::Error::from);
        let waits = !lines.buffer().contains(&b'\n');
        let reported = said.and_then(|()| out.write_all(b"\n")).and_then(|()| if waits { out.flush() } else { Ok(()) });
        if reported.is_err() {
            // Whoever reads has seen enough.
            return Ok(0);
        }
    }
    // As above: there is nobody left to tell.
    let _ = out.flush();
    Ok(0)
}

/// What a line holds; else its `id`, as far as there is one, and why it cannot be read.
pub(super) fn read<T: DeserializeOwned>(line: &[u8], number: usize) -> Result<T, (Value, String)> {
    serde_json::from_slice(line).map_err(|error| {
        let id = serde_json::from_slice::<Value>(line).map(|it| it["id"].clone()).unwrap_or_default();
        (id, format!("line {number} cannot be read: {error}"))
    })
}
