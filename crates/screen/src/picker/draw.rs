//! How a list to choose from looks: title, search, rows in columns, preview, and the keys in its foot.
//!
//! Promise: it fits: never more lines than the screen has, never a line that is wider. The chosen row is always seen.

use super::{Asks, Picker, Row};
use crate::report::Look;
use crate::screen::Live;
use crate::text::{Line, Role, clip, width, wrap};

/// From so many columns on the preview stands beside the rows; below that it stands under them.
const BESIDE: usize = 110;
/// On a lower screen there is no line above the title.
const LOW: usize = 12;
/// On a lower one there is neither title nor foot.
const LOWEST: usize = 7;
/// Rows that are listed at most, and lines of a preview under them.
const LISTED: usize = 16;
const UNDER: usize = 9;
/// Columns that a title is left before a column is left out.
const TITLE: usize = 24;

impl Picker {
    /// What it looks like on a screen of this size; the last column stays free.
    pub fn live(&self, look: &Look, columns: usize, rows: usize) -> Live {
        let mut live = Live::default();
        // On the lowest screens the rows count more than what is said about them.
        let foot = if rows >= LOWEST { self.foot(look, columns) } else { Vec::new() };
        if rows >= LOW {
            live.lines.push(Line::of(&"─".repeat(columns), Role::Dim));
        }
        if rows >= LOWEST {
            live.lines.push(self.head(columns));
        }
        if let Some(query) = &self.query {
            let (text, at) = query.view(columns - 2);
            live.cursor = Some((live.lines.len(), 2 + at));
            let hint = look.say("picker.search", &[]);
            let line = Line::of("⌕ ", Role::Dim);
            let typed = if text.is_empty() { line.with(&hint, Role::Dim) } else { line.with(&text, Role::Plain) };
            live.lines.push(clip(&typed, columns));
        }
        // One line of the screen is the cursor's after the last drawn one.
        let room = rows.saturating_sub(live.lines.len() + foot.len() + 1).max(1);
        let first = live.lines.len();
        let (body, chosen) = self.body(look, columns, room);
        live.lines.extend(body);
        live.cursor = live.cursor.or(Some((first + chosen, 0)));
        if let Some((_, editor)) = &self.asked
            && let Some(question) = self.question()
        {
            let typed = matches!(self.extras[self.asked.as_ref().map_or(0, |it| it.0)].step, Asks::Text(_));
            let label = format!("{question} ");
            let (text, at) = editor.view(columns.saturating_sub(width(&label)).max(8));
            live.cursor = Some((live.lines.len(), (width(&label) + at).min(columns - 1)));
            let line = Line::of(&label, Role::Warn).with(if typed { &text } else { "" }, Role::Plain);
            live.lines.push(clip(&line, columns));
        } else {
            live.lines.extend(foot);
        }
        live
    }

    fn head(&self, columns: usize) -> Line {
        let place = match self.shown.len() {
            0 => String::new(),
            count if self.query.is_some() => format!("{}/{count}", self.chosen + 1),
            _ => String::new(),
        };
        let title = clip(&Line::of(&self.title, Role::Strong), columns.saturating_sub(width(&place) + 2));
        let gap = columns.saturating_sub(width(&title.text()) + width(&place));
        title.with(&" ".repeat(gap), Role::Plain).with(&place, Role::Dim)
    }

    /// The question that a further key asks.
    fn question(&self) -> Option<String> {
        let (at, _) = self.asked.as_ref()?;
        match &self.extras[*at].step {
            Asks::Yes(text) | Asks::Text(text) => {
                let title = crate::words::short(&self.row()?.title, TITLE);
                Some(text.replace("{title}", &title))
            }
            Asks::Nothing => None,
        }
    }

    /// The keys; what came of the last action is in their place.
    fn foot(&self, look: &Look, columns: usize) -> Vec<Line> {
        if let Some(note) = &self.note {
            return vec![clip(note, columns)];
        }
        let enters = (!self.enter.is_empty()).then(|| look.say("picker.enter", &[("what", &self.enter)]));
        let mut keys: Vec<String> = enters.into_iter().collect();
        keys.extend(self.extras.iter().map(|it| it.about.clone()));
        keys.push(look.say("picker.esc", &[]));
        let mut lines: Vec<String> = vec![String::new()];
        for key in keys {
            let last = lines.last_mut().map(std::mem::take).unwrap_or_default();
            let joined = if last.is_empty() { key.clone() } else { format!("{last} · {key}") };
            if width(&joined) <= columns || last.is_empty() {
                lines.pop();
                lines.push(joined);
            } else {
                lines.pop();
                lines.extend([last, key]);
            }
        }
        lines.iter().take(2).map(|it| clip(&Line::of(it, Role::Dim), columns)).collect()
    }

    /// Rows and preview in so many lines, and the line of the chosen row.
    fn body(&self, look: &Look, columns: usize, room: usize) -> (Vec<Line>, usize) {
        let listed = self.rows.len().clamp(1, LISTED);
        if self.previews.is_none() {
            return self.listed(look, columns, listed.min(room));
        }
        if columns >= BESIDE {
            let height = listed.max(UNDER).min(room);
            let left = columns * 3 / 5;
            let (rows, chosen) = self.listed(look, left, listed.min(height));
            return (beside(rows, self.previewed(look, columns - left - 3), left, height), chosen);
        }
        // The rows have at least half of the room; the preview has a line of its own above it.
        let under = if room < 6 { 0 } else { (room / 2).min(self.tallest(columns)) };
        let (mut lines, chosen) = self.listed(look, columns, listed.min(room - under));
        if under > 0 {
            lines.push(Line::of(&"╌".repeat(columns), Role::Dim));
            let preview = self.previewed(look, columns);
            let missing = (under - 1).saturating_sub(preview.len());
            lines.extend(preview.into_iter().take(under - 1));
            lines.extend((0..missing).map(|_| Line::empty()));
        }
        (lines, chosen)
    }

    /// Lines under the rows: of the tallest preview where all are known, so that nothing jumps, with the line above it.
    fn tallest(&self, columns: usize) -> usize {
        let known = self.previews.iter().flatten();
        let height = |(_, it): (_, &Vec<Line>)| it.iter().map(|it| wrap(it, columns).len()).sum::<usize>() + 1;
        let all_known = self.previews.as_ref().is_some_and(|it| it.len() == self.rows.len());
        if all_known { known.map(height).max().unwrap_or(UNDER).min(UNDER) } else { UNDER }
    }

    /// The preview of the chosen row, wrapped.
    fn previewed(&self, look: &Look, columns: usize) -> Vec<Line> {
        let known = self.previews.as_ref().zip(self.row()).and_then(|(known, row)| known.get(&row.id));
        match known {
            Some(lines) => lines.iter().flat_map(|it| wrap(it, columns)).collect(),
            None if self.row().is_some() => vec![Line::of(&look.say("picker.loading", &[]), Role::Dim)],
            None => Vec::new(),
        }
    }

    /// The rows around the chosen one, and its line.
    fn listed(&self, look: &Look, columns: usize, room: usize) -> (Vec<Line>, usize) {
        let from = (self.chosen + 1).saturating_sub(room).min(self.shown.len().saturating_sub(room));
        let widths = self.widths(columns);
        let seen = self.shown.iter().enumerate().skip(from).take(room);
        let mut lines: Vec<Line> = seen.map(|(at, row)| self.line(at, &self.rows[*row], &widths, columns)).collect();
        if lines.is_empty() {
            let unmatched = look.say("picker.no_match", &[]);
            let why = if self.rows.is_empty() { &self.empty } else { &unmatched };
            lines.push(clip(&Line::of(why, Role::Dim).indented(2, 0), columns));
        }
        // A search changes what is listed, not how high the list is.
        lines.resize_with(room.max(1), Line::empty);
        (lines, self.chosen.saturating_sub(from))
    }

    /// How wide each column is; those that leave the title no room are left out, from the last on.
    fn widths(&self, columns: usize) -> Vec<usize> {
        let count = self.rows.iter().map(|it| it.cells.len()).max().unwrap_or(0);
        let widest = |at: usize| self.rows.iter().filter_map(|it| it.cells.get(at)).map(|it| width(&it.0)).max();
        let mut widths: Vec<usize> = (0..count).map(|at| widest(at).unwrap_or(0)).collect();
        let taken = |widths: &[usize]| widths.iter().filter(|it| **it > 0).map(|it| it + 2).sum::<usize>() + 4;
        while taken(&widths) + TITLE.min(self.title_width()) > columns && widths.len() > 1 {
            widths.pop();
        }
        widths
    }

    fn title_width(&self) -> usize {
        self.rows.iter().map(|it| width(&it.title)).max().unwrap_or(0)
    }

    fn line(&self, at: usize, row: &Row, widths: &[usize], columns: usize) -> Line {
        let chosen = at == self.chosen;
        let mut line = Line::of(if chosen { "❯ " } else { "  " }, Role::User);
        if self.query.is_none() && at < 9 && self.shown.len() > 1 {
            line = line.with(&format!("{} ", at + 1), Role::Dim);
        }
        let marked = self.rows.iter().any(|it| it.current);
        line = line.with(
            if !marked {
                ""
            } else if row.current {
                "● "
            } else {
                "  "
            },
            Role::Accent,
        );
        for ((text, role), wide) in row.cells.iter().zip(widths).filter(|it| *it.1 > 0) {
            let pad = " ".repeat(wide - width(text) + 2);
            line = line.with(&format!("{text}{pad}"), if row.dim { Role::Dim } else { *role });
        }
        let role = match (chosen, row.dim) {
            (true, _) => Role::Strong,
            (_, true) => Role::Dim,
            _ => Role::Plain,
        };
        clip(&line.with(&row.title, role), columns)
    }
}

/// Two columns of lines, `left` wide and `height` high.
fn beside(rows: Vec<Line>, preview: Vec<Line>, left: usize, height: usize) -> Vec<Line> {
    let mut preview = preview.into_iter();
    let mut rows = rows.into_iter();
    let line = |_| {
        let row = rows.next().unwrap_or_default();
        let pad = " ".repeat(left.saturating_sub(width(&row.text())));
        let mut line = row.with(&pad, Role::Plain).with(" │ ", Role::Dim);
        let other = preview.next().unwrap_or_default();
        line.spans.extend(other.lead.into_iter().chain(other.spans));
        line
    };
    (0..height).map(line).collect()
}
