//! What stands beside the words of a line's commands and decides something: a redirection, an assignment.
//!
//! Fails closed: each `>` and `=` counts that is not known to be harmless.

use std::ops::Range;

use tree_sitter::Node;

use crate::syntax;

/// True where a rule for the line's simple commands does not cover the line as a whole.
pub(crate) fn is_steered(line: &str) -> bool {
    let steers = |text: &str| text.contains(['>', '=']);
    if !steers(line) {
        return false;
    }
    let Some((_, tree)) = syntax::parse(line).filter(|(text, tree)| text == line && !tree.root_node().has_error())
    else {
        return true;
    };
    let mut rest = line.as_bytes().to_vec();
    let mut at = tree.walk();
    'all: loop {
        if let Some(harmless) = harmless(line, at.node()) {
            rest[harmless].fill(b' ');
        }
        if at.goto_first_child() {
            continue;
        }
        while !at.goto_next_sibling() {
            if !at.goto_parent() {
                break 'all;
            }
        }
    }
    steers(&String::from_utf8_lossy(&rest))
}

/// A descriptor that copies another, output that is thrown away, or an option with its value. The grammar takes words behind a
/// redirection for part of it.
fn harmless(line: &str, node: Node<'_>) -> Option<Range<usize>> {
    match node.kind() {
        "word" => line.get(node.byte_range())?.starts_with('-').then(|| node.byte_range()),
        "file_redirect" => {
            let range = node.start_byte()..node.child_by_field_name("destination")?.end_byte();
            let text = line.get(range.clone())?.trim_start_matches(|c: char| c.is_ascii_digit());
            let copies = text.strip_prefix(">&").is_some_and(|it| it.parse::<u32>().is_ok());
            let target = ["&>>", "&>", ">>", ">"].iter().find_map(|it| text.strip_prefix(it));
            (copies || target.is_some_and(|it| it.trim() == "/dev/null")).then_some(range)
        }
        _ => None,
    }
}
