//! What the full screen keeps, and what comes into it.

use ox_client::Update;
use ox_protocol::{CallId, MessageId, Time};
use ratatui_core::layout::Rect;

use super::pane::{Open, Pane};
use super::scroll::Scroll;
use super::search::Search;
use super::select::{Place, Selection};
use super::transcript::Transcript;
use crate::report::Look;
use crate::screen::Screen;
use crate::text::Line;

/// From so many columns on a pane stands beside the transcript.
const WIDE: u16 = 100;

/// What a key or the mouse asks for beyond the full screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// To be put into the clipboard.
    Copy(String),
}

/// Where things stood when they were drawn last.
#[derive(Clone, Debug, Default)]
pub(super) struct Areas {
    /// The rows of the transcript.
    pub(super) text: Rect,
    /// The entry and the row that are on each of them.
    pub(super) seen: Vec<(usize, usize)>,
    /// The rows of the pane, below its tabs.
    pub(super) pane: Rect,
    /// The tabs of the panes.
    pub(super) tabs: Vec<(Rect, Option<Pane>)>,
    /// The mark that leads to the end.
    pub(super) jump: Rect,
}

/// The last press of the button: when, where, how many in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Press {
    pub(super) time: Time,
    pub(super) column: u16,
    pub(super) row: u16,
    pub(super) count: u8,
    /// The entry that was pressed, where a click may open it.
    pub(super) entry: Option<usize>,
}

/// The full screen.
#[derive(Debug)]
pub struct FullScreen {
    pub(super) transcript: Transcript,
    pub(super) scroll: Scroll,
    pub(super) search: Option<Search>,
    pub(super) selection: Option<Selection>,
    pub(super) pane: Option<Open>,
    /// Said until the next key: what was copied.
    pub(super) note: Option<String>,
    pub(super) areas: Areas,
    pub(super) press: Option<Press>,
    /// Lines that the transcript had when its end was last seen.
    pub(super) seen: usize,
    /// What the user is asked about.
    pub(super) question: Option<Question>,
    /// Entries and lines of the last of them that the main screen has already.
    pub(super) printed: (usize, usize),
}

impl FullScreen {
    /// An empty one.
    pub fn new(look: Look) -> FullScreen {
        FullScreen {
            transcript: Transcript::new(look),
            scroll: Scroll::End,
            search: None,
            selection: None,
            pane: None,
            note: None,
            areas: Areas::default(),
            press: None,
            seen: 0,
            question: None,
            printed: (0, 0),
        }
    }

    /// Takes in an update with the lines that `screen` has made of it.
    pub fn take(&mut self, screen: &Screen, update: &Update, mut lines: Vec<Line>) {
        let opening = lines.split_off(lines.len().saturating_sub(screen.opened()));
        self.transcript.take(&screen.view, update, lines, screen.keeps_lines());
        self.transcript.question(opening);
        self.asked(screen);
    }

    /// Adds lines that are no part of the conversation.
    pub fn note(&mut self, lines: &[Line]) {
        if !lines.is_empty() {
            self.transcript.note(lines.to_vec());
            self.noted();
        }
    }

    /// The part of a reply that was shown before this began.
    pub fn begun(&mut self, id: &MessageId, lines: Vec<Line>) {
        self.transcript.piece(id, lines);
    }

    /// Everything that is here now stands on the main screen too.
    pub fn is_printed(&mut self) {
        let last = self.transcript.len().saturating_sub(2);
        self.printed = (last, self.transcript.lines(last).len());
    }

    /// What the main screen lacks.
    pub fn missed(&mut self) -> Vec<Line> {
        let (entry, printed) = self.printed;
        let mut all = self.transcript.since(entry);
        all.drain(..printed.min(all.len()));
        all
    }

    /// The last words of the user, the last reply and what came behind it, as far as the main screen lacks them.
    pub fn closing(&mut self) -> Vec<Line> {
        let (began, reply) = self.transcript.closing();
        let (printed, lines) = self.printed;
        if printed > began || printed == began && lines > 0 {
            return self.missed();
        }
        let mut out = self.transcript.lines(began).to_vec();
        if reply > began {
            out.push(Line::empty());
            out.extend(self.transcript.since(reply));
        }
        out
    }

    /// Columns of the transcript on a terminal of so many, and those of the pane beside it.
    pub(super) fn columns(&self, columns: u16) -> (u16, u16) {
        match self.pane {
            Some(_) if columns >= WIDE => {
                let pane = (columns * 2 / 5).clamp(40, 90);
                (columns - pane - 1, pane)
            }
            _ => (columns, 0),
        }
    }

    /// Columns for the text of the transcript on a terminal of so many.
    pub fn width(&self, columns: usize) -> usize {
        let columns = self.columns(u16::try_from(columns).unwrap_or(u16::MAX)).0;
        usize::from(columns).saturating_sub(1).max(8)
    }

    /// Rows of the transcript when it was drawn last.
    pub(super) fn height(&self) -> usize {
        usize::from(self.areas.text.height).max(1)
    }

    /// The place under a column and a row of the terminal; where that is not of the transcript, the nearest.
    pub(super) fn place(&mut self, column: u16, row: u16) -> Option<(Place, Place)> {
        let area = self.areas.text;
        let at = usize::from(row.clamp(area.y, area.bottom().saturating_sub(1)) - area.y);
        let last = self.areas.seen.len().checked_sub(1)?;
        let (entry, index) = self.areas.seen[at.min(last)];
        let column = if at > last { usize::MAX } else { usize::from(column.saturating_sub(area.x)) };
        let row = self.transcript.rows(entry).get(index)?;
        Some(super::select::hit(row, entry, column))
    }
}

/// The question that waits.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) call: CallId,
    /// Its first and its last entry: what was printed to explain it is of it.
    pub(super) entries: (usize, usize),
    /// True until it was brought into view.
    pub(super) is_new: bool,
}
