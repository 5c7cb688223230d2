//! What `$…`, backticks and arithmetic become, and what runs on the way.
//!
//! A command substitution is never of level read: what it prints becomes part of a command, and nobody knows it beforehand.

use ox_protocol::names::may_be_secret_variable;
use ox_protocol::{EffectKind, Level};
use tree_sitter::Node;

use crate::analyzer::Analyzer;
use crate::scope::{Scope, WorkingDirectory};
use crate::syntax::{expansions, named_children};
use crate::variables;
use crate::word::UNKNOWN;

impl Analyzer<'_> {
    /// Analyses an expansion; its value where it is known.
    pub fn expansion(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) -> Option<String> {
        self.nested(|analyzer| analyzer.expand(text, node, scope))
    }

    fn expand(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) -> Option<String> {
        let source = text.get(node.byte_range()).unwrap_or_default();
        match node.kind() {
            "simple_expansion" => self.variable(source.trim_start_matches('$'), scope),
            "expansion" => self.parameter(text, node, scope),
            "arithmetic_expansion" => {
                self.arithmetic(text, node, scope);
                // Whatever number it is, it leads no path anywhere and switches nothing on.
                Some("0".to_owned())
            }
            "command_substitution" => self.substitution(text, node, scope),
            _ => {
                self.inner(text, node, scope);
                None
            }
        }
    }

    /// The value of a variable, as far as the line or its place tell.
    pub fn variable(&mut self, name: &str, scope: &Scope) -> Option<String> {
        if let Some(known) = scope.variables.get(name) {
            return known.as_ref().map(|it| it.text.clone());
        }
        match name {
            "HOME" => return Some(self.paths.home_text()),
            "PWD" => {
                return match &scope.cwd {
                    WorkingDirectory::Known(folder) => Some(folder.display().to_string()),
                    WorkingDirectory::Unknown => None,
                };
            }
            "TMPDIR" => return Some("/tmp".to_owned()),
            _ => {}
        }
        if may_be_secret_variable(name) {
            self.findings.add(EffectKind::Secret, Level::System, format!("${name}"));
        } else if !variables::is_public_variable(name) {
            self.findings.add(EffectKind::Read, Level::Shell, format!("${name}"));
        }
        None
    }

    /// `${…}`.
    fn parameter(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) -> Option<String> {
        let source = text.get(node.byte_range()).unwrap_or_default();
        let inner = source.strip_prefix("${").and_then(|it| it.strip_suffix('}')).unwrap_or_default();
        // The tree does not see substitutions inside patterns, so the text is searched for them.
        self.embedded(inner, scope);
        if let Some(counted) = inner.strip_prefix('#').filter(|it| !it.is_empty()) {
            if counted.contains('[') && !counted.ends_with("[@]") && !counted.ends_with("[*]") {
                self.findings.add_computed(Level::Shell, source);
            }
            return Some("0".to_owned());
        }
        if inner.starts_with('!') {
            self.findings.add_computed(Level::Shell, source);
            return None;
        }
        let name_end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
        let (name, operator) = inner.split_at(name_end);
        if name.is_empty() {
            return None;
        }
        let value = self.variable(name, scope);
        if operator.is_empty() {
            return value;
        }
        if operator.starts_with('@') {
            // `@P` runs what the value holds.
            self.findings.add_computed(Level::System, source);
        } else if operator.starts_with('[') || is_computed_slice(operator) {
            let whole = matches!(operator, "[@]" | "[*]");
            let index = operator.trim_matches(['[', ']', ':']);
            if !whole && !index.chars().all(|c| c.is_ascii_digit() || c == '-' || c == ':') {
                self.findings.add_computed(Level::Shell, source);
            }
        } else if operator.starts_with(":=") || operator.starts_with('=') {
            scope.forget(name);
        }
        None
    }

    /// `$(…)` or backticks.
    fn substitution(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) -> Option<String> {
        let source = text.get(node.byte_range()).unwrap_or_default();
        if source.starts_with('`') {
            // Backslashes mean something else there, so the text is read once more.
            let inner = source.trim_matches('`').replace("\\`", "`").replace("\\$", "$").replace("\\\\", "\\");
            return self.inner_text(&inner, scope);
        }
        self.inner(text, node, scope);
        None
    }

    /// The statements inside a substitution.
    fn inner(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        let source = text.get(node.byte_range()).unwrap_or_default();
        self.findings.add_computed(Level::Shell, source);
        let mut inside = scope.clone();
        for child in named_children(node) {
            match child.kind() {
                "file_redirect" => {
                    self.redirection(text, child, &mut inside);
                }
                _ => self.statement(text, child, &mut inside),
            }
        }
    }

    fn inner_text(&mut self, inner: &str, scope: &Scope) -> Option<String> {
        self.findings.add_computed(Level::Shell, format!("`{inner}`"));
        let mut inside = scope.clone();
        self.line(inner, &mut inside);
        None
    }

    /// Text in which `$(…)`, backticks and `${…}` still count though the tree does not see them. The text with holes.
    pub fn embedded(&mut self, text: &str, scope: &mut Scope) -> String {
        self.nested(|analyzer| analyzer.embedded_parts(text, scope))
    }

    fn embedded_parts(&mut self, text: &str, scope: &mut Scope) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['$', '`', '\\']) {
            out.push_str(&rest[..at]);
            let from = &rest[at..];
            let length = if let Some(escaped) = from.strip_prefix('\\') {
                let next = escaped.chars().next();
                out.extend(next);
                1 + next.map_or(0, char::len_utf8)
            } else if let Some(quoted) = from.strip_prefix('`') {
                let inner = quoted.split('`').next().unwrap_or_default();
                self.inner_text(inner, scope);
                out.push(UNKNOWN);
                (inner.len() + 2).min(from.len())
            } else {
                self.embedded_dollar(from, scope, &mut out)
            };
            rest = &from[length..];
        }
        out.push_str(rest);
        out
    }

    /// One `$…` at the beginning of `from`; how many bytes it takes.
    fn embedded_dollar(&mut self, from: &str, scope: &mut Scope, out: &mut String) -> usize {
        let (open, close) = match from.as_bytes().get(1) {
            Some(b'(') => ('(', ')'),
            Some(b'{') => ('{', '}'),
            _ => {
                let name: String = from[1..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                match self.variable(&name, scope).filter(|_| !name.is_empty()) {
                    Some(known) => out.push_str(&known),
                    None => out.push(if name.is_empty() { '$' } else { UNKNOWN }),
                }
                return 1 + name.len();
            }
        };
        let mut depth = 0_usize;
        let end = from[1..].char_indices().find(|(_, c)| {
            depth = depth + usize::from(*c == open) - usize::from(*c == close && depth > 0);
            depth == 0
        });
        out.push(UNKNOWN);
        let Some((end, _)) = end else {
            self.findings.add_computed(Level::System, from);
            return from.len();
        };
        let inner = &from[2..=end];
        let sum = inner.starts_with('(') && inner.ends_with(')');
        let harmless = |c: char| c.is_ascii_alphanumeric() || "_ ()+-*/%<>=&|!~^:?,.@".contains(c);
        if sum && inner.chars().all(harmless) || open == '{' && inner.chars().all(|c| harmless(c) && c != '@') {
            let name: String = inner.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            if open == '{' && !name.is_empty() {
                self.variable(&name, scope);
            }
        } else if open == '{' {
            self.findings.add_computed(Level::Shell, inner);
            self.embedded(inner, scope);
        } else {
            self.inner_text(inner, scope);
        }
        end + 2
    }

    /// Arithmetic: names in it are evaluated once more, so a variable that holds text may run commands.
    pub fn arithmetic(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        for inner in named_children(node).into_iter().flat_map(expansions) {
            self.expansion(text, inner, scope);
        }
        let source = text.get(node.byte_range()).unwrap_or_default();
        if source.contains(['[', '\'', '"', '`', '\\']) {
            self.findings.add_computed(Level::Shell, source);
        }
        let names = source.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for name in names.filter(|it| it.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')) {
            let number = |it: &str| it.chars().all(|c| c.is_ascii_digit() || c == '-');
            let holds_text = scope.variables.get(name).is_some_and(|it| it.as_ref().is_none_or(|it| !number(&it.text)));
            if holds_text {
                self.findings.add_computed(Level::Shell, source);
            }
        }
    }
}

/// `${x:1:2}`, whose numbers are arithmetic; `${x:-y}` is none.
fn is_computed_slice(operator: &str) -> bool {
    operator.strip_prefix(':').is_some_and(|it| !it.starts_with(['-', '=', '+', '?']))
}
