//! Says in which way a request differs from a recorded one: which message, which part, the first lines that differ.

use ox_protocol::{Message, Part, ToolSpec};
use serde_json::Value;

use super::{Asked, Match, Secrets, vary};
use crate::Request;

/// How a request is compared with recorded ones.
pub(super) struct Eye<'a> {
    pub matching: Match,
    /// The project's folder when it was recorded, and now.
    pub roots: (&'a str, &'a str),
}

/// The first difference of two requests.
#[derive(Debug)]
pub(super) struct Difference {
    /// How many messages are alike before it.
    pub alike: usize,
    /// What a person reads.
    pub words: String,
}

impl Eye<'_> {
    /// The first difference; none where the request may be answered.
    pub(super) fn difference(&self, recorded: &Asked, now: &Request) -> Option<Difference> {
        let count = recorded.messages.len().max(now.messages.len());
        for at in 0..count {
            let words = match (recorded.messages.get(at), now.messages.get(at)) {
                (Some(old), Some(new)) => self.of_messages(at + 1, old, new),
                (old, new) => Some(one_only(at + 1, old.map(AsRef::as_ref), new)),
            };
            if let Some(words) = words {
                return Some(Difference { alike: at, words });
            }
        }
        let words = if self.matching == Match::Exact { self.of_frame(recorded, now) } else { None };
        words.map(|words| Difference { alike: count, words })
    }

    /// What surrounds the messages.
    fn of_frame(&self, recorded: &Asked, now: &Request) -> Option<String> {
        if recorded.choice != now.tool_choice {
            let show = |it: &ox_protocol::ToolChoice| format!("{it:?}");
            return Some(both("tool choice", &show(&recorded.choice), &show(&now.tool_choice)));
        }
        let names = |all: &[ToolSpec]| all.iter().map(|it| it.name.clone()).collect::<Vec<_>>().join(", ");
        let (old, new) = (names(&recorded.tools), names(&now.tools));
        if old != new {
            return Some(both("tools", &old, &new));
        }
        if recorded.schema != now.schema {
            let show = |it: &Option<Value>| it.as_ref().map(pretty).unwrap_or_default();
            return self.lines("schema of the reply", &show(&recorded.schema), &show(&now.schema));
        }
        if !recorded.whole {
            return None;
        }
        self.lines("system prompt", &recorded.system, &Secrets::default().hide(&now.system)).or_else(|| {
            let pairs = recorded.tools.iter().zip(&now.tools);
            let mut changed = pairs.filter(|(old, new)| old != new).filter_map(|(old, new)| self.of_tools(old, new));
            changed.next()
        })
    }

    fn of_tools(&self, recorded: &ToolSpec, now: &ToolSpec) -> Option<String> {
        let now = Secrets::default().hide_in(&serde_json::to_value(now).unwrap_or_default(), Secrets::hide);
        let words = |it: &Value| it.as_str().unwrap_or_default().to_string();
        let what = format!("tool {}", recorded.name);
        self.lines(&format!("{what}, description"), &recorded.description, &words(&now["description"]))
            .or_else(|| self.lines(&format!("{what}, arguments"), &pretty(&recorded.schema), &pretty(&now["schema"])))
    }

    fn of_messages(&self, number: usize, recorded: &Message, now: &Message) -> Option<String> {
        if recorded == now {
            return None;
        }
        let place = |what: &str| format!("message {number} ({}){what}", role(recorded));
        if recorded.role != now.role {
            return Some(both(&format!("message {number}"), role(recorded), role(now)));
        }
        let now = Secrets::default().hide_message(now);
        let counts = |it: &&Part| !matches!(it, Part::Reasoning { .. });
        let (old, new): (Vec<&Part>, Vec<&Part>) =
            (recorded.parts.iter().filter(counts).collect(), now.parts.iter().filter(counts).collect());
        for (at, (old, new)) in old.iter().zip(&new).enumerate() {
            let several = recorded.parts.len() > 1 || now.parts.len() > 1;
            let part = if several { format!(", part {}", at + 1) } else { String::new() };
            if let Some(words) = self.of_parts(&place(&part), old, new) {
                return Some(words);
            }
        }
        let shown = |it: Option<&&Part>| it.map_or("(nothing)".to_string(), |it| brief(it));
        let at = old.len().min(new.len());
        (old.len() != new.len()).then(|| both(&place(""), &shown(old.get(at)), &shown(new.get(at))))
    }

    fn of_parts(&self, place: &str, recorded: &Part, now: &Part) -> Option<String> {
        let exact = self.matching == Match::Exact;
        match (recorded, now) {
            (Part::Text { text: old }, Part::Text { text: new }) => {
                exact.then(|| self.lines(&format!("{place}, text"), old, new)).flatten()
            }
            (Part::Call { name: old, args: before, .. }, Part::Call { name: new, args: after, .. }) => {
                self.word(&format!("{place}, call"), old, new).or_else(|| {
                    let place = format!("{place}, arguments of {old}");
                    (exact && before != after).then(|| self.lines(&place, &pretty(before), &pretty(after))).flatten()
                })
            }
            (
                Part::Result { name: old, ok: well, text: before, images, .. },
                Part::Result { name: new, ok: well_now, text: after, images: images_now, .. },
            ) => {
                let how = |ok: bool| if ok { "ok" } else { "failed" };
                let place = format!("{place}, result of {old}");
                let pictures =
                    || (exact && images != images_now).then(|| both(&place, "its pictures", "other pictures"));
                self.word(&place, old, new)
                    .or_else(|| self.word(&place, how(*well), how(*well_now)))
                    .or_else(|| exact.then(|| self.lines(&place, before, after)).flatten())
                    .or_else(pictures)
            }
            (Part::Image { image: old }, Part::Image { image: new }) => {
                (exact && old.data != new.data).then(|| both(place, &brief(recorded), &brief(now)))
            }
            _ => Some(both(place, &brief(recorded), &brief(now))),
        }
    }

    fn word(&self, place: &str, recorded: &str, now: &str) -> Option<String> {
        (recorded != now).then(|| both(place, recorded, now))
    }

    /// The first lines of two texts that differ.
    fn lines(&self, place: &str, recorded: &str, now: &str) -> Option<String> {
        let (old, new): (Vec<&str>, Vec<&str>) = (vary::lines(recorded), vary::lines(now));
        let same = |(a, b): &(&&str, &&str)| vary::same(a, b, self.roots);
        let at = old.iter().zip(&new).take_while(same).count();
        if at == old.len().max(new.len()) {
            return None;
        }
        let show = |lines: &[&str]| lines.get(at).map_or("(end)".to_string(), |it| around(it));
        let place = if old.len().max(new.len()) > 1 { format!("{place}, line {}", at + 1) } else { place.to_string() };
        Some(both(&place, &show(&old), &show(&new)))
    }
}

/// The longest line that is shown whole, in characters.
const LINE: usize = 400;

fn around(line: &str) -> String {
    match line.char_indices().nth(LINE) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_string(),
    }
}

fn one_only(number: usize, recorded: Option<&Message>, now: Option<&Message>) -> String {
    let show = |it: Option<&Message>| {
        it.map_or("(no message)".to_string(), |it| {
            let parts: Vec<String> = it.parts.iter().map(brief).collect();
            format!("{}: {}", role(it), parts.join("; "))
        })
    };
    both(&format!("message {number}"), &show(recorded), &show(now))
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

/// A part on one line.
fn brief(part: &Part) -> String {
    match part {
        Part::Text { text } => around(text.lines().next().unwrap_or_default()),
        Part::Call { name, args, .. } => around(&format!("call {name} {args}")),
        Part::Result { name, ok, .. } => format!("result of {name}, {}", if *ok { "ok" } else { "failed" }),
        Part::Image { image } => format!("picture {} of {} bytes", image.name, image.data.len()),
        Part::Reasoning { .. } => "reasoning".to_string(),
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
