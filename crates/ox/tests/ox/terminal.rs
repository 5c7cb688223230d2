//! A terminal of its own for a command, and what can be read on it.

use std::io::{Read, Write};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::gate::LIMIT;
use crate::place::{OX, Place};

/// A running command on its terminal.
pub struct Terminal {
    seen: Arc<(Mutex<Seen>, Condvar)>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    /// Keeps the terminal open.
    _master: Box<dyn MasterPty + Send>,
    /// How much of the text was waited for already.
    from: usize,
}

#[derive(Default)]
struct Seen {
    bytes: Vec<u8>,
    ended: bool,
    /// Nobody looks any more: the terminal is closed with the next thing that is shown.
    closed: bool,
}

impl Terminal {
    /// Runs `ox` with these arguments under a shell, which then tells the exit code and whether the modes of the terminal
    /// are what they were.
    pub fn open(place: &Place, args: &[&str], variables: &[(&str, &str)]) -> Terminal {
        let size = PtySize { rows: 30, cols: 110, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new("sh");
        command.args([
            "-c",
            "before=$(stty -g); \"$@\"; echo \"code $?\"; [ \"$before\" = \"$(stty -g)\" ] && echo as before",
        ]);
        command.args(["sh", OX]);
        command.args(args);
        command.env_clear();
        command.cwd(place.project(""));
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("OX_HOME", place.home(""));
        command.env("OLLAMA_HOST", "127.0.0.1:1");
        command.env("TERM", "xterm-256color");
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let seen = Arc::new((Mutex::new(Seen::default()), Condvar::new()));
        let filled = seen.clone();
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            loop {
                // The end of a terminal is an error on Linux.
                let count = reader.read(&mut piece).unwrap_or(0);
                let mut seen = filled.0.lock().unwrap();
                seen.bytes.extend_from_slice(&piece[..count]);
                seen.ended |= count == 0;
                filled.1.notify_all();
                if count == 0 || seen.closed {
                    return;
                }
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Terminal { seen, keys, child, _master: pair.master, from: 0 }
    }

    /// Waits until `text` stands on the screen, behind what was waited for before.
    #[track_caller]
    pub fn shows(&mut self, text: &str) {
        let deadline = Instant::now() + LIMIT;
        let mut seen = self.seen.0.lock().unwrap();
        loop {
            let visible = visible(&seen.bytes);
            if let Some(at) = visible[self.from..].find(text) {
                self.from += at + text.len();
                return;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero() && !seen.ended,
                "`{text}` never came; after what was seen before came:\n{}",
                &visible[self.from..]
            );
            seen = self.seen.1.wait_timeout(seen, left).unwrap().0;
        }
    }

    /// The control sequences that were written so far, without the escape that begins them.
    pub fn escapes(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.seen.0.lock().unwrap().bytes).into_owned();
        let ends = |c: char| ('@'..='~').contains(&c) && c != '[';
        text.split('\u{1b}').skip(1).map(|it| it.split_inclusive(ends).next().unwrap_or_default().to_string()).collect()
    }

    /// Types.
    pub fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Leaves with Ctrl-D once the prompt is there again.
    #[track_caller]
    pub fn leaves(mut self) -> String {
        self.types("\u{4}");
        self.ends(0)
    }

    /// Closes the terminal while something is being shown, as a window is closed.
    pub fn closes(self) {
        self.seen.0.lock().unwrap().closed = true;
    }

    /// Waits for the end: the exit code of `ox`, the terminal as it was found. Gives everything that was shown.
    #[track_caller]
    pub fn ends(mut self, code: i32) -> String {
        self.shows(&format!("code {code}\r\nas before"));
        self.child.wait().unwrap();
        visible(&self.seen.0.lock().unwrap().bytes)
    }
}

/// Text without escapes. A sequence that has not come whole yet is left out.
fn visible(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\u{1b}' {
            out.push(c);
            continue;
        }
        match rest.next() {
            Some('[') => {
                rest.by_ref().find(|it| ('@'..='~').contains(it));
            }
            Some(']') => {
                rest.by_ref().find(|it| matches!(it, '\u{7}' | '\u{9c}'));
            }
            Some('(' | ')') => {
                rest.next();
            }
            _ => {}
        }
    }
    out
}
