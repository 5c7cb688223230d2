//! From text to a syntax tree, and everything that makes a text suspicious before its meaning is looked at.
//!
//! The grammar is a second opinion on what bash would read, so it is not trusted where the two may differ: control
//! characters, text that no node covers and comments in odd places are refused by [`doubt`].

use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// Steps of the parser before it is stopped: error recovery can take far longer than reading, and the number of steps is
/// the same on every machine.
const FEWEST_STEPS: usize = 2_000;
/// One more step for each of these.
const BYTES_PER_STEP: usize = 20;

/// Parses a line; none when the parser gives up. A here-document without its end, which bash accepts, is ended.
pub(crate) fn parse(text: &str) -> Option<(String, Tree)> {
    let tree = read(text)?;
    if tree.root_node().has_error()
        && let Some(end) = open_heredoc(text, tree.root_node())
    {
        let mended = format!("{text}\n{end}\n");
        if let Some(second) = read(&mended).filter(|it| !it.root_node().has_error()) {
            return Some((mended, second));
        }
    }
    if tree.root_node().has_error()
        && let Some(swapped) = here_string_first(text)
        && let Some(second) = read(&swapped).filter(|it| !it.root_node().has_error())
    {
        return Some((swapped, second));
    }
    Some((text.to_owned(), tree))
}

fn read(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let bytes = text.as_bytes();
    let mut steps = FEWEST_STEPS + bytes.len() / BYTES_PER_STEP;
    let mut progress = |_: &_| {
        steps = steps.saturating_sub(1);
        if steps == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// `> file <<< word` as `<<< word > file`: the same to the shell, and the grammar knows no other order.
fn here_string_first(text: &str) -> Option<String> {
    let (before, behind) = text.split_once("<<<")?;
    let open = before.rfind('>')?;
    let from = before[..open].trim_end_matches(|c: char| c == '>' || c == '&' || c.is_ascii_digit()).len();
    let plain = |c: char| c.is_alphanumeric() || "_-./~$".contains(c);
    let target = before[open + 1..].trim();
    let behind = behind.trim_start();
    let length = match behind.chars().next()? {
        quote @ ('"' | '\'') => behind[1..].find(quote)? + 2,
        _ => behind.find(|c| !plain(c)).unwrap_or(behind.len()),
    };
    let (word, rest) = behind.split_at(length);
    let simple = !target.is_empty() && target.chars().all(plain) && !word.is_empty() && !word.contains('\\');
    simple.then(|| format!("{}<<< {word} {} {rest}", &before[..from], before[from..].trim()))
}

fn open_heredoc(text: &str, root: Node<'_>) -> Option<String> {
    let mut cursor = root.walk();
    let errors = root.children(&mut cursor).filter(|it| it.is_error());
    let start = errors.filter_map(|it| it.named_child(0)).find(|it| it.kind() == "heredoc_start")?;
    let word = text.get(start.byte_range())?.trim_matches(['\'', '"', '\\']);
    Some(word.to_owned()).filter(|it| !it.is_empty() && it.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

/// Why the characters of a text must not be trusted, if so. Bash and the parser agree on blanks, tabs and newlines only,
/// and what a reader cannot see they cannot consent to.
pub(crate) fn suspicious_characters(text: &str) -> Option<&'static str> {
    for c in text.chars() {
        match c {
            '\n' | '\t' => {}
            '\r' => return Some("a carriage return"),
            '\u{1b}' => return Some("a terminal escape"),
            _ if c.is_control() => return Some("a control character"),
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => {
                return Some("an invisible character");
            }
            '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffc}' | '\u{e0000}'..='\u{e0fff}' => {
                return Some("an invisible character");
            }
            '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => return Some("an invisible character"),
            _ if c != ' ' && c.is_whitespace() => return Some("a blank that is none to the shell"),
            _ => {}
        }
    }
    None
}

/// Why a tree must not be trusted, if so.
pub(crate) fn distrust(text: &str, root: Node<'_>) -> Option<String> {
    if root.has_error()
        && let Some(node) = first_error(root)
    {
        return Some(format!("text that does not parse: {}", line_of(text, node)));
    }
    let mut at = root.start_byte();
    if text.get(..at).is_some_and(|it| !is_blank(it)) {
        return Some("text that does not parse".to_owned());
    }
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        if node.child_count() > 0 && !is_word(node.kind()) {
            stack.extend(children(node).into_iter().rev());
            continue;
        }
        if node.start_byte() < at {
            continue;
        }
        // The grammar loses a lone dash before a here-document, which stands for the standard input anyway.
        let lost_dash = |it: &str| it.trim() == "-" && node.kind().starts_with("<<");
        if text.get(at..node.start_byte()).is_none_or(|it| !is_blank(it) && !lost_dash(it)) {
            return Some(format!("text that the parser skipped: {}", line_of(text, node)));
        }
        if node.kind() == "comment" && !starts_word(text, node.start_byte()) {
            return Some("a comment that the shell may not take for one".to_owned());
        }
        at = node.end_byte();
    }
    text.get(at..root.end_byte()).is_none_or(|it| !is_blank(it)).then(|| "text that the parser skipped".to_owned())
}

/// The first node that the parser made up or could not place.
fn first_error(root: Node<'_>) -> Option<Node<'_>> {
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        if node.is_error() || (node.is_missing() && !is_bare_assignment(node)) {
            return Some(node);
        }
        stack.extend(children(node).into_iter().rev());
    }
    None
}

/// `x=1 > file`: the grammar wants a command there, the shell does not.
fn is_bare_assignment(node: Node<'_>) -> bool {
    let named = node.parent().filter(|it| it.kind() == "command_name");
    let command = named.and_then(|it| it.parent());
    command.and_then(|it| it.named_child(0)).is_some_and(|it| it.kind() == "variable_assignment")
}

/// Nodes whose text [`super::word`] reads for itself.
fn is_word(kind: &str) -> bool {
    matches!(kind, "word" | "string" | "raw_string" | "ansi_c_string" | "translated_string" | "concatenation")
        || matches!(kind, "expansion" | "arithmetic_expansion" | "heredoc_body" | "simple_expansion" | "test_command")
        || matches!(kind, "array" | "subscript" | "extglob_pattern" | "regex" | "brace_expression")
}

/// The children of a node.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}

/// The named children of a node.
pub(crate) fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}

fn is_blank(text: &str) -> bool {
    text.replace("\\\n", "").chars().all(|c| matches!(c, ' ' | '\t' | '\n'))
}

fn starts_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|it| it.chars().next_back());
    before.is_none_or(|c| matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')'))
}

fn line_of<'a>(text: &'a str, node: Node<'_>) -> &'a str {
    let from = text.get(node.start_byte()..).unwrap_or_default();
    from.lines().next().unwrap_or_default()
}

/// The outermost expansions below a node (or itself), in the order of the text.
pub(crate) fn expansions(node: Node<'_>) -> Vec<Node<'_>> {
    let (mut found, mut stack) = (Vec::new(), vec![node]);
    while let Some(node) = stack.pop() {
        if is_expansion(node.kind()) {
            found.push(node);
            continue;
        }
        let children = named_children(node);
        stack.extend(children.into_iter().rev());
    }
    found
}

fn is_expansion(kind: &str) -> bool {
    matches!(kind, "simple_expansion" | "expansion" | "arithmetic_expansion")
        || matches!(kind, "command_substitution" | "process_substitution")
}
