//! Every line of every fixture of the view, printed at several widths: none is wider than its screen.

use std::path::Path;

use ox_client::Update;
use ox_protocol::locale::Language;
use ox_protocol::{Frame, Time};

use super::super::Screen;
use crate::report::Look;
use crate::text::{Line, width, wrap};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../client/tests/client/view");
const ROWS: usize = 24;

#[track_caller]
fn fits(lines: &[Line], columns: usize, of: &str) {
    for text in lines.iter().map(Line::text) {
        assert!(width(&text) <= columns, "{} columns of {columns}: `{text}`\n{of}", width(&text));
    }
}

/// Plays the frames as a terminal of so many columns shows them.
fn play(frames: &[(String, Frame)], columns: usize, look: Look) {
    let mut screen = Screen::new(Look { live: true, ..look });
    screen.has_composer = true;
    screen.resize(columns);
    for (text, frame) in frames {
        let printed = screen.update(&Update::from(frame.clone()));
        let rows: Vec<Line> = printed.iter().flat_map(|line| wrap(line, columns - 1)).collect();
        fits(&rows, columns - 1, text);
        let live = screen.live(Time(frame.time.0 + 1_000), columns, ROWS);
        fits(&live.lines, columns, text);
        assert!(live.lines.len() <= ROWS, "{} rows below\n{text}", live.lines.len());
    }
}

#[test]
fn every_line_of_every_fixture_fits_the_screen() {
    let files = std::fs::read_dir(Path::new(FOLDER)).unwrap().map(|it| it.unwrap().path());
    let files: Vec<_> = files.filter(|it| it.extension().is_some_and(|it| it == "jsonl")).collect();
    assert!(files.len() >= 3, "the fixtures are gone");
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let frames: Vec<_> = text.lines().map(|it| (it.to_string(), serde_json::from_str(it).unwrap())).collect();
        for columns in [20, 50, 80, 120] {
            for language in [Language::En, Language::Zh] {
                for expanded in [false, true] {
                    play(&frames, columns, Look { expanded, ..Look::new(language, columns - 1) });
                }
            }
        }
    }
}
