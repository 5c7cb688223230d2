//! Markdown as a tree of blocks.

use std::iter::Peekable;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, OffsetIter, Parser, Tag};
use schemars::JsonSchema;
use serde::Serialize;

use super::span::{self, TextSpan};
use crate::{Target, clean, markdown};

/// A block that is part of no other one.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TopBlock {
    /// Where it begins in the source, in bytes. While a text grows at its end, the blocks before the last one stay.
    pub start_byte: usize,
    /// The block.
    #[serde(flatten)]
    pub block: Block,
}

/// A block of a document.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "block", rename_all = "snake_case")]
pub enum Block {
    /// A paragraph.
    Paragraph {
        /// Its text.
        inlines: Vec<Inline>,
    },
    /// A heading.
    Heading {
        /// 1 to 6.
        level: u8,
        /// Its text.
        inlines: Vec<Inline>,
    },
    /// A program or another text that is shown as it is.
    Code {
        /// As the fence names it; empty where it does not.
        language: String,
        /// Its lines.
        lines: Vec<Vec<TextSpan>>,
    },
    /// A list.
    List {
        /// The first number; absent for bullets.
        start: Option<u64>,
        /// Its items.
        items: Vec<Item>,
    },
    /// A quotation.
    Quote {
        /// What is quoted.
        blocks: Vec<Block>,
    },
    /// A table.
    Table {
        /// `left`, `center`, `right` or empty, column by column.
        align: Vec<&'static str>,
        /// The cells of the head.
        head: Vec<Vec<Inline>>,
        /// The cells of each row.
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// A line across.
    Rule,
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Item {
    /// For an item with a box, whether it is ticked.
    pub checked: Option<bool>,
    /// What it says.
    pub blocks: Vec<Block>,
}

/// A part of running text.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "inline", rename_all = "snake_case")]
pub enum Inline {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// How it is stressed.
        #[serde(flatten)]
        style: Style,
    },
    /// A piece of a program.
    Code {
        /// The text.
        text: String,
    },
    /// A link; without `href` and `path` it leads nowhere that may be followed.
    Link {
        /// An address of the web or of mail.
        #[serde(skip_serializing_if = "Option::is_none")]
        href: Option<String>,
        /// A file of the project.
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// The line in that file, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
        /// What is shown.
        inlines: Vec<Inline>,
    },
    /// A line break.
    Break,
}

/// How text is stressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Style {
    /// Strong.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub bold: bool,
    /// Stressed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub italic: bool,
    /// Crossed out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub strike: bool,
}

/// The blocks of a Markdown text.
pub fn blocks(source: &str) -> Vec<TopBlock> {
    let mut reader = Reader { events: Parser::new_ext(source, markdown::OPTIONS).into_offset_iter().peekable() };
    let mut all = Vec::new();
    while let Some((_, range)) = reader.events.peek() {
        let start_byte = range.start;
        all.extend(reader.block().map(|block| TopBlock { start_byte, block }));
    }
    all
}

struct Reader<'a> {
    events: Peekable<OffsetIter<'a>>,
}

impl Reader<'_> {
    /// The blocks up to the end of what contains them.
    fn blocks(&mut self) -> Vec<Block> {
        let mut all = Vec::new();
        loop {
            match self.events.peek() {
                None => return all,
                Some((Event::End(_), _)) => {
                    self.events.next();
                    return all;
                }
                Some(_) => all.extend(self.block()),
            }
        }
    }

    /// The next block; none where something is not shown.
    fn block(&mut self) -> Option<Block> {
        let is_block = |event: &Event<'_>| match event {
            Event::Start(tag) => !is_inline(tag),
            Event::Rule | Event::Html(_) | Event::End(_) => true,
            _ => false,
        };
        if !is_block(&self.events.peek()?.0) {
            return Some(Block::Paragraph { inlines: self.inlines(Style::default()) });
        }
        match self.events.next()?.0 {
            Event::Rule => Some(Block::Rule),
            Event::Html(text) => Some(Block::Paragraph { inlines: vec![plain(text.trim_end(), Style::default())] }),
            Event::Start(Tag::Heading { level, .. }) => {
                Some(Block::Heading { level: level as u8, inlines: self.contained(Style::default()) })
            }
            Event::Start(Tag::BlockQuote(_)) => Some(Block::Quote { blocks: self.blocks() }),
            Event::Start(Tag::CodeBlock(kind)) => Some(self.code(&kind)),
            Event::Start(Tag::List(start)) => Some(Block::List { start, items: self.items() }),
            Event::Start(Tag::Table(alignments)) => Some(self.table(&alignments)),
            Event::Start(Tag::HtmlBlock) => {
                let text = self.text();
                (!text.trim().is_empty())
                    .then(|| Block::Paragraph { inlines: vec![plain(text.trim_end(), Style::default())] })
            }
            Event::Start(_) => Some(Block::Paragraph { inlines: self.contained(Style::default()) }),
            _ => None,
        }
    }

    /// Running text and the end of what contains it.
    fn contained(&mut self, style: Style) -> Vec<Inline> {
        let inlines = self.inlines(style);
        self.events.next();
        inlines
    }

    /// Running text up to a block, or to the end of what contains it.
    fn inlines(&mut self, style: Style) -> Vec<Inline> {
        let mut all = Vec::new();
        while let Some((event, _)) = self.events.peek() {
            if matches!(event, Event::End(_) | Event::Rule | Event::Html(_))
                || matches!(event, Event::Start(tag) if !is_inline(tag))
            {
                break;
            }
            let Some((event, _)) = self.events.next() else { break };
            match event {
                Event::Text(text) | Event::InlineHtml(text) => push(&mut all, &text, style),
                Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                    all.push(Inline::Code { text: clean(&text) });
                }
                Event::SoftBreak => push(&mut all, " ", style),
                Event::HardBreak => all.push(Inline::Break),
                Event::FootnoteReference(name) => push(&mut all, &format!("[{name}]"), style),
                Event::Start(Tag::Emphasis) => all.extend(self.contained(Style { italic: true, ..style })),
                Event::Start(Tag::Strong) => all.extend(self.contained(Style { bold: true, ..style })),
                Event::Start(Tag::Strikethrough) => all.extend(self.contained(Style { strike: true, ..style })),
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    let inlines = self.contained(style);
                    all.push(link(&dest_url, inlines));
                }
                Event::Start(_) => all.extend(self.contained(style)),
                _ => {}
            }
        }
        all
    }

    /// All text up to the end of what contains it.
    fn text(&mut self) -> String {
        let mut all = String::new();
        for (event, _) in self.events.by_ref() {
            match event {
                Event::Text(text) | Event::Html(text) => all += &text,
                Event::End(_) => break,
                _ => {}
            }
        }
        all
    }

    fn code(&mut self, kind: &CodeBlockKind<'_>) -> Block {
        let language = match kind {
            CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default().to_owned(),
            CodeBlockKind::Indented => String::new(),
        };
        Block::Code { lines: span::code(&self.text(), Some(&language), None), language }
    }

    fn items(&mut self) -> Vec<Item> {
        let mut all = Vec::new();
        while let Some((Event::Start(Tag::Item), _)) = self.events.next() {
            let checked = match self.events.peek() {
                Some((Event::TaskListMarker(done), _)) => Some(*done),
                _ => None,
            };
            if checked.is_some() {
                self.events.next();
            }
            all.push(Item { checked, blocks: self.blocks() });
        }
        all
    }

    fn table(&mut self, alignments: &[Alignment]) -> Block {
        let align = alignments.iter().map(|it| match it {
            Alignment::None => "",
            Alignment::Left => "left",
            Alignment::Center => "center",
            Alignment::Right => "right",
        });
        let mut rows = Vec::new();
        while let Some((Event::Start(Tag::TableHead | Tag::TableRow), _)) = self.events.next() {
            let mut cells = Vec::new();
            while let Some((Event::Start(Tag::TableCell), _)) = self.events.next() {
                cells.push(self.contained(Style::default()));
            }
            rows.push(cells);
        }
        let mut rows = rows.into_iter();
        Block::Table { align: align.collect(), head: rows.next().unwrap_or_default(), rows: rows.collect() }
    }
}

fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. })
}

fn plain(text: &str, style: Style) -> Inline {
    Inline::Text { text: clean(text), style }
}

/// Adds text to the text before it, where that is stressed alike.
fn push(all: &mut Vec<Inline>, more: &str, style: Style) {
    match all.last_mut() {
        Some(Inline::Text { text, style: before }) if *before == style => *text += &clean(more),
        _ => all.push(plain(more, style)),
    }
}

/// A link to an address, as far as it may be followed.
fn link(address: &str, inlines: Vec<Inline>) -> Inline {
    let web = ["http://", "https://", "mailto:"].iter().any(|it| address.starts_with(it));
    let href = Target::new(address).filter(|_| web).map(|it| it.as_str().to_owned());
    let (path, line) = if web { (None, None) } else { place(address) };
    Inline::Link { href, path, line, inlines }
}

/// A file of the project and a line: `src/a.rs`, `src/a.rs:12`, `src/a.rs#L12`.
fn place(address: &str) -> (Option<String>, Option<u32>) {
    let (path, line) = address.split_once("#L").or_else(|| address.split_once(':')).unwrap_or((address, ""));
    let line = line.split(|c: char| !c.is_ascii_digit()).next().and_then(|it| it.parse().ok());
    let is_path = !path.is_empty()
        && !path.starts_with(['/', '#', '\\'])
        && !path.split('/').any(|it| it == "..")
        && (line.is_some() || !address.contains(':'));
    (is_path.then(|| clean(path)), line.filter(|_| is_path))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(source: &str) -> serde_json::Value {
        serde_json::to_value(blocks(source)).unwrap()
    }

    #[test]
    fn every_kind_of_block_comes_out_with_the_place_where_it_begins() {
        let source =
            "# A *b*\n\ntext `c`  \nd\n\n1. one\n   - [x] two\n\n> q\n\n| a | b |\n|:-:|--:|\n| 1 | **2** |\n\n---\n";
        let text = |it: &str| json!({"inline": "text", "text": it});
        assert_eq!(
            read(source),
            json!([
                {"start_byte": 0, "block": "heading", "level": 1,
                 "inlines": [text("A "), {"inline": "text", "text": "b", "italic": true}]},
                {"start_byte": 9, "block": "paragraph",
                 "inlines": [text("text "), {"inline": "code", "text": "c"}, {"inline": "break"}, text("d")]},
                {"start_byte": 23, "block": "list", "start": 1, "items": [{"checked": null, "blocks": [
                    {"block": "paragraph", "inlines": [text("one")]},
                    {"block": "list", "start": null, "items": [
                        {"checked": true, "blocks": [{"block": "paragraph", "inlines": [text("two")]}]}]}]}]},
                {"start_byte": 44, "block": "quote", "blocks": [{"block": "paragraph", "inlines": [text("q")]}]},
                {"start_byte": 49, "block": "table", "align": ["center", "right"],
                 "head": [[text("a")], [text("b")]],
                 "rows": [[[text("1")], [{"inline": "text", "text": "2", "bold": true}]]]},
                {"start_byte": 84, "block": "rule"},
            ])
        );
    }

    #[test]
    fn code_has_the_classes_of_its_language() {
        let Block::Code { language, lines } = &blocks("```rust\nlet a = \"x\";\n```")[0].block else { panic!() };
        assert_eq!(
            (language.as_str(), lines[0][0].class.as_deref(), lines[0][0].text.as_str()),
            ("rust", Some("keyword"), "let")
        );
        assert!(lines[0].iter().any(|it| it.class.as_deref() == Some("string")));
    }

    #[test]
    fn html_is_text_and_only_harmless_addresses_are_links() {
        let all = read(
            "<script>x</script>\n\na <b>c</b> [1](javascript:x) [2](src/a.rs:12) [3](https://a.b) [4](/etc/passwd) ![5](../x)",
        );
        let shown = all.to_string();
        assert!(!shown.contains("javascript") && !shown.contains("passwd") && !shown.contains("../x"), "{shown}");
        assert_eq!(all[0]["inlines"][0]["text"], "<script>x</script>");
        assert_eq!(all[1]["inlines"][0]["text"], "a <b>c</b> ");
        let link = |at: usize| {
            all[1]["inlines"].as_array().unwrap().iter().filter(|it| it["inline"] == "link").nth(at).unwrap().clone()
        };
        assert_eq!((&link(1)["path"], &link(1)["line"]), (&json!("src/a.rs"), &json!(12)));
        assert_eq!(link(2)["href"], "https://a.b");
    }

    #[test]
    fn blocks_before_the_last_one_stay_while_a_text_grows() {
        let source = "# A\n\nb *c*\n\n- d\n- e\n\n```rust\nfn f() {}\n```\n\n> g\n\nh";
        let whole = blocks(source);
        for (end, _) in source.char_indices() {
            let part = blocks(&source[..end]);
            let settled = &part[..part.len().saturating_sub(1)];
            assert_eq!(settled, &whole[..settled.len()], "at {end}");
        }
    }
}
