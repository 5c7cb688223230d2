//! Finding conversations by what was said in them.
//!
//! It looks at words of the user and the model alone: a hit in a rule, a path of the root or a JSON key is none.

use std::collections::HashMap;

use ox_protocol::{Event, Seq};
use rusqlite::Connection;

use crate::log::{Found, Info};
use crate::record;

/// Characters of context on each side of a hit.
const AROUND: usize = 40;

/// The last hit of each conversation: event number and excerpt.
pub(crate) type Hits = HashMap<String, (Seq, String)>;

/// The kinds of events that hold words of the user or the model, as a list of SQL.
pub(crate) const KINDS: &str = "('turn_start', 'stream_complete', 'queued', 'question', 'answer', 'summary', 'named')";

/// The last event of each conversation in whose words `text` occurs.
pub(crate) fn hits(connection: &Connection, text: &str) -> rusqlite::Result<Hits> {
    let mut hits = Hits::new();
    let mut statement = connection.prepare_cached(&format!(
        "SELECT conversation, seq, json FROM events
         WHERE kind IN {KINDS} AND json LIKE ?1 ESCAPE '\\' ORDER BY conversation, seq"
    ))?;
    let mut rows = statement.query([pattern(text)])?;
    while let Some(row) = rows.next()? {
        let (id, seq, json): (String, u64, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        look(&mut hits, id, Seq(seq), &json, text);
    }
    Ok(hits)
}

/// Notes an event that matches the pattern, where the text occurs in its words.
pub(crate) fn look(hits: &mut Hits, id: String, seq: Seq, json: &str, text: &str) {
    let Ok(frame) = record::decode(json) else { return };
    if let Some(excerpt) = words(&frame.event).and_then(|words| excerpt(words, text)) {
        hits.insert(id, (seq, excerpt));
    }
}

/// The conversation as a result, where an event or its name matches.
pub(crate) fn found(info: Info, hits: &Hits, text: &str) -> Option<Found> {
    if let Some((seq, excerpt)) = hits.get(&info.id.0) {
        return Some(Found { seq: *seq, excerpt: excerpt.clone(), info });
    }
    let excerpt = excerpt(info.name.as_deref()?, text)?;
    Some(Found { seq: Seq(0), excerpt, info })
}

/// A pattern over the JSON as it is stored. The databases fold the case of ASCII only, so other letters match any one
/// character here and are compared in `excerpt`.
pub(crate) fn pattern(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    let mut pattern = String::from("%");
    for c in json[1..json.len() - 1].chars() {
        match c {
            '%' | '_' | '\\' => pattern.extend(['\\', c]),
            c if c.is_ascii() || !c.is_alphabetic() => pattern.push(c),
            _ => pattern.push('%'),
        }
    }
    pattern + "%"
}

fn words(event: &Event) -> Option<&str> {
    match event {
        Event::TurnStart { prompt, .. } => Some(prompt),
        Event::StreamComplete { text, .. }
        | Event::Steered { text, .. }
        | Event::Question { text, .. }
        | Event::Answer { text, .. } => Some(text),
        Event::Summary { summary } => Some(&summary.text),
        Event::Named { name } => Some(name),
        _ => None,
    }
}

/// The words around the first hit, on one line.
fn excerpt(words: &str, text: &str) -> Option<String> {
    let flat: Vec<char> = words.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let fold = |c: char| c.to_lowercase().next().unwrap_or(c);
    let folded: Vec<char> = flat.iter().copied().map(fold).collect();
    let wanted: Vec<char> = text.chars().map(|c| if c.is_whitespace() { ' ' } else { fold(c) }).collect();
    let at = match wanted.len() {
        0 => 0,
        length => folded.windows(length).position(|it| it == wanted)?,
    };
    let (from, to) = (at.saturating_sub(AROUND), (at + wanted.len() + AROUND).min(flat.len()));
    let middle: String = flat[from..to].iter().collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if to < flat.len() { "…" } else { "" };
    Some(format!("{before}{}{after}", middle.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_shows_the_words_around_the_hit() {
        let long = format!("{} the Needle\nhere {}", "a ".repeat(50), "b ".repeat(50));
        let cut = excerpt(&long, "needle here").expect("it occurs");
        assert!(cut.starts_with("…a a") && cut.contains("the Needle here b") && cut.ends_with("b…"), "{cut}");
        assert_eq!(excerpt("short", "sHo"), Some("short".to_string()));
        assert_eq!(excerpt("ÄRGER", "ärger"), Some("ÄRGER".to_string()));
        assert_eq!(excerpt("short", "long"), None);
    }

    #[test]
    fn a_pattern_matches_the_stored_json() {
        assert_eq!(pattern("50% of \"a_b\"\n"), r#"%50\% of \\"a\_b\\"\\n%"#);
        assert_eq!(pattern("日本 x"), "%%% x%");
    }
}
