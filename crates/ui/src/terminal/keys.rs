//! Reads the keyboard on a thread of its own.
//!
//! Promise: the thread sleeps until a key is pressed, and has ended when `Keys` is dropped, so that another reader may have
//! the keyboard. Where the terminal itself has gone, nobody waits for the thread: there is no keyboard to have.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyCode, KeyModifiers};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd};
use tokio::sync::mpsc;

/// How long the thread of a terminal that has gone is waited for.
const PATIENCE: Duration = Duration::from_millis(200);
/// How long is waited for more of what has arrived. The library does not look at all where it is given no time.
const MORE: Duration = Duration::from_millis(1);
/// How long is waited for the rest of a terminal's answer; connections cut it anywhere.
const REST: Duration = Duration::from_millis(200);
/// How long after the question an answer can begin.
const ANSWERS: Duration = Duration::from_secs(2);

/// When the terminal was asked for its background.
static ASKED: Mutex<Option<Instant>> = Mutex::new(None);

/// Says that the terminal is being asked for its background: for a while an Escape may be the beginning of its answer.
pub(super) fn expect_answer() {
    *ASKED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

fn expects_answer() -> bool {
    ASKED.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|it| it.elapsed() < ANSWERS)
}

/// Something from the keyboard's side.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Input {
    /// A key, a paste, a change of focus.
    Event(Event),
    /// What the terminal answered when it was asked for its background: `rgb:1e1e/1e1e/1e1e`.
    Background(String),
}

/// The keyboard.
#[derive(Debug)]
pub(crate) struct Keys {
    events: mpsc::UnboundedReceiver<Input>,
    stop: Option<std::fs::File>,
    thread: Option<JoinHandle<()>>,
}

impl Keys {
    pub(crate) fn read() -> std::io::Result<Keys> {
        let (sender, events) = mpsc::unbounded_channel();
        let stop = eventfd(0, EventfdFlags::CLOEXEC)?;
        let stopped = stop.try_clone()?;
        let thread = std::thread::spawn(move || {
            let mut answer = Answer::default();
            while waited(&stopped) {
                // What arrived together is taken together: the answer of a terminal is no row of keys.
                while event::poll(if answer.held.is_empty() { MORE } else { REST }).unwrap_or(false) {
                    let Ok(event) = event::read() else { return };
                    for input in answer.take(event, expects_answer()) {
                        if sender.send(input).is_err() {
                            return;
                        }
                    }
                }
                for input in answer.give_up() {
                    if sender.send(input).is_err() {
                        return;
                    }
                }
            }
        });
        Ok(Keys { events, stop: Some(std::fs::File::from(stop)), thread: Some(thread) })
    }

    /// The next event; `None` when the terminal is gone. Safe to cancel.
    pub(crate) async fn next(&mut self) -> Option<Input> {
        self.events.recv().await
    }

    fn end(&mut self) {
        if let Some(mut stop) = self.stop.take() {
            // Without it the thread ends with the next key.
            let _ = stop.write_all(&1_u64.to_ne_bytes());
        }
        let Some(thread) = self.thread.take() else { return };
        // A terminal that goes while it is polled keeps the reader for ever: it reads nothing again and again.
        let deadline = Instant::now() + PATIENCE;
        while !(thread.is_finished() || has_hung_up() && Instant::now() > deadline) {
            std::thread::sleep(Duration::from_millis(1));
        }
        if thread.is_finished() {
            // A reader that panicked has nothing more to say.
            let _ = thread.join();
        }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.end();
    }
}

/// Waits for the keyboard. False when the thread is to end or the terminal has gone.
fn waited(stopped: &OwnedFd) -> bool {
    let stdin = std::io::stdin();
    let mut looked = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
    match rustix::event::poll(&mut looked, None) {
        Ok(_) => looked[1].revents().is_empty() && !has_hung_up(),
        Err(rustix::io::Errno::INTR) => true,
        Err(_) => false,
    }
}

/// True once nobody is at the other end of the terminal any more.
fn has_hung_up() -> bool {
    let stdin = std::io::stdin();
    let mut looked = [PollFd::new(&stdin, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let count = rustix::event::poll(&mut looked, Some(&now)).unwrap_or(0);
    count > 0 && looked[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
}

/// The answer of a terminal to a question about colours, which reads like keys: `ESC ] 11 ; rgb:… ESC \`.
#[derive(Debug, Default)]
struct Answer {
    held: Vec<Event>,
    text: String,
}

impl Answer {
    /// Takes an event; `expected`: an Escape may be the answer's first byte, which came alone.
    fn take(&mut self, event: Event, expected: bool) -> Vec<Input> {
        let Event::Key(key) = &event else { return self.and(event) };
        let alone = matches!(self.held.last(), Some(Event::Key(last)) if last.code == KeyCode::Esc);
        let is = |c: char| key.code == KeyCode::Char(c) && (alone || key.modifiers == KeyModifiers::ALT);
        let ends = is('\\') || key.code == KeyCode::Char('g') && key.modifiers == KeyModifiers::CONTROL;
        match key.code {
            KeyCode::Esc if self.is_answer() || expected && self.held.is_empty() => {
                self.held.push(event);
                Vec::new()
            }
            _ if self.held.is_empty() && !is(']') => vec![Input::Event(event)],
            _ if ends && self.is_answer() => {
                let answer = self.text.trim_start_matches("]11;").to_string();
                *self = Answer::default();
                vec![Input::Background(answer)]
            }
            KeyCode::Char(c) if BEGINS.starts_with(&format!("{}{c}", self.text)) || self.is_answer() => {
                self.text.push(c);
                self.held.push(event);
                Vec::new()
            }
            _ => self.and(event),
        }
    }

    /// True once it can be nothing else.
    fn is_answer(&self) -> bool {
        self.text.len() >= BEGINS.len()
    }

    fn and(&mut self, event: Event) -> Vec<Input> {
        let mut all = self.give_up();
        all.push(Input::Event(event));
        all
    }

    /// Nothing more comes: what was held back are keys, but for an answer that was cut off.
    fn give_up(&mut self) -> Vec<Input> {
        let it = std::mem::take(self);
        if it.is_answer() { Vec::new() } else { it.held.into_iter().map(Input::Event).collect() }
    }
}

/// How an answer begins.
const BEGINS: &str = "]11;rgb";

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyEvent;

    fn key(c: char, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers))
    }

    const ESCAPE: Event = Event::Key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));

    fn taken(keys: &[Event], expected: bool) -> Vec<Input> {
        let mut answer = Answer::default();
        let mut out: Vec<Input> = keys.iter().flat_map(|it| answer.take(it.clone(), expected)).collect();
        out.extend(answer.give_up());
        out
    }

    fn plain(text: &str) -> Vec<Event> {
        text.chars().map(|c| key(c, KeyModifiers::NONE)).collect()
    }

    #[test]
    fn an_answer_is_no_row_of_keys_wherever_it_is_cut() {
        let background = [Input::Background("rgb:1e1e/1e1e/1e1e".to_string())];
        let text = plain("11;rgb:1e1e/1e1e/1e1e");
        let heads = [vec![key(']', KeyModifiers::ALT)], [vec![ESCAPE], plain("]")].concat()];
        let tails = [
            vec![key('\\', KeyModifiers::ALT)],
            [vec![ESCAPE], plain("\\")].concat(),
            vec![key('g', KeyModifiers::CONTROL)],
        ];
        for (head, tail) in heads.iter().flat_map(|head| tails.iter().map(move |tail| (head, tail))) {
            assert_eq!(taken(&[head.clone(), text.clone(), tail.clone()].concat(), true), background);
        }
        // One that never ends is none of the user's.
        assert_eq!(taken(&[heads[0].clone(), text].concat(), true), []);
    }

    #[test]
    fn keys_that_begin_like_an_answer_are_keys() {
        for keys in [[vec![key(']', KeyModifiers::ALT)], plain("1x")].concat(), [vec![ESCAPE], plain("x")].concat()] {
            let given: Vec<Input> = keys.iter().cloned().map(Input::Event).collect();
            assert_eq!(taken(&keys, true), given);
        }
        assert_eq!(taken(&[ESCAPE], true), [Input::Event(ESCAPE)]);
        // Nobody asked: an Escape is one at once.
        assert_eq!(Answer::default().take(ESCAPE, false), [Input::Event(ESCAPE)]);
    }
}
