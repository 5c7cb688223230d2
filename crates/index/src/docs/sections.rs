//! A text cut at its headings: those of Markdown and AsciiDoc, and lines that are underlined as in reStructuredText. What
//! stands between fences is code and has no headings. Sections cover the text and do not overlap.

/// Lines of a section at most; longer ones are cut at a blank line.
const MOST: usize = 60;

/// A part of a text under one heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The headings above it and its own, from the outermost on.
    pub headings: Vec<String>,
    /// Its first line, from 1.
    pub start: u32,
    /// Its last line, included.
    pub end: u32,
}

/// The sections of `text` in order. An empty text has none.
pub fn sections(text: &str) -> Vec<Section> {
    let lines: Vec<&str> = text.lines().collect();
    let heads = headings(&lines);
    let mut out = Vec::new();
    let mut above: Vec<(usize, String)> = Vec::new();
    let first = heads.first().map_or(lines.len(), |it| it.0);
    cut(&lines, 0, first, &[], &mut out);
    for (at, (from, level, title)) in heads.iter().enumerate() {
        above.retain(|it| it.0 < *level);
        above.push((*level, title.clone()));
        let to = heads.get(at + 1).map_or(lines.len(), |it| it.0);
        let titles: Vec<String> = above.iter().map(|it| it.1.clone()).collect();
        cut(&lines, *from, to, &titles, &mut out);
    }
    out
}

/// Where headings begin, how deep they are, and what they say.
fn headings(lines: &[&str]) -> Vec<(usize, usize, String)> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    // Underlines of reStructuredText have the level of their first use.
    let mut underlines: Vec<char> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let bare = line.trim();
        match fence {
            Some(mark) if bare.starts_with(mark) => fence = None,
            Some(_) => continue,
            None => fence = ["```", "~~~"].into_iter().find(|it| bare.starts_with(it)),
        }
        if fence.is_some() {
            continue;
        }
        if let Some((level, title)) = marked(line) {
            found.push((at, level, title));
        } else if let Some(mark) = lines.get(at + 1).and_then(|next| underlined(bare, next)) {
            let level = underlines.iter().position(|it| *it == mark).unwrap_or_else(|| {
                underlines.push(mark);
                underlines.len() - 1
            });
            found.push((at, level + 1, bare.to_owned()));
        }
    }
    found
}

/// A heading that is marked at its beginning.
fn marked(line: &str) -> Option<(usize, String)> {
    let mark = line.chars().next().filter(|it| matches!(it, '#' | '='))?;
    let level = line.chars().take_while(|it| *it == mark).count();
    let title = line.get(level..)?.strip_prefix([' ', '\t'])?.trim().trim_end_matches(mark).trim();
    (level <= 6 && !title.is_empty()).then(|| (level, title.to_owned()))
}

/// The character that underlines a line with text, if the next line does.
fn underlined(bare: &str, next: &str) -> Option<char> {
    let next = next.trim_end();
    let mark = next.chars().next().filter(|it| matches!(it, '=' | '-' | '~' | '^' | '"' | '*' | '+'))?;
    let whole = next.chars().all(|it| it == mark) && next.len() >= 3;
    let is_text = bare.chars().any(char::is_alphanumeric) && !bare.starts_with(['-', '*', '>', '|', '#']);
    // A table's rule is longer than one word above it may be; a heading's line is about as long as the heading.
    (whole && is_text && next.len() + 3 >= bare.chars().count()).then_some(mark)
}

/// Lines from `from` to before `to`, in pieces of at most [`MOST`].
fn cut(lines: &[&str], from: usize, to: usize, headings: &[String], out: &mut Vec<Section>) {
    let mut from = from;
    while from < to {
        let most = (from + MOST).min(to);
        let blank = (from + 1..most).rev().find(|it| lines[*it].trim().is_empty());
        let end = if most == to { to } else { blank.map_or(most, |it| it + 1) };
        if lines[from..end].iter().any(|it| !it.trim().is_empty()) {
            let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
            out.push(Section { headings: headings.to_vec(), start: number(from + 1), end: number(end) });
        }
        from = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: &Expect) {
        let lines =
            sections(text).into_iter().map(|it| format!("{}-{} {}\n", it.start, it.end, it.headings.join(" > ")));
        expected.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn a_text_is_cut_at_its_headings() {
        check(
            "intro\n\n# A\ntext\n## B\n```sh\n# no heading\n```\n### C ###\nx\n## D\ny\n# E\n",
            &expect![[r#"
                1-2 
                3-4 A
                5-8 A > B
                9-10 A > B > C
                11-12 A > D
                13-13 E
            "#]],
        );
        check(
            "Title\n=====\n\nwords\n\nPart\n----\nmore\n\nOther\n-----\n\n- a list\n- of things\n",
            &expect![[r#"
                1-5 Title
                6-9 Title > Part
                10-14 Title > Other
            "#]],
        );
        check(
            "= Doc\n\n== First\n\n#tag is none\n#!/bin/sh\n",
            &expect![[r#"
            1-2 Doc
            3-6 Doc > First
        "#]],
        );
        check("", &expect![""]);
    }

    #[test]
    fn long_sections_are_cut_at_blank_lines() {
        let text = format!("# Long\n{}", "a line\n\n".repeat(100));
        let all = sections(&text);
        assert!(all.len() > 2 && all.iter().all(|it| it.end - it.start < 60 && it.headings == ["Long"]));
        assert!(all.windows(2).all(|it| it[0].end + 1 == it[1].start));
    }
}
