//! A terminal for a program: what it shows, what it is answered, and how much was written to it.

use std::io::{Read, Write};
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use alacritty_terminal::event::{Event, EventListener};
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::{Config, Term};
use alacritty_terminal::vte::ansi::{Processor, Rgb};
use anyhow::{Context, Result};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::agent_loop::measure::family;

const COLUMNS: usize = 100;
const ROWS: usize = 30;

struct Size;

impl Dimensions for Size {
    fn total_lines(&self) -> usize {
        ROWS
    }

    fn screen_lines(&self) -> usize {
        ROWS
    }

    fn columns(&self) -> usize {
        COLUMNS
    }
}

/// Collects what a terminal answers to the program.
#[derive(Clone, Default)]
struct Answers(Arc<Mutex<String>>);

impl EventListener for Answers {
    fn send_event(&self, event: Event) {
        let mut answers = locked(&self.0);
        match event {
            Event::PtyWrite(text) => *answers += &text,
            Event::ColorRequest(_, worded) => *answers += &worded(Rgb { r: 0x16, g: 0x18, b: 0x1d }),
            _ => {}
        }
    }
}

struct Seen {
    term: Term<Answers>,
    bytes: u64,
    /// When the last piece came.
    at: Instant,
    ended: bool,
}

/// A program on its terminal.
pub struct Pty {
    seen: Arc<(Mutex<Seen>, Condvar)>,
    keys: Arc<Mutex<Box<dyn Write + Send>>>,
    child: Box<dyn Child + Send + Sync>,
    id: u32,
    _master: Box<dyn MasterPty + Send>,
}

fn locked<T: ?Sized>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pty {
    /// Starts the command.
    pub fn open(command: &Command) -> Result<Pty> {
        let size = PtySize { rows: ROWS as u16, cols: COLUMNS as u16, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size)?;
        let mut built = CommandBuilder::new(command.get_program());
        built.args(command.get_args());
        built.env("TERM", "xterm-256color");
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => built.env(name, value),
                None => built.env_remove(name),
            }
        }
        command.get_current_dir().into_iter().for_each(|it| built.cwd(it));
        let child = pair.slave.spawn_command(built)?;
        drop(pair.slave);
        let id = child.process_id().context("it has just been started")?;
        let reader = pair.master.try_clone_reader()?;
        let keys = Arc::new(Mutex::new(pair.master.take_writer()?));
        let answers = Answers::default();
        let term = Term::new(Config { scrolling_history: 0, ..Config::default() }, &Size, answers.clone());
        let seen = Seen { term, bytes: 0, at: Instant::now(), ended: false };
        let seen = Arc::new((Mutex::new(seen), Condvar::new()));
        let (filled, answered) = (seen.clone(), keys.clone());
        std::thread::spawn(move || read(reader, &filled, &answers, &answered));
        Ok(Pty { seen, keys, child, id, _master: pair.master })
    }

    /// The first process.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Bytes that were written so far.
    pub fn bytes(&self) -> u64 {
        locked(&self.seen.0).bytes
    }

    pub fn types(&self, text: &str) -> Result<()> {
        let mut keys = locked(&self.keys);
        keys.write_all(text.as_bytes())?;
        Ok(keys.flush()?)
    }

    /// When this text came to stand on the screen; none where it did not.
    pub fn until(&self, text: &str, patience: Duration) -> Result<Option<Instant>> {
        let deadline = Instant::now() + patience;
        let mut seen = locked(&self.seen.0);
        loop {
            if rows(&seen.term).any(|it| it.contains(text)) {
                return Ok(Some(seen.at));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || seen.ended {
                return Ok(None);
            }
            seen = self.seen.1.wait_timeout(seen, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The screen, to be shown where something went wrong.
    pub fn picture(&self) -> String {
        rows(&locked(&self.seen.0).term).map(|it| it.trim_end().to_owned() + "\n").collect()
    }

    /// Ends the program and everything that it started.
    pub fn ends(mut self) {
        for id in family(self.id).into_iter().rev() {
            // One that has ended meanwhile is no matter.
            let _ = Command::new("kill").args(["-9", &id.to_string()]).output();
        }
        let _ = self.child.wait();
    }
}

fn rows(term: &Term<Answers>) -> impl Iterator<Item = String> {
    (0..ROWS as i32).map(|line| {
        let row = &term.grid()[Line(line)];
        row[Column(0)..Column(COLUMNS)].iter().map(|cell| cell.c).collect()
    })
}

fn read(mut from: impl Read, seen: &(Mutex<Seen>, Condvar), answers: &Answers, keys: &Mutex<Box<dyn Write + Send>>) {
    let (mut parser, mut piece) =
        (Processor::<alacritty_terminal::vte::ansi::StdSyncHandler>::new(), vec![0; 64 << 10]);
    loop {
        // The end of a terminal is an error on Linux, which may come before what was written last.
        let count = from.read(&mut piece).or_else(|_| from.read(&mut piece)).unwrap_or(0);
        let mut now = locked(&seen.0);
        now.at = Instant::now();
        now.bytes += count as u64;
        parser.advance(&mut now.term, &piece[..count]);
        now.ended = count == 0;
        drop(now);
        seen.1.notify_all();
        let answer = std::mem::take(&mut *locked(&answers.0));
        if !answer.is_empty() {
            // The program may be gone already.
            let _ = locked(keys).write_all(answer.as_bytes());
        }
        if count == 0 {
            return;
        }
    }
}
