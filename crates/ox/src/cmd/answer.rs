//! A line that is typed as an answer.
//!
//! Promise: Ctrl-C and Esc end the question, also where a conversation has taken the signals, and nothing that was typed
//! behind them is an answer to anything.

use std::io::{self, BufRead, ErrorKind, Write};

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

/// What Ctrl-C and Esc are to a terminal that makes no signals of keys.
const GIVES_UP: [u8; 2] = [0x03, 0x1b];

/// Puts the terminal back as it was, without what was typed since.
pub(super) struct Restore(pub(super) Termios);

impl Drop for Restore {
    fn drop(&mut self) {
        // A terminal that has gone needs nothing more.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
    }
}

/// Asks; the line without its end, or none where the user gave up or nothing more comes.
pub(super) fn line(question: &str) -> io::Result<Option<String>> {
    let mut restore = None;
    if let Ok(before) = tcgetattr(io::stdin()) {
        let mut asking = before.clone();
        // Lines are still edited by the terminal; these keys end one at once.
        asking.local_modes.remove(LocalModes::ISIG);
        asking.special_codes[SpecialCodeIndex::VEOL] = GIVES_UP[0];
        asking.special_codes[SpecialCodeIndex::VEOL2] = GIVES_UP[1];
        restore = Some(Restore(before));
        tcsetattr(io::stdin(), OptionalActions::Now, &asking)?;
    }
    let mut stderr = io::stderr();
    write!(stderr, "{} ", question.trim_end()).and_then(|()| stderr.flush())?;
    let read = one_line(&mut io::stdin().lock())?;
    let gave_up = read.last().is_none_or(|it| restore.is_some() && GIVES_UP.contains(it));
    if gave_up {
        writeln!(stderr)?;
        return Ok(None);
    }
    let text = String::from_utf8(read).map_err(|_| ErrorKind::InvalidData)?;
    Ok(Some(text.trim().to_owned()))
}

/// What is read up to the end of a line; a terminal gives no more than one at a time.
fn one_line(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    loop {
        let read = match input.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read?,
        };
        let length = read.iter().position(|it| *it == b'\n').map_or(read.len(), |it| it + 1);
        let line = read[..length].to_vec();
        input.consume(length);
        return Ok(line);
    }
}
