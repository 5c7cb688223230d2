//! Programs within other texts: the scripts of Vue and Svelte components. All else becomes blanks, so that every place of
//! the script is the place in the file.

use std::ops::Range;

use crate::languages::{self, Grammar};

/// Endings of files that hold scripts.
const ENDINGS: [&str; 2] = ["vue", "svelte"];

/// The script of a component with its grammar; none for other files and for a component without one.
pub(crate) fn script(path: &str, text: &str) -> Option<(&'static Grammar, String)> {
    if !holds_script(path) {
        return None;
    }
    let (parts, typed) = scripts(text);
    if parts.is_empty() {
        return None;
    }
    let mut out: Vec<u8> = text.bytes().map(|it| if it == b'\n' { it } else { b' ' }).collect();
    for part in parts {
        out[part.clone()].copy_from_slice(&text.as_bytes()[part]);
    }
    let out = String::from_utf8(out).ok()?;
    let grammar = languages::of(if typed { "a.ts" } else { "a.js" })?;
    Some((grammar, out))
}

/// True for a component by its path.
pub(crate) fn holds_script(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|it| ENDINGS.contains(&it.1.to_ascii_lowercase().as_str()))
}

/// The insides of the script elements, and whether they are TypeScript.
fn scripts(text: &str) -> (Vec<Range<usize>>, bool) {
    let (mut out, mut typed, mut at) = (Vec::new(), false, 0);
    while let Some(open) = text[at..].find("<script").map(|it| at + it) {
        let Some(start) = text[open..].find('>').map(|it| open + it + 1) else { break };
        let tag = &text[open..start];
        let end = text[start..].find("</script").map_or(text.len(), |it| start + it);
        if !tag.ends_with("/>") {
            typed |= ["lang=\"ts", "lang='ts", "lang=ts"].iter().any(|it| tag.contains(it));
            out.push(start..end);
        }
        at = end.max(start);
    }
    (out, typed)
}

/// The components that the markup of a file uses, with the places of their names.
pub(crate) fn components(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let (parts, _) = scripts(text);
    let in_markup = move |at: usize| !parts.iter().any(|it| it.contains(&at));
    text.match_indices('<').filter(move |(at, _)| in_markup(*at)).filter_map(|(at, _)| {
        let rest = &text[at + 1..];
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let name = &rest[..end];
        name.starts_with(|c: char| c.is_ascii_uppercase()).then_some((name, at + 1))
    })
}
