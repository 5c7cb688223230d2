//! How the request's indentation maps to the file's, learnt from the lines which both have. Only blanks at the
//! start of a line are ever altered.

use crate::text::lines::is_blank;

/// One aligned, non-blank pair of lines.
#[derive(Debug, Clone)]
struct Pair<'a> {
    /// The index of the line in the search text.
    at: usize,
    search: &'a str,
    file: &'a str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    /// Both sides indent alike.
    Same,
    /// The file has this more in front of every line.
    Add(String),
    /// The request has this more in front of every line.
    Strip(String),
    /// The request indents with tabs, the file with so many spaces.
    ToSpaces(usize),
    /// The request indents with so many spaces, the file with tabs.
    ToTabs(usize),
    /// Only the first line of the request lost its indentation, which was this.
    FirstLost(String),
    /// Nothing simple: as the nearest pair.
    Nearest,
}

/// Turns lines of the request into lines of the file.
#[derive(Debug, Clone)]
pub(crate) struct Indenter<'a> {
    rule: Rule,
    pairs: Vec<Pair<'a>>,
}

impl<'a> Indenter<'a> {
    /// Learns from aligned lines: the index in the search text, the line there, the line of the file.
    pub fn learn(aligned: impl Iterator<Item = (usize, &'a str, &'a str)>) -> Self {
        let pairs: Vec<Pair<'a>> = aligned
            .filter(|(_, search, file)| !is_blank(search) && !is_blank(file))
            .map(|(at, search, file)| Pair { at, search: indent(search), file: indent(file) })
            .collect();
        Self { rule: rule(&pairs), pairs }
    }

    /// The line as the file would indent it. `near` is the line of the search text beside which it stands; `first`
    /// tells that it opens the replacement.
    pub fn apply(&self, line: &str, near: usize, first: bool) -> String {
        let own = indent(line);
        if is_blank(line) {
            return if self.rule == Rule::Same { line.into() } else { String::new() };
        }
        let rest = &line[own.len()..];
        match &self.rule {
            Rule::Same => line.into(),
            Rule::Add(more) => format!("{more}{line}"),
            Rule::Strip(less) => match line.strip_prefix(less.as_str()) {
                Some(stripped) => stripped.into(),
                None => rest.into(),
            },
            Rule::ToSpaces(width) => format!("{}{rest}", to_spaces(own, *width)),
            Rule::ToTabs(width) => format!("{}{rest}", to_tabs(own, *width)),
            Rule::FirstLost(lost) if first && own.is_empty() => format!("{lost}{rest}"),
            Rule::FirstLost(_) => line.into(),
            Rule::Nearest => format!("{}{rest}", self.nearest(own, near)),
        }
    }

    fn nearest(&self, own: &str, near: usize) -> String {
        let by_distance = |pair: &&Pair<'_>| pair.at.abs_diff(near);
        if let Some(pair) = self.pairs.iter().filter(|pair| pair.search == own).min_by_key(by_distance) {
            return pair.file.into();
        }
        let Some(pair) = self.pairs.iter().min_by_key(by_distance) else { return own.into() };
        if let Some(deeper) = own.strip_prefix(pair.search) {
            return format!("{}{}", pair.file, self.scaled(deeper));
        }
        let outdent = pair.search.len().saturating_sub(own.len());
        let keep = pair.file.len().saturating_sub(self.scaled(&pair.search[..outdent]).len());
        pair.file[..keep].into()
    }

    /// A step of the request's indentation in the file's style.
    fn scaled(&self, step: &str) -> String {
        let search_tabs = self.pairs.iter().any(|pair| pair.search.contains('\t'));
        let file_tabs = self.pairs.iter().any(|pair| pair.file.contains('\t'));
        if step.contains('\t') && !file_tabs && self.pairs.iter().any(|p| !p.file.is_empty()) {
            return to_spaces(step, 4);
        }
        if !step.contains('\t') && file_tabs && !search_tabs {
            return to_tabs(step, 4);
        }
        step.into()
    }
}

/// The blanks at the start of a line.
pub(crate) fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn rule(pairs: &[Pair<'_>]) -> Rule {
    let all = |fits: &dyn Fn(&Pair<'_>) -> bool| pairs.iter().all(fits);
    let Some(first) = pairs.first() else { return Rule::Same };
    if all(&|p| p.search == p.file) {
        return Rule::Same;
    }
    if pairs.len() > 1 && first.search.is_empty() && pairs[1..].iter().all(|p| p.search == p.file) {
        return Rule::FirstLost(first.file.into());
    }
    if let Some(more) = first.file.strip_suffix(first.search)
        && all(&|p| p.file.strip_suffix(p.search) == Some(more))
    {
        return Rule::Add(more.into());
    }
    if let Some(less) = first.search.strip_suffix(first.file)
        && all(&|p| p.search.strip_suffix(p.file) == Some(less))
    {
        return Rule::Strip(less.into());
    }
    for width in 1..=8 {
        if all(&|p| to_spaces(p.search, width) == p.file) {
            return Rule::ToSpaces(width);
        }
    }
    for width in (1..=8).rev() {
        if all(&|p| to_tabs(p.search, width) == p.file) {
            return Rule::ToTabs(width);
        }
    }
    Rule::Nearest
}

fn to_spaces(indent: &str, width: usize) -> String {
    indent.replace('\t', &" ".repeat(width))
}

fn to_tabs(indent: &str, width: usize) -> String {
    indent.replace(&" ".repeat(width), "\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(pairs: &[(&str, &str)], line: &str) -> String {
        let learnt = Indenter::learn(pairs.iter().enumerate().map(|(at, (search, file))| (at, *search, *file)));
        learnt.apply(line, 0, true)
    }

    #[test]
    fn new_lines_are_indented_as_the_aligned_lines_are() {
        type Case<'a> = (&'a [(&'a str, &'a str)], &'a str, &'a str);
        let cases: [Case<'_>; 10] = [
            (&[("a", "a"), ("  b", "  b")], "  c", "  c"),
            (&[("a", "    a"), ("  b", "      b")], "    c", "        c"),
            (&[("    a", "a"), ("      b", "  b")], "        c", "    c"),
            (&[("\ta", "    a")], "\t\tc", "        c"),
            (&[("    a", "\ta")], "        c", "\t\tc"),
            (&[("  a", "\ta"), ("    b", "\t\tb")], "      c", "\t\t\tc"),
            (&[("a", "    a"), ("    b", "    b")], "c", "    c"),
            (&[("  a", "  a"), ("b", "    b")], "c", "    c"),
            (&[("  a", "  a"), ("b", "    b")], "    c", "    c"),
            (&[], "  c", "  c"),
        ];
        for (pairs, line, expected) in cases {
            assert_eq!(apply(pairs, line), expected, "{pairs:?} {line:?}");
        }
    }
}
