//! A line of styled text. Its spans are cleaned when they are made, so a line can be printed without further thought.

use std::sync::Arc;

use ox_syntax::{Class, Classes};

use super::{clean, visible};

/// What a span is, from which a theme derives its looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// Ordinary text.
    #[default]
    Plain,
    /// Secondary text.
    Dim,
    /// Important words.
    Strong,
    /// Stressed words.
    Emphasis,
    /// Code.
    Code,
    /// A heading.
    Heading,
    /// A link's target.
    Link,
    /// Names of tools and marks of ours.
    Accent,
    /// What the user said.
    User,
    /// Success.
    Good,
    /// Failure.
    Bad,
    /// Warning.
    Warn,
    /// An added line of a diff.
    Added,
    /// A removed line of a diff.
    Removed,
    /// The head of a hunk.
    Hunk,
    /// A part of a program.
    Syntax(Class),
}

/// What a span lies on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ground {
    /// The terminal's own.
    #[default]
    Plain,
    /// A line that was added.
    Added,
    /// What is new in such a line.
    AddedPart,
    /// A line that was removed.
    Removed,
    /// What is gone from such a line.
    RemovedPart,
}

/// A stretch of text of one role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Clean text without line breaks.
    pub text: String,
    /// What it is.
    pub role: Role,
    /// What it lies on.
    pub ground: Ground,
    /// Where it leads.
    pub target: Option<Target>,
}

/// An address that a terminal may follow: of the web, a file or mail, in printable ASCII.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target(Arc<str>);

/// Bytes of an address at most; terminals take no more.
const LONGEST_TARGET: usize = 2_000;

impl Target {
    /// The address, where it is of a kind that may be followed; what is not printable ASCII is escaped.
    pub fn new(address: &str) -> Option<Target> {
        let kinds = ["https://", "http://", "file://", "mailto:"];
        let known = kinds.iter().any(|it| address.get(..it.len()).is_some_and(|kind| kind.eq_ignore_ascii_case(it)));
        let whole = address.len() <= LONGEST_TARGET && !address.chars().any(char::is_control);
        if !known || !whole {
            return None;
        }
        let escaped =
            |byte: u8| if byte.is_ascii_graphic() { char::from(byte).to_string() } else { format!("%{byte:02X}") };
        Some(Target(address.bytes().map(escaped).collect::<String>().into()))
    }

    /// The file at `path` in the folder `root`.
    pub fn file(root: &str, path: &str) -> Option<Target> {
        let path = match path.starts_with('/') {
            true => path.to_string(),
            false if root.starts_with('/') => format!("{}/{path}", root.trim_end_matches('/')),
            false => return None,
        };
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-._~+@".contains(byte);
        let escaped = |byte: u8| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
        let address = format!("file://{}", path.bytes().map(escaped).collect::<String>());
        (address.len() <= LONGEST_TARGET).then(|| Target(address.into()))
    }

    /// As the terminal gets it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A logical line: wrapped at print time, its continuation lines begin with `follow` where the first begins with `lead`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Before the first printed line.
    pub lead: Vec<Span>,
    /// Before each continuation line.
    pub follow: Vec<Span>,
    /// The content.
    pub spans: Vec<Span>,
}

impl Span {
    /// Cleans `text`; line breaks become spaces.
    pub fn new(text: &str, role: Role) -> Span {
        Span { text: clean(text).replace('\n', " "), role, ..Span::default() }
    }

    /// The same span leading somewhere.
    #[must_use]
    pub fn to(mut self, target: Option<Target>) -> Span {
        self.target = target;
        self
    }

    /// A span like this one with another text, which must be clean.
    pub(super) fn like(&self, text: &str) -> Span {
        Span { text: text.to_string(), ..self.clone() }
    }
}

impl Line {
    /// An empty line.
    pub fn empty() -> Line {
        Line::default()
    }

    /// A line of one span.
    pub fn of(text: &str, role: Role) -> Line {
        Line::default().with(text, role)
    }

    /// Adds a span.
    #[must_use]
    pub fn with(mut self, text: &str, role: Role) -> Line {
        if !text.is_empty() {
            self.spans.push(Span::new(text, role));
        }
        self
    }

    /// Adds a span that leads somewhere.
    #[must_use]
    pub fn linked(mut self, text: &str, role: Role, target: Option<Target>) -> Line {
        if !text.is_empty() {
            self.spans.push(Span::new(text, role).to(target));
        }
        self
    }

    /// Adds a line of a program: what has no class is of `role`.
    #[must_use]
    pub fn code(mut self, text: &str, classes: &Classes, role: Role) -> Line {
        let mut at = 0;
        for (range, class) in classes {
            let (Some(before), Some(part)) = (text.get(at..range.start), text.get(range.clone())) else { break };
            self = self.with(before, role).with(part, Role::Syntax(*class));
            at = range.end;
        }
        self.with(text.get(at..).unwrap_or_default(), role)
    }

    /// Indents the whole line by `columns`, continuation lines by `more` beyond that.
    #[must_use]
    pub fn indented(mut self, columns: usize, more: usize) -> Line {
        self.lead.insert(0, Span::new(&" ".repeat(columns), Role::Plain));
        self.follow.insert(0, Span::new(&" ".repeat(columns + more), Role::Plain));
        self
    }

    /// Indents continuation lines by `columns`.
    #[must_use]
    pub fn hanging(self, columns: usize) -> Line {
        self.indented(0, columns)
    }

    /// The text alone, without wrapping.
    pub fn text(&self) -> String {
        self.lead.iter().chain(&self.spans).map(|span| span.text.as_str()).collect()
    }

    /// True when nothing would be seen.
    pub fn is_blank(&self) -> bool {
        self.text().trim().is_empty()
    }
}

/// One line per line of `text`, all of `role`.
pub fn each(text: &str, role: Role) -> Vec<Line> {
    clean(text).lines().map(|line| Line::of(line, role)).collect()
}

/// The same with nothing removed, for what somebody consents to.
pub fn each_visible(text: &str, role: Role) -> Vec<Line> {
    visible(text).lines().map(|line| Line::of(line, role)).collect()
}
