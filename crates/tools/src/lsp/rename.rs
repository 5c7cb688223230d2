//! A symbol under another name in the whole project: the server says where, and the edits are made together or not at all.

use std::collections::BTreeSet;

use ox_edit::{Place, Strategy};
use ox_protocol::Level;
use ox_repo::{Access, FileText, PathOp};
use serde_json::json;

use crate::draft::{At, Changed, Planned, What};
use crate::{Cx, Draft, ToolError};

use super::answer::rel;
use super::client::{Client, snapshot};
use super::fault::Fault;
use super::link::unless;
use super::position::{Encoding, Lines, Position};
use super::query::{Ask, bare, of, places};
use super::shapes::{FileEdits, Spot, TextEdit};

/// Files that one renaming changes at most.
const FILES: usize = 200;

/// Works out what renaming the symbol that `ask` names does to the tree. Nothing has changed yet.
pub(crate) async fn rename(cx: &Cx, ask: &Ask, new: &str) -> Result<Draft, ToolError> {
    let path = ask.path.as_deref().unwrap_or_default();
    let row = of(path)?;
    loop {
        let mut turn = cx.servers.take(cx, row).await?;
        match unless(cx.stopped(), draft(cx, turn.client(), path, ask, new)).await {
            Ok(draft) => return Ok(draft),
            Err(fault) if fault.is_end() => {
                if !turn.fall(&fault).await {
                    return Err(fault.told(row.name));
                }
            }
            Err(fault) => return Err(fault.told(row.name)),
        }
    }
}

async fn draft(cx: &Cx, client: &mut Client, path: &str, ask: &Ask, new: &str) -> Result<Draft, Fault> {
    let text = client.show(&cx.tree, path)?;
    if !client.can("renameProvider") {
        return Err(Fault::Refused("it cannot rename".into()));
    }
    if let Some(doing) = client.settled().await? {
        // A renaming of what was seen so far would be half of one.
        return Err(wrong(format!(
            "{} has not seen the whole project yet ({doing}); ask again later.",
            client.row.name
        ))
        .into());
    }
    if let Some(lack) = (client.row.lacks)(&client.root).filter(|it| it.partial) {
        let words = format!("{} cannot rename in the whole project: {}.", client.row.name, lack.words);
        return Err(wrong(words).into());
    }
    let lines = Lines::of(&text);
    let found = places(path, &lines, ask)?;
    let mut refused = "it proposes no edit for this symbol".to_string();
    let mut starts = Vec::new();
    for (line, column) in found.iter().take(4) {
        let named = (path.to_string(), lines.position(*line, *column, client.encoding));
        // At an import some servers give the name another one there and leave the rest as it is.
        let defined = definition(cx, client, &named, bare(&ask.symbol)).await?;
        starts.extend(defined.into_iter().chain([named]).filter(|it| !starts.contains(it)).collect::<Vec<_>>());
    }
    for (path, at) in &starts {
        let position = json!({"line": at.line, "character": at.character});
        let params = json!({"position": position, "newName": new});
        match client.ask("textDocument/rename", params, Some(path)).await {
            Ok(answer) => {
                let edits = FileEdits::list(&answer).map_err(Fault::Refused)?;
                if !edits.is_empty() {
                    unchanged(cx, client, &edits).await?;
                    return Ok(planned(cx, client, &edits, bare(&ask.symbol))?);
                }
            }
            Err(Fault::Refused(words)) => refused = words,
            Err(other) => return Err(other),
        }
    }
    Err(Fault::Refused(refused))
}

/// Where what stands at a place is defined under the same name, in the project; none where that is not known.
async fn definition(
    cx: &Cx,
    client: &mut Client,
    (path, at): &(String, Position),
    name: &str,
) -> Result<Option<(String, Position)>, Fault> {
    let params = json!({"position": {"line": at.line, "character": at.character}});
    let answer = match client.ask("textDocument/definition", params, Some(path)).await {
        Ok(answer) => answer,
        Err(Fault::Refused(_)) => return Ok(None),
        Err(other) => return Err(other),
    };
    let [spot] = &Spot::list(&answer)[..] else { return Ok(None) };
    let Some(rel) = rel(client, &spot.path) else { return Ok(None) };
    let Ok(text) = client.show(&cx.tree, &rel) else { return Ok(None) };
    let there = Lines::of(&text).bytes(spot.range, client.encoding);
    Ok(text.get(there).is_some_and(|it| it == name).then_some((rel, spot.range.start)))
}

fn wrong(words: String) -> ToolError {
    ToolError::Wrong(format!("{words} Nothing was changed."))
}

/// Refuses edits of files that changed since the server was told of the tree.
async fn unchanged(cx: &Cx, client: &Client, edits: &[FileEdits]) -> Result<(), ToolError> {
    let now = snapshot(&cx.tree).await;
    let changed: BTreeSet<String> = client.seen.diff(&now).into_iter().map(|it| it.0).collect();
    for file in edits {
        let rel = rel(client, &file.path).unwrap_or_default();
        let open = client.has(&rel);
        let other_version = file.version.is_some_and(|of| open.as_ref().is_some_and(|it| it.1 != of));
        if changed.contains(&rel) || other_version {
            return Err(ToolError::Stale { path: rel });
        }
    }
    Ok(())
}

fn planned(cx: &Cx, client: &Client, all: &[FileEdits], old: &str) -> Result<Draft, ToolError> {
    if all.len() > FILES {
        return Err(wrong(format!("The renaming would change {} files, more than {FILES}.", all.len())));
    }
    let mut files = Vec::new();
    for file in all {
        let shown = file.path.display().to_string();
        let Some(rel) = rel(client, &file.path) else {
            return Err(wrong(format!("The renaming would change `{shown}`, which is outside the project.")));
        };
        permitted(cx, &rel)?;
        let text = cx.tree.read(&rel)?;
        if client.has(&rel).is_some_and(|it| *it.0 != *text.text) {
            return Err(ToolError::Stale { path: rel });
        }
        files.push(exchanged(rel, text, &file.edits, client.encoding, old)?);
    }
    Ok(Draft { files })
}

/// Only what any edit may change without being asked about: the answer was not known when the call was decided on.
fn permitted(cx: &Cx, rel: &str) -> Result<(), ToolError> {
    cx.within_scope(rel)?;
    let reach = cx.tree.reach(PathOp::Write, rel);
    let place = cx.tree.locate(rel, Access::Write)?;
    match reach.denied || reach.level > Level::Edit || cx.walls.trusted.contains(&place.abs) {
        true => Err(wrong(format!(
            "The renaming would change `{rel}`, which needs consent of its own; edit it with edit_file first."
        ))),
        false => Ok(()),
    }
}

/// The file with its edits made.
fn exchanged(
    rel: String,
    old: FileText,
    edits: &[TextEdit],
    encoding: Encoding,
    name: &str,
) -> Result<Planned, ToolError> {
    let lines = Lines::of(&old.text);
    let mut ranges: Vec<_> = edits.iter().map(|it| (lines.bytes(it.range, encoding), it)).collect();
    ranges.sort_by_key(|it| (it.0.start, it.0.end));
    let (mut new, mut end, mut places) = (String::with_capacity(old.text.len()), 0, Vec::new());
    // Lines that the text has gained so far.
    let mut gained = 0isize;
    for (range, edit) in &ranges {
        let line = edit.range.start.line as usize + 1;
        let there = &old.text[range.clone()];
        // What is exchanged must be the name: else the server speaks of another text than this one.
        if range.start < end || !(there.is_empty() || there.contains(name)) {
            let there: String = there.chars().take(60).collect();
            return Err(wrong(format!("The server's edit of {rel}:{line} does not fit: `{there}` is not `{name}`.")));
        }
        new.push_str(&old.text[end..range.start]);
        new.push_str(&edit.text);
        end = range.end;
        let (before, after) = (there.matches('\n').count(), edit.text.matches('\n').count());
        let first = line.saturating_add_signed(gained);
        gained += after.cast_signed() - before.cast_signed();
        let place = Place {
            strategy: Strategy::Exact,
            similarity: 1.0,
            before: line..=line + before,
            after: first..=first + after,
        };
        // Several on one line are one place to look at.
        if places.last().is_none_or(|it: &Place| it.before != place.before) {
            places.push(place);
        }
    }
    new.push_str(&old.text[end..]);
    let changed = Changed { old, new, from: None, at: At::Places(places), merged: None };
    Ok(Planned { path: rel.clone(), rel, what: What::Changed(Box::new(changed)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::World;
    use serde_json::Value;

    fn edit(line: u32, from: u32, to: u32, text: &str) -> TextEdit {
        let place = |character| json!({"line": line, "character": character});
        let value: Value = json!({"range": {"start": place(from), "end": place(to)}, "newText": text});
        serde_json::from_value(value).unwrap()
    }

    fn new(text: &str, edits: &[TextEdit]) -> Result<String, String> {
        let world = World::new();
        world.file("f", text);
        let text = world.cx.tree.read("f").unwrap();
        let planned = exchanged("f".into(), text, edits, Encoding::Utf16, "old").map_err(|it| it.to_string())?;
        let What::Changed(changed) = planned.what else { panic!("a renaming changes a file") };
        Ok(changed.new)
    }

    #[test]
    fn edits_are_made_where_the_name_is_and_nowhere_else() {
        let text = "🚀 old = old\r\nx(old)\r\n";
        let all = [edit(1, 2, 5, "neu"), edit(0, 9, 12, "neu"), edit(0, 3, 6, "neu")];
        assert_eq!(new(text, &all).unwrap(), "🚀 neu = neu\r\nx(neu)\r\n");
        assert_eq!(new(text, &[edit(0, 3, 3, "a: ")]).unwrap(), "🚀 a: old = old\r\nx(old)\r\n");
        for wrong in
            [vec![edit(0, 2, 5, "neu")], vec![edit(0, 3, 6, "a"), edit(0, 4, 6, "b")], vec![edit(1, 0, 1, "a")]]
        {
            let error = new(text, &wrong).unwrap_err();
            assert!(error.contains("does not fit") && error.contains("Nothing was changed"), "{error}");
        }
    }
}
