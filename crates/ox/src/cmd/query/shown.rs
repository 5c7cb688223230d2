//! Answers as people and programs read them.

use std::fmt::Write;

use ox_index::{Answer, Snippet};
use serde_json::{Map, Value, json};

/// What one line of a batch is answered with.
pub(super) fn brief(id: &Value, answer: &Answer) -> Value {
    let files: Vec<Value> =
        answer.files.iter().map(|it| json!({"path": it.path, "score": rounded(it.score)})).collect();
    let snippets: Vec<Value> = answer.snippets.iter().map(snippet).collect();
    json!({"id": id, "files": files, "snippets": snippets})
}

/// Everything about one answer.
pub(super) fn full(answer: &Answer) -> Value {
    let files = answer.files.iter().map(|it| {
        let sources = it.sources.iter().map(|(name, share)| (*name, *share));
        json!({"path": it.path, "score": rounded(it.score), "sources": shares(sources)})
    });
    let files: Vec<Value> = files.collect();
    let snippets = answer.snippets.iter().map(|it| {
        let mut one = snippet(it);
        one["text"] = json!(it.text);
        one
    });
    let snippets: Vec<Value> = snippets.collect();
    json!({"files": files, "snippets": snippets})
}

fn snippet(it: &Snippet) -> Value {
    let sources = it.sources.iter().map(|(name, share)| (name.as_str(), *share));
    json!({
        "path": it.path, "start": it.start, "end": it.end, "symbol": it.symbol, "score": rounded(it.score),
        "sources": shares(sources),
    })
}

fn shares<'a>(of: impl Iterator<Item = (&'a str, f32)>) -> Value {
    Value::Object(of.map(|(name, share)| (name.to_owned(), json!(rounded(share)))).collect::<Map<_, _>>())
}

fn rounded(it: f32) -> f64 {
    (f64::from(it) * 1000.0).round() / 1000.0
}

/// The files with their snippets, and what speaks for them where that is asked for.
pub(super) fn table(answer: &Answer, explain: bool) -> String {
    let mut text = String::new();
    for file in &answer.files {
        // Writing to a text does not fail.
        let _ = writeln!(text, "{:6.2}  {}", file.score, file.path);
        if explain {
            let shares: Vec<String> = file.sources.iter().map(|(name, share)| format!("{name} {share:+.2}")).collect();
            let _ = writeln!(text, "        = {}", shares.join(", "));
        }
        for it in answer.snippets.iter().filter(|it| it.path == file.path) {
            let symbol = it.symbol.as_deref().unwrap_or_default();
            let _ = writeln!(text, "        {}-{}  {symbol}", it.start, it.end);
        }
    }
    text
}
