//! Conversations of opencode: in its database, or in the files that versions before it wrote.
//!
//! Messages and their parts are the same in both. Conversations of sub-agents are left out, and so is what was taken back.

use std::path::Path;

use ox_protocol::{Image, Money, Time, Tokens, Usage};
use ox_store::OtherDatabase;
use serde_json::Value;

use crate::foreign::{Call, Foreign, What};
use crate::lines::{add_text, entries, json_file, list as array, picture_of_url, stem, text, tokens};
use crate::listing::{Listing, Stored};
use crate::{ImportError, Unread};

/// The database of the versions that have one.
const DATABASE: &str = "opencode.db";
/// Parts that are no words.
const WITHOUT_WORDS: &[&str] = &["snapshot", "patch", "retry", "step-finish", "agent", "subtask"];

/// A message with its parts, all in order.
type Message = (Value, Vec<Value>);

pub(crate) fn list(folder: &Path) -> Result<Listing, ImportError> {
    let mut listing = Listing { database: database(folder)?, ..Listing::default() };
    let sessions = match &listing.database {
        Some(database) => database.opencode_sessions()?,
        None => {
            let mut sessions = Vec::new();
            for project in entries(&folder.join("storage/session"))?.iter().filter(|it| it.is_dir()) {
                for file in entries(project)? {
                    sessions.extend(json_file(&file, &mut listing.unread).map(|it| (stem(&file), it)));
                }
            }
            sessions
        }
    };
    for (id, session) in sessions {
        if !text(&session, "parentID").is_empty() {
            listing.of_agents += 1;
            continue;
        }
        // The name that it has before a model has given it one.
        let title = Some(text(&session, "title").to_owned()).filter(|it| !it.starts_with("New session - "));
        listing
            .conversations
            .push(Stored { title, ..Stored::of_file(&id, text(&session, "directory"), Path::new("")) });
    }
    Ok(listing)
}

fn database(folder: &Path) -> Result<Option<OtherDatabase>, ImportError> {
    let file = folder.join(DATABASE);
    Ok(if file.is_file() { Some(OtherDatabase::open(&file)?) } else { None })
}

pub(crate) fn read(folder: &Path, listing: &Listing, id: &str) -> Result<Foreign, ImportError> {
    let mut foreign = Foreign::default();
    let (reverted, messages) = match &listing.database {
        Some(database) => (database.opencode_session(id)?.unwrap_or_default(), database.opencode_messages(id)?),
        None => from_files(folder, id, &mut foreign.unread)?,
    };
    let reverted = text(&reverted["revert"], "messageID").to_owned();
    for (message, parts) in &messages {
        if !reverted.is_empty() && text(message, "id") >= reverted.as_str() {
            break;
        }
        match text(message, "role") {
            "user" => user(&mut foreign, message, parts),
            "assistant" => assistant(&mut foreign, message, parts),
            kind => foreign.unread.kind(&format!("message {kind}")),
        }
    }
    Ok(foreign)
}

/// The session and its messages from the files of older versions.
fn from_files(folder: &Path, id: &str, unread: &mut Unread) -> Result<(Value, Vec<Message>), ImportError> {
    let storage = folder.join("storage");
    let mut session = Value::Null;
    for project in entries(&storage.join("session"))? {
        let file = project.join(format!("{id}.json"));
        if file.is_file() {
            session = json_file(&file, &mut Unread::default()).unwrap_or_default();
        }
    }
    let mut messages = Vec::new();
    for file in entries(&storage.join("message").join(id))? {
        let Some(message) = json_file(&file, unread) else { continue };
        let mut parts = Vec::new();
        for file in entries(&storage.join("part").join(stem(&file)))? {
            parts.extend(json_file(&file, unread));
        }
        messages.push((message, parts));
    }
    Ok((session, messages))
}

/// Milliseconds that lie before the year 10,000; what is larger is no time.
fn time(value: &Value, field: &str) -> Option<Time> {
    value["time"][field].as_u64().filter(|it| *it <= 253_402_300_799_999).map(Time)
}

fn user(foreign: &mut Foreign, message: &Value, parts: &[Value]) {
    let (mut said, mut images) = (String::new(), Vec::new());
    for part in parts {
        match text(part, "type") {
            // What the program added beside it.
            "text" if part["synthetic"] == true || part["ignored"] == true => {}
            "text" => add_text(&mut said, text(part, "text")),
            "file" => file(part, &mut said, &mut images),
            // The summary is the reply to this message.
            "compaction" => return,
            kind if WITHOUT_WORDS.contains(&kind) => {}
            kind => foreign.unread.kind(&format!("part {kind}")),
        }
    }
    foreign.prompt(time(message, "created").unwrap_or_default(), &said, images);
}

fn file(part: &Value, said: &mut String, images: &mut Vec<Image>) {
    match picture_of_url(text(part, "url")) {
        Some(image) => images.push(Image { name: text(part, "filename").to_owned(), ..image }),
        None => add_text(said, &format!("[file: {}]", text(part, "filename"))),
    }
}

/// A reply of the model for each step: a message holds all steps of a turn.
fn assistant(foreign: &mut Foreign, message: &Value, parts: &[Value]) {
    let created = time(message, "created").unwrap_or_default();
    if message["summary"] == true {
        let mut digest = String::new();
        parts.iter().filter(|it| it["type"] == "text").for_each(|it| add_text(&mut digest, text(it, "text")));
        if !digest.is_empty() {
            foreign.push(created, What::Compacted { digest });
        }
        return;
    }
    let steps = parts.split(|it| it["type"] == "step-start").filter(|it| !it.is_empty());
    for step in steps {
        reply(foreign, message, step, created);
    }
    if message["error"]["name"] == "MessageAbortedError" {
        let end = time(message, "completed").unwrap_or(created);
        foreign.push(end, What::Interrupted);
    }
}

fn reply(foreign: &mut Foreign, message: &Value, parts: &[Value], created: Time) {
    let (mut said, mut reasoning, mut calls, mut results) = (String::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut usage, mut cost, mut at) = (Usage::default(), None, created);
    for part in parts {
        at = time(part, "start").unwrap_or(at).max(at);
        match text(part, "type") {
            "text" => add_text(&mut said, text(part, "text")),
            "reasoning" => reasoning.push(text(part, "text").to_owned()),
            "tool" => {
                let (id, tool, state) =
                    (text(part, "callID").to_owned(), text(part, "tool").to_owned(), &part["state"]);
                at = time(state, "start").unwrap_or(at).max(at);
                results.extend(result(&id, state, at));
                calls.push(Call { id, tool, args: state["input"].clone() });
            }
            "step-finish" => {
                usage = used(&part["tokens"]);
                // Nobody's reply costs more than what fits.
                cost = part["cost"].as_f64().filter(|it| *it > 0.0).map(|it| Money((it * 1e6) as u64));
            }
            kind if WITHOUT_WORDS.contains(&kind) => {}
            kind => foreign.unread.kind(&format!("part {kind}")),
        }
    }
    let model = format!("{}/{}", text(message, "providerID"), text(message, "modelID"));
    if !said.is_empty() || !calls.is_empty() {
        let id = String::new();
        foreign.push(at, What::Reply { id, model, text: said, reasoning, calls, usage, cost });
    }
    results.into_iter().for_each(|(time, what)| foreign.push(time, what));
}

/// What came of a call; nothing where it never ended.
fn result(id: &str, state: &Value, began: Time) -> Option<(Time, What)> {
    let ok = match text(state, "status") {
        "completed" => true,
        "error" => false,
        _ => return None,
    };
    let mut said = text(state, if ok { "output" } else { "error" }).to_owned();
    let mut images = Vec::new();
    array(state, "attachments").iter().for_each(|it| file(it, &mut said, &mut images));
    let ended = time(state, "end").unwrap_or(began);
    Some((ended, What::Result { call: id.to_owned(), ok, text: said, images }))
}

fn used(all: &Value) -> Usage {
    let (cache_read, cache_write) = (tokens(&all["cache"], "read"), tokens(&all["cache"], "write"));
    let reasoning = tokens(all, "reasoning");
    Usage {
        input: Tokens(tokens(all, "input").0.saturating_add(cache_read.0).saturating_add(cache_write.0)),
        cache_read,
        cache_write,
        output: Tokens(tokens(all, "output").0.saturating_add(reasoning.0)),
        reasoning,
    }
}
