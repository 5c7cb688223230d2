//! Conversations of Codex: a file of JSON lines each, in folders by day.
//!
//! What the model read and wrote stands there as the items of its requests; events for the screen repeat most of it and are
//! passed over. Conversations of sub-agents are left out.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ox_protocol::{Image, Time, Usage};
use serde_json::{Value, json};

use crate::foreign::{Call, Foreign, What};
use crate::lines::{
    add_text, entries, first_in_lines, json_lines, list as array, moment, picture_of_url, text, tokens,
};
use crate::listing::{Listing, Stored};
use crate::{ImportError, Unread};

/// What begins a message that the program wrote in the name of the user.
const OF_PROGRAM: &[&str] = &[
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<permissions instructions>",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<collaboration_mode>",
    "<subagent_notification>",
];
/// Records and events that say nothing which is not said elsewhere.
const WITHOUT_WORDS: &[&str] = &["session_meta", "world_state"];
/// Items of a request that are no words.
const OTHER_ITEMS: &[&str] = &["ghost_snapshot", "compaction_trigger"];

pub(crate) fn list(folder: &Path) -> Result<Listing, ImportError> {
    let mut listing = Listing::default();
    let mut names = HashMap::new();
    for line in json_lines(&folder.join("session_index.jsonl"), &mut Unread::default()).unwrap_or_default() {
        names.insert(text(&line, "id").to_owned(), text(&line, "thread_name").to_owned());
    }
    let mut files = Vec::new();
    for part in ["sessions", "archived_sessions"] {
        rollouts(&folder.join(part), &mut files)?;
    }
    for file in files {
        if file.extension().is_some_and(|it| it == "zst") {
            listing.unread.kind("compressed conversation");
            continue;
        }
        let meta = |it: &Value| (it["type"] == "session_meta").then(|| it["payload"].clone());
        let meta = match first_in_lines(&file, meta) {
            Ok(Some(meta)) => meta,
            Ok(None) => {
                listing.unread.broken.push(file.display().to_string());
                continue;
            }
            Err(error) => {
                listing.unread.broken.push(error.to_string());
                continue;
            }
        };
        let meta = &meta;
        if meta["source"].get("subagent").is_some() || meta["thread_source"] == "subagent" {
            listing.of_agents += 1;
            continue;
        }
        let title = names.get(text(meta, "id")).cloned();
        listing.conversations.push(Stored { title, ..Stored::of_file(text(meta, "id"), text(meta, "cwd"), &file) });
    }
    Ok(listing)
}

/// The files of conversations in a folder and those below.
fn rollouts(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), ImportError> {
    for path in entries(folder)? {
        let name = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        // A link could lead round in a circle.
        if path.is_dir() && !path.is_symlink() {
            rollouts(&path, files)?;
        } else if name.starts_with("rollout-") && (name.ends_with(".jsonl") || name.ends_with(".zst")) {
            files.push(path);
        }
    }
    Ok(())
}

/// What is known while a file is read.
#[derive(Default)]
struct Reader {
    foreign: Foreign,
    provider: String,
    model: String,
    /// True while further items belong to the last reply.
    replying: bool,
}

pub(crate) fn read(file: &Path) -> Result<Foreign, ImportError> {
    let mut it = Reader { provider: "openai".to_owned(), model: "unknown".to_owned(), ..Reader::default() };
    let records = json_lines(file, &mut it.foreign.unread)?;
    let mut time = Time(0);
    for record in &records {
        time = moment(record, "timestamp").unwrap_or(time).max(time);
        let payload = &record["payload"];
        match text(record, "type") {
            "session_meta" if it.foreign.items.is_empty() => {
                if let Some(provider) = payload["model_provider"].as_str() {
                    it.provider = provider.to_owned();
                }
            }
            "turn_context" => {
                if let Some(model) = payload["model"].as_str() {
                    it.model = model.to_owned();
                }
            }
            "response_item" => it.item(payload, time),
            "event_msg" => it.event(payload, time),
            "token_usage_record" => it.used(&payload["usage"]),
            "compacted" => it.compacted(payload, time),
            kind if WITHOUT_WORDS.contains(&kind) => {}
            kind => it.foreign.unread.kind(kind),
        }
    }
    Ok(it.foreign)
}

impl Reader {
    fn item(&mut self, item: &Value, time: Time) {
        match text(item, "type") {
            "message" => self.message(item, time),
            "reasoning" => {
                let parts = array(item, "summary").iter().chain(array(item, "content"));
                let read: Vec<String> =
                    parts.map(|it| text(it, "text").to_owned()).filter(|it| !it.is_empty()).collect();
                self.reply(time, |_, reasoning, _| reasoning.extend(read));
            }
            "function_call" => {
                let args = text(item, "arguments");
                let args = serde_json::from_str(args).unwrap_or_else(|_| json!({ "unparsed": args }));
                self.call(item, text(item, "name"), args, time);
            }
            "custom_tool_call" => self.call(item, text(item, "name"), json!({ "input": item["input"] }), time),
            "local_shell_call" => self.call(item, "local_shell", item["action"].clone(), time),
            "web_search_call" => {
                self.call(item, "web_search", item["action"].clone(), time);
                let said = "[searched by the provider; what it found was not recorded]".to_owned();
                self.answered(time, call_id(item), true, (said, Vec::new()));
            }
            "function_call_output" | "custom_tool_call_output" => {
                let output = &item["output"];
                // Older versions wrote an object.
                let content = output.get("content").filter(|it| it.is_string()).unwrap_or(output);
                let said = words(&mut self.foreign.unread, content);
                self.answered(time, call_id(item), output["success"] != false, said);
            }
            kind if OTHER_ITEMS.contains(&kind) => {}
            kind => self.foreign.unread.kind(&format!("item {kind}")),
        }
    }

    fn message(&mut self, item: &Value, time: Time) {
        let (said, images) = words(&mut self.foreign.unread, &item["content"]);
        match text(item, "role") {
            "assistant" => self.reply(time, |all, _, _| add_text(all, &said)),
            "user" if !of_program(item, &said) => {
                self.replying = false;
                self.foreign.prompt(time, &said, images);
            }
            _ => {}
        }
    }

    /// Changes the reply that is being written, or begins one.
    fn reply(&mut self, time: Time, change: impl FnOnce(&mut String, &mut Vec<String>, &mut Vec<Call>)) {
        if !self.replying {
            let model = format!("{}/{}", self.provider, self.model);
            let (said, reasoning, calls) = (String::new(), Vec::new(), Vec::new());
            let id = String::new();
            self.foreign.push(
                time,
                What::Reply { id, model, text: said, reasoning, calls, usage: Usage::default(), cost: None },
            );
            self.replying = true;
        }
        if let Some(What::Reply { text, reasoning, calls, .. }) = self.last_reply() {
            change(text, reasoning, calls);
        }
    }

    fn last_reply(&mut self) -> Option<&mut What> {
        self.foreign.items.iter_mut().rev().map(|it| &mut it.what).find(|it| matches!(it, What::Reply { .. }))
    }

    fn call(&mut self, item: &Value, tool: &str, args: Value, time: Time) {
        let call = Call { id: call_id(item).to_owned(), tool: tool.to_owned(), args };
        self.reply(time, |_, _, calls| calls.push(call));
    }

    fn answered(&mut self, time: Time, call: &str, ok: bool, said: (String, Vec<Image>)) {
        self.replying = false;
        self.foreign.result(time, call, ok, said);
    }

    fn event(&mut self, event: &Value, time: Time) {
        match text(event, "type") {
            "token_count" => self.used(&event["info"]["last_token_usage"]),
            "turn_aborted" => {
                self.replying = false;
                self.foreign.push(time, What::Interrupted);
            }
            "thread_rolled_back" => {
                self.replying = false;
                let turns = usize::try_from(event["num_turns"].as_u64().unwrap_or(1)).unwrap_or(usize::MAX);
                self.foreign.push(time, What::Rewound { turns });
            }
            "thread_name_updated" => self.foreign.title = event["thread_name"].as_str().map(str::to_owned),
            // All others are for the screen.
            _ => {}
        }
    }

    /// What the last reply used; newer versions say it twice.
    fn used(&mut self, usage: &Value) {
        if let Some(What::Reply { usage: known, .. }) = self.last_reply()
            && known.total().0 == 0
        {
            *known = Usage {
                input: tokens(usage, "input_tokens"),
                cache_read: tokens(usage, "cached_input_tokens"),
                cache_write: tokens(usage, "cache_write_input_tokens"),
                output: tokens(usage, "output_tokens"),
                reasoning: tokens(usage, "reasoning_output_tokens"),
            };
        }
    }

    /// What stands in the place of all before; where only the provider can read it, the whole stays.
    fn compacted(&mut self, payload: &Value, time: Time) {
        self.replying = false;
        let mut digest = text(payload, "message").to_owned();
        if digest.trim().is_empty() {
            for item in array(payload, "replacement_history").iter().filter(|it| it["type"] == "message") {
                let (said, _) = words(&mut self.foreign.unread, &item["content"]);
                if text(item, "role") != "developer" && !of_program(item, &said) {
                    add_text(&mut digest, &said);
                }
            }
        }
        match digest.trim().is_empty() {
            true => self.foreign.unread.kind("compaction without words"),
            false => self.foreign.push(time, What::Compacted { digest }),
        }
    }
}

fn call_id(item: &Value) -> &str {
    let id = text(item, "call_id");
    if id.is_empty() { text(item, "id") } else { id }
}

/// True for what the program wrote in the name of the user. Newer versions say so; older ones are known by how it begins.
fn of_program(item: &Value, said: &str) -> bool {
    let kinds = array(&item["internal_chat_message_metadata_passthrough"], "content_item_kinds");
    let stated = kinds.iter().filter_map(Value::as_str).filter(|it| *it != "unknown");
    match stated.clone().next() {
        Some(_) => !stated.into_iter().any(|it| it.starts_with("user.")),
        None => OF_PROGRAM.iter().any(|it| said.trim_start().starts_with(it)),
    }
}

fn words(unread: &mut Unread, content: &Value) -> (String, Vec<Image>) {
    let (mut said, mut images) = (String::new(), Vec::new());
    if let Some(text) = content.as_str() {
        return (text.to_owned(), images);
    }
    for part in content.as_array().into_iter().flatten() {
        match text(part, "type") {
            "input_text" | "output_text" | "text" => add_text(&mut said, text(part, "text")),
            "input_image" => match picture_of_url(text(part, "image_url")) {
                Some(image) => images.push(image),
                None => add_text(&mut said, &format!("[picture: {}]", text(part, "image_url"))),
            },
            kind => unread.kind(&format!("part {kind}")),
        }
    }
    (said, images)
}
