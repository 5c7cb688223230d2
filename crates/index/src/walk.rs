//! One walk over a syntax tree that gathers its definitions. It costs time and memory in proportion to the tree and
//! does not recurse, however deep the text nests.

use tree_sitter::Node;

use crate::definition::{Body, Definition};
use crate::languages::{Grammar, Item, Kind, Lead, Place};
use crate::parse::Parsed;
use crate::syntax::counted;

/// A comment, attribute or decorator.
struct Before {
    start: usize,
    end: usize,
    lead: Lead,
}

/// A definition that the walk is inside of.
struct Scope {
    /// How many nodes are around its node.
    depth: usize,
    /// How many parts the names had outside of it.
    parts: usize,
    kind: Kind,
    via: Option<String>,
    /// Its index, or that of the next definition around that is listed.
    index: Option<usize>,
}

struct Walk<'t, 'a> {
    text: &'a str,
    grammar: &'static Grammar,
    above: Vec<Node<'t>>,
    before: Vec<Before>,
    scopes: Vec<Scope>,
    parts: Vec<String>,
    /// The start of each line.
    lines: Vec<usize>,
    found: Vec<Definition>,
}

/// All definitions of a text in the order in which they start.
pub(crate) fn definitions(parsed: &Parsed, text: &str) -> Vec<Definition> {
    let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut walk = Walk {
        text,
        grammar: parsed.grammar,
        above: Vec::new(),
        before: Vec::new(),
        scopes: Vec::new(),
        parts: Vec::new(),
        lines,
        found: Vec::new(),
    };
    let mut cursor = parsed.tree.walk();
    loop {
        let node = cursor.node();
        if node.is_named() {
            walk.enter(node);
        }
        if cursor.goto_first_child() {
            walk.above.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return walk.found;
            }
            walk.above.pop();
            walk.leave();
        }
        walk.leave();
    }
}

impl<'t> Walk<'t, '_> {
    fn enter(&mut self, node: Node<'t>) {
        if let Some(lead) = (self.grammar.lead)(node, self.text) {
            let end = node.start_byte() + self.text[node.byte_range()].trim_end().len();
            self.before.push(Before { start: node.start_byte(), end, lead });
        }
        let place = Place {
            text: self.text,
            above: &self.above,
            in_function: self.scopes.iter().any(|it| it.kind == Kind::Function),
        };
        if let Some(item) = (self.grammar.item)(node, &place) {
            self.add(item);
        }
    }

    /// Forgets the scopes whose nodes have been left.
    fn leave(&mut self) {
        while self.scopes.last().is_some_and(|it| it.depth >= self.above.len()) {
            let scope = self.scopes.pop().expect("the loop saw a last one");
            self.parts.truncate(scope.parts);
        }
    }

    fn add(&mut self, item: Item<'t>) {
        let around = self.scopes.last();
        let (parent, via) = (around.and_then(|it| it.index), around.and_then(|it| it.via.clone()));
        let (kind, depth, parts) = (item.kind, self.above.len(), self.parts.len());
        let mut path = self.parts.clone();
        path.extend(item.before.iter().cloned());
        let (scope, own_via) = (item.scope.clone(), item.via.clone());
        let mut index = parent;
        self.parts.clone_from(&path);
        if let Some(name) = item.name.clone() {
            path.push(name.clone());
            let via = if kind == Kind::Impl { own_via.clone() } else { via };
            let definition = self.definition(item, path, via, parent);
            index = Some(self.found.len());
            self.found.push(definition);
            if scope.is_none() {
                self.parts.push(name);
            }
        }
        self.parts.extend(scope.unwrap_or_default());
        self.scopes.push(Scope { depth, parts, kind, via: own_via, index });
    }

    fn definition(&self, item: Item<'t>, path: Vec<String>, via: Option<String>, parent: Option<usize>) -> Definition {
        let outer = self.outer(item.node);
        let (start, docs_end) = self.with_leads(outer.start_byte());
        let end = self.end(outer, item.listed);
        let own = self.after_attributes(outer, item.node);
        let head = match (&item.body, item.head_end) {
            (_, Some(end)) => &self.text[own..end],
            (Some((span, _)), None) => self.text[own..span.start].trim_end_matches('{'),
            (None, None) => self.text[own..end].trim_end_matches(';'),
        };
        let signature = own..own + head.trim_end().len();
        Definition {
            name: path.join(self.grammar.separator),
            via,
            kind: item.kind,
            lines: self.line(start)..=self.line(end.saturating_sub(1).max(start)),
            line: self.line(own),
            span: start..end,
            docs_end,
            signature,
            body: item.body.map(|(span, form)| Body { span: span.start.min(end)..span.end.min(end), form }),
            parent,
            announces: item.announces,
            listed: item.listed,
            path,
        }
    }

    /// The node with the wrappers around that hold nothing else.
    fn outer(&self, node: Node<'t>) -> Node<'t> {
        let around = self.above.iter().rev().take_while(|it| (self.grammar.wraps)(**it));
        around.last().copied().unwrap_or(node)
    }

    /// Where the comments and attributes right before a place start, and where the first comments of them end.
    fn with_leads(&self, own: usize) -> (usize, usize) {
        let (mut start, mut docs_end) = (own, own);
        for it in self.before.iter().rev().skip_while(|it| it.end > own) {
            let gap = &self.text[it.end..start];
            let line = &self.text[self.line_start(it.start)..it.start];
            let is_of_another = it.lead == Lead::Comment && (!line.trim().is_empty() || is_of_the_file(self.text, it));
            if !gap.trim().is_empty() || gap.matches('\n').count() > 1 || is_of_another {
                break;
            }
            if it.lead == Lead::Attribute {
                docs_end = it.start;
            }
            start = it.start;
        }
        (start, docs_end)
    }

    /// The end without blanks, with a `;` that belongs to it.
    fn end(&self, outer: Node<'t>, listed: bool) -> usize {
        let end = outer.start_byte() + self.text[outer.byte_range()].trim_end().len();
        let rest = &self.text[end..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let closes = self.grammar.takes_semicolon && !listed && !self.text[..end].ends_with(';');
        if closes && rest[blanks..].starts_with(';') { end + blanks + 1 } else { end }
    }

    /// Where the definition starts behind the attributes that are part of its nodes.
    fn after_attributes(&self, outer: Node<'t>, node: Node<'t>) -> usize {
        const ATTRIBUTES: &[&str] = &["decorator", "annotation", "marker_annotation", "attribute_declaration"];
        let mut at = outer.start_byte();
        for around in [Some(outer), Some(node), node.child(0).filter(|it| it.kind() == "modifiers")] {
            let Some(around) = around else { continue };
            let mut cursor = around.walk();
            for child in around.children(&mut cursor) {
                let is_attribute = ATTRIBUTES.contains(&child.kind());
                if child.start_byte() < at {
                    continue;
                }
                if !is_attribute && child.kind() != "comment" {
                    break;
                }
                let rest = &self.text[child.end_byte()..];
                at = child.end_byte() + rest.len() - rest.trim_start().len();
            }
        }
        at
    }

    fn line_start(&self, at: usize) -> usize {
        self.lines[self.lines.partition_point(|it| *it <= at) - 1]
    }

    fn line(&self, at: usize) -> u32 {
        counted(self.lines.partition_point(|it| *it <= at))
    }
}

/// True for a licence at the top of a file, which is about no definition.
fn is_of_the_file(text: &str, it: &Before) -> bool {
    let words = &text[it.start..it.end];
    text[..it.start].trim().is_empty() && ["Copyright", "SPDX", "License"].iter().any(|known| words.contains(known))
}
