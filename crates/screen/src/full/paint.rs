//! Lines and rows as cells.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;

use super::rows::Row;
use crate::text::{Line, Role, Span, Theme, width};

/// Draws a line that fits, from the left of `area` on.
pub(super) fn line(buffer: &mut Buffer, area: Rect, line: &Line, theme: Theme) {
    glyphs(buffer, area, area.x, line.lead.iter().chain(&line.spans), theme, |_, style| style);
}

/// Draws spans from a column on, and says where the next would stand; `looks` knows each glyph, its style before, and changes it.
fn glyphs<'a>(
    buffer: &mut Buffer,
    area: Rect,
    mut x: u16,
    spans: impl Iterator<Item = &'a Span>,
    theme: Theme,
    mut looks: impl FnMut(&str, Style) -> Style,
) -> u16 {
    for span in spans {
        let style = style(theme, span);
        for glyph in span.text.graphemes(true) {
            x = put(buffer, area, x, glyph, looks(glyph, style));
        }
    }
    x
}

/// Draws a row; `marked` changes the looks of what stands at a byte of its line's text (none: before the text).
pub(super) fn row(
    buffer: &mut Buffer,
    area: Rect,
    row: &Row,
    theme: Theme,
    marked: impl Fn(Option<usize>, Style) -> Style,
) {
    let x = glyphs(buffer, area, area.x, row.lead.iter(), theme, |_, style| marked(None, style));
    let mut at = row.from;
    glyphs(buffer, area, x, row.spans.iter(), theme, |glyph, style| {
        let style = marked(Some(at), style);
        at += glyph.len();
        style
    });
}

/// Draws a glyph and says where the next one stands.
fn put(buffer: &mut Buffer, area: Rect, x: u16, glyph: &str, style: Style) -> u16 {
    let columns = u16::try_from(width(glyph)).unwrap_or(0);
    let next = x.saturating_add(columns);
    if columns == 0 || next > area.right() {
        return x;
    }
    if let Some(cell) = buffer.cell_mut((x, area.y)) {
        cell.set_symbol(glyph).set_style(style);
    }
    // What a wide glyph covers is empty.
    for covered in x + 1..next {
        if let Some(cell) = buffer.cell_mut((covered, area.y)) {
            cell.reset();
            cell.set_style(style);
        }
    }
    next
}

/// The looks of a span.
pub(super) fn style(theme: Theme, span: &Span) -> Style {
    let mut style = Style::new();
    let codes = theme.codes(span);
    let mut numbers = codes.split(';').filter_map(|it| it.parse::<u8>().ok());
    while let Some(code) = numbers.next() {
        style = match code {
            1 => style.add_modifier(Modifier::BOLD),
            2 => style.add_modifier(Modifier::DIM),
            3 => style.add_modifier(Modifier::ITALIC),
            4 => style.add_modifier(Modifier::UNDERLINED),
            7 => style.add_modifier(Modifier::REVERSED),
            30..=37 => style.fg(Color::Indexed(code - 30)),
            90..=97 => style.fg(Color::Indexed(code - 90 + 8)),
            38 | 48 => {
                // `5`, then the number of one of 256 colours.
                let colour = numbers.nth(1).map_or(Color::Reset, Color::Indexed);
                if code == 38 { style.fg(colour) } else { style.bg(colour) }
            }
            _ => style,
        };
    }
    style
}

/// The looks of a role.
pub(super) fn role(theme: Theme, role: Role) -> Style {
    style(theme, &Span { role, ..Span::default() })
}
