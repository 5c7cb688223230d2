//! Documents as HTML. Every text goes through [`escaped`].

use ox_text::document::{self, Block, Inline, RowKind, TextSpan};

/// A text in which nothing is markup, neither between tags nor within a quoted attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// A Markdown text. HTML in it is text, and links lead to the web or nowhere.
pub(super) fn markdown(text: &str) -> String {
    document::blocks(text).iter().map(|it| block(&it.block)).collect()
}

fn blocks(all: &[Block]) -> String {
    all.iter().map(block).collect()
}

fn block(block: &Block) -> String {
    match block {
        Block::Paragraph { inlines: all } => format!("<p>{}</p>", inlines(all)),
        // The page's own headings stand above.
        Block::Heading { level, inlines: all } => {
            let level = (level + 2).min(6);
            format!("<h{level}>{}</h{level}>", inlines(all))
        }
        Block::Code { lines, .. } => code(lines),
        Block::List { start, items } => {
            let items: String = items.iter().map(item).collect();
            match start {
                Some(start) => format!("<ol start=\"{start}\">{items}</ol>"),
                None => format!("<ul>{items}</ul>"),
            }
        }
        Block::Quote { blocks: all } => format!("<blockquote>{}</blockquote>", blocks(all)),
        Block::Table { head, rows, .. } => {
            let cells = |row: &[Vec<Inline>], tag: &str| -> String {
                row.iter().map(|it| format!("<{tag}>{}</{tag}>", inlines(it))).collect()
            };
            let rows: String = rows.iter().map(|it| format!("<tr>{}</tr>", cells(it, "td"))).collect();
            format!("<table><tr>{}</tr>{rows}</table>", cells(head, "th"))
        }
        Block::Rule => "<hr>".to_owned(),
    }
}

fn item(item: &document::Item) -> String {
    let mark = match item.checked {
        Some(true) => "☑ ",
        Some(false) => "☐ ",
        None => "",
    };
    format!("<li>{mark}{}</li>", blocks(&item.blocks))
}

fn inlines(all: &[Inline]) -> String {
    all.iter().map(inline).collect()
}

fn inline(inline: &Inline) -> String {
    match inline {
        Inline::Text { text, style } => {
            let tags = [(style.bold, "b"), (style.italic, "i"), (style.strike, "s")];
            tags.iter().filter(|it| it.0).fold(escaped(text), |html, (_, tag)| format!("<{tag}>{html}</{tag}>"))
        }
        Inline::Code { text } => format!("<code>{}</code>", escaped(text)),
        Inline::Link { href: Some(href), inlines: all, .. } => {
            format!("<a rel=\"noopener noreferrer\" href=\"{}\">{}</a>", escaped(href), inlines(all))
        }
        Inline::Link { inlines: all, .. } => inlines(all),
        Inline::Break => "<br>".to_owned(),
    }
}

/// Lines of a program or of an output.
pub(super) fn code(lines: &[Vec<TextSpan>]) -> String {
    let lines: Vec<String> = lines.iter().map(|it| spans(it)).collect();
    format!("<pre><code>{}</code></pre>", lines.join("\n"))
}

fn spans(line: &[TextSpan]) -> String {
    let span = |it: &TextSpan| match &it.class {
        Some(class) => format!("<span class=\"{}\">{}</span>", escaped(class), escaped(&it.text)),
        None => escaped(&it.text),
    };
    line.iter().map(span).collect()
}

/// What changed in a file.
pub(super) fn diff(path: &str, diff: &str) -> String {
    let mut lines = String::new();
    for row in document::hunks(Some(path), diff).iter().flat_map(|it| &it.rows) {
        let (class, sign) = match row.kind {
            RowKind::Added => ("added", '+'),
            RowKind::Removed => ("removed", '-'),
            _ => ("same", ' '),
        };
        lines += &format!("<span class=\"{class}\">{sign}{}</span>\n", spans(&row.spans));
    }
    format!("<p>{}</p><pre><code>{lines}</code></pre>", escaped(path))
}
