//! The inside of a definition exchanged. Its braces, a comment behind the opening one, and the string that documents a
//! Python function stay where the new text has none of its own.

use ox_edit::layout::{Unit, indent, indent_at, line_start, plain};
use ox_syntax::{Body, BodyForm, Definition};

use super::layout::{File, Splice, fit_behind};

/// Works out what the new body does to a text.
///
/// # Errors
/// Why it cannot be done, in words for the model.
pub(super) fn replace(file: &File<'_>, target: &Definition, new: &str) -> Result<Splice, String> {
    let Some(body) = &target.body else {
        return Err(format!("`{}` has no body; use action replace", target.name));
    };
    let new = inside(file, target, body, new)?;
    let splice = match body.form {
        BodyForm::Braces => braced(file, target, body, &new),
        BodyForm::Indented => indented(file, target, body, &new),
        BodyForm::Expression => expression(file, target, body, &new),
    };
    // Only the body may change: it must end where the new text ends, or this was more than a body.
    if ox_syntax::check(file.path, file.text).is_some() || body.form == BodyForm::Expression {
        return Ok(splice);
    }
    let after = splice.apply(file.text);
    let end = body.span.end + splice.new.len() - splice.range.len();
    let all = ox_syntax::definitions(file.path, &after).unwrap_or_default();
    let same = |it: &&Definition| it.signature == target.signature;
    let ends = all.iter().find(same).and_then(|it| it.body.as_ref()).map(|it| it.span.end);
    let broken = ox_syntax::check(file.path, &after).is_some();
    match broken || ends == Some(end) || (body.form == BodyForm::Indented && ends.is_some_and(|it| it <= end)) {
        true => Ok(splice),
        false => Err("`new` reaches beyond the body; use action replace with the whole definition".into()),
    }
}

/// The new text without braces around it; one that repeats the signature is not a body.
fn inside(file: &File<'_>, target: &Definition, body: &Body, new: &str) -> Result<String, String> {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let signature = words(&file.text[target.signature.clone()]);
    if !signature.is_empty() && words(new).starts_with(&signature) {
        let whole = ox_syntax::definitions(file.path, new).unwrap_or_default();
        return match whole.first().and_then(|it| it.body.clone()).filter(|_| whole[0].span == (0..new.len())) {
            Some(body) => Ok(plain(&with_first_indent(new, &body))),
            None => Err("`new` holds the signature too; give the body alone, or use action replace".into()),
        };
    }
    let old = file.text[body.span.clone()].trim();
    let is_block = |text: &str| text.starts_with('{') && text.ends_with('}') && closes_at_its_end(text);
    match body.form == BodyForm::Braces && is_block(new.trim()) && !is_block(old) {
        true => Ok(plain(&new.trim()[1..new.trim().len() - 1])),
        false => Ok(new.to_string()),
    }
}

/// A body with the blanks before its first word, so that all of its lines are in the same relation.
fn with_first_indent(text: &str, body: &Body) -> String {
    let start = line_start(text, body.span.start);
    let blank = text[start..body.span.start].trim().is_empty();
    text[if blank { start } else { body.span.start }..body.span.end].to_string()
}

/// True where the first brace of a text is closed by its last one.
fn closes_at_its_end(text: &str) -> bool {
    let mut depth = 0i32;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1 == text.len();
        }
    }
    false
}

fn braced(file: &File<'_>, target: &Definition, body: &Body, new: &str) -> Splice {
    let text = file.text;
    let old = &text[body.span.clone()];
    let outside = indent_at(text, target.signature.start);
    let (lead, trail) = (&old[..old.len() - old.trim_start().len()], &old[old.trim_end().len()..]);
    let new = if new.is_empty() && old.trim().is_empty() {
        old.to_string()
    } else if old.contains('\n') {
        match old.lines().next().map(str::trim).filter(|it| !it.is_empty()) {
            // Something stands behind the brace.
            Some(first) if new.lines().next().map(str::trim) == Some(first) => {
                let rest = new.split_once('\n').map_or("", |it| it.1);
                let level = level(old.split_once('\n').map_or("", |it| it.1), outside, text);
                let rest = if rest.is_empty() {
                    String::new()
                } else {
                    format!("\n{level}{}", fit_behind(file, target, rest, &level))
                };
                format!("{}{first}{rest}{trail}", &old[..old.len() - old.trim_start().len()])
            }
            _ if new.is_empty() => format!("\n{outside}"),
            first => {
                let level = level(
                    if first.is_some() { old.split_once('\n').map_or("", |it| it.1) } else { old },
                    outside,
                    text,
                );
                let lead = match first {
                    None if !lead.is_empty() => &lead[..lead.rfind('\n').map_or(0, |it| it + 1)],
                    _ => "\n",
                };
                let trail =
                    if old.trim().is_empty() || !trail.contains('\n') { format!("\n{outside}") } else { trail.into() };
                format!("{lead}{level}{}{trail}", fit_behind(file, target, new, &level))
            }
        }
    } else if new.is_empty() {
        String::new()
    } else if !new.contains('\n') && !old.trim().is_empty() {
        format!("{lead}{}{trail}", new.trim())
    } else {
        let level = format!("{outside}{}", Unit::of(text).text());
        format!("\n{level}{}\n{outside}", fit_behind(file, target, new, &level))
    };
    Splice { range: body.span.clone(), new }
}

/// The indentation inside of a body: that of its first line, else one level more than around it.
fn level(old: &str, outside: &str, text: &str) -> String {
    match old.lines().find(|it| !it.trim().is_empty()) {
        Some(line) => indent(line).to_string(),
        None => format!("{outside}{}", Unit::of(text).text()),
    }
}

fn indented(file: &File<'_>, target: &Definition, body: &Body, new: &str) -> Splice {
    let text = file.text;
    let outside = indent_at(text, target.signature.start);
    let same_line = !text[target.signature.end..body.span.start].contains('\n');
    if same_line && !new.contains('\n') && !new.trim_end().ends_with(':') {
        return Splice { range: body.span.clone(), new: new.trim().to_string() };
    }
    if same_line {
        let level = format!("{outside}{}", Unit::of(text).text());
        let new = format!("\n{level}{}", fit_behind(file, target, new, &level));
        return Splice { range: target.signature.end..body.span.end, new };
    }
    let level = indent_at(text, body.span.start);
    let fitted = fit_behind(file, target, new, level);
    match documentation(&text[body.span.clone()]).filter(|_| documentation(new.trim_start()).is_none()) {
        // All there is may be the documentation.
        Some(end) if body.span.start + end == body.span.end => {
            Splice { range: body.span.end..body.span.end, new: format!("\n{level}{fitted}") }
        }
        Some(end) => {
            let rest = &text[body.span.start + end..body.span.end];
            let blanks = rest.len() - rest.trim_start().len();
            Splice { range: body.span.start + end + blanks..body.span.end, new: fitted }
        }
        None => Splice { range: body.span.clone(), new: fitted },
    }
}

/// The end of the string that a body starts with to document it.
fn documentation(body: &str) -> Option<usize> {
    let prefix = body.len() - body.trim_start_matches(['r', 'R', 'u', 'U']).len();
    let quotes = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|it| body[prefix..].starts_with(it))?;
    let start = prefix + quotes.len();
    let end = start + body[start..].find(quotes)? + quotes.len();
    let is_alone = body[end..].lines().next().is_none_or(|it| it.trim().is_empty());
    is_alone.then_some(end)
}

/// A text with statements gets braces.
fn expression(file: &File<'_>, target: &Definition, body: &Body, new: &str) -> Splice {
    let outside = indent_at(file.text, target.signature.start);
    let statements = new.trim_start().starts_with("return ") || new.trim_end().ends_with(';');
    if !statements {
        return Splice {
            range: body.span.clone(),
            new: fit_behind(file, target, new, indent_at(file.text, body.span.start)),
        };
    }
    let level = format!("{outside}{}", Unit::of(file.text).text());
    Splice {
        range: body.span.clone(),
        new: format!("{{\n{level}{}\n{outside}}}", fit_behind(file, target, new, &level)),
    }
}
