//! A line of styled text. Its spans are cleaned when they are made, so a line can be printed without further thought.

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
}

/// A stretch of text of one role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Clean text without line breaks.
    pub text: String,
    /// What it is.
    pub role: Role,
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
        Span { text: clean(text).replace('\n', " "), role }
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
pub(crate) fn each(text: &str, role: Role) -> Vec<Line> {
    clean(text).lines().map(|line| Line::of(line, role)).collect()
}

/// The same with nothing removed, for what somebody consents to.
pub(crate) fn each_visible(text: &str, role: Role) -> Vec<Line> {
    visible(text).lines().map(|line| Line::of(line, role)).collect()
}
