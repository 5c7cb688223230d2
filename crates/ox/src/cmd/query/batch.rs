//! `ox query --batch`: a question a line, an answer a line, in the same order and as they come. A line that cannot be
//! read is answered like every other.

use std::io::{self, BufRead, BufReader, BufWriter, Write};

use ox_agent::knowledge::Knowledge;
use ox_index::{Options, candidates, query, signal_names};
use ox_protocol::Problem;
use serde::Deserialize;
use serde_json::{Value, json};

use super::shown;
use crate::wire::Told;

/// One line of the batch. Further fields are left alone.
#[derive(Deserialize)]
struct Question {
    #[serde(default)]
    id: Value,
    query: String,
    file: Option<String>,
    limit: Option<usize>,
}

/// Answers every line of stdin until it ends.
pub(super) fn run(knowledge: &Knowledge, limit: usize, signals: bool) -> anyhow::Result<u8> {
    let mut lines = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut line = Vec::new();
    let mut number = 0usize;
    loop {
        line.clear();
        let read = lines.read_until(b'\n', &mut line);
        if read.map_err(|error| Told(Problem::new("usage.stdin_edit").with("why", error)))? == 0 {
            break;
        }
        number += 1;
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let answer = answer(knowledge, text, number, limit, signals);
        let said = serde_json::to_writer(&mut out, &answer).map_err(io::Error::from);
        let waits = !lines.buffer().contains(&b'\n');
        let told = said.and_then(|()| out.write_all(b"\n")).and_then(|()| if waits { out.flush() } else { Ok(()) });
        if told.is_err() {
            // Whoever reads has seen enough.
            return Ok(0);
        }
    }
    // As above: there is nobody left to tell.
    let _ = out.flush();
    Ok(0)
}

fn answer(knowledge: &Knowledge, line: &[u8], number: usize, limit: usize, signals: bool) -> Value {
    let question: Question = match serde_json::from_slice(line) {
        Ok(question) => question,
        Err(error) => {
            let id = serde_json::from_slice::<Value>(line).map(|it| it["id"].clone()).unwrap_or_default();
            return json!({"id": id, "error": format!("line {number} cannot be read: {error}")});
        }
    };
    let options =
        Options { limit: question.limit.unwrap_or(limit), file: question.file.as_deref(), ..Options::default() };
    let snapshot = knowledge.snapshot();
    if signals {
        let rows = candidates(&snapshot, &question.query, &options);
        let rows: Vec<Value> = rows.iter().map(|it| json!({"path": it.path, "signals": it.signals})).collect();
        return json!({"id": question.id, "names": signal_names(), "files": rows});
    }
    let answer = query(&snapshot, &|path| knowledge.read(path), &question.query, &options);
    shown::brief(&question.id, &answer)
}
