//! The page of tools: what each does, how far it reaches, where it is offered, and its arguments.

use std::fmt::Write;

use ox_protocol::Level;
use ox_tools::{Availability, Tool, Toolbox};

use crate::schema::fields;

/// The page.
pub fn page() -> String {
    let mut page = String::from(
        "# Tools\n\n<!-- Written by `cargo xtask generate` from the tools; edit their files instead. -->\n\n\
         What a model can do. The words are those that the model reads. Names that models know from other agents are\n\
         accepted as well. What each level means: [permissions](../permissions.md).\n",
    );
    Toolbox::default().all().iter().for_each(|tool| section(&mut page, tool));
    page
}

fn section(page: &mut String, tool: &Tool) {
    let level = match tool.level {
        Level::Read => "level read",
        Level::Edit => "level edit",
        Level::Shell => "level shell",
        Level::System => "level system",
    };
    let offered = match tool.availability {
        Availability::Always => "offered always",
        Availability::Build => "offered in build mode",
        Availability::Plan => "offered in plan mode",
        Availability::OnDemand => "found on demand",
    };
    let _ = writeln!(page, "\n## `{}`\n\n*{level} · {offered}*\n\n{}", tool.name, tool.description.trim());
    for (number, field) in fields(&tool.schema, "").iter().enumerate() {
        let gap = if number == 0 { "\n" } else { "" };
        let optional = if field.optional { ", optional" } else { "" };
        let words = if field.words.is_empty() { String::new() } else { format!(": {}", field.words) };
        let _ = writeln!(page, "{gap}- `{}` ({}{optional}){words}", field.name, field.kind);
    }
}
