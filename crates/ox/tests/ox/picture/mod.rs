//! The moving picture at the beginning of the README: a real run of `ox demo`, as a terminal shows it.
//!
//! What differs from run to run (how long a step took, what it cost, the name of a temporary folder) is left out, calls that
//! run at the same time stand in a fixed order, and the rows come at a reader's pace.

mod colours;
mod drawing;
mod rows;

use std::fs;
use std::path::Path;

use crate::place::Place;
use crate::terminal::{Size, Terminal};

/// As wide as a README shows at the size of its own text.
const SIZE: Size = Size { columns: 90, rows: 28 };
/// What a page may be asked to load before it says anything.
const MOST_BYTES: usize = 150_000;

#[test]
fn the_picture_of_the_readme_is_what_the_demo_shows() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/demo.svg");
    let rows = demo();
    let drawn = drawing::svg(&rows, SIZE.rows, SIZE.columns);
    assert!(drawn.len() <= MOST_BYTES, "the picture has {} bytes", drawn.len());
    if fs::read_to_string(&file).is_ok_and(|text| text == drawn) {
        return;
    }
    assert!(std::env::var_os("UPDATE").is_some(), "docs/src/demo.svg is out of date: run `cargo xtask picture`");
    fs::write(&file, drawn).unwrap();
}

/// What stands on the terminal at the end of a run, scrollback included.
fn demo() -> Vec<rows::Row> {
    let place = Place::within("/tmp"); // Where the first line is wrapped depends on how long its name is.
    let mut variables: Vec<(&str, String)> = vec![("TMPDIR", "/tmp".into()), ("COLORTERM", "truecolor".into())];
    // The sample needs a compiler.
    for name in ["HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"] {
        variables.extend(std::env::var(name).map(|value| (name, value)));
    }
    let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let terminal = Terminal::sized(&place, &["demo"], &variables, SIZE);
    terminal.pictures(&["Done; all checks pass.", "›", "context"]);
    let rows = terminal.now(rows::of);
    terminal.leaves();
    rows
}
