//! Commands that show how things stand or open a list to choose from: what they are called, and what they print.
//!
//! Promise: pure; what has to be looked up is handed in.

use ox_app::project::shown::ShownSetting;
use ox_client::view::{EntryKind, View};
use ox_protocol::{Event, Frame};

use crate::report::{self, Look};
use crate::screen::Screen;
use crate::text::{Line, Role, clip, width};
use crate::words;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // What each does is in the table below, in the user's words.
pub enum Inside {
    Permissions,
    Theme(Option<String>),
    Jobs,
    Checkpoints,
    Context,
    Status,
    Config,
    Copy(bool),
    Export(Option<String>),
    Fork,
    Rename(Option<String>),
}

/// The commands: name, argument, key of the explanation.
pub const COMMANDS: [(&str, &str, &str); 11] = [
    ("/fork", "", "repl.help.fork"),
    ("/rename", "title", "repl.help.rename"),
    ("/checkpoints", "", "repl.help.checkpoints"),
    ("/context", "", "repl.help.context"),
    ("/status", "", "repl.help.status"),
    ("/permissions", "", "repl.help.permissions"),
    ("/config", "", "repl.help.config"),
    ("/theme", "[auto|dark|light|16|none]", "repl.help.theme"),
    ("/jobs", "", "repl.help.jobs"),
    ("/copy", "[code]", "repl.help.copy"),
    ("/export", "[file]", "repl.help.export"),
];

/// The command of this name.
pub fn parse(name: &str, argument: Option<String>) -> Option<Inside> {
    Some(match name {
        "/permissions" => Inside::Permissions,
        "/theme" => Inside::Theme(argument),
        "/jobs" => Inside::Jobs,
        "/checkpoints" => Inside::Checkpoints,
        "/context" => Inside::Context,
        "/status" => Inside::Status,
        "/config" => Inside::Config,
        "/copy" => Inside::Copy(argument.as_deref() == Some("code")),
        "/export" => Inside::Export(argument),
        "/fork" => Inside::Fork,
        "/rename" => Inside::Rename(argument),
        _ => return None,
    })
}

/// Names in a column of their own, with what they stand for.
fn pairs(rows: &[(String, String)]) -> Vec<Line> {
    let names = rows.iter().map(|it| width(&it.0)).max().unwrap_or(0);
    let line = |(name, value): &(String, String)| {
        let pad = " ".repeat(names - width(name) + 2);
        Line::of(&format!("{name}{pad}"), Role::Dim).with(value, Role::Plain).hanging(names + 2)
    };
    rows.iter().map(line).collect()
}

/// What `/status` shows: the version, what answers and what it may do, where it works, and what was used.
pub fn status(screen: &Screen, version: &str, folder: &str) -> Vec<Line> {
    let (look, view) = (&screen.look, &screen.view);
    let say = |key: &str| look.say(key, &[]);
    let branch = screen.tree.branch.as_ref().map(|branch| match screen.tree.dirty {
        0 => branch.clone(),
        dirty => format!("{branch}, {}", look.say("repl.status.dirty", &[("count", &dirty.to_string())])),
    });
    let sandbox = match &view.not_isolated {
        Some(why) => look.say("repl.status.open", &[("why", why)]),
        None => say("repl.status.held"),
    };
    let (used, window) = view.window;
    let filled = (window > 0).then(|| {
        let args = [words::tokens(ox_protocol::Tokens(used)), words::tokens(ox_protocol::Tokens(window))];
        format!("{} / {}", args[0], args[1])
    });
    let id = Some(view.conversation.0.clone()).filter(|it| !it.is_empty());
    let named = view.name.clone().map(|name| format!("{name} ({})", view.conversation.0)).or(id);
    let spent = (view.account.conversation.requests > 0).then(|| report::price(look, &view.account.conversation));
    let rows = [
        ("repl.status.version", Some(version.to_string())),
        ("repl.status.model", Some(view.model.clone())),
        ("repl.status.effort", view.effort.map(|it| it.name().to_string())),
        ("repl.status.mode", Some(view.mode.name().to_string())),
        ("repl.status.approval", Some(look.say(policy(view.approval), &[]))),
        ("repl.status.sandbox", Some(sandbox).filter(|_| view.turn > 0)),
        ("repl.status.folder", Some(folder.to_string())),
        ("repl.status.branch", branch),
        ("repl.status.conversation", named),
        ("repl.status.window", filled),
        ("repl.status.cost", spent),
    ];
    let rows: Vec<(String, String)> =
        rows.into_iter().filter_map(|(key, value)| Some((look.say(key, &[]), value?))).collect();
    pairs(&rows)
}

/// The sentence about when the user is asked.
pub fn policy(policy: ox_protocol::ApprovalPolicy) -> &'static str {
    match policy {
        ox_protocol::ApprovalPolicy::Ask => "repl.policy.ask",
        ox_protocol::ApprovalPolicy::AcceptEdits => "repl.policy.edits",
        ox_protocol::ApprovalPolicy::Auto => "repl.policy.auto",
    }
}

/// The code of what nobody has set.
const DEFAULT: &str = "config.origin.default";
/// Columns up to which the places of the values stand below each other.
const VALUE: usize = 32;

/// What `/config` shows: what is set, each value with where it comes from.
pub fn settings(look: &Look, all: &[ShownSetting]) -> Vec<Line> {
    let set: Vec<&ShownSetting> = all.iter().filter(|it| it.origins.iter().any(|of| of.0 != DEFAULT)).collect();
    let value = |it: &ShownSetting| it.value.clone().unwrap_or_else(|| "–".to_owned());
    let widest = |text: &dyn Fn(&ShownSetting) -> String| set.iter().map(|it| width(&text(it))).max().unwrap_or(0);
    let (names, values) = (widest(&|it| it.name.clone()), widest(&value).min(VALUE));
    let padded = |text: &str, wide: usize| format!("{text}{}", " ".repeat(wide.saturating_sub(width(text)) + 2));
    let mut out: Vec<Line> = set
        .iter()
        .map(|it| {
            let from = it.origins.iter().map(|(code, place)| origin(look, code, place)).collect::<Vec<_>>().join(", ");
            Line::of(&padded(&it.name, names), Role::Accent)
                .with(&padded(&value(it), values), Role::Plain)
                .with(&from, Role::Dim)
                .hanging(names + 2)
        })
        .collect();
    let rest = (all.len() - set.len()).to_string();
    out.push(Line::of(&look.say("repl.config.rest", &[("count", &rest)]), Role::Dim));
    out
}

/// A layer of the configuration in words, with its place.
pub fn origin(look: &Look, code: &str, place: &str) -> String {
    let name = look.say(code, &[]);
    if place.is_empty() { name } else { format!("{name} {place}") }
}

/// What `/context` shows: what the window holds, by source; a bar for each.
pub fn context(screen: &Screen, past: &[Frame]) -> Vec<Line> {
    const BAR: u64 = 24;
    let look = &screen.look;
    let counted = |it: &Frame| match it.event {
        Event::TokenUsage { used, window, .. } => Some((used, window)),
        _ => None,
    };
    let (used, window) = past.iter().rev().find_map(counted).unwrap_or_default();
    let prompted =
        |pick: fn(&Event) -> Option<usize>| past.iter().rev().find_map(|it| pick(&it.event)).unwrap_or(0) as u64;
    let system = prompted(|it| match it {
        Event::Prompted { system: Some(text), .. } => Some(text.len()),
        _ => None,
    });
    let tools = prompted(|it| match it {
        Event::Prompted { tools: Some(tools), .. } => Some(serde_json::to_string(tools).map_or(0, |it| it.len())),
        _ => None,
    });
    let sections = past.iter().rev().find_map(|it| match &it.event {
        Event::Prompted { context, .. } => Some(context),
        _ => None,
    });
    let Some(sections) = sections.filter(|_| used > 0) else {
        return vec![Line::of(&look.say("repl.context.none", &[]), Role::Dim)];
    };
    // Neither is counted when it is sent: about four bytes of English are a token.
    let mut rows = vec![("~ system".to_string(), system / 4), ("~ tools".to_string(), tools / 4)];
    for section in sections {
        let kind = section.name.split(':').next().unwrap_or(&section.name);
        match rows.iter_mut().find(|it| it.0 == kind) {
            Some(row) => row.1 += section.tokens.0,
            None => rows.push((kind.to_string(), section.tokens.0)),
        }
    }
    let known: u64 = rows.iter().map(|it| it.1).sum();
    rows.push((look.say("repl.context.rest", &[]), used.saturating_sub(known)));
    rows.push((look.say("repl.context.free", &[]), window.saturating_sub(used)));
    let names = rows.iter().map(|it| width(&it.0)).max().unwrap_or(0);
    let share = |tokens: u64| (tokens * 100).checked_div(window).unwrap_or(0);
    let last = rows.len() - 1;
    let line = |(at, (name, tokens)): (usize, &(String, u64))| {
        let filled = (tokens * BAR).checked_div(window).unwrap_or(0).max(u64::from(*tokens > 0)).min(BAR);
        let bar = if at == last { "░" } else { "█" }.repeat(usize::try_from(filled).unwrap_or(0));
        let count = words::tokens(ox_protocol::Tokens(*tokens));
        let line = Line::of(&format!("{name}{}", " ".repeat(names - width(name) + 2)), Role::Dim)
            .with(&format!("{count:>7} {:>3} %  ", share(*tokens)), Role::Plain)
            .with(&bar, if at == last { Role::Dim } else { Role::Accent });
        clip(&line, look.width)
    };
    let args = [words::tokens(ox_protocol::Tokens(used)), words::tokens(ox_protocol::Tokens(window))];
    let head = look.say("repl.context.head", &[("used", &args[0]), ("window", &args[1])]);
    let mut out = vec![Line::of(&head, Role::Strong)];
    out.extend(rows.iter().enumerate().map(line));
    out
}

/// What the model said last.
pub fn last_reply(view: &View) -> String {
    let said = view.entries.iter().rev().find_map(|it| match &it.kind {
        EntryKind::Reply { text, .. } if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    });
    let summary = view.summary.as_ref().map(|it| it.text.clone()).filter(|it| !it.trim().is_empty());
    summary.or(said).unwrap_or_default()
}

/// The last block of code in a reply, without its fences.
pub fn last_code(reply: &str) -> Option<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut open: Option<String> = None;
    for line in reply.lines() {
        match (line.trim_start().starts_with("```"), open.take()) {
            (true, None) => open = Some(String::new()),
            (true, Some(block)) => blocks.push(block),
            (false, Some(block)) => open = Some(block + line + "\n"),
            (false, None) => {}
        }
    }
    blocks.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_block_of_code_is_found() {
        let reply = "Two:\n```rust\nfn a() {}\n```\nand\n  ```\nls\nps\n  ```\nend";
        assert_eq!(last_code(reply).as_deref(), Some("ls\nps\n"));
        assert_eq!(last_code("none"), None);
    }

    #[test]
    fn every_command_is_understood() {
        for (name, ..) in COMMANDS {
            assert!(parse(name, None).is_some(), "{name}");
        }
    }
}
