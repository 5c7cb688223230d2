//! A table as aligned columns, or, where the screen is too narrow for it, as `heading: cell` lines.

use pulldown_cmark::Alignment;

use crate::text::{Line, Role, Span, width};

/// A cell's spans.
pub(super) type Cell = Vec<Span>;

/// Lays out `rows`, the first of which holds the headings, for `limit` columns.
pub(super) fn layout(rows: &[Vec<Cell>], alignments: &[Alignment], limit: usize) -> Vec<Line> {
    let Some(head) = rows.first() else { return Vec::new() };
    let widths: Vec<usize> = (0..head.len())
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| columns(cell)).max().unwrap_or(0))
        .collect();
    let total = widths.iter().sum::<usize>() + 3 * widths.len().saturating_sub(1);
    if total <= limit { aligned(rows, alignments, &widths) } else { stacked(head, &rows[1..]) }
}

fn columns(cell: &[Span]) -> usize {
    cell.iter().map(|span| width(&span.text)).sum()
}

fn aligned(rows: &[Vec<Cell>], alignments: &[Alignment], widths: &[usize]) -> Vec<Line> {
    let mut out = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let mut line = Line::empty();
        for (column, wanted) in widths.iter().enumerate() {
            let cell = row.get(column).map_or(&[][..], Vec::as_slice);
            let spaces = wanted - columns(cell);
            let before = match alignments.get(column) {
                Some(Alignment::Right) => spaces,
                Some(Alignment::Center) => spaces / 2,
                _ => 0,
            };
            line = line.with(&" ".repeat(before), Role::Plain);
            line.spans.extend(cell.iter().cloned().map(|span| if index == 0 { headed(span) } else { span }));
            if column + 1 < widths.len() {
                line = line.with(&" ".repeat(spaces - before), Role::Plain).with(" │ ", Role::Dim);
            }
        }
        out.push(line);
        if index == 0 {
            let rule: Vec<String> = widths.iter().map(|wanted| "─".repeat(*wanted)).collect();
            out.push(Line::of(&rule.join("─┼─"), Role::Dim));
        }
    }
    out
}

fn headed(span: Span) -> Span {
    Span { role: if span.role == Role::Plain { Role::Strong } else { span.role }, ..span }
}

fn stacked(head: &[Cell], rows: &[Vec<Cell>]) -> Vec<Line> {
    let mut out = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            out.push(Line::of("──", Role::Dim));
        }
        for (title, cell) in head.iter().zip(row) {
            let mut line = Line::empty();
            line.spans.extend(title.iter().cloned().map(headed));
            line = line.with(": ", Role::Dim);
            line.spans.extend(cell.iter().cloned());
            out.push(line.hanging(2));
        }
    }
    out
}
