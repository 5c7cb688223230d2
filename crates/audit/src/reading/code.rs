//! A syntax tree beside its text, and the text without what is no code.

use ox_syntax::{FlatNode, FlatTree};

/// A text with its tree.
pub(crate) struct Code<'a> {
    pub text: &'a str,
    pub tree: FlatTree,
    /// The text with blanks for comments and for the insides of strings; every place is the same.
    pub plain: String,
    /// The comments, by node.
    pub comments: Vec<usize>,
    /// Where lines begin.
    starts: Vec<usize>,
}

impl<'a> Code<'a> {
    pub fn of(text: &'a str, tree: FlatTree) -> Code<'a> {
        let mut bytes = text.as_bytes().to_vec();
        let mut comments = Vec::new();
        let mut at = 0;
        while let Some(node) = tree.nodes.get(at) {
            let (is_comment, is_text) = (is_comment(node), is_string(node));
            if is_comment {
                comments.push(at);
            }
            if is_comment || is_text {
                // The quotes stay, so that an argument is seen to be one.
                let keep = usize::from(is_text && node.end - node.start >= 2);
                let (from, to) = (node.start + keep, node.end - keep);
                bytes[from..to].iter_mut().filter(|it| **it != b'\n').for_each(|it| *it = b' ');
                at = node.last as usize;
            } else {
                at += 1;
            }
        }
        let plain = String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned());
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|it| it.0 + 1)).collect();
        Code { text, tree, plain, comments, starts }
    }

    pub fn node(&self, at: usize) -> &FlatNode {
        &self.tree.nodes[at]
    }

    pub fn of_node(&self, at: usize) -> &'a str {
        let node = self.node(at);
        &self.text[node.start..node.end]
    }

    /// The nodes right inside of a node.
    pub fn children(&self, at: usize) -> impl Iterator<Item = usize> {
        let (mut next, last) = (at + 1, self.node(at).last as usize);
        std::iter::from_fn(move || {
            let it = (next < last).then_some(next)?;
            next = self.node(it).last as usize;
            Some(it)
        })
    }

    /// The node in a field of a node.
    pub fn field(&self, at: usize, field: &str) -> Option<usize> {
        self.children(at).find(|it| self.node(*it).field == field)
    }

    /// The nodes around a node, the innermost first.
    pub fn above(&self, at: usize) -> impl Iterator<Item = usize> {
        let mut next = self.node(at).parent;
        std::iter::from_fn(move || {
            let it = next? as usize;
            next = self.node(it).parent;
            Some(it)
        })
    }

    /// All nodes whose bytes are within a range, by index.
    pub fn within(&self, range: &std::ops::Range<usize>) -> impl Iterator<Item = usize> {
        let from = self.tree.nodes.partition_point(|it| it.start < range.start);
        let end = range.end;
        (from..self.tree.nodes.len())
            .take_while(move |it| self.node(*it).start < end)
            .filter(move |it| self.node(*it).end <= end)
    }

    /// The innermost node around a byte.
    pub fn at(&self, byte: usize) -> usize {
        let around = |it: &usize| self.node(*it).start <= byte && byte < self.node(*it).end;
        let mut here = 0;
        while let Some(inner) = self.children(here).find(around) {
            here = inner;
        }
        here
    }

    /// The line with this number.
    pub fn line(&self, number: u32) -> &'a str {
        let from = self.starts.get(number.saturating_sub(1) as usize).copied().unwrap_or(self.text.len());
        self.text[from..].lines().next().unwrap_or_default()
    }

    /// The line of a byte, from 1.
    pub fn line_at(&self, byte: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|it| *it <= byte)).unwrap_or(u32::MAX)
    }
}

pub(crate) fn is_comment(node: &FlatNode) -> bool {
    node.kind.contains("comment") && node.is_named
}

/// True for a whole string, whatever the language calls it.
pub(crate) fn is_string(node: &FlatNode) -> bool {
    node.is_named
        && matches!(
            node.kind,
            "string"
                | "string_literal"
                | "raw_string_literal"
                | "interpreted_string_literal"
                | "template_string"
                | "char_literal"
                | "character_literal"
                | "concatenated_string"
                | "encapsed_string"
                | "verbatim_string_literal"
                | "line_string_literal"
                | "multi_line_string_literal"
                | "multiline_string_literal"
                | "raw_string"
                | "heredoc_body"
                | "heredoc"
        )
}

/// A text in one line, with one blank wherever there are some.
pub(crate) fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
