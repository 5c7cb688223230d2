//! Says in which way a request differs from a recorded one: which message, which part, the first lines that differ.

use ox_protocol::{Image, Message, Part, ToolSpec};
use serde_json::Value;

use super::entry::RecordedRequest;
use super::tolerance;

/// How closely a request must resemble a recorded one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Match {
    /// Everything is equal but what varies from run to run: durations, times, hexadecimal ids, the project's folder.
    #[default]
    Exact,
    /// The messages have the same roles, calls and outcomes; their words may differ.
    Lenient,
}

/// The first difference of two requests.
#[derive(Debug)]
pub(super) struct Difference {
    /// How many messages are alike before it.
    pub alike: usize,
    /// What a person reads.
    pub words: String,
}

/// A part of a request that is compared: what is compared, line by line, and what a person is shown of it.
struct Field {
    place: String,
    text: String,
    /// What stands for a text that is too long or too odd to be shown; the differing line itself where empty.
    shown: String,
}

impl Field {
    fn new(place: impl Into<String>, text: impl Into<String>) -> Field {
        Field { place: place.into(), text: text.into(), shown: String::new() }
    }
}

/// The first difference; none where the request may be answered.
pub(super) fn difference(matching: Match, recorded: &RecordedRequest, now: &RecordedRequest) -> Option<Difference> {
    let count = recorded.messages.len().max(now.messages.len());
    for at in 0..count {
        let words = match (recorded.messages.get(at), now.messages.get(at)) {
            (Some(old), Some(new)) if old == new => None,
            (Some(old), Some(new)) => first(&message(matching, at + 1, old), &message(matching, at + 1, new)),
            (old, new) => {
                let show = |it: Option<_>| it.map_or("(no message)".to_string(), brief);
                let (old, new) = (show(old.map(AsRef::as_ref)), show(new.map(AsRef::as_ref)));
                Some(both(&format!("message {}", at + 1), &old, &new))
            }
        };
        if let Some(words) = words {
            return Some(Difference { alike: at, words });
        }
    }
    let words = if matching == Match::Exact { first(&frame(recorded), &frame(now)) } else { None };
    words.map(|words| Difference { alike: count, words })
}

/// What surrounds the messages.
fn frame(it: &RecordedRequest) -> Vec<Field> {
    let names: Vec<&str> = it.tools.iter().map(|it| it.name.as_str()).collect();
    let mut fields = vec![
        Field::new("tool choice", format!("{:?}", it.tool_choice)),
        Field::new("tools", names.join(", ")),
        Field::new("system prompt", &*it.system),
    ];
    for ToolSpec { name, description, schema, .. } in it.tools.iter() {
        fields.push(Field::new(format!("tool {name}, description"), description));
        fields.push(Field::new(format!("tool {name}, arguments"), pretty(schema)));
    }
    fields
}

fn message(matching: Match, number: usize, it: &Message) -> Vec<Field> {
    let exact = matching == Match::Exact;
    let mut fields = vec![Field::new(format!("message {number}"), role(it))];
    let parts: Vec<&Part> = it.parts.iter().filter(|it| !matches!(it, Part::Reasoning { .. })).collect();
    for (at, part) in parts.iter().enumerate() {
        let part_number = if it.parts.len() > 1 { format!(", part {}", at + 1) } else { String::new() };
        let place = format!("message {number} ({}){part_number}", role(it));
        // What kind of part it is comes first, so that a text is never compared with a call.
        let kind = match part {
            Part::Text { .. } => "text".to_string(),
            Part::Image { .. } => "picture".to_string(),
            other => outline(other),
        };
        fields.push(Field { place: place.clone(), text: kind, shown: outline(part) });
        match part {
            Part::Text { text } if exact => fields.push(Field::new(format!("{place}, text"), text)),
            Part::Image { image } if exact => fields.push(picture(place, image)),
            Part::Call { name, args, .. } if exact => {
                fields.push(Field::new(format!("{place}, arguments of {name}"), pretty(args)));
            }
            Part::Result { name, text, images, .. } if exact => {
                let place = format!("{place}, result of {name}");
                fields.push(Field::new(&place, text));
                fields.extend(images.iter().map(|it| picture(place.clone(), it)));
            }
            _ => {}
        }
    }
    fields
}

fn picture(place: String, image: &Image) -> Field {
    let shown = format!("picture {} of {} bytes", image.name, image.data.len());
    Field { place, text: image.data.clone(), shown }
}

/// The first difference of two lists of fields.
fn first(recorded: &[Field], now: &[Field]) -> Option<String> {
    for (old, new) in recorded.iter().zip(now) {
        if old.place != new.place {
            return Some(both(&old.place, &shown(old, &old.text), &shown(new, &new.text)));
        }
        let (before, after): (Vec<&str>, Vec<&str>) = (tolerance::lines(&old.text), tolerance::lines(&new.text));
        let at = before.iter().zip(&after).take_while(|(a, b)| tolerance::same(a, b)).count();
        if at < before.len().max(after.len()) {
            let several = before.len().max(after.len()) > 1;
            let place = if several { format!("{}, line {}", old.place, at + 1) } else { old.place.clone() };
            let line = |field: &Field, lines: &[&str]| lines.get(at).map_or("(end)".to_string(), |it| shown(field, it));
            return Some(both(&place, &line(old, &before), &line(new, &after)));
        }
    }
    let rest = |all: &[Field], from: usize| all.get(from).map_or("(nothing)".to_string(), |it| shown(it, &it.text));
    let at = recorded.len().min(now.len());
    let extra = recorded.get(at).or(now.get(at))?;
    Some(both(&extra.place, &rest(recorded, at), &rest(now, at)))
}

fn shown(field: &Field, line: &str) -> String {
    around(if field.shown.is_empty() { line } else { &field.shown })
}

fn around(line: &str) -> String {
    /// The longest line that is shown whole, in characters.
    const LINE: usize = 400;
    match line.char_indices().nth(LINE) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_string(),
    }
}

fn both(what: &str, recorded: &str, now: &str) -> String {
    format!("{what}\n  recorded: {recorded}\n  now:      {now}")
}

fn role(message: &Message) -> &'static str {
    match message.role {
        ox_protocol::Role::User => "user",
        ox_protocol::Role::Assistant => "assistant",
        ox_protocol::Role::Tool => "tool",
    }
}

/// A message on one line.
fn brief(message: &Message) -> String {
    let parts: Vec<String> = message.parts.iter().map(outline).collect();
    around(&format!("{}: {}", role(message), parts.join("; ")))
}

/// A part on one line.
fn outline(part: &Part) -> String {
    match part {
        Part::Text { text } => around(text.lines().next().unwrap_or_default()),
        Part::Call { name, .. } => format!("call of {name}"),
        Part::Result { name, ok, .. } => format!("result of {name}, {}", if *ok { "ok" } else { "failed" }),
        Part::Image { image } => format!("picture {} of {} bytes", image.name, image.data.len()),
        Part::Reasoning { .. } => "reasoning".to_string(),
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
