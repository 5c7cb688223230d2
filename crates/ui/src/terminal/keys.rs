//! Reads the keyboard on a thread of its own.
//!
//! Promise: the thread sleeps until a key is pressed, and has ended when `Keys` is dropped, so that another reader may have
//! the keyboard. Where the terminal itself has gone, nobody waits for the thread: there is no keyboard to have.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyCode, KeyModifiers};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd};
use tokio::sync::mpsc;

/// How long the thread of a terminal that has gone is waited for.
const PATIENCE: Duration = Duration::from_millis(200);
/// How long is waited for more of what has arrived. The library does not look at all where it is given no time.
const MORE: Duration = Duration::from_millis(1);

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
                while event::poll(MORE).unwrap_or(false) {
                    let Ok(event) = event::read() else { return };
                    for input in answer.take(event) {
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
    fn take(&mut self, event: Event) -> Vec<Input> {
        let Event::Key(key) = &event else { return self.and(event) };
        let begins = key.code == KeyCode::Char(']') && key.modifiers == KeyModifiers::ALT;
        let ends = key.code == KeyCode::Char('\\') && key.modifiers == KeyModifiers::ALT
            || key.code == KeyCode::Char('g') && key.modifiers == KeyModifiers::CONTROL;
        match key.code {
            _ if self.held.is_empty() && !begins => vec![Input::Event(event)],
            _ if ends => {
                self.held.push(event);
                match self.text.strip_prefix("]11;") {
                    Some(answer) => {
                        let answer = answer.to_string();
                        *self = Answer::default();
                        vec![Input::Background(answer)]
                    }
                    None => self.give_up(),
                }
            }
            KeyCode::Char(c) if "]11;rgb".starts_with(&format!("{}{c}", self.text)) || self.text.len() > 6 => {
                self.text.push(c);
                self.held.push(event);
                Vec::new()
            }
            _ => self.and(event),
        }
    }

    fn and(&mut self, event: Event) -> Vec<Input> {
        let mut all = self.give_up();
        all.push(Input::Event(event));
        all
    }

    /// It was no answer: what was held back are keys.
    fn give_up(&mut self) -> Vec<Input> {
        std::mem::take(self).held.into_iter().map(Input::Event).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyEvent;

    fn key(c: char, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers))
    }

    fn taken(head: char, text: &str, tail: Event) -> Vec<Input> {
        let mut answer = Answer::default();
        let mut out = answer.take(key(head, KeyModifiers::ALT));
        text.chars().for_each(|c| out.extend(answer.take(key(c, KeyModifiers::NONE))));
        out.extend(answer.take(tail));
        out.extend(answer.give_up());
        out
    }

    #[test]
    fn an_answer_is_no_row_of_keys() {
        let (text, end) = ("11;rgb:1e1e/1e1e/1e1e", key('\\', KeyModifiers::ALT));
        assert_eq!(taken(']', text, end.clone()), [Input::Background("rgb:1e1e/1e1e/1e1e".to_string())]);
        assert_eq!(taken(']', text, key('g', KeyModifiers::CONTROL)).len(), 1);
        // Keys that begin like one are keys.
        assert_eq!(taken(']', "1x", end.clone()).len(), 4);
        assert_eq!(taken('b', "ab", end).len(), 4);
    }
}
