//! Files that do not parse and did before.

use ox_protocol::{AuditFinding, AuditKind};

use crate::change::Changed;
use crate::pair::{Pair, finding, is_sample};

pub(crate) fn findings(pair: &Pair<'_>) -> Option<AuditFinding> {
    let change = pair.change;
    let error = change.after.as_ref().and_then(|_| pair.after.fault())?;
    let was_faulty = change.before.is_some() && pair.before.fault().is_some();
    // A template is read by somebody else first.
    let is_preprocessed = after_has_branches(change) || is_near_a_macro(change, error.line);
    let is_template = is_preprocessed || ["{%", "{{#", "<%"].iter().any(|it| change.after_text().contains(it));
    // Of some languages the grammar at hand does not know everything.
    let ending = change.path.rsplit('.').next().unwrap_or_default();
    let is_certain = matches!(
        ending,
        "json" | "jsonc" | "toml" | "py" | "go" | "js" | "mjs" | "cjs" | "java" | "yaml" | "yml" | "css"
    );
    let kind = if is_certain { AuditKind::DoesNotParse } else { AuditKind::MayNotParse };
    let line = change.after_text().lines().nth(error.line.saturating_sub(1) as usize).unwrap_or_default();
    (!was_faulty && !is_template && !is_sample(&change.path))
        .then(|| finding(kind, &change.path, error.line, &error.near, ("", line)))
}

/// Macros of C stand for words that its grammar cannot know, such as `FMT_TRY {`.
fn is_near_a_macro(change: &Changed, line: u32) -> bool {
    let ending = change.path.rsplit('.').next().unwrap_or_default();
    let is_macro = |word: &str| {
        word.len() > 3
            && word.contains('_')
            && word.chars().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == '_')
    };
    let near = change.after_text().lines().skip(line.saturating_sub(6) as usize).take(10);
    matches!(ending, "c" | "cc" | "cpp" | "cxx" | "h" | "hpp" | "hh" | "hxx" | "inl")
        && near.flat_map(|it| it.split(|c: char| !(c.is_alphanumeric() || c == '_'))).any(is_macro)
}

/// Code with conditions of a preprocessor, or macros that the grammar at hand reads as something else, may look broken.
fn after_has_branches(change: &Changed) -> bool {
    let ending = change.path.rsplit('.').next().unwrap_or_default();
    let text = change.after_text();
    match ending {
        "cs" | "c" | "cc" | "cpp" | "cxx" | "h" | "hpp" => text.contains("#if"),
        "rs" => text.contains("str!["),
        _ => false,
    }
}
