//! The definition that a call means, or words that name those it may mean.

use ox_syntax::{Definition, Lookup, definitions, find};
use serde_json::Value;

use crate::args::{number, text};
use crate::call::error::ToolError;

use super::splice::Action;

/// Definitions that are listed at most.
const LISTED: usize = 20;
/// Characters of a signature in the list.
const WIDEST: usize = 100;

/// All definitions of the text, and the one that is meant.
pub(super) fn choose(
    rel: &str,
    file: &str,
    args: &Value,
    action: Action,
) -> Result<(Vec<Definition>, Definition), ToolError> {
    let name = text(args, "symbol").trim();
    let (Some(all), Some(found)) = (definitions(rel, file), find(rel, file, name)) else {
        return Err(ToolError::Wrong(format!(
            "`{rel}`: the definitions of such a file are not known (only Rust, Python, JavaScript, TypeScript, Go, Java, C and C++ up to 1 MiB); nothing was changed. Use edit_file."
        )));
    };
    let several = match found {
        Lookup::One(one) => vec![one],
        Lookup::Many(several) => several,
        Lookup::None(near) => return Err(ToolError::Wrong(missing(rel, name, &near, &all))),
    };
    let mut fitting = several.clone();
    if let Some(line) = number(args, "line").and_then(|it| u32::try_from(it).ok()) {
        fitting.retain(|it| it.lines.contains(&line));
    } else if action == Action::ReplaceBody {
        // Only what has a body can get another.
        fitting.retain(|it| it.body.is_some());
    }
    match (fitting.len(), several.len()) {
        (1, _) => Ok((all, fitting.remove(0))),
        // There is nothing to pick among; a line of another version of the file does no harm.
        (_, 1) => Ok((all, several.into_iter().next().expect("there is one"))),
        _ => Err(ToolError::Wrong(format!(
            "`{rel}`: `{name}` names {} definitions{}; nothing was changed:\n{}\nGive `line`, one of its lines.",
            several.len(),
            if fitting.is_empty() { ", and the line is in none of them" } else { "" },
            list(file, &several)
        ))),
    }
}

fn missing(rel: &str, name: &str, near: &[String], all: &[Definition]) -> String {
    let mut words = format!("`{rel}` has no definition `{name}`; nothing was changed.");
    if !near.is_empty() {
        words.push_str(&format!(" Did you mean {}?", near.join(", ")));
    } else if all.is_empty() {
        words.push_str(" It has none at all.");
    } else {
        let outer: Vec<String> = all.iter().filter(|it| it.parent.is_none()).map(Definition::display_name).collect();
        let more = if outer.len() > LISTED { ", …" } else { "" };
        words.push_str(&format!(" It has {}{more}.", outer[..outer.len().min(LISTED)].join(", ")));
    }
    words
}

/// One line for each: its lines, its name with the trait, its signature.
fn list(file: &str, several: &[Definition]) -> String {
    let mut out = Vec::new();
    for it in several.iter().take(LISTED) {
        let signature = file[it.signature.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
        let signature: String = signature.chars().take(WIDEST).collect();
        out.push(format!("{}-{} {}: {signature}", it.lines.start(), it.lines.end(), it.display_name()));
    }
    if several.len() > LISTED {
        out.push(format!("… {} more", several.len() - LISTED));
    }
    out.join("\n")
}
