//! Assignments, declarations and tests: what a line does to its variables, and what evaluating them runs.

use ox_protocol::{EffectKind, Level};
use tree_sitter::Node;

use crate::analyzer::Analyzer;
use crate::scope::Scope;
use crate::syntax::named_children;
use crate::variables;
use crate::word::Word;
use ox_protocol::word_list::contains;

/// Nodes of a test that are words to the shell.
const OPERANDS: &str = "word string raw_string ansi_c_string translated_string concatenation number simple_expansion expansion \
    command_substitution process_substitution arithmetic_expansion brace_expression";

impl Analyzer<'_> {
    /// `name=value` as a statement.
    pub fn assignment(&mut self, text: &str, node: Node<'_>, scope: &mut Scope, exported: bool) {
        let (name, value) = self.assigned(text, node, scope);
        if exported && !variables::is_harmless(&name) {
            self.findings.add(EffectKind::Environment, Level::Shell, name.clone());
        }
        self.assign(&name, value, scope);
    }

    /// Notes what a variable holds from now on.
    pub fn assign(&mut self, name: &str, value: Option<Word>, scope: &mut Scope) {
        if variables::redirects_programs(name) {
            self.findings.add(EffectKind::Environment, Level::Shell, name);
        }
        if !scope.defined.is_empty()
            && let Some(value) = &value
        {
            // A function that was analysed before may use it.
            self.scan(std::slice::from_ref(value), scope);
        }
        scope.variables.insert(name.to_owned(), value);
    }

    /// The name and the value of an assignment; no value for arrays and additions.
    pub fn assigned(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) -> (String, Option<Word>) {
        let source = text.get(node.byte_range()).unwrap_or_default();
        let mut name = String::new();
        if let Some(named) = node.child_by_field_name("name") {
            let whole = text.get(named.byte_range()).unwrap_or_default();
            name = whole.split('[').next().unwrap_or_default().to_owned();
            if named.kind() == "subscript" {
                self.subscript(text, named, scope);
            }
        }
        let Some(value) = node.child_by_field_name("value") else {
            return (name, Some(Word::default()));
        };
        if value.kind() == "array" {
            self.array(text, value, scope);
            return (name, None);
        }
        let word = self.word(text, value, scope);
        let plain = source.get(name.len()..).is_some_and(|it| it.starts_with('='));
        (name, Some(word).filter(|it| plain && !it.has_unknown()))
    }

    fn array(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        let items = named_children(node);
        for item in items.into_iter().filter(|it| it.kind() != "comment") {
            if item.kind() == "variable_assignment" {
                self.assigned(text, item, scope);
            } else {
                self.words(text, item, scope);
            }
        }
    }

    fn subscript(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        let source = text.get(node.byte_range()).unwrap_or_default();
        let index = source.split_once('[').map_or("", |it| it.1).trim_end_matches(']');
        if !index.chars().all(|c| c.is_ascii_digit()) {
            self.findings.add_computed(Level::Shell, source);
            self.embedded(index, scope);
        }
    }

    /// `export`, `declare`, `local`, `readonly`, `typeset`.
    pub fn declaration(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        let keyword = node.child(0).and_then(|it| text.get(it.byte_range())).unwrap_or_default();
        let (mut flags, mut named) = (String::new(), false);
        for child in named_children(node) {
            match child.kind() {
                "variable_assignment" => {
                    named = true;
                    if flags.contains(['i', 'n']) {
                        self.findings.add_computed(Level::Shell, text.get(child.byte_range()).unwrap_or_default());
                    }
                    self.assignment(text, child, scope, keyword == "export" || flags.contains('x'));
                }
                "variable_name" => {
                    named = true;
                    let name = text.get(child.byte_range()).unwrap_or_default();
                    if variables::redirects_programs(name) || flags.contains(['n', 'p']) {
                        self.findings.add(EffectKind::Environment, Level::Shell, name);
                    }
                }
                _ => {
                    let word = self.word(text, child, scope);
                    if let Some(more) = word.text.strip_prefix('-') {
                        flags.push_str(more);
                    } else {
                        named = true;
                        self.findings.add_computed(Level::Shell, word.source);
                    }
                }
            }
        }
        if !named && !flags.contains(['f', 'F']) {
            self.findings.add(EffectKind::Read, Level::System, "all variables");
        }
    }

    /// `unset`.
    pub fn unset(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        for child in named_children(node) {
            let word = self.word(text, child, scope);
            self.variable_word(&word);
            scope.forget(&word.text);
            scope.defined.remove(&word.text);
        }
    }

    /// `[ … ]`, `[[ … ]]` and `(( … ))`.
    pub fn test(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        let source = text.get(node.byte_range()).unwrap_or_default();
        if source.starts_with("((") {
            return self.arithmetic(text, node, scope);
        }
        let computed = self.test_operands(text, node, scope);
        let sums = [" -eq ", " -ne ", " -lt ", " -le ", " -gt ", " -ge "];
        let evaluates = source.contains(" -v ")
            || source.contains(" -R ")
            || source.starts_with("[[") && sums.iter().any(|it| source.contains(it));
        if evaluates && computed {
            self.findings.add_computed(Level::Shell, source);
        }
    }

    /// Reads the operands of a test; true if one of them is computed.
    fn test_operands(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) -> bool {
        let mut computed = false;
        let mut stack = vec![node];
        while let Some(part) = stack.pop() {
            match part.kind() {
                kind if contains(OPERANDS, kind) => {
                    let words = self.words(text, part, scope);
                    computed |= words.iter().any(|it| it.has_unknown() || it.text.contains('['));
                }
                "regex" | "extglob_pattern" => {
                    self.embedded(text.get(part.byte_range()).unwrap_or_default(), scope);
                }
                _ => {
                    let children = named_children(part);
                    stack.extend(children);
                }
            }
        }
        computed
    }
}
