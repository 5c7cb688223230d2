//! A symbol under another name in the whole project: the server said where, and the edits are made together or not at all.

use lsp_types::TextEdit;
use ox_edit::{Place, Strategy};
use ox_lsp::{Encoding, LineIndex, RenameEdits};
use ox_protocol::Level;
use ox_repo::{Access, FileText, PathOp};

use crate::call::context::CallContext;
use crate::call::error::ToolError;
use crate::edit::draft::{At, Changed, EditPlan, PlannedFile, What};

/// Files that one renaming changes at most.
const FILES: usize = 200;

fn wrong(words: String) -> ToolError {
    ToolError::Wrong(format!("{words} Nothing was changed."))
}

/// What the edits make of the tree, where `old` is the name that they replace. Nothing has changed yet.
pub(super) fn planned(cx: &CallContext, edits: &RenameEdits, old: &str) -> Result<EditPlan, ToolError> {
    if edits.files.len() > FILES {
        return Err(wrong(format!("The renaming would change {} files, more than {FILES}.", edits.files.len())));
    }
    let mut files = Vec::new();
    for file in &edits.files {
        let Some(rel) = file.path.strip_prefix(cx.tree.root()).ok().and_then(|it| it.to_str()) else {
            let shown = file.path.display();
            return Err(wrong(format!("The renaming would change `{shown}`, which is outside the project.")));
        };
        permitted(cx, rel)?;
        let text = cx.tree.read(rel)?;
        if edits.texts.get(rel).is_some_and(|it| **it != *text.text) {
            return Err(ToolError::Stale { path: rel.into() });
        }
        files.push(exchanged(rel.into(), text, &file.edits, edits.encoding, old)?);
    }
    Ok(EditPlan { files })
}

/// Only what any edit may change without being asked about: the answer was not known when the call was decided on.
fn permitted(cx: &CallContext, rel: &str) -> Result<(), ToolError> {
    cx.within_scope(rel)?;
    let reach = cx.tree.reach(PathOp::Write, rel);
    let place = cx.tree.locate(rel, Access::Write)?;
    match reach.denied || reach.level > Level::Edit || cx.sandbox_policy.trusted.contains(&place.abs) {
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
) -> Result<PlannedFile, ToolError> {
    let lines = LineIndex::of(&old.text);
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
        new.push_str(&edit.new_text);
        end = range.end;
        let (before, after) = (there.matches('\n').count(), edit.new_text.matches('\n').count());
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
    Ok(PlannedFile { path: rel.clone(), rel, what: What::Changed(Box::new(changed)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::testing::Fixture;
    use serde_json::{Value, json};

    fn edit(line: u32, from: u32, to: u32, text: &str) -> TextEdit {
        let place = |character| json!({"line": line, "character": character});
        let value: Value = json!({"range": {"start": place(from), "end": place(to)}, "newText": text});
        serde_json::from_value(value).unwrap()
    }

    fn new(text: &str, edits: &[TextEdit]) -> Result<String, String> {
        let fixture = Fixture::new();
        fixture.file("f", text);
        let text = fixture.cx.tree.read("f").unwrap();
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
