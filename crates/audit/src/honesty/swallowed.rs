//! Errors that are caught around what was there before, and dropped.

use ox_protocol::{AuditFinding, AuditKind};

use crate::pair::Pair;
use crate::reading::{Code, flat};

pub(crate) fn findings(pair: &Pair<'_>) -> Vec<AuditFinding> {
    let Some(code) = &pair.after.code else { return Vec::new() };
    let mut out = Vec::new();
    for at in 0..code.tree.nodes.len() {
        let node = code.node(at);
        if !matches!(node.kind, "except_clause" | "catch_clause" | "rescue" | "catch_block")
            || !pair.diff.is_added(node.line)
        {
            continue;
        }
        let around = code.above(at).next();
        // What was called before and whose errors were somebody's.
        let wraps = around.is_some_and(|it| wraps_old(pair, code, it, node.start));
        if wraps && drops(code, at) && !around.is_some_and(|it| becomes_a_value(code, it, node.start)) {
            out.push(pair.finding(AuditKind::ErrorSwallowed, node.line, "", "", pair.after.line(node.line)));
        }
    }
    out
}

/// True where a handler does nothing at all, for any error.
fn drops(code: &Code<'_>, at: usize) -> bool {
    let node = code.node(at);
    let text = flat(&code.plain[node.start..node.end]);
    let body = match text.find(['{', ':']) {
        Some(start) => text[start + 1..].trim_end_matches('}'),
        None => text.trim_start_matches("rescue").trim_start_matches(" StandardError").trim_start_matches(" => e"),
    };
    let head = text.split(['{', ':']).next().unwrap_or_default();
    let names: Vec<&str> = head
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|it| it.starts_with(char::is_uppercase))
        .collect();
    let narrow = !names.is_empty()
        && !names.iter().any(|it| {
            matches!(*it, "Exception" | "BaseException" | "Throwable" | "Error" | "StandardError" | "RuntimeException")
        });
    !narrow
        && body
            .split_whitespace()
            .all(|it| matches!(it.trim_matches([';', '.']), "pass" | "" | "return" | "null" | "None" | "nil" | "..."))
}

/// True where only a handler leads to what follows, and that returns or throws something: the error is a value from there on.
fn becomes_a_value(code: &Code<'_>, around: usize, handler: usize) -> bool {
    let whole = code.node(around);
    let first = |text: &str| text.lines().map(str::trim).find(|it| !it.is_empty()).unwrap_or_default().to_owned();
    let last = code.plain[whole.start..handler].lines().map(str::trim).rfind(|it| it.len() > 1).unwrap_or_default();
    let next = first(&code.plain[whole.end..]);
    let value = next.trim_start_matches("return").trim_matches([' ', ';']);
    let says = next.starts_with("return ") && !matches!(value, "null" | "None" | "nil" | "undefined" | "");
    last.starts_with("return") && (says || next.starts_with("throw ") || next.starts_with("raise "))
}

/// True where the lines before a handler were there before and are tried now.
fn wraps_old(pair: &Pair<'_>, code: &Code<'_>, around: usize, until: usize) -> bool {
    let inside = &code.text[code.node(around).start..until];
    let had = |line: &str| {
        pair.diff.removed.iter().any(|it| it.1.trim() == line) || pair.before.text.lines().any(|it| it.trim() == line)
    };
    let lines: Vec<&str> = inside.lines().skip(1).map(str::trim).filter(|it| it.len() > 3).collect();
    !lines.is_empty() && lines.iter().any(|it| had(it)) && !pair.before.text.contains(inside.trim())
}
