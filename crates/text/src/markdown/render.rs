//! One finished piece of Markdown as lines.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use unicode_width::UnicodeWidthChar;

use super::code::Code;
use super::table::{self, Cell};
use crate::{Line, Role, Span, Target, clean, rule, width};

/// What of Markdown beyond its core is read.
pub(crate) const OPTIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);

/// Renders `source`; tables and rules are made for `limit` columns, everything else is wrapped when it is printed. With
/// `links` the words of a link lead where it goes, and that is not spelled out behind them.
pub fn render(source: &str, limit: usize, links: bool) -> Vec<Line> {
    Page { limit, linking: links, ..Page::default() }.read(source)
}

/// The same without the colours of code, for what is still growing: it would be read again with each piece.
pub(super) fn sketch(source: &str, limit: usize, links: bool) -> Vec<Line> {
    Page { limit, linking: links, sketch: true, ..Page::default() }.read(source)
}

/// What surrounds the text being rendered.
enum Container {
    Quote,
    Item { marker: String, used: bool },
}

#[derive(Default)]
struct Page {
    limit: usize,
    linking: bool,
    sketch: bool,
    lines: Vec<Line>,
    current: Line,
    containers: Vec<Container>,
    /// Next number of each open list; none for bullets.
    lists: Vec<Option<u64>>,
    roles: Vec<Role>,
    /// Target of each open link and with which span of the current line its text began.
    links: Vec<(String, usize)>,
    code: Option<String>,
    code_text: String,
    table: Option<Vec<Vec<Cell>>>,
    alignments: Vec<Alignment>,
}

impl Page {
    /// All lines of `source`.
    fn read(mut self, source: &str) -> Vec<Line> {
        // Before parsing: the parser cuts text at brackets, and half a sequence could not be recognised any more.
        let source = clean(source);
        for event in Parser::new_ext(&source, OPTIONS) {
            self.event(event);
        }
        self.flush();
        self.lines
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.code.is_some() => self.code_text += &text,
            Event::Text(text) | Event::InlineHtml(text) => self.push(&text, self.role()),
            Event::Html(text) => {
                self.push(text.trim_end(), Role::Dim);
                self.flush();
            }
            Event::Code(text) => self.push(&text, Role::Code),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.push(&text, Role::Code),
            Event::SoftBreak => self.soft_break(),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.separate();
                let columns = self.room().min(40);
                self.push(&rule(columns), Role::Dim);
                self.flush();
            }
            Event::TaskListMarker(done) => {
                let (mark, role) = if done { ("✓ ", Role::Good) } else { ("☐ ", Role::Plain) };
                // It stands in the place of the bullet.
                if let Some(Container::Item { marker, used: false }) = self.containers.last_mut() {
                    marker.clear();
                }
                self.push(mark, role);
            }
            Event::FootnoteReference(name) => self.push(&format!("[{name}]"), Role::Dim),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.separate(),
            Tag::Heading { .. } => {
                self.separate();
                self.roles.push(Role::Heading);
            }
            Tag::BlockQuote(_) => {
                self.separate();
                self.containers.push(Container::Quote);
            }
            Tag::CodeBlock(kind) => {
                self.separate();
                self.code = Some(match kind {
                    CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or("").to_string(),
                    CodeBlockKind::Indented => String::new(),
                });
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.separate();
                }
                self.flush();
                self.lists.push(first);
            }
            Tag::Item => self.start_item(),
            Tag::Table(alignments) => {
                self.separate();
                self.alignments = alignments;
                self.table = Some(Vec::new());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(rows) = &mut self.table {
                    rows.push(Vec::new());
                }
            }
            Tag::Emphasis => self.roles.push(Role::Emphasis),
            Tag::Strong => self.roles.push(Role::Strong),
            Tag::Strikethrough => self.roles.push(Role::Dim),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.to_string(), self.current.spans.len()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::Heading(_) => {
                self.roles.pop();
                self.flush();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.containers.pop();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Item => {
                // An item without content still shows its marker.
                if matches!(self.containers.last(), Some(Container::Item { used: false, .. })) {
                    self.push(" ", Role::Plain);
                }
                self.flush();
                self.containers.pop();
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.current.spans);
                if let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Table => {
                let rows = self.table.take().unwrap_or_default();
                for line in table::layout(&rows, &self.alignments.clone(), self.room()) {
                    self.place(line);
                }
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.roles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    fn start_item(&mut self) {
        self.flush();
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number += 1;
                marker
            }
            _ => "• ".to_string(),
        };
        self.containers.push(Container::Item { marker, used: false });
    }

    fn end_code(&mut self) {
        let language = self.code.take().unwrap_or_default();
        let text = std::mem::take(&mut self.code_text);
        let mut code = Code::new(&language);
        for line in text.lines() {
            self.place(if self.sketch { code.plain(line) } else { code.line(line) });
        }
    }

    fn end_link(&mut self) {
        let Some((address, from)) = self.links.pop() else { return };
        let words = self.current.spans.get_mut(from..).unwrap_or_default();
        let text: String = words.iter().map(|span| span.text.as_str()).collect();
        let target = Target::new(&address).filter(|_| self.linking);
        words.iter_mut().for_each(|span| span.target.clone_from(&target));
        if address.is_empty() || text == address || format!("mailto:{text}") == address {
            return;
        }
        let hidden = target.is_some() && !text.is_empty() && !is_address(&text);
        if !hidden {
            let bare = text.is_empty();
            let shown = if bare { address } else { format!(" ({address})") };
            self.current.spans.push(Span::new(&shown, Role::Link).to(target));
        }
    }

    fn role(&self) -> Role {
        let linked = if self.links.is_empty() { Role::Plain } else { Role::Link };
        self.roles.last().copied().unwrap_or(linked)
    }

    fn push(&mut self, text: &str, role: Role) {
        self.current.spans.push(Span::new(text, role));
    }

    /// A line break in the source is a space, except between ideographs, which are written without spaces, and in a quote,
    /// which keeps the lines of what it quotes.
    fn soft_break(&mut self) {
        if self.containers.iter().any(|it| matches!(it, Container::Quote)) {
            return self.flush();
        }
        let last = self.current.spans.last().and_then(|span| span.text.chars().last());
        if last.is_none_or(|c| c.width() != Some(2)) {
            self.push(" ", Role::Plain);
        }
    }

    /// Ends the current line and puts an empty one between blocks.
    fn separate(&mut self) {
        self.flush();
        let fresh = matches!(self.containers.last(), Some(Container::Item { used: false, .. }));
        if !self.lines.is_empty() && !fresh {
            let follow = self.leads(false);
            let blank = follow.iter().all(|span| span.text.trim().is_empty());
            let lead = if blank { Vec::new() } else { follow };
            self.lines.push(Line { lead, ..Line::default() });
        }
    }

    fn flush(&mut self) {
        if !self.current.spans.is_empty() {
            let line = std::mem::take(&mut self.current);
            self.place(line);
        }
    }

    /// Adds a line inside the open containers.
    fn place(&mut self, line: Line) {
        let mut lead = self.leads(true);
        let mut follow = self.leads(false);
        lead.extend(line.lead);
        follow.extend(line.follow);
        self.lines.push(Line { lead, follow, spans: line.spans });
    }

    /// What stands before a line: quote bars, item markers where they have not been shown yet, indentation.
    fn leads(&mut self, first: bool) -> Vec<Span> {
        self.containers
            .iter_mut()
            .map(|container| match container {
                Container::Quote => Span::new("│ ", Role::Dim),
                Container::Item { marker, used } if first && !*used => {
                    *used = true;
                    Span::new(marker, Role::Accent)
                }
                Container::Item { marker, .. } => Span::new(&" ".repeat(width(marker)), Role::Plain),
            })
            .collect()
    }

    fn room(&mut self) -> usize {
        let taken: usize = self.leads(false).iter().map(|span| width(&span.text)).sum();
        self.limit.saturating_sub(taken).max(8)
    }
}

/// True for words that look like an address, which could be another one than where they lead.
fn is_address(text: &str) -> bool {
    text.contains("://") || text.starts_with("www.") || (text.contains('.') && !text.contains(' '))
}
