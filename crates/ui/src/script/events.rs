//! JSON lines: every frame and every delta as one object a line, for programs.
//!
//! Promise: each line is flushed when it is complete, and no line holds a raw line break.

use std::io::Write;

use ox_client::{Lines, Update};

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
