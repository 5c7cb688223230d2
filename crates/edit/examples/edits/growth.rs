//! How the time of an edit grows with the length of the file.

use std::fmt::Write as _;
use std::time::Instant;

use ox_edit::{Block, apply};

/// The lengths of the curve, in lines.
const LENGTHS: [usize; 9] = [100, 300, 1_000, 3_000, 10_000, 50_000, 100_000, 300_000, 1_000_000];
const KINDS: [(&str, f64); 5] =
    [("exact", 3.0), ("re-indented", 30.0), ("misspelt", 30.0), ("absent", 30.0), ("repeated", 30.0)];
/// The length at which the limits of [`KINDS`] (milliseconds) hold.
const LIMIT_AT: usize = 50_000;
/// The time may grow at most with this power of the length, from [`GROWS_FROM`] lines to the longest file. A little
/// over 1, because a file of 30 MB no longer fits the caches that one of 30 KB fits.
const NEAR_LINEAR: f64 = 1.25;
const GROWS_FROM: usize = 1_000;

fn file(lines: usize) -> String {
    let mut out = String::new();
    for at in 0..lines {
        let _ = match at % 5 {
            0 => writeln!(out, "fn step_{at}(input: &Input) -> Output {{"),
            1 => writeln!(out, "    let value = input.get({at});"),
            2 => writeln!(out, "    Output::from(value)"),
            3 => writeln!(out, "}}"),
            _ => writeln!(out),
        };
    }
    out
}

fn request(kind: &str, lines: usize) -> Block {
    let at = lines * 9 / 10 / 5 * 5;
    let value = at + 1;
    let body = |indent: &str, word: &str| {
        format!(
            "fn step_{at}(input: &Input) -> Output {{\n{indent}let {word} = input.get({value});\n{indent}Output::from(value)\n}}\n"
        )
    };
    match kind {
        "exact" => Block::new(body("    ", "value"), "fn gone() {}\n"),
        "re-indented" => Block::new(body("  ", "value"), "fn gone() {}\n"),
        "misspelt" => Block::new(body("    ", "valeu"), "fn gone() {}\n"),
        "repeated" => Block::new("    Output::from(value)\n}\n", "    value.into()\n}\n"),
        _ => Block::new("fn nowhere() {\n    let other = 1;\n    let more = other + 1;\n    more\n}\n", "x\n"),
    }
}

/// The best of a few runs, in milliseconds.
fn time(text: &str, block: &Block, runs: usize) -> f64 {
    let once = || {
        let start = Instant::now();
        let _ = std::hint::black_box(apply(text, std::slice::from_ref(block)));
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..runs).map(|_| once()).fold(f64::MAX, f64::min)
}

/// Prints the curve; answers which limits were missed.
pub fn print() -> Vec<String> {
    let mut missed = Vec::new();
    print!("\n{:14}", "ms by lines");
    for lines in LENGTHS {
        print!("{lines:>10}");
    }
    println!("{:>10}", "power");
    let mut rows = vec![Vec::new(); KINDS.len()];
    for lines in LENGTHS {
        let text = file(lines);
        let runs = if lines > 100_000 { 3 } else { 9 };
        for (row, (kind, _)) in rows.iter_mut().zip(KINDS) {
            row.push(time(&text, &request(kind, lines), runs));
        }
    }
    for (row, (kind, limit)) in rows.iter().zip(KINDS) {
        print!("{kind:14}");
        for (lines, ms) in LENGTHS.iter().zip(row) {
            print!("{ms:>10.3}");
            if *lines == LIMIT_AT && *ms > limit {
                missed.push(format!("{kind} on {lines} lines: {ms:.1} ms, at most {limit}"));
            }
        }
        let from = LENGTHS.iter().position(|at| *at == GROWS_FROM).unwrap_or_default();
        let last = LENGTHS.len() - 1;
        let power = (row[last] / row[from]).ln() / (LENGTHS[last] as f64 / LENGTHS[from] as f64).ln();
        println!("{power:>10.2}");
        if power > NEAR_LINEAR {
            missed.push(format!("{kind}: time grows with the length to the power {power:.2}, at most {NEAR_LINEAR}"));
        }
    }
    missed
}
