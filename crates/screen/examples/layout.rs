//! How long the full screen takes over a long conversation: `cargo run --release -p ox-screen --example layout -- [FILE]`.
//!
//! The events of a stored log (of this repository's own, where no file is named) are repeated until there are 5,000. The lines
//! of the output are milliseconds; exit code 1 where one is over its limit.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ox_client::Update;
use ox_protocol::locale::Language;
use ox_protocol::{Event, Frame, Seq, Time};
use ox_screen::full::FullScreen;
use ox_screen::report::Look;
use ox_screen::screen::Screen;
use ox_text::Theme;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

const LOG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../store/tests/golden/v2.jsonl");
const EVENTS: usize = 5_000;
const SIZE: Rect = Rect { x: 0, y: 0, width: 120, height: 40 };
/// The longest that taking in all events and drawing the first frame may take, and the longest frame of scrolling.
const LAYOUT_MS: f64 = 100.0;
const FRAME_MS: f64 = 8.0;

fn frames(file: &str) -> Result<Vec<Frame>, String> {
    let text = std::fs::read_to_string(file).map_err(|why| format!("{file}: {why}"))?;
    let read = |line: &str| serde_json::from_str(line).map_err(|why| format!("{file}: {why}"));
    let all: Vec<Frame> = text.lines().map(read).collect::<Result<_, String>>()?;
    let (first, rest) = all.split_first().ok_or(format!("{file} is empty"))?;
    let mut out = vec![first.clone()];
    while out.len() < EVENTS {
        for frame in rest {
            let number = out.len() as u64 + 1;
            // A rewind would take away what the list is to be long of.
            if !matches!(frame.event, Event::Rewound { .. }) {
                out.push(Frame { seq: Seq(number), time: Time(frame.time.0 + number), ..frame.clone() });
            }
        }
    }
    out.truncate(EVENTS);
    Ok(out)
}

/// Draws a frame and says how long that took, in milliseconds.
fn draw(full: &mut FullScreen, screen: &Screen, area: Rect) -> f64 {
    let (mut buffer, began) = (Buffer::empty(area), Instant::now());
    full.draw(&mut buffer, screen, Theme::Dark, Time(0));
    began.elapsed().as_secs_f64() * 1e3
}

fn main() -> std::process::ExitCode {
    let file = std::env::args().nth(1).unwrap_or_else(|| LOG.to_owned());
    let frames = match frames(&file) {
        Ok(frames) => frames,
        Err(why) => {
            eprintln!("{why}");
            return std::process::ExitCode::from(2);
        }
    };
    let look = Look { live: true, ..Look::new(Language::En, usize::from(SIZE.width) - 1) };
    let (mut screen, mut full) = (Screen::new(look), FullScreen::new(look));
    let began = Instant::now();
    for update in frames.into_iter().map(Update::from) {
        let lines = screen.update(&update);
        full.take(&screen, &update, lines);
    }
    draw(&mut full, &screen, SIZE);
    let layout = began.elapsed().as_secs_f64() * 1e3;
    let key = |code: KeyCode| KeyEvent::new(code, KeyModifiers::NONE);
    let mut scrolled: Vec<f64> = (0..400)
        .map(|_| {
            full.key(key(KeyCode::PageUp), &screen);
            draw(&mut full, &screen, SIZE)
        })
        .collect();
    scrolled.sort_by(f64::total_cmp);
    let (median, worst) = (scrolled[scrolled.len() / 2], scrolled[scrolled.len() - 1]);
    let resized = draw(&mut full, &screen, Rect { width: 80, ..SIZE });
    full.key(key(KeyCode::F(3)), &screen);
    let began = Instant::now();
    full.key(key(KeyCode::Char('e')), &screen);
    let found = began.elapsed().as_secs_f64() * 1e3 + draw(&mut full, &screen, SIZE);
    println!("{EVENTS} events laid out, with the first frame | {layout:.1} | {LAYOUT_MS} at most");
    println!("a page up, median | {median:.3} |");
    println!("a page up, worst | {worst:.3} | {FRAME_MS} at most");
    println!("a frame after a change of the width | {resized:.3} |");
    println!("a letter found everywhere | {found:.1} |");
    std::process::ExitCode::from(u8::from(layout > LAYOUT_MS || worst > FRAME_MS))
}
