//! Blank lines between definitions: how many there are, and how many a file puts between two.

use ox_edit::layout;
use ox_syntax::{Definition, SymbolKind};

use super::layout::File;

/// Blank lines from `at` (the start of a line) on.
pub(super) fn blank_after(text: &str, at: usize) -> usize {
    text[at..].lines().take_while(|it| it.trim().is_empty()).count()
}

/// Blank lines before `at` (the start of a line).
pub(super) fn blank_before(text: &str, at: usize) -> usize {
    text[..at].lines().rev().take_while(|it| it.trim().is_empty()).count()
}

/// True where nothing, or the end of what is around, follows the line that ends before `at`.
pub(super) fn closes(file: &File<'_>, at: usize, indent: &str) -> bool {
    let Some(line) = file.text[at..].lines().find(|it| !it.trim().is_empty()) else { return true };
    let shallower = layout::indent(line).len() < indent.len();
    line.trim_start().starts_with(['}', ')', ']']) || shallower
}

/// True where nothing, or the beginning of what is around, is before the line that starts at `at`.
pub(super) fn opens(file: &File<'_>, at: usize) -> bool {
    let before = file.text[..at].lines().rev().find(|it| !it.trim().is_empty());
    before.is_none_or(|it| it.trim_end().ends_with(['{', '(', '[', ':']))
}

/// How many blank lines to put between `target` and a new text beside it, `after` it or before.
pub(super) fn between(file: &File<'_>, target: &Definition, new: &str, after: bool) -> usize {
    let beside: Vec<&Definition> = file.all.iter().filter(|it| it.parent == target.parent).collect();
    let at = beside.iter().position(|it| it.span == target.span).unwrap_or_default();
    let pair = |index: usize| Some((*beside.get(index)?, *beside.get(index + 1)?));
    let own = [Some(at), at.checked_sub(1)];
    let near = if after { own } else { [own[1], own[0]] };
    let others = (0..beside.len().saturating_sub(1)).filter(|it| !near.contains(&Some(*it)));
    let long = new.contains('\n');
    let fitting = |(first, second): (&Definition, &Definition)| {
        let gap = gap(file.text, first, second)?;
        let both_long = is_long(first) && is_long(second);
        let any_long = is_long(first) || is_long(second);
        // Lines next to one another say nothing about what has several, nor the other way round.
        let alike = if long || is_long(target) { gap > 0 && any_long || both_long } else { !any_long || gap == 0 };
        alike.then_some(gap)
    };
    let order = near.into_iter().flatten().chain(others);
    let code =
        |it: Option<&str>| it.map(str::trim).is_some_and(|it| !it.is_empty() && !it.starts_with(['}', ')', ']']));
    let (next, before) = (&file.text[target.span.end..], &file.text[..target.span.start]);
    // A line that other lines adjoin stays one of them.
    let alone =
        if after { !code(next.lines().nth(1)) } else { !code(before.trim_end_matches([' ', '\t']).lines().last()) };
    if !long && !is_long(target) && !alone {
        return 0;
    }
    order.filter_map(pair).find_map(fitting).unwrap_or_else(|| usual(file, target, long))
}

/// The blank lines between two definitions that have nothing else between them.
fn gap(text: &str, first: &Definition, second: &Definition) -> Option<usize> {
    let between = text.get(first.span.end..second.span.start)?;
    let rest = between.trim_start_matches([' ', '\t', ',', ';']);
    (rest.trim().is_empty() && rest.contains('\n')).then(|| rest.matches('\n').count() - 1)
}

fn is_long(it: &Definition) -> bool {
    it.lines.end() > it.lines.start()
}

/// What the language's formatter would put there.
fn usual(file: &File<'_>, target: &Definition, long: bool) -> usize {
    let plain =
        !long && !is_long(target) && (target.kind == SymbolKind::Value || target.is_declaration || target.listed);
    match (plain || target.listed, file.path.ends_with(".py") && target.parent.is_none()) {
        (true, _) => 0,
        (false, true) => 2,
        (false, false) => 1,
    }
}
