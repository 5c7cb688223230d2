//! Redirections, here-documents and here-strings.

use ox_protocol::Level;
use tree_sitter::Node;

use crate::analyzer::{Analyzer, ParsedCommand};
use crate::paths::PathAccess;
use crate::scope::{Scope, Stdin, WorkingDirectory};
use crate::syntax;
use crate::syntax::named_children;
use crate::word::{UNKNOWN, Word};

impl Analyzer<'_> {
    /// A statement with redirections after it, which stand in `node`.
    pub fn redirected(&mut self, text: &str, node: Node<'_>, body: Option<Node<'_>>, scope: &mut Scope) {
        if let Some(list) = body.filter(|it| it.kind() == "list") {
            return self.list(text, list, scope, Some(node));
        }
        let mut cursor = node.walk();
        let redirects: Vec<Node<'_>> = node.children_by_field_name("redirect", &mut cursor).collect();
        let before = scope.stdin.clone();
        let mut more = Vec::new();
        for redirect in redirects {
            match redirect.kind() {
                "file_redirect" => more.extend(self.redirection(text, redirect, scope)),
                "herestring_redirect" => self.here_string(text, redirect, scope),
                "heredoc_redirect" => more.extend(self.here_document(text, redirect, scope, body)),
                kind => self.not_understood(text, format!("a construct that is not analysed: {kind}")),
            }
        }
        match body {
            Some(command) if command.kind() == "command" => {
                let mut simple = self.parse_command(text, command, scope);
                simple.words.extend(more);
                self.simple(&simple, scope);
            }
            // The grammar takes words behind a redirection for part of it; without a command they are one.
            None if !more.is_empty() => self.simple(&ParsedCommand { assigned: Vec::new(), words: more }, scope),
            None => {}
            Some(body) => {
                if !more.is_empty() {
                    self.findings.add_obscure(Level::System, "words behind a redirection");
                }
                self.statement(text, body, scope);
            }
        }
        scope.stdin = before;
    }

    /// One redirection to or from a file; the words behind it that belong to the command.
    pub fn redirection(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) -> Vec<Word> {
        let children = syntax::children(node);
        let operator = children.iter().find(|it| !it.is_named()).map_or("", |it| it.kind());
        let mut words: Vec<Word> = Vec::new();
        for child in children.iter().filter(|it| it.is_named() && it.kind() != "file_descriptor") {
            words.extend(self.words(text, *child, scope));
        }
        if words.is_empty() {
            return words;
        }
        let target = words.remove(0);
        let copies = operator.ends_with('&') && is_descriptor(&target.text);
        match operator {
            _ if copies => {}
            "<" => {
                scope.stdin = Stdin::Unknown;
                self.access(&target, PathAccess::Read, scope);
            }
            ">" | ">>" | ">|" | "&>" | "&>>" | ">&" => self.access(&target, PathAccess::Write, scope),
            "<>" => {
                self.access(&target, PathAccess::Read, scope);
                self.access(&target, PathAccess::Write, scope);
            }
            "<&" | "<&-" | ">&-" => self.findings.add_computed(Level::Shell, target.shown()),
            _ => self.findings.add_obscure(Level::System, format!("the redirection {operator}")),
        }
        words
    }

    /// `<<< word`.
    pub fn here_string(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) {
        let word = node.named_child(0).map(|it| self.word(text, it, scope)).unwrap_or_default();
        scope.stdin = if word.has_unknown() { Stdin::Unknown } else { Stdin::Text(word.text) };
        if node.named_child_count() > 1 {
            self.findings.add_obscure(Level::System, "words behind a redirection");
        }
    }

    /// `<<END`, with everything that stands behind it on its line.
    pub fn here_document(
        &mut self,
        text: &str,
        node: Node<'_>,
        scope: &mut Scope,
        body: Option<Node<'_>>,
    ) -> Vec<Word> {
        let children = named_children(node);
        let part = |kind: &str| children.iter().find(|it| it.kind() == kind).and_then(|it| text.get(it.byte_range()));
        let (start, document) = (part("heredoc_start").unwrap_or_default(), part("heredoc_body").unwrap_or_default());
        let end = start.replace(['\'', '"', '\\'], "");
        // The grammar takes a separator behind the word for part of it, and the rest of the line for arguments.
        let plain = !end.is_empty() && end.chars().all(|c| c.is_alphanumeric() || "_-. ".contains(c));
        let ends_there = part("heredoc_end").is_some_and(|it| it.trim() == end);
        let ends_before = document.lines().any(|line| line.trim_start_matches('\t') == end);
        if !plain || !ends_there || ends_before {
            self.findings.add_obscure(Level::System, "a here-document whose end is not clear");
        }
        let literal = end.len() != start.len();
        let content = if literal { document.to_owned() } else { self.embedded(document, scope) };
        scope.stdin = if content.contains(UNKNOWN) { Stdin::Unknown } else { Stdin::Text(content) };
        let mut more = Vec::new();
        for child in &children {
            match child.kind() {
                "heredoc_start" | "heredoc_body" | "heredoc_end" | "file_descriptor" => {}
                "file_redirect" => more.extend(self.redirection(text, *child, scope)),
                "herestring_redirect" => self.here_string(text, *child, scope),
                "word" | "string" | "raw_string" | "concatenation" | "number" | "simple_expansion" | "expansion" => {
                    more.extend(self.words(text, *child, scope));
                }
                _ => {
                    // `cat <<END | sh` hands the document on; what any other command makes of it is not known.
                    let cats = body.and_then(|it| text.get(it.byte_range())).is_some_and(|it| it.trim() == "cat");
                    let mut inside = scope.with_stdin(if cats { scope.stdin.clone() } else { Stdin::Unknown });
                    self.statement(text, *child, &mut inside);
                    // What stands behind the document may move on, and nothing orders the two here.
                    if inside.cwd != scope.cwd {
                        scope.cwd = WorkingDirectory::Unknown;
                    }
                    scope.defined.extend(inside.defined);
                    inside.variables.into_keys().for_each(|it| scope.forget(&it));
                }
            }
        }
        more
    }
}

fn is_descriptor(text: &str) -> bool {
    text == "-" || !text.is_empty() && text.trim_end_matches('-').chars().all(|c| c.is_ascii_digit())
}
