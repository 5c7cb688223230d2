//! A table as aligned columns. Where the screen is too narrow for it, cells are wrapped within their columns; it stays a
//! table at every width.

use pulldown_cmark::Alignment;

use crate::{Line, Role, Span, width, wrap};

/// A cell's spans.
pub(super) type Cell = Vec<Span>;

/// What stands between two columns, and its width.
const BETWEEN: &str = " │ ";
const GAP: usize = 3;
/// Columns that a cell keeps where there is any room at all; no line is wrapped more narrowly.
const LEAST: usize = 8;

/// Lays out `rows`, the first of which holds the headings, for `limit` columns.
pub(super) fn layout(rows: &[Vec<Cell>], alignments: &[Alignment], limit: usize) -> Vec<Line> {
    let Some(head) = rows.first() else { return Vec::new() };
    let wanted: Vec<usize> = (0..head.len())
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| columns(cell)).max().unwrap_or(0))
        .collect();
    let room = limit.saturating_sub(GAP * wanted.len().saturating_sub(1));
    let widths = share(&wanted, room);
    let folded = widths.iter().zip(&wanted).any(|(width, wanted)| width < wanted);
    let mut out = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        // A rule separates rows of several lines.
        if index == 1 || (index > 1 && folded) {
            out.push(rule(&widths, if index == 1 { "─" } else { "┄" }));
        }
        out.extend(printed(row, index == 0, alignments, &widths));
    }
    if rows.len() == 1 {
        out.push(rule(&widths, "─"));
    }
    out
}

fn columns(cell: &[Span]) -> usize {
    cell.iter().map(|span| width(&span.text)).sum()
}

/// How wide each column gets: what it wants, and where that is too much for all, the widest give way first.
fn share(wanted: &[usize], room: usize) -> Vec<usize> {
    let mut widths = wanted.to_vec();
    let mut over = widths.iter().sum::<usize>().saturating_sub(room);
    while over > 0 {
        let widest = widths.iter().copied().max().unwrap_or(0);
        if widest <= LEAST {
            break;
        }
        let next = widths.iter().copied().filter(|it| *it < widest).max().unwrap_or(0).max(LEAST);
        let many = widths.iter().filter(|it| **it == widest).count();
        // Down to the next one, or as far as needed; what does not divide evenly goes column by column.
        let step = (widest - next).min(over / many);
        if step == 0 {
            widths.iter_mut().filter(|it| **it == widest).take(over).for_each(|it| *it -= 1);
            break;
        }
        widths.iter_mut().filter(|it| **it == widest).for_each(|it| *it -= step);
        over -= step * many;
    }
    widths
}

/// The printed lines of one row.
fn printed(row: &[Cell], is_head: bool, alignments: &[Alignment], widths: &[usize]) -> Vec<Line> {
    let cell = |column: usize| {
        let spans = row.get(column).cloned().unwrap_or_default();
        let spans = spans.into_iter().map(|span| if is_head { headed(span) } else { span }).collect();
        let line = Line { spans, ..Line::default() };
        // A cell that fits is as narrow as it likes.
        if columns(&line.spans) <= widths[column] { vec![line] } else { wrap(&line, widths[column]) }
    };
    let cells: Vec<Vec<Line>> = (0..widths.len()).map(cell).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(1);
    (0..height).map(|at| across(&cells, at, alignments, widths)).collect()
}

/// One printed line across all columns.
fn across(cells: &[Vec<Line>], at: usize, alignments: &[Alignment], widths: &[usize]) -> Line {
    let mut line = Line::empty();
    for (column, wanted) in widths.iter().enumerate() {
        let spans = cells[column].get(at).map_or(&[][..], |it| it.spans.as_slice());
        let spaces = wanted.saturating_sub(columns(spans));
        let before = match alignments.get(column) {
            Some(Alignment::Right) => spaces,
            Some(Alignment::Center) => spaces / 2,
            _ => 0,
        };
        line = line.with(&" ".repeat(before), Role::Plain);
        line.spans.extend_from_slice(spans);
        if column + 1 < widths.len() {
            line = line.with(&" ".repeat(spaces - before), Role::Plain).with(BETWEEN, Role::Dim);
        }
    }
    line
}

fn rule(widths: &[usize], mark: &str) -> Line {
    let parts: Vec<String> = widths.iter().map(|wanted| mark.repeat(*wanted)).collect();
    Line::of(&parts.join(&format!("{mark}┼{mark}")), Role::Dim)
}

fn headed(span: Span) -> Span {
    Span { role: if span.role == Role::Plain { Role::Strong } else { span.role }, ..span }
}
