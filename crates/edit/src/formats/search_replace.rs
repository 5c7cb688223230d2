//! The block format with markers, as models write it:
//!
//! ```text
//! <<<<<<< SEARCH
//! the text sought
//! =======
//! the new text
//! >>>>>>> REPLACE
//! ```
//!
//! Lenient in the number of marker characters and in what stands around the blocks; never lenient about where a
//! block ends: markers out of order are an error, not content.

use crate::block::Block;
use crate::refusal::{Reason, Refusal};

/// What one line is to the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Search,
    Middle,
    Replace,
    Text,
}

/// Reads blocks from a text which may hold other lines (a file name, fences, prose) between them.
///
/// A block may start with `:start_line:N` (and `:end_line:N`) and a line `-------`; N becomes the hint. A marker
/// line which belongs to the content is written with a backslash before it. A last block without its end marker is
/// taken to end with the text.
///
/// # Errors
/// [`Reason::Malformed`] with the line where the format breaks.
pub fn parse_search_replace(text: &str) -> Result<Vec<Block>, Refusal> {
    parse_for_files(text).map(|(blocks, _)| blocks)
}

/// Whether a line opens a block.
pub(crate) fn opens_block(line: &str) -> bool {
    mark(line) == Mark::Search
}

/// The blocks, and for each of them the name of a file if one stands above it.
pub(crate) fn parse_for_files(text: &str) -> Result<(Vec<Block>, Vec<Option<String>>), Refusal> {
    let mut blocks = Vec::new();
    let mut names = Vec::new();
    let mut name = None;
    let mut lines = text.split_inclusive('\n').enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        match mark(line) {
            Mark::Search => {}
            Mark::Text => {
                name = file_name(line).or(name);
                continue;
            }
            Mark::Middle if blocks.is_empty() => continue,
            stray => return Err(malformed(number, &format!("{} outside of a block", mark_name(stray)))),
        }
        let mut search = String::new();
        let mut replace = String::new();
        let mut part = Mark::Search;
        for (at, line) in lines.by_ref() {
            match (part, mark(line)) {
                (Mark::Search, Mark::Middle) => part = Mark::Middle,
                (Mark::Middle, Mark::Replace) => {
                    part = Mark::Replace;
                    break;
                }
                (Mark::Search, Mark::Text) => search.push_str(unescape(line)),
                (_, Mark::Text) => replace.push_str(unescape(line)),
                (inside, stray) => {
                    let side = if inside == Mark::Search { "search text" } else { "new text" };
                    return Err(malformed(at, &format!("{} inside the {side}", mark_name(stray))));
                }
            }
        }
        if part == Mark::Search {
            return Err(malformed(number, "this block has no `=======`"));
        }
        blocks.push(block(search, replace));
        names.push(name.take());
    }
    if blocks.is_empty() {
        return Err(Refusal::new(Reason::Malformed, "There is no `<<<<<<< SEARCH` line in it."));
    }
    Ok((blocks, names))
}

/// The name of a file, if a line outside of the blocks is nothing but that and what marks it up.
fn file_name(line: &str) -> Option<String> {
    let bare = line.trim().trim_start_matches(['#', '*', ' ']).trim_end_matches(['*', ':', ' ']).trim_matches('`');
    let bare = bare.trim_end_matches(':');
    (is_path(bare) && !line.trim_start().starts_with("```")).then(|| bare.to_owned())
}

/// Whether a line may be the path of a file.
pub(crate) fn is_path(line: &str) -> bool {
    !line.contains([' ', '`', '(', '<']) && line.contains(['.', '/'])
}

/// Takes the line hint off the search text.
fn block(search: String, replace: String) -> Block {
    let mut rest = search.as_str();
    let mut hint = None;
    while let Some((line, after)) = rest.split_once('\n') {
        let line = line.trim();
        if let Some(number) = line.strip_prefix(":start_line:") {
            hint = number.trim().parse().ok().filter(|&n: &usize| n > 0);
        } else if !(line.starts_with(":end_line:") || hint.is_some() && is_rule(line, '-')) {
            break;
        }
        rest = after;
    }
    Block { search: rest.to_owned(), replace, hint }
}

fn mark(line: &str) -> Mark {
    let line = line.trim_end();
    let named = |marks: &[char], word: &str| {
        let bare = line.strip_suffix(word)?.trim_end_matches(['>', '<']);
        marks.iter().any(|&c| is_rule(bare.trim_end(), c) && bare.ends_with(' ')).then_some(())
    };
    if named(&['<', '-'], "SEARCH").is_some() || named(&['<', '-'], "SEARCH>").is_some() {
        Mark::Search
    } else if named(&['>', '+'], "REPLACE").is_some() {
        Mark::Replace
    } else if is_rule(line, '=') {
        Mark::Middle
    } else {
        Mark::Text
    }
}

/// Five to eleven times the same character, and nothing else.
fn is_rule(line: &str, c: char) -> bool {
    (5..=11).contains(&line.len()) && line.chars().all(|other| other == c)
}

fn unescape(line: &str) -> &str {
    match line.strip_prefix('\\') {
        Some(rest) if mark(rest) != Mark::Text => rest,
        _ => line,
    }
}

fn mark_name(mark: Mark) -> &'static str {
    match mark {
        Mark::Search => "`<<<<<<< SEARCH`",
        Mark::Middle => "`=======`",
        Mark::Replace => "`>>>>>>> REPLACE`",
        Mark::Text => "text",
    }
}

fn malformed(index: usize, what: &str) -> Refusal {
    Refusal::new(Reason::Malformed, format!("Line {} of the edit: {what}.", index + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String, Option<usize>)> {
        let blocks = parse_search_replace(text).unwrap();
        blocks.into_iter().map(|block| (block.search, block.replace, block.hint)).collect()
    }

    fn one(search: &str, replace: &str, hint: Option<usize>) -> Vec<(String, String, Option<usize>)> {
        vec![(search.into(), replace.into(), hint)]
    }

    #[test]
    fn marker_lines_come_in_several_widths_and_flavours() {
        for text in [
            "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
            "<<<<< SEARCH\na\n=====\nb\n>>>>> REPLACE",
            "file.rs\n```rust\n<<<<<<<<< SEARCH\na\n=========\nb\n>>>>>>>>> REPLACE\n```\n",
            "------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n",
            "<<<<<<< SEARCH>\na\n=======\nb\n>>>>>>> REPLACE\n",
        ] {
            assert_eq!(read(text), one("a\n", "b\n", None), "{text}");
        }
    }

    #[test]
    fn a_start_line_becomes_the_hint() {
        let text = "<<<<<<< SEARCH\n:start_line:7\n:end_line:9\n-------\na\n=======\n>>>>>>> REPLACE\n";
        assert_eq!(read(text), one("a\n", "", Some(7)));
        let text = "<<<<<<< SEARCH\n-------\na\n=======\nb\n>>>>>>> REPLACE\n";
        assert_eq!(read(text), one("-------\na\n", "b\n", None));
    }

    #[test]
    fn an_escaped_marker_is_content() {
        let text = "<<<<<<< SEARCH\n\\=======\n\\n\n=======\nb\n>>>>>>> REPLACE\n";
        assert_eq!(read(text), one("=======\n\\n\n", "b\n", None));
    }

    #[test]
    fn markers_out_of_order_are_named_with_their_line() {
        let cases = [
            ("no blocks", "no `<<<<<<< SEARCH`"),
            ("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", "Line 3"),
            ("<<<<<<< SEARCH\na\n", "no `=======`"),
            ("<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n", "Line 5"),
            ("<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\n", "Line 5"),
        ];
        for (text, part) in cases {
            let refusal = parse_search_replace(text).unwrap_err();
            assert_eq!(refusal.reason, Reason::Malformed);
            assert!(refusal.message().contains(part), "{}", refusal.message());
        }
    }
}
