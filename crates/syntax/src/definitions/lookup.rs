//! Definitions by name. A name that fits several is never decided upon here: all are reported with their lines.

use std::ops::Range;
use std::sync::Arc;

use tree_sitter::Node;

use super::Definition;
use crate::facts;
use crate::languages::LITERAL;
use crate::parse::{nodes, parse};

/// Names that are offered at most where none fits.
const NEAREST: usize = 5;
/// Characters of a sought name that are compared with others: what is longer is no name, and would take long.
const LONGEST_COMPARED: usize = 64;

/// What people write before a name and means no part of it.
const KEYWORDS: &str = "fn pub async def class struct enum trait func function interface type const static mod";

/// What a name stands for in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// One definition.
    One(Definition),
    /// Several, in the order of the file.
    Many(Vec<Definition>),
    /// None; the nearest names that the file has.
    None(Vec<String>),
}

/// All definitions of a file in their order; none where its language is not known or it is too large.
pub fn definitions(path: &str, text: &str) -> Option<Vec<Definition>> {
    parse(path, text).map(|parsed| facts::definitions(&parsed, text))
}

/// The definitions that a name stands for: those with exactly this qualified name, else those whose name ends in it.
/// None where the file's language is not known or it is too large.
pub fn find(path: &str, text: &str, name: &str) -> Option<Lookup> {
    let parsed = parse(path, text)?;
    let package = (parsed.grammar.package)(parsed.tree.root_node(), text);
    let all = facts::definitions(&parsed, text);
    let mut query = Query::read(name);
    let mut hits = query.matches(&all);
    let modules = modules(path, package.as_deref());
    while hits.is_empty() && query.parts.len() > 1 && modules.contains(&query.parts[0]) {
        query.parts.remove(0);
        hits = query.matches(&all);
    }
    Some(match hits.as_slice() {
        [] => Lookup::None(nearest(&all, &query)),
        [one] => Lookup::One(one.clone()),
        _ => Lookup::Many(hits),
    })
}

/// The inner lines of literals, as bytes from the end of their first line to their end: what may not be indented anew
/// without changing what the program does.
pub fn literals(path: &str, text: &str) -> Vec<Range<usize>> {
    let Some(parsed) = parse(path, text) else { return Vec::new() };
    let inner_lines = |node: Node<'_>| {
        let several = node.start_position().row < node.end_position().row;
        let is_words = || node.parent().is_some_and(|it| it.kind() == "expression_statement");
        let literal = several && parsed.table.role(node.kind_id()) & LITERAL != 0 && !is_words();
        let first_line = text[node.byte_range()].find('\n').unwrap_or_default();
        literal.then(|| node.start_byte() + first_line..node.end_byte())
    };
    nodes(&parsed.tree).filter_map(inner_lines).collect()
}

/// A name as somebody wrote it, taken apart.
struct Query {
    parts: Vec<String>,
    /// The trait whose implementation is meant.
    of: Option<String>,
    /// `impl Type`, written out.
    whole: Option<String>,
}

impl Query {
    /// Reads `Type::method`, `Class.method`, `Class#method`, `Class/method`, `<Type as Trait>::method`,
    /// `Trait for Type::method`, with parameters and keywords that do not belong to a name left out.
    fn read(name: &str) -> Query {
        let name = name.trim().trim_matches('`');
        let name = match name.find('(').filter(|at| *at > 0 && !name[..*at].trim_end().ends_with("operator")) {
            Some(at) if !name.starts_with('(') => &name[..at],
            _ => name,
        };
        let mut name = name.trim().to_string();
        while let Some((_, rest)) = name.split_once(' ').filter(|it| KEYWORDS.split(' ').any(|word| word == it.0)) {
            name = rest.trim().to_string();
        }
        let whole = name.starts_with("impl").then(|| without_parameters(&name)).filter(|it| it.starts_with("impl "));
        let whole = whole.map(|it| it.split(' ').map(last_part).collect::<Vec<_>>().join(" "));
        let mut of = None;
        if let Some((kind, of_trait, rest)) = qualified(&name) {
            of = Some(last_part(&without_parameters(&of_trait)));
            name = format!("{kind}{rest}");
        } else if let Some((of_trait, rest)) = name.split_once(" for ") {
            of = Some(last_part(&without_parameters(of_trait.trim_start_matches("impl "))));
            name = rest.to_string();
        }
        // Go's `(s *Stack) Push`, with or without the receiver's name.
        if let Some((receiver, method)) = name.strip_prefix('(').and_then(|it| it.split_once(')')) {
            let kind = receiver.rsplit([' ', '*']).next().unwrap_or_default();
            name = format!("{kind}.{}", method.trim_start_matches('.'));
        }
        let mut parts = split(&without_parameters(&name));
        parts.retain(|it| it != "prototype");
        Query { parts, of, whole }
    }

    fn matches(&self, all: &[Definition]) -> Vec<Definition> {
        let whole = |it: &&Definition| self.whole.as_deref() == it.path.last().map(AsRef::as_ref);
        let impls: Vec<Definition> = all.iter().filter(whole).cloned().collect();
        if !impls.is_empty() {
            return impls;
        }
        let of = |it: &&Definition| match &self.of {
            Some(of) => it.via.as_deref().is_some_and(|via| via.split(" for ").next() == Some(of)),
            None => true,
        };
        let is = |path: &[Arc<str>]| path.iter().map(AsRef::as_ref).eq(self.parts.iter().map(String::as_str));
        let ends = |path: &[Arc<str>]| path.len().checked_sub(self.parts.len()).is_some_and(|at| is(&path[at..]));
        let exact: Vec<&Definition> = all.iter().filter(|it| is(&it.path)).filter(of).collect();
        let hits = match exact.is_empty() {
            true => all.iter().filter(|it| ends(&it.path)).filter(of).collect(),
            false => exact,
        };
        // Where a file has a definition and its announcements, the definition is meant.
        let defined: Vec<&Definition> = hits.iter().copied().filter(|it| !it.is_declaration).collect();
        let hits = if defined.is_empty() { hits } else { defined };
        hits.into_iter().cloned().collect()
    }
}

/// `<Type as Trait>::method` as its three pieces.
fn qualified(name: &str) -> Option<(String, String, String)> {
    let inner = name.strip_prefix('<')?;
    let (kind, rest) = inner.split_once(" as ")?;
    let (of, rest) = rest.rsplit_once(">::")?;
    Some((kind.to_string(), of.to_string(), format!("::{rest}")))
}

fn last_part(name: &str) -> String {
    split(name).pop().unwrap_or_default()
}

/// A name without what stands in angle or square brackets.
fn without_parameters(name: &str) -> String {
    if name.contains("operator") {
        return name.to_string();
    }
    let mut depth = 0usize;
    let mut out = String::new();
    for c in name.chars() {
        match c {
            '<' | '[' => depth += 1,
            '>' | ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out.replace("::::", "::").trim().to_string()
}

/// The parts of a qualified name; a private name keeps its `#`.
fn split(name: &str) -> Vec<String> {
    if let Some(at) = name.find("operator") {
        let mut parts = split(&name[..at]);
        parts.push(name[at..].split_whitespace().collect::<Vec<_>>().join(" "));
        return parts;
    }
    let mut parts = Vec::new();
    for part in name.replace("::", ".").split(['.', '/', '\\']) {
        match part.trim().split_once('#') {
            Some((of, member)) if !of.is_empty() => parts.extend([of.to_string(), member.to_string()]),
            _ => parts.push(part.trim().to_string()),
        }
    }
    parts.retain(|it| !it.is_empty());
    parts
}

/// What may stand in front of a name for the file that it is in.
fn modules(path: &str, package: Option<&str>) -> Vec<String> {
    let stem = path.rsplit_once('.').map_or(path, |it| it.0);
    let known = ["crate", "self", "super", "this", "exports", "module", "prototype"];
    let parts = stem.split('/').chain(package.into_iter().flat_map(|it| it.split('.'))).chain(known);
    parts.map(|it| it.replace('-', "_")).collect()
}

/// The names that are most alike, best first.
fn nearest(all: &[Definition], query: &Query) -> Vec<String> {
    let Some(sought) = query.parts.last() else { return Vec::new() };
    let sought: String = sought.to_lowercase().chars().take(LONGEST_COMPARED).collect();
    let mut scored: Vec<(usize, String)> = Vec::new();
    for definition in all {
        let own = definition.path.last().map(|it| it.to_lowercase()).unwrap_or_default();
        let far = strsim::levenshtein(&sought, &own);
        let near = far <= (sought.chars().count() / 2).clamp(1, 3);
        let holds = sought.len() > 2 && own.len() > 2 && (own.contains(&sought) || sought.contains(&own));
        let name = definition.display_name();
        if (near || holds) && !scored.iter().any(|(_, it)| *it == name) {
            scored.push((if near { far } else { 100 + far }, name));
        }
    }
    scored.sort();
    scored.into_iter().take(NEAREST).map(|(_, name)| name).collect()
}
