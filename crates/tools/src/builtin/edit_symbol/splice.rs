//! A definition exchanged, added to or taken out of a text. Nothing outside of the place is altered but the blank lines
//! beside it, and nothing is read or written.

use ox_edit::layout::{indent_at, line_start, plain};
use ox_syntax::Definition;

use super::body;
use super::gaps::{between, blank_after, blank_before, closes, opens};
use super::layout::{File, Splice, fit_behind};

/// What to do with a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Replace,
    ReplaceBody,
    ReplaceSignature,
    InsertBefore,
    InsertAfter,
    Delete,
}

/// Works out what an action does to a text.
///
/// # Errors
/// Why it cannot be done, in words for the model.
pub(super) fn splice(file: &File<'_>, target: &Definition, action: Action, new: &str) -> Result<Splice, String> {
    let new = plain(new);
    let mut splice = match action {
        Action::Replace => replace(file, target, &new),
        Action::ReplaceBody => body::replace(file, target, &new)?,
        Action::ReplaceSignature => signature(file, target, &new)?,
        Action::InsertAfter => insert_after(file, target, &new)?,
        Action::InsertBefore => insert_before(file, target, &new)?,
        Action::Delete => delete(file, target)?,
    };
    if uses_crlf(file.text, target.span.start) {
        splice.new = splice.new.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    Ok(splice)
}

/// The end of the line that a byte is on, before its line break.
fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |it| at + it);
    if end > at && text[..end].ends_with('\r') { end - 1 } else { end }
}

fn uses_crlf(text: &str, at: usize) -> bool {
    match text[at..].find('\n').map(|it| at + it).or_else(|| text[..at].rfind('\n')) {
        Some(end) => text[..end].ends_with('\r'),
        None => false,
    }
}

/// Comments before a definition stay where the new text has none of its own.
fn replace(file: &File<'_>, target: &Definition, new: &str) -> Splice {
    let has_words = target.docs_end > target.span.start;
    let start = if has_words && !starts_with_words(file.path, new) { target.docs_end } else { target.span.start };
    let mut new = fit_behind(file, target, new, indent_at(file.text, start));
    let old = &file.text[target.span.clone()];
    if target.listed {
        new.truncate(new.trim_end_matches([',', ' ']).len());
    } else if old.ends_with(';') && !new.ends_with(';') && (old.ends_with("};") || !new.ends_with('}')) {
        new.push(';');
    }
    Splice { range: start..target.span.end, new }
}

/// True where a text starts with a comment.
fn starts_with_words(path: &str, new: &str) -> bool {
    match path.ends_with(".py") || path.ends_with(".pyi") {
        true => new.trim_start().starts_with('#'),
        false => ["//", "/*"].iter().any(|it| new.trim_start().starts_with(it)),
    }
}

fn signature(file: &File<'_>, target: &Definition, new: &str) -> Result<Splice, String> {
    let old = &file.text[target.signature.clone()];
    let indented = old.ends_with(':');
    let closers = [';', '{'].map(|it| if old.ends_with(it) { ' ' } else { it });
    let mut new = new.trim_end_matches([closers[0], closers[1], ' ', '\n', '\t']).to_string();
    if indented && !new.ends_with(':') {
        new.push(':');
    }
    if old.ends_with("=>") && !new.ends_with("=>") {
        new.push_str(" =>");
    }
    let new = fit_behind(file, target, &new, indent_at(file.text, target.signature.start));
    let splice = Splice { range: target.signature.clone(), new };
    // Only the signature may change: the body must be the same one afterwards.
    let after = splice.apply(file.text);
    let moved = |at: usize| at + splice.new.len() - splice.range.len();
    let kept = target.body.as_ref().map(|it| moved(it.span.start)..moved(it.span.end));
    let all = ox_syntax::definitions(file.path, &after).unwrap_or_default();
    let same = |it: &Definition| it.signature.start == target.signature.start;
    let found = all.iter().filter(|it| same(it)).any(|it| it.body.as_ref().map(|it| it.span.clone()) == kept);
    match found {
        true => Ok(splice),
        false => Err(
            "`new` is not a signature alone, or none of this kind of definition; give the text up to the body, or use action replace with the whole definition".into(),
        ),
    }
}

fn insert_after(file: &File<'_>, target: &Definition, new: &str) -> Result<Splice, String> {
    let (text, end) = (file.text, behind(file, target)?);
    let indent = indent_at(text, target.span.start);
    let new = format!("{indent}{}", fit_behind(file, target, new, indent));
    let gap = between(file, target, &new, true);
    let next = (line_end(text, end) + 1).min(text.len());
    let follows = blank_after(text, next);
    let more = if closes(file, next, indent) || follows > 0 || !new.contains('\n') { 0 } else { gap };
    let comma = target.listed.then(|| text[target.span.end..].trim_start().starts_with(','));
    let own = new.trim_end_matches(',');
    let tail = "\n".repeat(more);
    Ok(match comma {
        // The comma comes between the two; the last one keeps the habit of the list.
        Some(true) => Splice { range: end..end, new: format!("{}{own},{tail}", "\n".repeat(gap + 1)) },
        Some(false) => Splice {
            range: target.span.end..end,
            new: format!(",{}{}{own}{tail}", &text[target.span.end..end], "\n".repeat(gap + 1)),
        },
        None => Splice { range: end..end, new: format!("{}{new}{tail}", "\n".repeat(gap + 1)) },
    })
}

fn insert_before(file: &File<'_>, target: &Definition, new: &str) -> Result<Splice, String> {
    let text = file.text;
    let start = line_start(text, target.span.start);
    if !text[start..target.span.start].trim().is_empty() {
        return Err(shares_its_line());
    }
    let indent = indent_at(text, target.span.start);
    let mut new = format!("{indent}{}", fit_behind(file, target, new, indent));
    let gap = between(file, target, &new, false);
    let follows = blank_before(text, start);
    let more = if opens(file, start) || follows > 0 || !new.contains('\n') { 0 } else { gap };
    if target.listed {
        new.truncate(new.trim_end_matches(',').len());
        new.push(',');
    }
    Ok(Splice { range: start..start, new: format!("{}{new}{}", "\n".repeat(more), "\n".repeat(gap + 1)) })
}

/// Takes the lines out, with the blank ones that set them off from only one of their neighbours.
fn delete(file: &File<'_>, target: &Definition) -> Result<Splice, String> {
    let text = file.text;
    let start = line_start(text, target.span.start);
    if !text[start..target.span.start].trim().is_empty() {
        return Err(shares_its_line());
    }
    let end = line_end(text, behind(file, target)?);
    let next = text[end..].find('\n').map_or(text.len(), |it| end + it + 1);
    let indent = indent_at(text, target.span.start);
    let (before, after) = (blank_before(text, start), blank_after(text, next));
    let (first, last) = (opens(file, start), closes(file, next, indent));
    let (cut_before, cut_after) = match (first, last) {
        (_, true) => (before, if first { after } else { 0 }),
        (true, false) => (0, after),
        (false, false) if before > after => (0, after),
        (false, false) => (before, 0),
    };
    let mut range = lines_back(text, start, cut_before)..lines_on(text, next, cut_after);
    let has_comma = text[target.span.end..].trim_start().starts_with(',');
    if target.listed && !has_comma && text[..range.start].trim_end().ends_with(',') {
        // The last of a list takes the comma before it along; what follows is kept.
        let comma = text[..range.start].trim_end().len() - 1;
        let new = text[comma + 1..range.start].to_string();
        return Ok(Splice { range: comma..range.end, new });
    }
    if range.end == text.len() && !text.ends_with('\n') {
        range.start = text[..range.start].trim_end_matches(['\r', '\n']).len();
    }
    Ok(Splice { range, new: String::new() })
}

fn lines_back(text: &str, at: usize, count: usize) -> usize {
    (0..count).fold(at, |at, _| line_start(text, at.saturating_sub(1)))
}

fn lines_on(text: &str, at: usize, count: usize) -> usize {
    (0..count).fold(at, |at, _| text[at..].find('\n').map_or(text.len(), |it| at + it + 1))
}

/// The end of the line on which a definition ends, if nothing but its comma and a comment is behind it.
fn behind(file: &File<'_>, target: &Definition) -> Result<usize, String> {
    let end = line_end(file.text, target.span.end);
    let rest = file.text[target.span.end..end].trim_start_matches([' ', '\t', ',', ';']);
    let is_comment =
        rest.starts_with("//") || rest.starts_with('#') || (rest.starts_with("/*") && rest.ends_with("*/"));
    if rest.trim().is_empty() || is_comment { Ok(end) } else { Err(shares_its_line()) }
}

fn shares_its_line() -> String {
    "the definition shares its line with other code; use edit_file for it".into()
}
