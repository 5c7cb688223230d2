//! `edit_symbol`: a definition named instead of repeated. A name that fits several is never decided upon, and what does
//! not parse afterwards although it did before is not written.

mod body;
mod choose;
mod gaps;
mod layout;
mod splice;

use std::ops::RangeInclusive;

use ox_edit::{Place, Strategy, rebase};
use ox_protocol::{CallKind, Level, Outcome};
use ox_repo::FileText;
use ox_syntax::{Definition, check};
use serde_json::{Value, json};

use crate::args::{given, text};
use crate::call::tool::{Alias, PathAccess, Run, Tool, ToolResult, object};
use crate::edit::draft::{At, Changed, EditPlan, PlannedFile, What};
use crate::edit::stale::{Merged, clashes};
use crate::{call::context::CallContext, call::error::ToolError};

use layout::{File, Splice};
use splice::{Action, splice};

/// Lines of a definition that are shown to a model that has not read it.
const SHOWN: usize = 200;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "edit_symbol".into(),
        aliases: Alias::list(
            "replace_symbol[action=replace] replace_symbol_body[action=replace] replace_function[action=replace] insert_after_symbol[action=insert_after] insert_before_symbol[action=insert_before]",
        ),
        description: "Edit a function, class or other definition by its name, as `Type::method` or `Class.method` (Rust, Python, JavaScript, TypeScript, Go, Java, C, C++). \
replace takes the whole definition, replace_body what is inside, replace_signature what is before the body. Indentation is adjusted; comments above stay unless `new` has some.".into(),
        schema: object(
            &["path", "symbol"],
            json!({
                "path": {"type": "string"},
                "symbol": {"type": "string"},
                "action": {"type": "string", "enum": ["replace", "replace_body", "replace_signature", "insert_before", "insert_after", "delete"]},
                "new": {"type": "string"},
                "line": {"type": "integer", "description": "picks among several of that name"},
                "why": {"type": "string", "description": "in a few words"},
            }),
        ),
        kind: CallKind::Mutate,
        level: Level::Edit,
        argument_aliases: "symbol: name_path symbol_name name function_name function qualified_name
new: body content code new_body text definition
action: operation mode command type kind op",
        validate,
        paths: |args| vec![PathAccess::write(text(args, "path"))],
        run: Run::Blocking(run),
        ..Tool::base()
    }
}

fn action(args: &Value) -> Action {
    match text(args, "action") {
        "replace_body" => Action::ReplaceBody,
        "replace_signature" => Action::ReplaceSignature,
        "insert_before" => Action::InsertBefore,
        "insert_after" => Action::InsertAfter,
        "delete" => Action::Delete,
        _ => Action::Replace,
    }
}

fn validate(args: &Value) -> Option<String> {
    if text(args, "symbol").trim().is_empty() {
        return Some("`symbol` is empty; give the name of a definition".into());
    }
    let may_be_empty = matches!(action(args), Action::Delete | Action::ReplaceBody);
    match given(args, "new") {
        None if action(args) == Action::Replace => {
            Some("`new` is missing; give the whole new definition, or use action delete to remove it".into())
        }
        None if !may_be_empty => Some("`new` is missing; give the new text".into()),
        None if action(args) == Action::ReplaceBody && args.get("new").is_none() => {
            Some("`new` is missing; give the new body, also where it is empty".into())
        }
        _ => None,
    }
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let (path, action) = (text(args, "path"), action(args));
    let old = cx.tree.read(path)?;
    let rel = old.rel.clone();
    // Made on the text that the model knows, and then carried over to the one there is.
    let then = cx.reads.last_seen(&rel).filter(|it| **it != *old.text);
    let base = then.as_deref().unwrap_or(&old.text);
    let (all, target) = choose::choose(&rel, base, args, action)?;
    if !matches!(action, Action::InsertBefore | Action::InsertAfter) && then.is_none() {
        must_have_seen(cx, &old, &target)?;
    }
    let splice = splice(&File { path: &rel, text: base, all: &all }, &target, action, text(args, "new"))
        .map_err(|words| ToolError::Wrong(format!("`{rel}` was not edited: {words}.")))?;
    let mine = splice.apply(base);
    if mine == base {
        let words = format!("`{}` of {rel} is already so; nothing was written", target.display_name());
        return Ok(Outcome::ok(words).into());
    }
    let notes = gone(base, &target, action, &splice.new);
    let mut place = place(base, &splice);
    let (new, merged) = match &then {
        None => (mine, None),
        Some(base) => {
            let rebased = rebase(base, &mine, &old.text).map_err(|clash| clashes(&rel, &old.text, clash.theirs))?;
            place = rebased.moved(&place);
            (rebased.text, Some(Merged { last_seen: mine, theirs: rebased.theirs }))
        }
    };
    must_parse(&old, &new, &place.after)?;
    let what = What::Changed(Box::new(Changed { old, new, from: None, at: At::Places(vec![place]), merged }));
    let draft = EditPlan { files: vec![PlannedFile { path: path.to_string(), rel, what }] };
    let mut outcome = draft.make(cx, crate::edit::change::why(args))?;
    outcome.output.push_str(&notes);
    Ok(outcome.into())
}

/// What is overwritten or removed must have been read. Where it was not, the refusal shows it, so that the same call can
/// be sent again without another one before it.
fn must_have_seen(cx: &CallContext, old: &FileText, target: &Definition) -> Result<(), ToolError> {
    if cx.reads.saw(&old.rel, old.hash) {
        return Ok(());
    }
    let (from, to) = (*target.lines.start() as usize, *target.lines.end() as usize);
    let lines: Vec<&str> = old.text.lines().skip(from - 1).take(to + 1 - from).collect();
    let mut words = format!(
        "`{}`: you have not read `{}` ({}); nothing was changed.",
        old.rel,
        target.display_name(),
        if from == to { format!("line {from}") } else { format!("lines {from}-{to}") }
    );
    if lines.len() > SHOWN {
        words.push_str(" Read these lines first.");
        return Err(ToolError::Wrong(words));
    }
    cx.reads.mark_part(&old.rel, old.hash, from, to, old.text.lines().count());
    cx.reads.believe(&old.rel, &old.text);
    words.push_str(" It is:\n");
    words.push_str(&lines.join("\n"));
    words.push_str("\nSend the call again if it still holds.");
    Err(ToolError::Wrong(words))
}

/// A file that fits its language before must fit it afterwards. Where the parser stops beyond the change, both are told.
fn must_parse(old: &FileText, new: &str, changed: &RangeInclusive<usize>) -> Result<(), ToolError> {
    let Some(fault) = check(&old.rel, new).filter(|_| check(&old.rel, &old.text).is_none()) else { return Ok(()) };
    let line = fault.line as usize;
    let after =
        if changed.contains(&line) { String::new() } else { format!(" after the change at line {}", changed.start()) };
    Err(ToolError::Wrong(format!(
        "`{}` was not edited: it would no longer parse{after}. The parser stops at line {line}, column {}: {}\n{}\nCorrect `new`; if the parser is wrong, use edit_file.",
        old.rel,
        fault.column,
        fault.near,
        around(new, line)
    )))
}

/// The lines around a line of a text, with their numbers.
fn around(text: &str, line: usize) -> String {
    let first = line.saturating_sub(2).max(1);
    let lines = text.lines().enumerate().skip(first - 1).take(line + 2 - first);
    lines.map(|(at, it)| format!("{:>5} {}", at + 1, it.trim_end())).collect::<Vec<_>>().join("\n")
}

/// The lines that a splice changes, before and after.
fn place(text: &str, splice: &Splice) -> Place {
    let line = |text: &str, at: usize| text[..at].matches('\n').count() + 1;
    let (old, new) = (&text[splice.range.clone()], &splice.new);
    // Blank lines at either end are none of the place.
    let lead = new.len() - new.trim_start_matches(['\r', '\n']).len();
    let after = splice.apply(text);
    let from = line(&after, splice.range.start + lead);
    let to = from + new.trim().matches('\n').count();
    let to = if new.trim().is_empty() { from - 1 } else { to };
    let first = line(text, splice.range.start);
    let last = first + old.trim_end().matches('\n').count();
    Place { strategy: Strategy::Exact, similarity: 1.0, before: first..=last, after: from..=to }
}

/// Words about attributes and decorators that a new definition no longer has.
fn gone(text: &str, target: &Definition, action: Action, new: &str) -> String {
    if action != Action::Replace {
        return String::new();
    }
    let attributes = text[target.docs_end..target.signature.start].lines().map(str::trim);
    let marks = attributes.filter(|it| it.starts_with('@') || it.starts_with("#["));
    let lost: Vec<String> = marks.filter(|it| !new.contains(*it)).map(|it| format!("`{it}`")).collect();
    if lost.is_empty() { String::new() } else { format!("\n[no longer there: {}]", lost.join(", ")) }
}

#[cfg(test)]
mod tests;
