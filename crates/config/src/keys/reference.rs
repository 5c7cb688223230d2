//! The reference page of all keys, generated from the table of keys and the catalogue.

use std::fmt::Write;

use ox_protocol::locale::Language;

use super::kind::Kind;
use super::table::{KEYS, Key, ProjectRule};

/// A Markdown table of all keys in this language: key, type, default, variable, project, meaning.
pub fn reference(language: Language) -> String {
    let head = ["key", "type", "default", "variable", "project", "meaning"];
    let head = head.map(|it| language.say(&format!("config.reference.{it}"), &[]));
    let mut out = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for key in KEYS {
        let cells = [
            format!("`{}`", key.name),
            kind(key.kind, language),
            code(key.default),
            code(key.variable.unwrap_or_default()),
            language.say(project(key), &[]),
            language.say(&format!("config.key.{}", key.name), &[]),
        ];
        // Writing to a string cannot fail.
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}

fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{text}`") }
}

fn project(key: &Key) -> &'static str {
    match key.project {
        ProjectRule::May => "config.reference.may",
        ProjectRule::MayTighten => "config.reference.tighten",
        ProjectRule::Inside => "config.reference.inside",
        ProjectRule::Never(_) => "config.reference.never",
    }
}

fn kind(kind: Kind, language: Language) -> String {
    let name = match kind {
        Kind::Choice(words) => return words.iter().map(|it| code(it)).collect::<Vec<String>>().join(", "),
        Kind::Text | Kind::Secret => "text",
        Kind::Model => "model",
        Kind::Models => "models",
        Kind::Url => "url",
        Kind::Count(_) => "count",
        Kind::Amount => "amount",
        Kind::Time => "time",
        Kind::Flag => "flag",
        Kind::Globs => "globs",
        Kind::Rules => "rules",
        Kind::Commands => "commands",
        Kind::Hooks => "hooks",
        Kind::Names => "names",
        Kind::Hosts => "hosts",
        Kind::Folders | Kind::Documents => "folders",
        Kind::Folder => "folder",
    };
    language.say(&format!("config.kind.{name}"), &[])
}
