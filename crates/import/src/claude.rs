//! Conversations of Claude Code: a file of JSON lines each, in a folder per project.
//!
//! A file is a tree of records, because a prompt that was taken back stays in it: what counts is the way from the last record
//! to the first. Lines of sub-agents are left out.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use ox_protocol::{Image, Time, Tokens, Usage};
use serde_json::Value;

use crate::foreign::{Call, Foreign, What};
use crate::lines::{add_text, entries, first_in_lines, json_lines, list as array, moment, picture, stem, text, tokens};
use crate::listing::{Listing, Stored};
use crate::{ImportError, Unread};

/// Records that say nothing about what was talked about.
const WITHOUT_WORDS: &[&str] = &[
    "agent-color",
    "agent-name",
    "agent-setting",
    "attachment",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "summary",
    "system",
    "tag",
    "worktree-state",
];
/// What the program writes in the name of the user when the user stops it.
const STOPPED: &str = "[Request interrupted by user";

pub(crate) fn list(folder: &Path) -> Result<Listing, ImportError> {
    let mut listing = Listing::default();
    for project in entries(&folder.join("projects"))?.iter().filter(|it| it.is_dir()) {
        for file in entries(project)?.iter().filter(|it| it.extension().is_some_and(|it| it == "jsonl")) {
            if stem(file).starts_with("agent-") {
                listing.of_agents += 1;
                continue;
            }
            let named = |it: &Value| Some(text(it, "cwd").to_owned()).filter(|it| !it.is_empty());
            match first_in_lines(file, named) {
                Ok(folder) => listing.conversations.extend(folder.map(|it| Stored::of_file(&stem(file), &it, file))),
                Err(error) => listing.unread.broken.push(error.to_string()),
            }
        }
        // Newer versions keep those of sub-agents in a folder beside the conversation.
        for folder in entries(project)?.iter().filter(|it| it.is_dir()) {
            listing.of_agents += entries(&folder.join("subagents")).map_or(0, |it| it.len());
        }
    }
    Ok(listing)
}

pub(crate) fn read(file: &Path) -> Result<Foreign, ImportError> {
    let mut foreign = Foreign::default();
    let records = json_lines(file, &mut foreign.unread)?;
    foreign.title = title(&records);
    let counts = way_back(&records);
    let (mut time, mut replies) = (Time(0), HashMap::new());
    for (at, record) in records.iter().enumerate() {
        time = moment(record, "timestamp").unwrap_or(time).max(time);
        if record["isSidechain"] == true || (record["uuid"].is_string() && !counts.contains(&at)) {
            continue;
        }
        match text(record, "type") {
            "user" => user(&mut foreign, record, time),
            "assistant" => assistant(&mut foreign, &mut replies, record, time),
            "attachment" if record["attachment"]["type"] == "queued_command" => {
                let (said, _) = words(&mut foreign.unread, &record["attachment"]["prompt"]);
                foreign.push(time, What::Steer { text: said });
            }
            kind if WITHOUT_WORDS.contains(&kind) || kind.ends_with("-title") => {}
            kind => foreign.unread.kind(kind),
        }
    }
    Ok(foreign)
}

/// The name that the user gave it, or the one that a model did.
fn title(records: &[Value]) -> Option<String> {
    let own: HashSet<&str> = records.iter().map(|it| text(it, "uuid")).collect();
    let last = |kind: &str, field: &str| {
        let named = records.iter().filter(|it| it["type"] == kind);
        // Older files hold the names of other conversations too.
        let named = named.filter(|it| kind != "summary" || own.contains(text(it, "leafUuid")));
        named.map(|it| text(it, field).to_owned()).rfind(|it| !it.is_empty())
    };
    last("custom-title", "customTitle").or_else(|| last("ai-title", "aiTitle")).or_else(|| last("summary", "summary"))
}

/// The records that the conversation consists of as it stands: those on the way back from its last one, and what belongs to
/// them, since the results of calls that ran side by side are branches of their own.
fn way_back(records: &[Value]) -> HashSet<usize> {
    let main = |record: &&Value| record["isSidechain"] != true;
    let by_id: HashMap<&str, usize> =
        records.iter().enumerate().filter(|(_, it)| main(it)).map(|(at, it)| (text(it, "uuid"), at)).collect();
    let last = records.iter().enumerate().filter(|(_, it)| main(it) && it["uuid"].is_string());
    let spoken = |it: &(usize, &Value)| it.1["type"] == "user" || it.1["type"] == "assistant";
    let mut at = last.filter(spoken).map(|(at, _)| at).next_back();
    let mut way = HashSet::new();
    while let Some(here) = at.filter(|it| way.insert(*it)) {
        let above = ["parentUuid", "logicalParentUuid"].map(|it| text(&records[here], it));
        let named = above.iter().find(|it| !it.is_empty());
        at = named.and_then(|it| by_id.get(*it).copied());
        if named.is_some() && at.is_none() {
            // The line is broken or gone: what stands above it cannot be told apart, so all of it counts.
            way.extend(0..here);
        }
    }
    let message = |it: &usize| text(&records[*it]["message"], "id");
    let messages: HashSet<&str> = way.iter().map(message).filter(|it| !it.is_empty()).collect();
    way.extend((0..records.len()).filter(|it| messages.contains(message(it))));
    let blocks = |at: &usize| array(&records[*at]["message"], "content").iter();
    let calls: HashSet<&str> =
        way.iter().flat_map(blocks).filter(|it| it["type"] == "tool_use").map(|it| text(it, "id")).collect();
    let answers = |at: &usize| blocks(at).any(|it| calls.contains(text(it, "tool_use_id")));
    way.extend((0..records.len()).filter(answers));
    way
}

fn user(foreign: &mut Foreign, record: &Value, time: Time) {
    let content = &record["message"]["content"];
    if record["isCompactSummary"] == true {
        let (digest, _) = words(&mut foreign.unread, content);
        return foreign.push(time, What::Compacted { digest });
    }
    for block in array(&record["message"], "content").iter().filter(|it| it["type"] == "tool_result") {
        let said = words(&mut foreign.unread, &block["content"]);
        foreign.result(time, text(block, "tool_use_id"), block["is_error"] != true, said);
    }
    // What the program itself says in the name of the user.
    if record["isMeta"] == true {
        return;
    }
    let (said, images) = words(&mut foreign.unread, content);
    let said = said.trim();
    if said.starts_with(STOPPED) {
        foreign.push(time, What::Interrupted);
    } else if said.starts_with("<local-command-") {
        // The command before it was the program's own; no model read it.
        let command = |it: &What| matches!(it, What::Prompt { text, .. } if text.starts_with('/'));
        drop(foreign.items.pop_if(|it| command(&it.what)));
    } else if let Some(command) = between(said, "command-name") {
        let args = between(said, "command-args").unwrap_or_default();
        foreign.prompt(time, &format!("/{} {args}", command.trim_start_matches('/')), images);
    } else if !said.starts_with("<bash-") {
        foreign.prompt(time, said, images);
    }
}

/// What stands between two tags.
fn between<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, after) = text.split_once(&format!("<{tag}>"))?;
    Some(after.split_once(&format!("</{tag}>"))?.0.trim())
}

/// The words and the pictures of a message or of a result. What reminds the model of something was not said by anybody.
fn words(unread: &mut Unread, content: &Value) -> (String, Vec<Image>) {
    let (mut said, mut images) = (String::new(), Vec::new());
    if let Some(text) = content.as_str() {
        return (text.to_owned(), images);
    }
    for block in content.as_array().into_iter().flatten() {
        match text(block, "type") {
            "text" if text(block, "text").starts_with("<system-reminder>") => {}
            "text" => add_text(&mut said, text(block, "text")),
            "image" => match picture(text(&block["source"], "media_type"), text(&block["source"], "data")) {
                Some(image) => images.push(image),
                None => add_text(&mut said, &format!("[picture: {}]", text(&block["source"], "url"))),
            },
            "tool_result" => {}
            kind => unread.kind(&format!("block {kind}")),
        }
    }
    (said, images)
}

/// Each record has one block of a reply; those of one reply share its id. `replies` says where the replies so far stand.
fn assistant<'r>(foreign: &mut Foreign, replies: &mut HashMap<&'r str, usize>, record: &'r Value, time: Time) {
    let message = &record["message"];
    // The program's own words about a failed request.
    if record["isApiErrorMessage"] == true || message["model"] == "<synthetic>" {
        return;
    }
    let known = replies.get(text(message, "id")).copied();
    let place = known.unwrap_or_else(|| {
        let model = format!("anthropic/{}", text(message, "model"));
        let id = text(message, "id").to_owned();
        let (reasoning, calls) = (Vec::new(), Vec::new());
        let reply =
            What::Reply { id, model, text: String::new(), reasoning, calls, usage: Usage::default(), cost: None };
        foreign.push(time, reply);
        foreign.items.len() - 1
    });
    if !text(message, "id").is_empty() {
        replies.insert(text(message, "id"), place);
    }
    let What::Reply { text: said, reasoning, calls, usage, .. } = &mut foreign.items[place].what else { return };
    *usage = used(&message["usage"]);
    for block in array(message, "content") {
        match text(block, "type") {
            "text" => add_text(said, text(block, "text")),
            "thinking" => reasoning.extend(Some(text(block, "thinking").to_owned()).filter(|it| !it.is_empty())),
            "redacted_thinking" => {}
            "tool_use" => {
                let (id, tool) = (text(block, "id").to_owned(), text(block, "name").to_owned());
                calls.push(Call { id, tool, args: block["input"].clone() });
            }
            kind => foreign.unread.kind(&format!("block {kind}")),
        }
    }
}

fn used(usage: &Value) -> Usage {
    let (cache_read, cache_write) =
        (tokens(usage, "cache_read_input_tokens"), tokens(usage, "cache_creation_input_tokens"));
    Usage {
        input: Tokens(tokens(usage, "input_tokens").0.saturating_add(cache_read.0).saturating_add(cache_write.0)),
        cache_read,
        cache_write,
        output: tokens(usage, "output_tokens"),
        reasoning: Tokens(0),
    }
}
