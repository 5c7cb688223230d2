//! The statements of a line, one after the other, with what each leaves behind for the next.
//!
//! Branches that may or may not run leave behind only what holds either way; loops are gone through until nothing changes,
//! at most twice.

use ox_protocol::{EffectKind, Level};
use tree_sitter::Node;

use crate::analyzer::{Analyzer, ParsedCommand};
use crate::scope::{Scope, Stdin, WorkingDirectory};
use crate::syntax;
use crate::syntax::named_children;
use crate::variables;
use crate::word::Word;
use ox_protocol::word_list::contains;

/// Lines within lines: `sh -c "sh -c '…'"`.
const DEEPEST_LINE: usize = 8;
/// One more for each of these.
const BYTES_PER_STATEMENT: usize = 24;
/// Lines that are parsed for one line.
const MOST_LINES: usize = 300;
/// Values of a loop's variable that are gone through one by one.
const MOST_VALUES: usize = 8;
/// Newlines or blanks in a row that push what follows out of sight.
const PADDING: usize = 10;

/// Words of commands that destroy what nothing else holds, or give work to others.
const IRREVERSIBLE: &str =
    "push reset clean checkout restore rebase stash switch branch amend publish deploy release sudo su";

/// Nodes that are arithmetic.
const SUMS: &str = "binary_expression unary_expression postfix_expression ternary_expression parenthesized_expression \
    arithmetic_expansion subscript variable_name";

impl Analyzer<'_> {
    /// Analyses a command line.
    pub fn line(&mut self, text: &str, scope: &mut Scope) {
        if let Some(why) = syntax::suspicious_characters(text) {
            return self.findings.add_obscure(Level::System, why);
        }
        self.parsed += 1;
        if self.lines >= DEEPEST_LINE || self.parsed > MOST_LINES {
            return self.findings.add_obscure(Level::System, "too many command lines in one");
        }
        let Some((text, tree)) = syntax::parse(text) else {
            return self.not_understood(text, "a line that does not parse in time");
        };
        if let Some(why) = syntax::distrust(&text, tree.root_node()) {
            return self.not_understood(&text, why);
        }
        if text.contains(&"\n".repeat(PADDING)) || text.contains(&" ".repeat(4 * PADDING)) && !text.contains("<<") {
            self.findings.add_obscure(Level::Shell, "padding that pushes a part out of sight");
        }
        self.lines += 1;
        self.statement(&text, tree.root_node(), scope);
        self.lines -= 1;
    }

    /// Analyses a statement and all in it.
    pub fn statement(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        self.visited += 1;
        if node.kind() == "command" {
            self.visited += node.byte_range().len() / BYTES_PER_STATEMENT;
        }
        self.nested(|analyzer| analyzer.statement_of_kind(text, node, scope));
    }

    fn statement_of_kind(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        match node.kind() {
            "comment" | "heredoc_body" | "heredoc_end" | "heredoc_start" => {}
            "program" | "do_group" | "negated_command" | "variable_assignments" => self.each(text, node, scope),
            "list" => self.list(text, node, scope, None),
            "compound_statement" if self.is_sum(text, node) => self.arithmetic(text, node, scope),
            "compound_statement" => self.each(text, node, scope),
            "command" => self.command(text, node, scope),
            "redirected_statement" => self.redirected(text, node, node.child_by_field_name("body"), scope),
            "pipeline" => self.pipeline(text, node, scope),
            "subshell" => {
                let mut inside = scope.clone();
                self.each(text, node, &mut inside);
            }
            "variable_assignment" => self.assignment(text, node, scope, false),
            "declaration_command" => self.declaration(text, node, scope),
            "unset_command" => self.unset(text, node, scope),
            "test_command" => self.test(text, node, scope),
            "if_statement" | "case_statement" => {
                self.conditional(scope, |analyzer, scope| analyzer.branches(text, node, scope))
            }
            "while_statement" => self.looped(scope, |analyzer, scope| analyzer.branches(text, node, scope)),
            "for_statement" => self.for_each(text, node, scope),
            "c_style_for_statement" => self.looped(scope, |analyzer, scope| analyzer.branches(text, node, scope)),
            "function_definition" => self.function(text, node, scope),
            kind => {
                let source = text.get(node.byte_range()).unwrap_or_default();
                self.not_understood(source, format!("a construct that is not analysed: {kind}"));
            }
        }
    }

    /// Notes text that is not understood. In the sandbox it may run, unless it names what they cannot bring back.
    pub fn not_understood(&mut self, text: &str, why: impl Into<String>) {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        if words.any(|it| contains(IRREVERSIBLE, it)) {
            return self.findings.add_obscure(Level::System, why);
        }
        self.findings.add_computed(Level::System, why);
    }

    fn each(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        for child in named_children(node) {
            self.statement(text, child, scope);
        }
    }

    /// `a && b` and `a || b`. The grammar hangs redirections behind it on the whole, in `redirected`; the shell takes them
    /// for those of the last command.
    pub fn list(&mut self, text: &str, node: Node<'_>, scope: &mut Scope, redirected: Option<Node<'_>>) {
        let mut or = false;
        let children = syntax::children(node);
        let last = children.iter().rposition(|it| it.is_named());
        for (at, child) in children.into_iter().enumerate() {
            let outer = redirected.filter(|_| Some(at) == last);
            let one = |analyzer: &mut Self, scope: &mut Scope| match outer {
                Some(outer) => analyzer.redirected(text, outer, Some(child), scope),
                None => analyzer.statement(text, child, scope),
            };
            match child.kind() {
                "||" => or = true,
                "&&" => or = false,
                _ if !child.is_named() => {}
                _ if or => self.conditional(scope, one),
                _ => one(self, scope),
            }
        }
    }

    /// A part that may not run: what it changes is not known afterwards.
    pub fn conditional(&mut self, scope: &mut Scope, part: impl FnOnce(&mut Self, &mut Scope)) {
        let before = scope.clone();
        part(self, scope);
        if scope.cwd != before.cwd {
            scope.cwd = WorkingDirectory::Unknown;
        }
        let number = |it: &Word| it.text.parse::<i64>().is_ok();
        for (name, value) in &mut scope.variables {
            let was = before.variables.get(name);
            let numbers = was.and_then(Option::as_ref).is_some_and(number) && value.as_ref().is_some_and(number);
            if was != Some(value) && !numbers {
                *value = None;
            }
        }
    }

    /// A part that may run any number of times.
    fn looped(&mut self, scope: &mut Scope, mut part: impl FnMut(&mut Self, &mut Scope)) {
        let before = scope.clone();
        self.conditional(scope, &mut part);
        if scope.cwd != before.cwd || scope.variables != before.variables {
            self.conditional(scope, &mut part);
        }
    }

    /// The parts of a compound command: conditions, bodies, values, patterns.
    fn branches(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        for child in named_children(node) {
            match child.kind() {
                "elif_clause" | "else_clause" | "case_item" => self.branches(text, child, scope),
                "word" | "string" | "raw_string" | "ansi_c_string" | "translated_string" | "concatenation"
                | "number" | "extglob_pattern" | "regex" | "brace_expression" => {
                    self.words(text, child, scope);
                }
                "simple_expansion" | "expansion" | "command_substitution" | "process_substitution" => {
                    self.expansion(text, child, scope);
                }
                kind if contains(SUMS, kind) => {
                    self.arithmetic(text, child, scope);
                }
                _ => self.statement(text, child, scope),
            }
        }
    }

    fn for_each(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        let name = node.child_by_field_name("variable").and_then(|it| text.get(it.byte_range())).unwrap_or_default();
        let mut cursor = node.walk();
        let values: Vec<Node<'_>> = node.children_by_field_name("value", &mut cursor).collect();
        let listed: Vec<Word> = values.into_iter().flat_map(|it| self.words(text, it, scope)).collect();
        let Some(body) = node.child_by_field_name("body") else { return };
        if variables::redirects_programs(name) {
            self.findings.add(EffectKind::Environment, Level::Shell, name);
        }
        let some = !listed.is_empty() && listed.len() <= MOST_VALUES;
        let values = if some { listed.into_iter().map(Some).collect() } else { vec![None] };
        for value in values {
            scope.variables.insert(name.to_owned(), value);
            self.looped(scope, |analyzer, scope| analyzer.statement(text, body, scope));
        }
        scope.forget(name);
    }

    /// What one stage writes and the next reads is not known.
    fn pipeline(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        let stages = named_children(node);
        let mut stdin = scope.stdin.clone();
        for stage in stages {
            self.statement(text, stage, &mut scope.with_stdin(stdin));
            stdin = Stdin::Unknown;
        }
    }

    fn command(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        let simple = self.parse_command(text, node, scope);
        self.simple(&simple, scope);
    }

    /// Reads the assignments, words and redirections of a command, and analyses all but the command itself.
    pub fn parse_command(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) -> ParsedCommand {
        let mut simple = ParsedCommand::default();
        for child in named_children(node) {
            match child.kind() {
                "variable_assignment" => {
                    let (name, value) = self.assigned(text, child, scope);
                    simple.assigned.push((name, value));
                }
                "command_name" => {
                    if let Some(word) = child.named_child(0).filter(|it| !it.is_missing()) {
                        simple.words.extend(self.words(text, word, scope));
                    } else if child.named_child_count() == 0 {
                        simple.words.extend(self.words(text, child, scope));
                    }
                }
                "file_redirect" => simple.words.extend(self.redirection(text, child, scope)),
                "herestring_redirect" => self.here_string(text, child, scope),
                "heredoc_redirect" => simple.words.extend(self.here_document(text, child, scope, None)),
                "comment" => {}
                _ => simple.words.extend(self.words(text, child, scope)),
            }
        }
        simple
    }

    fn function(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        let name = node.child_by_field_name("name").and_then(|it| text.get(it.byte_range())).unwrap_or_default();
        self.findings.add(EffectKind::Execute, Level::Shell, format!("the function {name}"));
        scope.defined.insert(name.to_owned());
        let mut inside = scope.clone();
        for child in named_children(node).into_iter().skip(1) {
            match child.kind() {
                "file_redirect" => {
                    self.redirection(text, child, &mut inside);
                }
                _ => self.statement(text, child, &mut inside),
            }
        }
        // When it is called the folder and the variables are those of that moment.
        if inside.cwd != scope.cwd {
            scope.cwd = WorkingDirectory::Unknown;
        }
        for (name, value) in inside.variables {
            if scope.variables.get(&name) != Some(&value) {
                scope.forget(&name);
            }
        }
    }

    fn is_sum(&self, text: &str, node: Node<'_>) -> bool {
        text.get(node.byte_range()).is_some_and(|it| it.starts_with("(("))
    }
}
