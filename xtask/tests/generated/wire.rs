//! The reference pages of what travels on the wire, written from the schema.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::schema::{Entry, definition, fields, mentioned, variants, words};

const GENERATED: &str =
    "<!-- Written by `cargo xtask generate` from the types; edit their documentation instead. -->\n";

/// How a conversation is joined, with an example of each line.
const HANDSHAKE: &str = r#"
A conversation that a process of Ox works on can be joined at the socket `STATE/sockets/ID.sock`, where `STATE` is the
folder that `ox doctor` names and `ID` the conversation's. Only its user can open it. Both sides write lines of JSON.

Say from which event on you want to know; 1 is the first:

```json
{"subscribe": 1}
```

You get what you missed, or one `snapshot` where that is more than 1,000 events, then the text that streams right now,
then every [update](events.md) as it happens. Whoever reads too slowly gets a `gap` and nothing more, and subscribes again
from the event that it names.

`{"view": true}` is answered with one `snapshot` of everything up to now, and nothing follows.

Send a command under an id of your own, which must not have been used in the conversation:

```json
{"id": "page-7", "command": "prompt", "text": "fix the failing test", "delivery": "queue"}
{"id": "page-8", "command": "decide", "call": "call_12_0", "decision": {"answer": "allow"}}
```

It is answered once: `accepted` after the events that name it in `command_id`, or `rejected` with the reason. The first
answer to a question counts; later ones are rejected. The session ends when the process that owns it leaves, not with you.
"#;

/// The page of events and deltas.
pub fn events() -> String {
    // An event is flattened into its frame, so the frame's variants are the events.
    let events = variants(&definition("Frame"), "event");
    let mut page = format!(
        "# Events\n\n{GENERATED}\n`ox run --events` prints one JSON object a line. An event carries, beside its own fields:\n\n"
    );
    let frame = fields(&definition("Frame"), "event");
    list(&mut page, &frame);
    let delta = definition("Delta");
    let _ = writeln!(page, "\nStreaming text has no `seq`. {}\n", words(&delta));
    list(&mut page, &fields(&delta, ""));
    page.push_str(
        "\nThe same in full, for programs: [`ox.schema.json`](../../../crates/protocol/schema/ox.schema.json).\n",
    );
    let controls = variants(&definition("Control"), "event");
    let _ = writeln!(page, "\n# About the subscription itself\n\n{}", words(&definition("Control")));
    sections(&mut page, &controls);
    page.push_str("\n# What happened\n");
    sections(&mut page, &events);
    types(&mut page, mentioned(&events).into_iter().chain(mentioned(&fields(&delta, ""))).collect());
    page
}

/// The page of commands.
pub fn commands() -> String {
    let commands = variants(&definition("Command"), "command");
    let mut page = format!(
        "# Commands\n\n{GENERATED}\nWhat an interface sends to the agent. The field `command` names the kind.\n"
    );
    page.push_str(HANDSHAKE);
    sections(&mut page, &commands);
    types(&mut page, mentioned(&commands).into_iter().collect());
    page
}

fn sections(page: &mut String, entries: &[Entry]) {
    for entry in entries {
        let _ = writeln!(page, "\n## `{}`\n\n{}", entry.name, entry.words);
        if !entry.fields.is_empty() {
            page.push('\n');
        }
        list(page, &entry.fields);
    }
}

fn list(page: &mut String, entries: &[Entry]) {
    for entry in entries {
        let kind = match (entry.kind.as_str(), entry.optional) {
            ("", _) => String::new(),
            (kind, true) => format!(" ({kind}, optional)"),
            (kind, false) => format!(" ({kind})"),
        };
        let _ = writeln!(page, "- `{}`{kind}: {}", entry.name, entry.words);
    }
}

/// Explains the named types and whatever they mention in turn.
fn types(page: &mut String, names: Vec<String>) {
    let mut left: BTreeSet<String> = names.into_iter().collect();
    let mut done = BTreeSet::new();
    let mut explained: Vec<(String, String)> = Vec::new();
    while let Some(name) = left.pop_first() {
        if !done.insert(name.clone()) {
            continue;
        }
        let schema = definition(&name);
        let tag = ["event", "answer", "reason", "part"].into_iter().find(|tag| !variants(&schema, tag).is_empty());
        let entries = tag.map_or_else(|| fields(&schema, ""), |tag| variants(&schema, tag));
        left.extend(mentioned(&entries));
        let mut text = format!("\n### {name}\n\n{}\n\n", words(&schema));
        list(&mut text, &entries);
        explained.push((name, text.trim_end().to_owned() + "\n"));
    }
    explained.sort();
    if !explained.is_empty() {
        page.push_str("\n## Types\n");
    }
    explained.iter().for_each(|(_, text)| page.push_str(text));
}
