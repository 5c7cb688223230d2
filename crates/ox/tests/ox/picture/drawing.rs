//! Rows as a picture that moves by itself: they appear one by one in a window and scroll.
//!
//! Who wants no motion, or shows the picture without styles, sees the end.

use std::fmt::Write;

use alacritty_terminal::term::cell::Flags;

use super::colours::{BACK, FORE, back, css, fore};
use super::rows::{Look, Row, Run};

/// The one size of type, and the room of a character in it.
const TYPE: usize = 14;
const WIDE: f64 = 8.43;
const HIGH: usize = 20;
/// Room around the text, and above it for the title.
const EDGE: usize = 18;
const TITLE: usize = 38;
/// Seconds that the last row stays.
const REST: f64 = 7.0;
/// What is typed before the first row.
const COMMAND: &str = "$ ox demo";

/// The picture of these rows in a window of so many rows and columns.
pub fn svg(rows: &[Row], high: usize, columns: usize) -> String {
    let times = times(rows);
    let whole = times.last().copied().unwrap_or_default() + REST;
    let percent = |at: f64| at / whole * 100.0;
    let (width, height) = ((columns as f64 * WIDE).ceil() as usize + 2 * EDGE, TITLE + high * HIGH + EDGE);
    let mut looks: Vec<Look> = Vec::new();
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        // Further down, a row is hidden by the edge of the window until it scrolls in.
        let class = if number + 1 < high { format!(" class=\"r r{number}\"") } else { String::new() };
        if !row.0.is_empty() {
            let drawn: String = row.0.iter().map(|run| draw(run, number + 1, &mut looks)).collect();
            let _ = writeln!(text, "<g{class}>{drawn}</g>");
        }
    }
    let mut style = String::new();
    for (number, time) in times.iter().enumerate().take(high - 1) {
        let _ = writeln!(style, "@keyframes r{number}{{0%{{opacity:0}}{:.2}%{{opacity:1}}}}", percent(*time));
        let _ = writeln!(style, ".r{number}{{animation-name:r{number}}}");
    }
    style += "@keyframes s{0%{transform:translateY(0)}";
    let last = rows.len() + 1;
    for number in high..last {
        let (at, up) = (percent(times[number - 1]), (number + 1 - high) * HIGH);
        let _ = write!(style, "{at:.2}%{{transform:translateY(-{up}px)}}");
    }
    let up = last.saturating_sub(high) * HIGH;
    let _ = writeln!(style, "}}\n.s{{animation-name:s;transform:translateY(-{up}px)}}");
    for (number, look) in looks.iter().enumerate() {
        let _ = writeln!(style, ".l{number}{{{}}}", rules(look));
    }
    let typed = typed(percent, &mut style);
    let (inner, room) = (width - 2 * EDGE, high * HIGH);
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="ox demo in a terminal">
<style>
text{{font:{TYPE}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:{fore}}}
.r,.s,.c{{animation-duration:{whole:.2}s;animation-timing-function:step-end;animation-iteration-count:infinite}}
{style}@media(prefers-reduced-motion:reduce){{.r,.s,.c{{animation:none}}}}
</style>
<rect x=".5" y=".5" width="{w}" height="{h}" rx="9.5" fill="{back}" stroke="#3b4048"/>
<g fill="#3b4048"><circle cx="20" cy="19" r="6"/><circle cx="40" cy="19" r="6"/><circle cx="60" cy="19" r="6"/></g>
<svg x="{EDGE}" y="{TITLE}" width="{inner}" height="{room}"><g class="s">
{typed}{text}</g></svg>
</svg>
"##,
        fore = css(FORE),
        back = css(BACK),
        w = width - 1,
        h = height - 1,
    )
}

/// When each row appears, in seconds: prose as fast as it is read, what belongs to a row with it, results after a pause.
fn times(rows: &[Row]) -> Vec<f64> {
    let mut now = 1.6;
    let mut times = Vec::new();
    for row in rows {
        let text = row.text();
        now += match text.trim_start().chars().next() {
            None => 0.0,
            Some('›' | '●') => 0.8,
            Some('✓' | '✗') if !text.starts_with(' ') => 0.7,
            _ if text.starts_with(' ') => 0.06,
            _ => 0.45,
        };
        times.push(now);
    }
    times
}

/// The command, letter by letter.
fn typed(percent: impl Fn(f64) -> f64, style: &mut String) -> String {
    let mut out = String::new();
    for (number, letter) in COMMAND.chars().enumerate() {
        let (x, y) = (number as f64 * WIDE, TYPE);
        let class = if number > 1 { format!(" class=\"c c{number}\"") } else { String::new() };
        if letter != ' ' {
            let _ = write!(out, "<text x=\"{x:.1}\" y=\"{y}\"{class}>{letter}</text>");
        }
        if number > 1 {
            let at = percent(0.4 + number as f64 * 0.09);
            let _ = writeln!(style, "@keyframes c{number}{{0%{{opacity:0}}{at:.2}%{{opacity:1}}}}");
            let _ = writeln!(style, ".c{number}{{animation-name:c{number}}}");
        }
    }
    out + "\n"
}

fn draw(run: &Run, line: usize, looks: &mut Vec<Look>) -> String {
    let (x, wide) = (run.from as f64 * WIDE, (run.to - run.from) as f64 * WIDE);
    let mut out = String::new();
    if let Some(back) = back(&run.look) {
        let y = line * HIGH;
        let _ =
            write!(out, "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{wide:.1}\" height=\"{HIGH}\" fill=\"{}\"/>", css(back));
    }
    if run.text.trim().is_empty() {
        return out;
    }
    let number = looks.iter().position(|it| rules(it) == rules(&run.look)).unwrap_or_else(|| {
        looks.push(run.look);
        looks.len() - 1
    });
    let text = run.text.replace('&', "&amp;").replace('<', "&lt;");
    let y = line * HIGH + TYPE;
    out + &format!("<text x=\"{x:.1}\" y=\"{y}\" textLength=\"{wide:.1}\" class=\"l{number}\">{text}</text>")
}

/// The style of text in this look.
fn rules(look: &Look) -> String {
    let mut rules = format!("fill:{}", css(fore(look)));
    for (flag, rule) in [
        (Flags::BOLD, ";font-weight:700"),
        (Flags::ITALIC, ";font-style:italic"),
        (Flags::UNDERLINE, ";text-decoration:underline"),
    ] {
        if look.flags.contains(flag) {
            rules += rule;
        }
    }
    rules
}
