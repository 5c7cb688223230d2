//! A terminal of its own for a command, and what can be read on it.
//!
//! Everything that is written to it is held against what no program may write (`forbidden`).

mod emulator;
mod forbidden;

use std::io::{Read, Write};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

pub use emulator::{Caret, Emulator, Size};
pub use forbidden::forbidden;

use crate::gate::LIMIT;
use crate::place::{OX, Place};

/// The size of a terminal of which no test asks another.
const USUAL: Size = Size { columns: 110, rows: 30 };

/// A running command on its terminal.
pub struct Terminal {
    seen: Arc<(Mutex<Seen>, Condvar)>,
    keys: Arc<Mutex<Box<dyn Write + Send>>>,
    child: Box<dyn Child + Send + Sync>,
    /// Keeps the terminal open.
    master: Box<dyn MasterPty + Send>,
    /// How much of the text was waited for already.
    from: usize,
    /// True where it is Ox that writes.
    is_ours: bool,
}

struct Seen {
    bytes: Vec<u8>,
    /// What a terminal makes of them.
    emulator: Emulator,
    ended: bool,
    /// Nobody looks any more: the terminal is closed with the next thing that is shown.
    closed: bool,
}

impl Seen {
    /// True while a synchronised update has begun and not ended: the emulator still shows what was there before.
    fn is_within_a_frame(&self) -> bool {
        let last = |escape: &[u8]| self.bytes.windows(escape.len()).rposition(|it| it == escape);
        last(b"\x1b[?2026h") > last(b"\x1b[?2026l") && !self.ended
    }
}

impl Terminal {
    /// Runs `ox` with these arguments under a shell, which then tells the exit code and whether the modes of the terminal
    /// are what they were.
    pub fn open(place: &Place, args: &[&str], variables: &[(&str, &str)]) -> Terminal {
        Terminal::sized(place, args, variables, USUAL)
    }

    /// The same in a folder of which the user has said nothing yet.
    pub fn first(place: &Place, args: &[&str], variables: &[(&str, &str)]) -> Terminal {
        Terminal::run(place, &[&[OX], args].concat(), variables, USUAL)
    }

    /// The same on a terminal of another size.
    pub fn sized(place: &Place, args: &[&str], variables: &[(&str, &str)], size: Size) -> Terminal {
        place.is_known();
        Terminal::run(place, &[&[OX], args].concat(), variables, size)
    }

    /// Another program, which may write what it likes.
    pub fn of_others(place: &Place, command: &[&str], variables: &[(&str, &str)], size: Size) -> Terminal {
        place.is_known();
        let mut terminal = Terminal::run(place, command, variables, size);
        terminal.is_ours = false;
        terminal
    }

    fn run(place: &Place, program: &[&str], variables: &[(&str, &str)], size: Size) -> Terminal {
        let pair = native_pty_system().openpty(pty_size(size)).unwrap();
        let mut command = CommandBuilder::new("sh");
        command.args([
            "-c",
            "before=$(stty -g); \"$@\"; echo \"code $?\"; after=$(stty -g); \
             [ \"$before\" = \"$after\" ] && echo as before || echo \"was $before, is $after\"",
        ]);
        command.arg("sh");
        command.args(program);
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
        let reader = pair.master.try_clone_reader().unwrap();
        let seen = Seen { bytes: Vec::new(), emulator: Emulator::new(size), ended: false, closed: false };
        let seen = Arc::new((Mutex::new(seen), Condvar::new()));
        let keys = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let (filled, answered) = (seen.clone(), keys.clone());
        std::thread::spawn(move || read(reader, &filled, &answered));
        Terminal { seen, keys, child, master: pair.master, from: 0, is_ours: true }
    }

    /// Pulls the window to another size.
    pub fn resizes(&mut self, size: Size) {
        let mut seen = self.seen.0.lock().unwrap();
        seen.emulator.resize(size);
        self.master.resize(pty_size(size)).unwrap();
    }

    /// Waits until what the emulator shows is as wanted, and gives what `look` makes of it.
    #[track_caller]
    pub fn until<T>(&self, what: &str, look: impl Fn(&Emulator) -> Option<T>) -> T {
        let deadline = Instant::now() + LIMIT;
        let mut seen = self.seen.0.lock().unwrap();
        loop {
            if let Some(found) = look(&seen.emulator).filter(|_| !seen.is_within_a_frame()) {
                return found;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !seen.ended, "never came: {what}\n{}", seen.emulator.picture());
            seen = self.seen.1.wait_timeout(seen, left).unwrap().0;
        }
    }

    /// Waits until these texts stand on the screen at once, in this order, and gives the picture.
    #[track_caller]
    pub fn pictures(&self, texts: &[&str]) -> String {
        self.until(&texts.join(" … "), |it| {
            let screen = it.screen().join("\n");
            let mut rest = screen.as_str();
            let all = texts.iter().all(|text| match rest.split_once(text) {
                Some((_, behind)) => {
                    rest = behind;
                    true
                }
                None => false,
            });
            all.then(|| it.picture())
        })
    }

    /// Waits until this stands where the user types, the caret behind it.
    #[track_caller]
    pub fn is_typed(&self, text: &str) {
        self.until(text, |it| it.caret().before.ends_with(text).then_some(()));
    }

    /// What the emulator has now.
    pub fn now<T>(&self, look: impl Fn(&Emulator) -> T) -> T {
        look(&self.seen.0.lock().unwrap().emulator)
    }

    /// Waits until `text` stands on the screen, behind what was waited for before.
    #[track_caller]
    pub fn shows(&mut self, text: &str) {
        let deadline = Instant::now() + LIMIT;
        let mut seen = self.seen.0.lock().unwrap();
        loop {
            let visible = visible(&seen.bytes);
            if let Some(at) = visible[self.from..].find(text).filter(|_| !seen.is_within_a_frame()) {
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

    /// True once this was written, escapes included.
    pub fn wrote(&self, bytes: &str) -> bool {
        String::from_utf8_lossy(&self.seen.0.lock().unwrap().bytes).contains(bytes)
    }

    /// Types.
    pub fn types(&mut self, keys: &str) {
        let mut to = self.keys.lock().unwrap();
        to.write_all(keys.as_bytes()).unwrap();
        to.flush().unwrap();
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
        // The shell waits for this: what is written right before a terminal's last close can be lost.
        self.types("\r");
        self.child.wait().unwrap();
        visible(&self.seen.0.lock().unwrap().bytes)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A test that fails already says why; another panic would hide it.
        if self.is_ours && !std::thread::panicking() {
            let seen = self.seen.0.lock().unwrap();
            assert_eq!(forbidden(&seen.bytes), None);
        }
    }
}

fn pty_size(size: Size) -> PtySize {
    let number = |it: usize| u16::try_from(it).unwrap();
    PtySize { rows: number(size.rows), cols: number(size.columns), pixel_width: 0, pixel_height: 0 }
}

/// Reads what is written until there is no more, and answers as a terminal does.
fn read(mut from: Box<dyn Read + Send>, seen: &(Mutex<Seen>, Condvar), keys: &Mutex<Box<dyn Write + Send>>) {
    let mut piece = [0; 4096];
    loop {
        // The end of a terminal is an error on Linux, which may come before what was written last.
        let count = from.read(&mut piece).or_else(|_| from.read(&mut piece)).unwrap_or(0);
        let mut now = seen.0.lock().unwrap();
        now.bytes.extend_from_slice(&piece[..count]);
        let answer = now.emulator.feed(&piece[..count]);
        now.ended |= count == 0;
        let ends = count == 0 || now.closed;
        drop(now);
        seen.1.notify_all();
        if !answer.is_empty() {
            // Who has asked may be gone already.
            let _ = keys.lock().unwrap().write_all(answer.as_bytes());
        }
        if ends {
            return;
        }
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
