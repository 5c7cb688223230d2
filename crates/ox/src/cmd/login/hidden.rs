//! A line from the terminal that nobody sees.

use std::io;

use crate::cmd::answer::Restore;

/// Reads a line without showing it. `ask` writes the prompt, once nothing that is typed is shown any more. The terminal is as
/// before afterwards, also where the user gave up with Ctrl-C or Esc.
pub(super) fn line(ask: impl FnOnce()) -> io::Result<String> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    use std::io::Read;

    let before = tcgetattr(io::stdin())?;
    let mut quiet = before.clone();
    // Signals are taken as keys, since a process that ends here would leave the terminal mute.
    quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
    let _restore = Restore(before);
    tcsetattr(io::stdin(), OptionalActions::Flush, &quiet)?;
    ask();
    let mut line: Vec<u8> = Vec::new();
    for byte in io::stdin().lock().bytes() {
        match byte? {
            b'\n' | b'\r' => break,
            // Ctrl-C and Esc, and Ctrl-D at the beginning.
            0x03 | 0x1b => return Err(io::ErrorKind::Interrupted.into()),
            0x04 if line.is_empty() => return Err(io::ErrorKind::UnexpectedEof.into()),
            0x08 | 0x7f => drop(line.pop()),
            // Ctrl-U.
            0x15 => line.clear(),
            byte => line.push(byte),
        }
    }
    String::from_utf8(line).map_err(|_| io::ErrorKind::InvalidData.into())
}
