//! JSON lines: every frame and every delta as one object a line, for programs.
//!
//! Promise: standard output carries nothing else, each line is flushed when it is complete, and no line holds a raw
//! line break. When the reader goes away the session is closed. Nobody is waited for: a
//! question is answered with a refusal.

use std::io::Write;

use ox_client::{Client, Control, Lines, Update};
use ox_protocol::Stop;

use crate::session::{Next, Unattended, follow};

/// Prints the session until its turn is complete. `None` when it ended without a completion, an error when standard
/// output could not be written though somebody reads it.
pub async fn run_json(client: &mut Client) -> std::io::Result<Option<Stop>> {
    let mut out = std::io::stdout();
    let (mut unattended, mut lines) = (Unattended::default(), Lines::default());
    follow(client, |update| {
        // What becomes of commands is of no use to who sends none.
        if matches!(update, Update::Control(Control::Accepted { .. })) {
            return Next::Go;
        }
        if let Err(error) = write(&mut out, &mut lines, update) {
            return Next::Leave(error);
        }
        update.frame().and_then(|it| unattended.answer(&it.event)).map_or(Next::Go, Next::Send)
    })
    .await
}

/// Writes one update as a line that can be read alone.
pub fn write(out: &mut impl Write, lines: &mut Lines, update: &Update) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(&lines.line(update)?)?;
    line.push(b'\n');
    out.write_all(&line)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canned;

    #[test]
    fn every_update_is_one_line_that_reads_back() {
        let mut lines = Lines::default();
        for step in canned::session().steps {
            let mut out = Vec::new();
            write(&mut out, &mut lines, &step.update).expect("a vector takes everything");
            let text = String::from_utf8(out).expect("JSON is UTF-8");
            assert_eq!(text.matches('\n').count(), 1);
            assert!(text.ends_with('\n') && !text.contains('\u{1b}'));
            assert_eq!(serde_json::from_str::<Update>(&text).expect("it reads back"), step.update);
        }
    }
}
