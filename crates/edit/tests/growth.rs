//! Time grows with the length of the file and not with its square. The bounds are loose, for busy machines; run with
//! `--release -- --nocapture` to see the figures.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use ox_edit::{Block, apply, short_diff};

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
    let (name, value) = (format!("step_{at}"), at + 1);
    let body = |indent: &str, word: &str, brace: &str| {
        format!(
            "fn {name}(input: &Input) -> Output {{\n{indent}let {word} = input.get({value});\n{indent}Output::from(value)\n{brace}\n"
        )
    };
    match kind {
        "exact" => Block::new(body("    ", "value", "}"), "fn gone() {}\n"),
        "re-indented" => Block::new(body("  ", "value", "}"), "fn gone() {}\n"),
        "misspelt" => Block::new(body("    ", "valeu", "}"), "fn gone() {}\n"),
        "absent" => Block::new("fn nowhere() {\n    let other = 1;\n    other\n}\n", "x\n"),
        "repeated" => Block::new("    Output::from(value)\n}\n", "    value.into()\n}\n"),
        _ => Block::new("}\n\n}\n\n}\n", "}\n"),
    }
}

/// The best of three runs.
fn time(text: &str, block: &Block) -> Duration {
    let run = || {
        let start = Instant::now();
        let _ = std::hint::black_box(apply(text, std::slice::from_ref(block)));
        start.elapsed()
    };
    (0..3).map(|_| run()).min().unwrap_or_default()
}

#[test]
fn time_grows_with_the_length() {
    for kind in ["exact", "re-indented", "misspelt", "absent", "repeated", "braces"] {
        let mut row = Vec::new();
        for lines in [1_000, 10_000, 50_000] {
            let block = request(kind, lines);
            row.push(time(&file(lines), &block));
        }
        println!("{kind:12} {row:?}");
        assert!(row[2] < row[0] * 50 * 8 + Duration::from_millis(50), "{kind}: {row:?}");
    }
}

#[test]
fn one_line_repeated_without_end_stays_quick() {
    let text = "x = 1\n".repeat(50_000);
    for search in ["x = 1\n".repeat(500), "x = 1\n".repeat(500) + "y\n", " x = 1\n".repeat(500), "x  = 2\n".repeat(500)]
    {
        let spent = time(&text, &Block::new(&search, "z\n"));
        println!("{:.8}… {spent:?}", search);
        assert!(spent < Duration::from_secs(5), "{spent:?}");
    }
}

#[test]
fn a_whole_file_rewritten_stays_quick() {
    let old = file(50_000);
    let new: String = (0..50_000).map(|at| format!("quite another line {at}\n")).collect();
    let start = Instant::now();
    let diff = short_diff(&old, &new, 3, 40);
    assert!(diff.contains("more lines of the diff"));
    let reindented: String = old.lines().map(|line| format!("  {line}\n")).collect();
    assert!(apply(&old, &[Block::new(reindented, &new)]).is_ok());
    let spent = start.elapsed();
    println!("rewritten {spent:?}");
    assert!(spent < Duration::from_secs(10), "{spent:?}");
}
