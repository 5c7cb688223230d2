//! What must hold for every definition: replaced by itself it stays, and what was added can be taken out again.

use super::samples::{C, CPP, GO, JAVA, JAVASCRIPT, PYTHON, RUST, TYPESCRIPT};
use crate::builtin::edit_symbol::layout::File;
use crate::builtin::edit_symbol::splice::{Action, splice};
use ox_syntax::Definition;

/// What is wrong with replacing each definition of a text by what it is already, in each way that a model may write it.
fn not_the_same(path: &str, text: &str) -> Vec<String> {
    let all = ox_syntax::definitions(path, text).unwrap();
    let mut wrong = Vec::new();
    for it in &all {
        let whole = &text[it.span.clone()];
        let line = text[..it.span.start].rfind('\n').map_or(0, |at| at + 1);
        let indent = &text[line..it.span.start];
        let mut ways = vec![("whole", Action::Replace, whole.to_string())];
        if indent.trim().is_empty() {
            ways.push(("with its indentation", Action::Replace, format!("{indent}{whole}")));
            let literals = ox_syntax::literals(path, text);
            let inside = literals.iter().any(|it2| it2.start < it.span.end && it.span.start < it2.end);
            let dedented: Option<Vec<&str>> = whole
                .lines()
                .skip(1)
                .map(|line| if line.trim().is_empty() { Some(line) } else { line.strip_prefix(indent) })
                .collect();
            if let Some(rest) = dedented.filter(|_| !inside) {
                let first = whole.lines().next().unwrap_or_default();
                ways.push(("at the margin", Action::Replace, [&[first], rest.as_slice()].concat().join("\n")));
            }
        }
        ways.push(("signature", Action::ReplaceSignature, text[it.signature.clone()].to_string()));
        if let Some(body) = &it.body {
            ways.push(("body", Action::ReplaceBody, text[body.span.clone()].to_string()));
        }
        for (way, action, new) in ways {
            wrong.extend(check_way(path, text, &all, it, way, action, &new));
        }
    }
    wrong
}

fn check_way(
    path: &str,
    text: &str,
    all: &[Definition],
    it: &Definition,
    way: &str,
    action: Action,
    new: &str,
) -> Option<String> {
    let file = File { path, text, all };
    let at = format!("{path}:{} {} by its {way}", it.line, it.display_name());
    match splice(&file, it, action, new) {
        Ok(splice) if splice.apply(text) == text => None,
        Ok(splice) => Some(format!("{at}\n{}", ox_edit::short_diff(text, &splice.apply(text), 0, 12))),
        Err(words) => Some(format!("{at}: {words}")),
    }
}

/// What is wrong with adding something beside each definition and taking it out again.
fn not_undone(path: &str, text: &str) -> Vec<String> {
    let all = ox_syntax::definitions(path, text).unwrap();
    let mut wrong = Vec::new();
    for it in &all {
        let file = File { path, text, all: &all };
        let whole = text[it.span.clone()].to_string();
        // Without a blank line between there is no telling whether one of two belongs to what was added.
        let rest = text[it.span.end..].trim_start_matches([',', ';']).trim_start_matches([' ', '\t', '\r']);
        if whole.contains('\n') && !rest.replace('\r', "").starts_with("\n\n") {
            continue;
        }
        let Ok(added) = splice(&file, it, Action::InsertAfter, &whole) else { continue };
        let more = added.apply(text);
        let now = ox_syntax::definitions(path, &more).unwrap();
        let Some(new) = now
            .iter()
            .find(|new| new.span.start > it.span.start && new.name == it.name && new.span.start >= it.span.end)
        else {
            wrong.push(format!("{path}:{} {}: what was added is not there", it.line, it.display_name()));
            continue;
        };
        match splice(&File { path, text: &more, all: &now }, new, Action::Delete, "") {
            Ok(removed) if removed.apply(&more) == text => {}
            Ok(removed) => wrong.push(format!(
                "{path}:{} {} is not undone\n{}",
                it.line,
                it.display_name(),
                ox_edit::short_diff(text, &removed.apply(&more), 1, 12)
            )),
            Err(words) => wrong.push(format!("{path}:{} {}: {words}", it.line, it.display_name())),
        }
    }
    wrong
}

#[test]
fn a_definition_replaced_by_itself_leaves_the_text_as_it_is() {
    for (path, text) in [
        ("a.rs", RUST),
        ("a.py", PYTHON),
        ("a.js", JAVASCRIPT),
        ("a.ts", TYPESCRIPT),
        ("a.go", GO),
        ("A.java", JAVA),
        ("a.c", C),
        ("a.cpp", CPP),
        ("mod.rs", include_str!("../mod.rs")),
        ("splice.rs", include_str!("../splice.rs")),
    ] {
        assert_eq!(not_the_same(path, text), Vec::<String>::new());
        assert_eq!(not_undone(path, text), Vec::<String>::new());
    }
}
