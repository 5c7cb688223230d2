//! Lines of standard input, read beside the session.
//!
//! Promise: a session that ends does not wait for the next line.

use std::io::BufRead;

use tokio::sync::mpsc;

/// Lines as they come.
pub(super) struct Lines(mpsc::UnboundedReceiver<String>);

impl Lines {
    /// Reads standard input on a thread of its own, which ends with the process: nothing can cut a read short.
    pub(super) fn of_stdin() -> Lines {
        let (send, lines) = mpsc::unbounded_channel();
        // Without the thread there is no input, and that is what its end says.
        let _ = std::thread::Builder::new().name("stdin".to_owned()).spawn(move || {
            for line in std::io::stdin().lock().lines() {
                let Ok(line) = line else { return };
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Lines(lines)
    }
}

/// The next line, `None` at the end; waits for ever where nothing is read. Safe to cancel.
pub(super) async fn next(lines: &mut Option<Lines>) -> Option<String> {
    match lines {
        Some(lines) => lines.0.recv().await,
        None => std::future::pending().await,
    }
}
