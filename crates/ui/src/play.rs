//! Plays a stored conversation as if it happened now.
//!
//! Promise: only what is stored is shown; pauses are those of the recording divided by the speed, none longer than two
//! seconds.

use std::io::Write;
use std::time::Duration;

use ox_client::Update;
use ox_protocol::{Frame, Time};

use crate::UiError;
use crate::report::Look;
use crate::screen::Screen;
use crate::terminal::{Painter, TerminalOptions, size};
use crate::text::{Line, Theme, wrap};

/// The longest pause.
const LONGEST: Duration = Duration::from_secs(2);
/// How often the live area moves on during a pause.
const TICK: Duration = Duration::from_millis(50);

/// Plays `frames` at `speed` times their own pace; a speed that is not above zero means without pauses.
pub async fn play(frames: &[Frame], speed: f64, options: &TerminalOptions) -> Result<(), UiError> {
    let look = Look { live: options.moves, echo: true, ..Look::new(options.language, size().0 - 1) };
    let mut screen = Screen::new(look);
    let mut painter = Painter::new(std::io::stdout(), options.theme, options.moves);
    let mut before: Option<Time> = None;
    for frame in frames {
        let mut left = before.map_or(Duration::ZERO, |it| pause(it, frame.time, speed));
        let mut clock = before.unwrap_or(frame.time);
        while !left.is_zero() && options.moves {
            let step = left.min(TICK);
            tokio::time::sleep(step).await;
            left -= step;
            // The clock that is shown runs at the recording's pace.
            clock = Time((clock.0 + (step.as_millis() as f64 * speed) as u64).min(frame.time.0));
            painter.draw(&[], screen.live(clock, size().0, size().1), size().0)?;
        }
        tokio::time::sleep(left).await;
        let lines = screen.update(&Update::from(frame.clone()));
        match options.moves {
            true => painter.draw(&lines, screen.live(frame.time, size().0, size().1), size().0)?,
            false => write_lines(&mut std::io::stdout(), options.theme, &lines, size().0)?,
        }
        before = Some(frame.time);
    }
    if options.moves {
        painter.close(size().0)?;
    }
    Ok(())
}

/// For a pipe, or a terminal that is not in raw mode: what ends a line there is no carriage return.
fn write_lines(out: &mut impl Write, theme: Theme, lines: &[Line], columns: usize) -> std::io::Result<()> {
    for line in lines.iter().flat_map(|line| wrap(line, columns.saturating_sub(1))) {
        writeln!(out, "{}", theme.paint(&line).trim_end())?;
    }
    out.flush()
}

fn pause(from: Time, to: Time, speed: f64) -> Duration {
    if speed <= 0.0 || !speed.is_finite() {
        return Duration::ZERO;
    }
    let apart = Duration::from_millis(to.0.saturating_sub(from.0));
    apart.div_f64(speed.max(0.001)).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Role;

    #[test]
    fn a_pipe_gets_lines_that_end_in_a_line_feed_alone() {
        let mut out = Vec::new();
        let lines = [Line::of("one  ", Role::Plain), Line::of("two words", Role::Plain)];
        write_lines(&mut out, Theme::None, &lines, 8).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "one\ntwo\nwords\n");
    }

    #[test]
    fn pauses() {
        let pause = |ms: u64, speed| pause(Time(1_000), Time(1_000 + ms), speed).as_millis();
        assert_eq!(pause(400, 1.0), 400);
        assert_eq!(pause(400, 4.0), 100);
        assert_eq!(pause(60_000, 1.0), 2_000);
        assert_eq!(pause(400, 0.0), 0);
        assert_eq!(pause(400, f64::NAN), 0);
        assert_eq!(super::pause(Time(5), Time(1), 1.0), Duration::ZERO);
    }
}
