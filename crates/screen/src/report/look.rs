//! How frames are told: language, width, and what is shown elsewhere already.

use ox_protocol::MCP_PREFIX;
use ox_protocol::locale::Language;

use crate::text::{Line, Role};

/// How to tell.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The user's language.
    pub language: Language,
    /// Columns, for tables and rules.
    pub width: usize,
    /// True where a live line shows what runs; elsewhere the start of long work is told too.
    pub live: bool,
    /// True where the answer goes to standard output by itself, and the rest is a log: no answer, no diffs here.
    pub apart: bool,
    /// True where the user's own words must be repeated because they are not on the screen yet.
    pub echo: bool,
    /// True where nothing is folded: whole outputs, whole diffs, and what the model thought.
    pub expanded: bool,
    /// True where nothing is animated.
    pub still: bool,
    /// True where the user has named an editor.
    pub has_editor: bool,
    /// True where the diff of a call stands above already, with the question about it.
    pub diff_above: bool,
    /// True where the question about a call goes with its answer, which then says what it was.
    pub asked_in_place: bool,
    /// True where a link can be followed by its words, and so need not be spelled out.
    pub links: bool,
}

impl Look {
    /// A language and a width; every condition is false.
    pub fn new(language: Language, width: usize) -> Look {
        Look {
            language,
            width,
            live: false,
            apart: false,
            echo: false,
            expanded: false,
            still: false,
            has_editor: false,
            diff_above: false,
            asked_in_place: false,
            links: false,
        }
    }

    /// A tool as people read it: in a log by its name.
    pub fn tool(&self, name: &str) -> String {
        let key = format!("tool.title.{name}");
        if let Some((server, tool)) = name.strip_prefix(MCP_PREFIX).and_then(|it| it.split_once("__"))
            && self.live
        {
            return format!("{server}: {tool}");
        }
        if self.live && self.language.has(&key) { self.say(&key, &[]) } else { name.to_owned() }
    }

    /// The sentence under `key`.
    pub fn say(&self, key: &str, args: &[(&str, &str)]) -> String {
        self.language.say(key, args)
    }
}

/// That lines were left out, and how to see them where a key does that.
pub(super) fn left_out(look: &Look, left: usize) -> Option<Line> {
    let key = if look.live { "tool.folded" } else { "tool.more_lines" };
    let text = look.say(key, &[("count", &left.to_string())]);
    (left > 0).then(|| Line::of(&text, Role::Dim).indented(4, 0))
}

/// A text of one or more lines behind a mark of two columns.
pub(super) fn marked(mark: &str, text: &str, role: Role) -> Vec<Line> {
    let mut out = Vec::new();
    for line in text.lines() {
        out.push(match out.len() {
            0 => Line::of(mark, role).with(line, role).hanging(2),
            _ => Line::of(line, role).indented(2, 0),
        });
    }
    out
}

/// Words of the user.
pub(super) fn said(mark: &str, text: &str) -> Line {
    Line::of(&format!("{mark} {text}"), Role::User).hanging(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_line_that_is_left_out_is_one() {
        let live = Look { live: true, ..Look::new(Language::En, 80) };
        let said = |look: Look, left: usize| left_out(&look, left).map(|it| it.text().trim().to_string());
        assert_eq!(said(live, 1).unwrap(), "… +1 line (ctrl+o)");
        assert_eq!(said(live, 2).unwrap(), "… +2 lines (ctrl+o)");
        let plain = Look { live: false, ..live };
        assert_eq!(said(plain, 1).unwrap(), "… 1 more line");
        assert_eq!(said(plain, 0), None);
    }
}
