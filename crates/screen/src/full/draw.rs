//! A frame of the full screen.

use ox_protocol::Time;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::{Modifier, Style};

use super::paint;
use super::pane::Pane;
use super::rows::Row;
use super::scroll::Scroll;
use super::search::Search;
use super::select::Place;
use super::state::{Areas, FullScreen};
use crate::report::Look;
use crate::screen::{Live, Screen};
use crate::text::{Line, Role, Theme, clip, width};

/// Rows that the transcript keeps however much is asked or typed.
const LEAST: usize = 2;

impl FullScreen {
    /// Draws everything into an empty buffer; returns where the cursor stands.
    pub fn draw(&mut self, buffer: &mut Buffer, screen: &Screen, theme: Theme, now: Time) -> Option<Position> {
        let whole = buffer.area;
        let (columns, rows) = (usize::from(whole.width), usize::from(whole.height));
        let bottom = fitted(screen.bottom(now, columns, rows), rows.saturating_sub(LEAST));
        let height = whole.height.saturating_sub(narrow(bottom.lines.len()));
        let main = Rect { height, ..whole };
        self.uncover(main.width);
        self.lay_out(main);
        let mut cursor =
            draw_bottom(buffer, Rect { y: whole.y + height, height: whole.height - height, ..whole }, &bottom, theme);
        self.update(screen, columns);
        if self.areas.text.height > 0 {
            self.draw_text(buffer, theme);
            self.draw_marks(buffer, &screen.look, theme);
        }
        if self.pane.is_some() {
            self.draw_pane(buffer, screen, theme);
        }
        if self.search.is_some() {
            cursor =
                self.draw_search(buffer, Rect { y: main.bottom().saturating_sub(1), height: 1, ..main }, screen, theme);
        }
        cursor
    }

    /// Where transcript and pane stand.
    fn lay_out(&mut self, main: Rect) {
        let searched = u16::from(self.search.is_some());
        let (columns, beside) = self.columns(main.width);
        let body = Rect { height: main.height.saturating_sub(searched), ..main };
        self.areas = Areas::default();
        match (&self.pane, beside) {
            (None, _) => self.areas.text = body,
            (Some(_), 0) => self.areas.pane = body,
            (Some(_), beside) => {
                self.areas.text = Rect { width: columns, ..body };
                self.areas.pane = Rect { x: main.x + columns + 1, width: beside, ..body };
            }
        }
    }

    /// Fits the transcript to its columns, with what is being written now.
    fn update(&mut self, screen: &Screen, columns: usize) {
        let (width, height) = (self.width(columns), self.height());
        if self.transcript.width() != width {
            self.scroll.keep(&mut self.transcript, height, |it| it.set_width(width));
        }
        let tail = screen.unfinished(width);
        self.transcript.set_tail(tail, screen.is_thinking());
        self.bring();
        if let Some(search) = &mut self.search {
            search.refresh(&mut self.transcript);
        }
    }

    fn draw_text(&mut self, buffer: &mut Buffer, theme: Theme) {
        let area = self.areas.text;
        self.areas.seen = self.scroll.visible(&mut self.transcript, usize::from(area.height));
        if self.scroll == Scroll::End {
            self.seen = self.transcript.added();
        }
        let selected = self.selection.map(|it| it.range());
        for (at, (entry, index)) in self.areas.seen.clone().into_iter().enumerate() {
            let FullScreen { transcript, search, .. } = self;
            let margin = transcript.kind(entry).has_margin();
            let Some(row) = transcript.rows(entry).get(index) else { continue };
            let area = Rect { y: area.y + narrow(at), height: 1, ..area };
            let looks = |at: Option<usize>, style: Style| {
                let style = found(search.as_ref(), (entry, row), at, style);
                if is_selected(selected, (entry, row), at, margin) {
                    style.add_modifier(Modifier::REVERSED)
                } else {
                    style
                }
            };
            paint::row(buffer, area, row, theme, looks);
        }
        if self.scroll != Scroll::End {
            self.draw_bar(buffer, theme);
        }
    }

    /// The bar that says where the view stands, in the last column.
    fn draw_bar(&mut self, buffer: &mut Buffer, theme: Theme) {
        let area = self.areas.text;
        let Some(&(entry, row)) = self.areas.seen.first() else { return };
        let all = self.transcript.added().max(1);
        let line = self.transcript.rows(entry).get(row).map_or(0, |it| it.line);
        let before = self.transcript.lines_before(entry) + line;
        let height = usize::from(area.height);
        let length = (height * height / (all + height)).clamp(1, height);
        let top = ((height - length) * before.min(all) / all).min(height - length);
        for y in top..top + length {
            if let Some(cell) = buffer.cell_mut((area.right() - 1, area.y + narrow(y))) {
                cell.set_symbol("▐").set_style(paint::role(theme, Role::Dim));
            }
        }
    }

    /// What is said over the last row: that something was copied, that there is more below.
    fn draw_marks(&mut self, buffer: &mut Buffer, look: &Look, theme: Theme) {
        let area = self.areas.text;
        let fresh = self.transcript.added().saturating_sub(self.seen);
        let text = match (&self.note, self.scroll) {
            (Some(note), _) => note.clone(),
            (None, Scroll::End) => return,
            (None, _) if fresh > 0 => look.say("full.new_lines", &[("count", &fresh.to_string())]),
            (None, _) => look.say("full.to_end", &[]),
        };
        let line = clip(&Line::of(&format!(" {text} "), Role::Plain), usize::from(area.width.saturating_sub(2)));
        let columns = narrow(width(&line.text()));
        let mark = Rect { x: area.right() - columns - 1, y: area.bottom() - 1, width: columns, height: 1 };
        if self.note.is_none() {
            self.areas.jump = mark;
        }
        paint::line(buffer, mark, &line, theme);
        buffer.set_style(mark, Style::new().add_modifier(Modifier::REVERSED));
    }

    fn draw_pane(&mut self, buffer: &mut Buffer, screen: &Screen, theme: Theme) {
        let area = self.areas.pane;
        if self.areas.text.height > 0 {
            for y in area.top()..area.bottom() {
                if let Some(cell) = buffer.cell_mut((area.x - 1, y)) {
                    cell.set_symbol("│").set_style(paint::role(theme, Role::Dim));
                }
            }
        }
        let Some(pane) = &mut self.pane else { return };
        let area = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
        self.areas.tabs = draw_tabs(buffer, area, pane.pane, &screen.look, theme);
        let rows = Rect { y: area.y + 2, height: area.height.saturating_sub(2), ..area };
        let look = Look { width: usize::from(rows.width).max(8), ..screen.look };
        let height = usize::from(rows.height);
        for (at, row) in pane.rows(&look, &screen.view, &self.transcript, height).iter().enumerate() {
            paint::row(buffer, Rect { y: rows.y + narrow(at), height: 1, ..rows }, row, theme, |_, style| style);
        }
        let below = pane.below(height);
        if below > 0 {
            let text = format!("↓ {below}");
            let x = rows.right().saturating_sub(narrow(text.chars().count()));
            let style = paint::role(theme, Role::Dim);
            buffer.set_string(x, rows.bottom() - 1, text, style.add_modifier(Modifier::REVERSED));
        }
    }

    /// The row of the search; returns where its cursor stands.
    fn draw_search(&mut self, buffer: &mut Buffer, area: Rect, screen: &Screen, theme: Theme) -> Option<Position> {
        let search = self.search.as_ref()?;
        let say = |key: &str| screen.look.say(key, &[]);
        let count = match (search.query.is_empty(), search.found.len()) {
            (true, _) => String::new(),
            (_, 0) => say("full.none"),
            (_, all) => format!("{}/{all}", search.at + 1),
        };
        let label = format!(" {} ", say("full.find"));
        let columns = usize::from(area.width);
        // The end of a long query is seen: that is where one types.
        let room = columns.saturating_sub(width(&label) + width(&count) + 4).max(4);
        let mut query = search.query.as_str();
        while width(query) > room {
            query = query.char_indices().nth(1).map_or("", |(at, _)| &query[at..]);
        }
        let at = width(&label) + width(query);
        let role = if search.found.is_empty() && !query.is_empty() { Role::Bad } else { Role::Accent };
        let hint = say("full.find_keys");
        let mut line =
            Line::of(&label, Role::Accent).with(query, Role::Plain).with("  ", Role::Plain).with(&count, role);
        if width(&line.text()) + width(&hint) + 3 <= columns {
            line = line.with(&format!("  {hint}"), Role::Dim);
        }
        paint::line(buffer, area, &clip(&line, columns), theme);
        Some(Position { x: area.x + narrow(at), y: area.y })
    }
}

/// The names of the panes; returns where a click shows which.
fn draw_tabs(buffer: &mut Buffer, area: Rect, open: Pane, look: &Look, theme: Theme) -> Vec<(Rect, Option<Pane>)> {
    let mut x = area.x;
    let mut out = Vec::new();
    let tabs = Pane::ALL.map(|it| (look.say(it.title(), &[]), Some(it)));
    for (name, pane) in tabs.into_iter().chain([("×".to_string(), None)]) {
        let columns = narrow(width(&name));
        if x + columns > area.right() {
            break;
        }
        let is_open = pane == Some(open);
        let style = paint::role(theme, if is_open { Role::Strong } else { Role::Dim });
        let tab = Rect { x, y: area.y, width: columns, height: 1 };
        paint::line(buffer, tab, &Line::of(&name, Role::Plain), theme);
        buffer.set_style(tab, if is_open { style.add_modifier(Modifier::UNDERLINED) } else { style });
        out.push((tab, pane));
        x += columns + 2;
    }
    out
}

/// The composer and what is around it; returns where its cursor stands.
fn draw_bottom(buffer: &mut Buffer, area: Rect, live: &Live, theme: Theme) -> Option<Position> {
    for (at, line) in live.lines.iter().enumerate() {
        paint::line(buffer, Rect { y: area.y + narrow(at), height: 1, ..area }, line, theme);
    }
    live.cursor.map(|(row, column)| Position { x: area.x + narrow(column), y: area.y + narrow(row) })
}

/// The last rows of what is below the transcript: where a long question does not fit, its answers are seen.
fn fitted(mut live: Live, rows: usize) -> Live {
    let over = live.lines.len().saturating_sub(rows);
    live.lines.drain(..over);
    live.cursor = live.cursor.and_then(|(row, column)| Some((row.checked_sub(over)?, column)));
    live
}

/// The looks of what a search has found.
fn found(search: Option<&Search>, (entry, row): (usize, &Row), at: Option<usize>, style: Style) -> Style {
    let (Some(search), Some(at)) = (search, at) else { return style };
    let hit = search.within(entry, row.line).iter().find(|it| it.from <= at && at < it.to);
    match hit {
        Some(it) if search.current() == Some(*it) => style.add_modifier(Modifier::REVERSED | Modifier::BOLD),
        Some(_) => style.add_modifier(Modifier::UNDERLINED | Modifier::BOLD),
        None => style,
    }
}

/// True for what a selection covers; margins are not of it.
fn is_selected(
    selected: Option<(Place, Place)>,
    (entry, row): (usize, &Row),
    at: Option<usize>,
    has_margin: bool,
) -> bool {
    let Some((from, to)) = selected else { return false };
    if row.is_gap || at.is_none() && (has_margin || row.from > 0) {
        return false;
    }
    let place = Place { entry, line: row.line, at: at.unwrap_or(row.from), in_text: at.is_some() };
    from <= place && place < to
}

/// Columns and rows of a terminal are small.
fn narrow(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}
