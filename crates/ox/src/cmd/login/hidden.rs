//! A line from the terminal that nobody sees.

use std::io;

/// Reads a line without showing it. `ask` writes the prompt, once nothing that is typed is shown any more. The terminal is as
/// before afterwards, also where the user gave up with Ctrl-C.
#[cfg(unix)]
pub(super) fn line(ask: impl FnOnce()) -> io::Result<String> {
    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
    use std::io::Read;

    /// Puts the terminal back.
    struct Restore(Termios);
    impl Drop for Restore {
        fn drop(&mut self) {
            // A terminal that has gone needs nothing more.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
        }
    }

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
            // Ctrl-C, and Ctrl-D at the beginning.
            0x03 => return Err(io::ErrorKind::Interrupted.into()),
            0x04 if line.is_empty() => return Err(io::ErrorKind::UnexpectedEof.into()),
            0x08 | 0x7f => drop(line.pop()),
            // Ctrl-U.
            0x15 => line.clear(),
            byte => line.push(byte),
        }
    }
    String::from_utf8(line).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Where the terminal cannot be kept from showing what is typed, nothing is asked.
#[cfg(not(unix))]
pub(super) fn line(_ask: impl FnOnce()) -> io::Result<String> {
    Err(io::Error::other("give the key on standard input: ox login PROVIDER < FILE"))
}
