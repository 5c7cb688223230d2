//! One walk over a syntax tree that gathers its definitions, the names that are used and the imports. It costs time and memory in proportion to the tree and
//! does not recurse, however deep the text nests.

use std::sync::Arc;

use tree_sitter::{Node, TreeCursor};

use super::names::Names;
use super::{Import, MOST_IMPORTS, RefKind};
use crate::definitions::{Body, Definition, SymbolKind};
use crate::languages::{
    ATTRIBUTE, CARRIER, FIELDS, Grammar, IMPORT, ITEM, Item, LEADING, LITERAL, NAME, NameUse, NodeContext, TYPE, Table,
};
use crate::parse::{Lines, Parsed, to_u32};

/// Scopes around a definition that its qualified name tells, from the outermost on, and bytes of each and of a trait. Without
/// these limits the names of a text that nests as deep as it is long take the square of its length.
const MOST_SCOPES: usize = 16;
const MOST_BYTES: usize = 200;

/// A comment, attribute or decorator.
struct Before {
    start: usize,
    end: usize,
    /// False for a comment.
    is_attribute: bool,
}

/// A definition that the walk is inside of.
struct Scope {
    /// How many nodes are around its node.
    depth: usize,
    /// How many parts the names had outside of it.
    parts: usize,
    /// True for a function and for what is in one.
    in_function: bool,
    via: Option<Arc<str>>,
    /// Its index, or that of the next definition around that is listed.
    index: Option<usize>,
}

struct Walk<'t, 'a> {
    text: &'a str,
    grammar: &'static Grammar,
    table: &'static Table,
    lines: &'a Lines,
    above: Vec<Node<'t>>,
    /// The fields in which those that carry names stand; 0 for the others.
    fields: Vec<u16>,
    /// The field of the node that is looked at.
    field: u16,
    before: Vec<Before>,
    scopes: Vec<Scope>,
    parts: Vec<Arc<str>>,
    found: Found<'a>,
}

/// What a walk finds.
pub(crate) struct Found<'a> {
    /// All definitions in the order in which they start.
    pub definitions: Vec<Definition>,
    /// The names that are used.
    pub names: Names<'a>,
    /// The imports.
    pub imports: Vec<Import>,
}

/// All definitions of a text in the order in which they start.
pub(crate) fn definitions(parsed: &Parsed, text: &str) -> Vec<Definition> {
    walk(parsed, text, &Lines::of(text), ITEM | LEADING | ATTRIBUTE).definitions
}

/// All definitions, names and imports of a text.
pub(crate) fn everything<'a>(parsed: &Parsed, text: &'a str, lines: &'a Lines) -> Found<'a> {
    walk(parsed, text, lines, !LITERAL)
}

/// Walks over a tree and looks at the nodes with one of these roles.
fn walk<'a>(parsed: &Parsed, text: &'a str, lines: &'a Lines, roles: u16) -> Found<'a> {
    let table = parsed.table;
    let mut walk = Walk {
        text,
        grammar: parsed.grammar,
        table,
        lines,
        above: Vec::new(),
        fields: Vec::new(),
        field: 0,
        before: Vec::new(),
        scopes: Vec::new(),
        parts: Vec::new(),
        found: Found { definitions: Vec::new(), names: Names::default(), imports: Vec::new() },
    };
    let mut cursor = parsed.tree.walk();
    loop {
        let node = cursor.node();
        let role = table.role(node.kind_id()) & roles;
        let consumed = role & !FIELDS != 0 && walk.enter(node, role, &cursor);
        if !consumed && cursor.goto_first_child() {
            let carries = role & CARRIER != 0;
            walk.fields.push(if carries { walk.field } else { 0 });
            walk.above.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return walk.found;
            }
            walk.above.pop();
            walk.fields.pop();
            walk.leave();
        }
        walk.leave();
    }
}

impl<'t, 'a> Walk<'t, 'a> {
    /// Looks at a node. True where nothing in it is to be looked at any more.
    fn enter(&mut self, node: Node<'t>, role: u16, cursor: &TreeCursor<'t>) -> bool {
        if role & (NAME | TYPE | CARRIER) != 0 {
            // To ask for the field is dear, and most nodes around do not want to know.
            let asked = self.above.last().is_some_and(|it| self.table.role(it.kind_id()) & FIELDS != 0);
            self.field = if asked { cursor.field_id().map_or(0, |it| it.get()) } else { 0 };
        }
        if role & (NAME | TYPE) != 0 {
            self.name(node, role);
        }
        if role & LEADING != 0 {
            self.lead(node, role);
        }
        if role & (ITEM | IMPORT) == 0 {
            return false;
        }
        let in_function = self.scopes.last().is_some_and(|it| it.in_function);
        let place = NodeContext { text: self.text, above: &self.above, in_function };
        if role & IMPORT != 0
            && self.found.imports.len() < MOST_IMPORTS
            && (self.grammar.import)(node, &place, &mut self.found.imports)
        {
            return true;
        }
        if role & ITEM != 0
            && let Some(item) = self.table.item(node, &place)
        {
            self.add(item);
        }
        false
    }

    fn lead(&mut self, node: Node<'t>, role: u16) {
        if !(self.grammar.is_detached)(node, self.text) {
            let end = node.start_byte() + self.text[node.byte_range()].trim_end().len();
            self.before.push(Before { start: node.start_byte(), end, is_attribute: role & ATTRIBUTE != 0 });
        }
    }

    /// Notes what a name is by the nodes around it.
    fn name(&mut self, node: Node<'t>, role: u16) {
        let (mut field, mut level, mut member) = (self.field, self.above.len(), false);
        let (mut used, mut last) = (None, node);
        while let Some(around) = level.checked_sub(1) {
            let outer = self.above[around];
            used = self.table.used(outer.kind_id(), field);
            match used {
                Some(NameUse::Around) => {}
                Some(NameUse::Member) => member = true,
                Some(NameUse::Tail) if last.end_byte() == outer.end_byte() => member = true,
                Some(NameUse::Tag) if outer.child_by_field_name("body").is_none() => {
                    used = Some(NameUse::Reference(RefKind::Type))
                }
                _ => break,
            }
            if matches!(used, Some(NameUse::Reference(_))) {
                break;
            }
            (field, level, last) = (self.fields[around], around, outer);
        }
        let name: &'a str = &self.text[node.byte_range()];
        let kind = match used {
            Some(NameUse::Bound) => return self.found.names.bind(name, false),
            Some(NameUse::BoundType) => return self.found.names.bind(name, true),
            Some(NameUse::Token) => {
                member = self.text[..node.start_byte()].ends_with('.');
                by_what_follows(name, &self.text[node.end_byte()..])
            }
            _ => by_use(used, name, role),
        };
        let Some(kind) = kind else { return };
        let within = self.scopes.last().and_then(|it| it.index).map(to_u32);
        let line = self.lines.at(node.start_byte());
        self.found.names.add(name, line, kind, member, within);
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
        let in_function = item.kind == SymbolKind::Function || around.is_some_and(|it| it.in_function);
        let (depth, parts) = (self.above.len(), self.parts.len());
        self.parts.extend(item.before.iter().map(|it| short(it)));
        self.parts.truncate(MOST_SCOPES);
        let (scope, own_via) = (item.scope.clone(), item.via.as_deref().map(short));
        let mut index = parent;
        if let Some(name) = item.name.clone() {
            let mut path = Vec::with_capacity(self.parts.len() + 1);
            path.extend(self.parts.iter().cloned());
            path.push(Arc::from(name.as_str()));
            let via = if item.kind == SymbolKind::Impl { own_via.clone() } else { via };
            let definition = self.definition(item, path, via, parent);
            index = Some(self.found.definitions.len());
            self.found.definitions.push(definition);
            if scope.is_none() {
                self.parts.push(short(&name));
            }
        }
        self.parts.extend(scope.iter().flatten().map(|it| short(it)));
        self.parts.truncate(MOST_SCOPES);
        self.scopes.push(Scope { depth, parts, in_function, via: own_via, index });
    }

    fn definition(
        &self,
        item: Item<'t>,
        path: Vec<Arc<str>>,
        via: Option<Arc<str>>,
        parent: Option<usize>,
    ) -> Definition {
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
            name: path.join(self.table.says("separator").unwrap_or(".")),
            via,
            kind: item.kind,
            lines: self.lines.at(start)..=self.lines.at(end.saturating_sub(1).max(start)),
            line: self.lines.at(own),
            span: start..end,
            docs_end,
            signature,
            body: item.body.map(|(span, form)| Body { span: span.start.min(end)..span.end.min(end), form }),
            parent,
            is_declaration: item.is_declaration,
            listed: item.listed,
            path,
        }
    }

    /// The node with the wrappers around that hold nothing else.
    fn outer(&self, node: Node<'t>) -> Node<'t> {
        let around = self.above.iter().rev().take_while(|it| (self.grammar.is_wrapper)(**it));
        around.last().copied().unwrap_or(node)
    }

    /// Where the comments and attributes right before a place start, and where the first comments of them end.
    fn with_leads(&self, own: usize) -> (usize, usize) {
        let (mut start, mut docs_end) = (own, own);
        for it in self.before.iter().rev().skip_while(|it| it.end > own) {
            let gap = &self.text[it.end..start];
            let line = &self.text[self.lines.start(self.lines.at(it.start))..it.start];
            let is_of_another = !it.is_attribute && (!line.trim().is_empty() || is_of_the_file(self.text, it));
            if !gap.trim().is_empty() || gap.matches('\n').count() > 1 || is_of_another {
                break;
            }
            if it.is_attribute {
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
        let closes = self.table.says("takes_semicolon").is_some() && !listed && !self.text[..end].ends_with(';');
        if closes && rest[blanks..].starts_with(';') { end + blanks + 1 } else { end }
    }

    /// Where the definition starts behind the attributes that are part of its nodes.
    fn after_attributes(&self, outer: Node<'t>, node: Node<'t>) -> usize {
        const ATTRIBUTES: &[&str] =
            &["decorator", "annotation", "marker_annotation", "attribute_declaration", "attribute_list", "attribute"];
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
}

/// A part of a name as those inside it carry it.
fn short(part: &str) -> Arc<str> {
    Arc::from(&part[..part.floor_char_boundary(MOST_BYTES)])
}

/// What a name is by what the language says of its place; none where it is no use of anything.
fn by_use(used: Option<NameUse>, name: &str, role: u16) -> Option<RefKind> {
    match used {
        Some(NameUse::Reference(kind)) => Some(kind),
        Some(NameUse::Nothing | NameUse::Tag) => None,
        Some(NameUse::Scope) => name.starts_with(char::is_uppercase).then_some(RefKind::Type),
        Some(NameUse::Component) => name.starts_with(char::is_uppercase).then_some(RefKind::Call),
        _ if role & TYPE != 0 => Some(RefKind::Type),
        _ => Some(RefKind::Other),
    }
}

/// What a word is where there is no syntax around it, as in the arguments of a macro.
fn by_what_follows(name: &str, rest: &str) -> Option<RefKind> {
    match rest.as_bytes() {
        [b'(', ..] | [b'!', b'(' | b'[', ..] => Some(RefKind::Call),
        _ if name.starts_with(char::is_uppercase) => Some(RefKind::Type),
        _ => Some(RefKind::Other),
    }
}

/// True for a licence at the top of a file, which is about no definition.
fn is_of_the_file(text: &str, it: &Before) -> bool {
    let words = &text[it.start..it.end];
    text[..it.start].trim().is_empty() && ["Copyright", "SPDX", "License"].iter().any(|known| words.contains(known))
}
