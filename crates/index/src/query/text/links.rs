//! Links in a line of text. A link to a source file names that file; one to a page of documentation names what the page
//! is about; everything else in a link is noise.

use std::sync::LazyLock;

use regex::Regex;

/// So many commits are looked for.
const COMMITS: usize = 16;

/// A file that a text names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mention {
    /// As written, with `/` separators; it need not begin at the project's root.
    pub path: String,
    pub line: Option<u32>,
    /// For a frame of a stack its number, 0 where the fault happened.
    pub frame: Option<u32>,
}

/// What a link says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Link {
    File(Mention),
    /// Words of the page's address.
    Page(String),
}

/// The line without its links, and what they say.
pub(super) fn without(line: &str) -> (String, Vec<Link>) {
    let mut rest = line;
    let (mut kept, mut links) = (String::new(), Vec::new());
    while let Some(at) = rest.find("http://").into_iter().chain(rest.find("https://")).min() {
        kept.push_str(&rest[..at]);
        let ends = |it: char| it.is_whitespace() || matches!(it, ')' | ']' | '>' | '"' | '`' | '\'' | '|');
        let end = rest[at..].find(ends).map_or(rest.len(), |it| at + it);
        links.extend(link(rest[at..end].trim_end_matches(['.', ',', ';', ':'])));
        kept.push(' ');
        rest = &rest[end..];
    }
    kept.push_str(rest);
    (kept, links)
}

/// Commits that a text names: by a part of their own name, or by the number of the request that they came with.
pub(super) fn commits(text: &str) -> Vec<String> {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:/pull/|/issues/|(?:^|[\s(])#)(?P<number>\d{2,6})\b|\b(?P<name>[0-9a-f]{7,40})\b")
            .expect("the expression is tested")
    });
    let named = |it: regex::Captures<'_>| match (it.name("number"), it.name("name")) {
        (Some(number), _) => Some(format!("#{}", number.as_str())),
        (_, Some(name)) => {
            let name = name.as_str();
            let mixed = name.contains(|it: char| it.is_ascii_digit()) && name.contains(|it: char| it.is_alphabetic());
            mixed.then(|| name.chars().take(crate::snapshot::ID).collect())
        }
        _ => None,
    };
    let mut found: Vec<String> = NAMED.captures_iter(text).filter_map(named).take(COMMITS).collect();
    found.sort();
    found.dedup();
    found
}

fn link(address: &str) -> Option<Link> {
    let bare = address.split_once("://")?.1;
    let (bare, fragment) = bare.split_once('#').unwrap_or((bare, ""));
    let bare = bare.split('?').next().unwrap_or(bare);
    let parts: Vec<&str> = bare.split('/').filter(|it| !it.is_empty()).collect();
    if let Some(at) = parts.iter().position(|it| matches!(*it, "blob" | "raw" | "blame")) {
        // `blob/REF/path`: a reference with a slash inside leaves a part too much, which looking up by the end forgives.
        let path = parts.get(at + 2..)?.join("/");
        return (!path.is_empty()).then(|| Link::File(Mention { path, line: line(fragment), frame: None }));
    }
    let documents =
        parts.first().is_some_and(|it| it.starts_with("docs.") || it.contains("javadoc") || it.contains("readthedocs"));
    let (page, name) = (*parts.last()?, fragment.rsplit('.').next().unwrap_or_default());
    documents.then(|| {
        let page = page.trim_end_matches(".html").rsplit('.').next().unwrap_or_default();
        Link::Page(format!("{page} {name}"))
    })
}

fn line(fragment: &str) -> Option<u32> {
    let digits: String = fragment.strip_prefix('L')?.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}
