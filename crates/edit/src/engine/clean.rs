//! The request, cleaned: what a model copies along with the text (fences, line numbers, CRLF, a byte-order mark)
//! is taken off the request. The file is never cleaned.

use std::borrow::Cow;

use crate::block::Block;
use crate::engine::guide::Guide;
use crate::text::document::{BOM, to_lf};

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Context,
    Old,
    New,
}

/// A block's two texts with line feeds only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CleanBlock<'a> {
    pub search: Cow<'a, str>,
    pub replace: Cow<'a, str>,
    pub guide: Guide,
    /// Which lines stay, go and come, where the request says so itself; empty where it is to be found out.
    pub script: &'a [Sign],
}

impl<'a> CleanBlock<'a> {
    pub fn new(block: &'a Block) -> Self {
        let search = to_lf(&block.search);
        let replace = to_lf(&block.replace);
        Self {
            search: without_bom(search),
            replace: without_bom(replace),
            guide: Guide { hint: block.hint, whole_lines: false },
            script: &[],
        }
    }

    /// The request without fences and line numbers, if it has any.
    pub fn cleaned(&self) -> Option<CleanBlock<'static>> {
        let mut search = None;
        let mut replace = None;
        if let Some(inner) = unfenced(&self.search) {
            replace = unfenced(&self.replace).map(str::to_owned);
            search = Some(inner.to_owned());
        }
        let numbered = unnumbered(search.as_deref().unwrap_or(&self.search));
        let mut guide = self.guide;
        if let Some((first, plain)) = numbered {
            guide.hint = guide.hint.or(Some(first));
            search = Some(plain);
            let new = unnumbered(replace.as_deref().unwrap_or(&self.replace));
            replace = new.map(|(_, plain)| plain).or(replace);
        }
        let replace = replace.unwrap_or_else(|| self.replace.clone().into_owned());
        search.map(|search| CleanBlock { search: search.into(), replace: replace.into(), guide, script: &[] })
    }

    /// The request with HTML entities, or quotes escaped once too often, or all that a string escapes, written plainly; and
    /// with entities for plain signs. Only those that it changes.
    pub fn unescaped(&self) -> Vec<CleanBlock<'static>> {
        let both = |undo: fn(&str) -> String| {
            let search = undo(&self.search);
            let replace = undo(&self.replace);
            (search != self.search).then(|| CleanBlock {
                search: search.into(),
                replace: replace.into(),
                guide: self.guide,
                script: &[],
            })
        };
        [both(unescape_html), both(unescape_quotes), both(decode), both(escape_ampersands), both(escape_html)]
            .into_iter()
            .flatten()
            .collect()
    }
}

fn without_bom(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix(BOM).unwrap_or(text)),
        Cow::Owned(text) => Cow::Owned(text.strip_prefix(BOM).map(str::to_owned).unwrap_or(text)),
    }
}

/// What stands between an opening and a closing fence, if the text is nothing but that.
pub(crate) fn unfenced(text: &str) -> Option<&str> {
    let body = text.trim_start_matches('\n');
    let (opening, rest) = body.split_once('\n')?;
    let fence = &opening[..opening.len() - opening.trim_start_matches('`').len()];
    if fence.len() < 3 || opening[fence.len()..].contains('`') {
        return None;
    }
    let trimmed = rest.trim_end();
    let inner = trimmed.strip_suffix(fence)?;
    (inner.is_empty() || inner.ends_with('\n')).then_some(inner)
}

/// The text without the line numbers of a file listing, and the first number: every line that is not blank starts
/// with a number, then `→`, a tab, `|` or `:`, and the numbers rise by one.
fn unnumbered(text: &str) -> Option<(usize, String)> {
    let mut out = String::with_capacity(text.len());
    let mut first = None;
    let mut expected = None;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() && line.len() == 1 {
            out.push_str(line);
            expected = expected.map(|n: usize| n + 1);
            continue;
        }
        let (number, rest) = numbered_line(line)?;
        if expected.is_some_and(|n| n != number) && first.is_none() {
            return None;
        }
        first = first.or(Some(number));
        expected = Some(number + 1);
        out.push_str(rest);
    }
    first.map(|first| (first, out))
}

fn numbered_line(line: &str) -> Option<(usize, &str)> {
    let start = line.trim_start_matches([' ', '\t']);
    let digits = start.len() - start.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = start[..digits].parse().ok()?;
    let rest = &start[digits..];
    let after = rest.trim_start_matches(' ');
    for sign in ["→", "|", "│"] {
        if let Some(content) = after.strip_prefix(sign) {
            let spaced = sign != "→";
            return Some((number, content.strip_prefix(' ').filter(|_| spaced).unwrap_or(content)));
        }
    }
    if let Some(content) = rest.strip_prefix('\t').or_else(|| rest.strip_prefix(": ")) {
        return Some((number, content));
    }
    matches!(rest, ":\n" | ":").then(|| (number, rest.trim_start_matches(':')))
}

fn unescape_html(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&#x27;", "'")
        .replace("&apos;", "'")
        .replace("&amp;", "&")
}

fn unescape_quotes(text: &str) -> String {
    text.replace("\\\"", "\"").replace("\\'", "'")
}

/// A text that was encoded as a string twice: line breaks, tabs, quotes and backslashes as two signs each.
fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match (sign, signs.clone().next()) {
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some('t')) => out.push('\t'),
            ('\\', Some(plain @ ('"' | '\'' | '\\' | '/'))) => out.push(plain),
            _ => {
                out.push(sign);
                continue;
            }
        }
        signs.next();
    }
    out
}

fn escape_ampersands(text: &str) -> String {
    text.replace('&', "&amp;")
}

fn escape_html(text: &str) -> String {
    escape_ampersands(text).replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(search: &str, replace: &str) -> Option<(String, String, Option<usize>)> {
        let block = Block::new(search, replace);
        let request = CleanBlock::new(&block).cleaned()?;
        Some((request.search.into_owned(), request.replace.into_owned(), request.guide.hint))
    }

    #[test]
    fn fences_and_line_numbers_come_off() {
        let some = |search: &str, replace: &str, hint| Some((search.to_owned(), replace.to_owned(), hint));
        assert_eq!(cleaned("```rust\na\n```\n", "```rust\nb\n```"), some("a\n", "b\n", None));
        assert_eq!(cleaned("```\na\n```", "b\n"), some("a\n", "b\n", None));
        assert_eq!(cleaned("  9→a\n 10→\tb\n", "  9→c\n"), some("a\n\tb\n", "c\n", Some(9)));
        assert_eq!(cleaned("1 | a\n2 |   b\n", "a\nc\n"), some("a\n  b\n", "a\nc\n", Some(1)));
        assert_eq!(cleaned("4\ta\n5\tb", "x"), some("a\nb", "x", Some(4)));
        assert_eq!(cleaned("a\nb\n", "c"), None);
        assert_eq!(cleaned("```a``` b\n", "c"), None);
        assert_eq!(cleaned("1: a\nb\n", "c"), None);
    }

    #[test]
    fn escapes_are_undone_on_both_sides() {
        let block = Block::new("a &lt; b\n", "a &gt; b\n");
        let all = CleanBlock::new(&block).unescaped();
        assert_eq!((&*all[0].search, &*all[0].replace), ("a < b\n", "a > b\n"));
        let block = Block::new("say \\\"hi\\\"", "say \\\"ho\\\"");
        let all = CleanBlock::new(&block).unescaped();
        assert_eq!((&*all[0].search, &*all[0].replace), ("say \"hi\"", "say \"ho\""));
        assert!(CleanBlock::new(&Block::new("a", "&lt;")).unescaped().is_empty());
        let all = CleanBlock::new(&Block::new("a\\n\\tb\\\\n", "c")).unescaped();
        assert_eq!(&*all[0].search, "a\n\tb\\n");
    }
}
