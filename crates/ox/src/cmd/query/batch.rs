//! `ox query --batch`: a question a line, an answer a line, in the same order and as they come. A line that cannot be
//! read is answered like every other.

use ox_agent::project_index::ProjectIndex;
use ox_index::embed::Similar;
use ox_index::{Options, candidates, query, signal_names};
use serde::Deserialize;
use serde_json::{Value, json};

use super::shown;
use crate::cmd::batch;

/// What means the same as a text.
type Meaning<'a> = &'a dyn Fn(&str) -> Vec<Similar>;

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
pub(super) fn run(index: &ProjectIndex, similar: Meaning<'_>, limit: usize, signals: bool) -> anyhow::Result<u8> {
    batch::answer_lines(|line, number| answer((index, similar), line, number, limit, signals))
}

fn answer(
    (index, similar): (&ProjectIndex, Meaning<'_>),
    line: &[u8],
    number: usize,
    limit: usize,
    signals: bool,
) -> Value {
    let question: Question = match batch::read(line, number) {
        Ok(question) => question,
        Err((id, why)) => return json!({"id": id, "error": why}),
    };
    let similar = similar(&question.query);
    let (limit, file) = (question.limit.unwrap_or(limit), question.file.as_deref());
    let options = Options { limit, file, similar: &similar };
    let snapshot = index.snapshot();
    if signals {
        let rows = candidates(&snapshot, &question.query, &options);
        let rows: Vec<Value> = rows.iter().map(|it| json!({"path": it.path, "signals": it.signals})).collect();
        return json!({"id": question.id, "names": signal_names(), "files": rows});
    }
    let answer = query(&snapshot, &|path| index.read(path), &question.query, &options);
    shown::brief(&question.id, &answer)
}
