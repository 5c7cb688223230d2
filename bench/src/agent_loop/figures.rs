//! The figures of one program, the limits for Ox, and the table of both.
//!
//! A figure that was not measured is a dash, never a guess.

use std::fmt::Write;

/// What was measured of one program; `None` where it could not be.
#[derive(Default, Clone)]
pub struct Figures {
    /// `--version`, milliseconds.
    pub version: Option<f64>,
    /// Start of the process to its first request, milliseconds.
    pub first_request: Option<f64>,
    /// Between the end of a reply and the next request with a command between, milliseconds.
    pub gap: Option<f64>,
    /// The same where only files are read and edited.
    pub file_gap: Option<f64>,
    /// How much longer the gap is at the thousandth reply of a conversation than at the tenth, milliseconds.
    pub growth: Option<f64>,
    /// The twenty-turn run, seconds.
    pub wall: Option<f64>,
    /// Peak memory of the process itself, MiB.
    pub own_memory: Option<f64>,
    /// Peak memory of the process and its descendants, MiB.
    pub tree_memory: Option<f64>,
    /// Tokens of the first request.
    pub prompt: Option<f64>,
    /// Tools offered in the first request.
    pub tools: Option<f64>,
    /// Size of the binary, MiB.
    pub binary: Option<f64>,
}

/// A column: its head, its figure, the limit for Ox, and its decimals.
struct Column {
    head: &'static str,
    figure: fn(&Figures) -> Option<f64>,
    limit: Option<f64>,
    decimals: usize,
}

const COLUMNS: &[Column] = &[
    Column { head: "--version ms", figure: |f| f.version, limit: Some(5.0), decimals: 1 },
    Column { head: "first request ms", figure: |f| f.first_request, limit: Some(30.0), decimals: 1 },
    Column { head: "gap, files ms", figure: |f| f.file_gap, limit: Some(2.0), decimals: 2 },
    Column { head: "gap, commands ms", figure: |f| f.gap, limit: Some(12.0), decimals: 2 },
    Column { head: "gap at 1000 − at 10 ms", figure: |f| f.growth, limit: Some(3.0), decimals: 2 },
    Column { head: "wall s", figure: |f| f.wall, limit: Some(0.4), decimals: 2 },
    Column { head: "own MiB", figure: |f| f.own_memory, limit: Some(40.0), decimals: 1 },
    Column { head: "tree MiB", figure: |f| f.tree_memory, limit: None, decimals: 1 },
    Column { head: "prompt tokens", figure: |f| f.prompt, limit: Some(2500.0), decimals: 0 },
    Column { head: "tools", figure: |f| f.tools, limit: None, decimals: 0 },
    Column { head: "binary MiB", figure: |f| f.binary, limit: Some(60.0), decimals: 1 },
];

/// The limits that the figures break, or that could not be measured, in words.
pub fn missed(figures: &Figures) -> Vec<String> {
    let mut missed = Vec::new();
    for Column { head, figure, limit, decimals } in COLUMNS {
        match (figure(figures), limit) {
            (Some(value), Some(limit)) if value > *limit => {
                missed.push(format!("{head}: {value:.decimals$}, at most {limit}"));
            }
            (None, Some(limit)) => missed.push(format!("{head}: not measured, at most {limit}")),
            _ => {}
        }
    }
    missed
}

/// The table: one row per program, and the row of limits.
pub fn table(rows: &[(String, Figures)]) -> String {
    let heads = std::iter::once(String::new()).chain(COLUMNS.iter().map(|column| column.head.to_owned()));
    let mut cells: Vec<Vec<String>> = vec![heads.collect()];
    for (name, figures) in rows {
        let shown = COLUMNS.iter().map(|Column { figure, decimals, .. }| show(figure(figures), *decimals));
        cells.push(std::iter::once(name.clone()).chain(shown).collect());
    }
    let limits = COLUMNS.iter().map(|column| column.limit.map_or_else(String::new, |limit| format!("≤ {limit}")));
    cells.push(std::iter::once("ox must".to_owned()).chain(limits).collect());
    let widths: Vec<usize> =
        (0..=COLUMNS.len()).map(|at| cells.iter().map(|row| row[at].chars().count()).max().unwrap_or(0)).collect();
    let mut out = String::new();
    for row in &cells {
        let padded = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect::<Vec<_>>();
        let _ = writeln!(out, "{}", padded.join("  "));
    }
    out
}

fn show(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Figures {
        Figures {
            version: Some(5.0),
            first_request: Some(30.0),
            gap: Some(12.0),
            file_gap: Some(2.0),
            growth: Some(3.0),
            wall: Some(0.4),
            own_memory: Some(40.0),
            tree_memory: Some(999.0),
            prompt: Some(2500.0),
            tools: Some(99.0),
            binary: Some(60.0),
        }
    }

    #[test]
    fn a_limit_is_kept_when_it_is_reached_and_missed_beyond_or_unmeasured() {
        assert!(missed(&good()).is_empty());
        assert_eq!(missed(&Figures { wall: Some(0.41), ..good() }), ["wall s: 0.41, at most 0.4"]);
        assert_eq!(missed(&Figures { prompt: None, ..good() }), ["prompt tokens: not measured, at most 2500"]);
    }

    #[test]
    fn what_was_not_measured_is_a_dash() {
        let table = table(&[("pi".into(), Figures { tools: Some(4.0), ..Figures::default() })]);
        let row = table.lines().nth(1).expect("one row");
        assert_eq!(row.split_whitespace().collect::<Vec<_>>().join(" "), "pi – – – – – – – – – 4 –");
    }
}
