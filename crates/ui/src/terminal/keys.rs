//! Reads the keyboard on a thread of its own.
//!
//! Promise: the thread has ended when `Keys` is dropped, so that another reader may have the keyboard. Where the terminal
//! itself has gone, nobody waits for the thread: there is no keyboard to have.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event};
use rustix::event::{PollFd, PollFlags, Timespec};
use tokio::sync::mpsc;

/// How long the thread may take to notice that it is to end.
const BEAT: Duration = Duration::from_millis(25);

/// How long the thread of a terminal that has gone is waited for.
const PATIENCE: Duration = Duration::from_millis(200);

/// The keyboard.
#[derive(Debug)]
pub(crate) struct Keys {
    events: mpsc::UnboundedReceiver<Event>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Keys {
    pub(crate) fn read() -> Keys {
        let (sender, events) = mpsc::unbounded_channel();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) && !has_hung_up() {
                match event::poll(BEAT) {
                    Ok(false) => {}
                    Ok(true) => match event::read() {
                        Ok(event) => {
                            if sender.send(event).is_err() {
                                return;
                            }
                        }
                        Err(_) => return,
                    },
                    Err(_) => return,
                }
            }
        });
        Keys { events, stop, thread: Some(thread) }
    }

    /// The next event; `None` when the terminal is gone. Safe to cancel.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }

    /// Ends the thread and returns what it had read.
    pub(crate) fn finish(mut self) -> Vec<Event> {
        self.end();
        std::iter::from_fn(|| self.events.try_recv().ok()).collect()
    }

    fn end(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
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

/// True once nobody is at the other end of the terminal any more.
fn has_hung_up() -> bool {
    let stdin = std::io::stdin();
    let mut looked = [PollFd::new(&stdin, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let count = rustix::event::poll(&mut looked, Some(&now)).unwrap_or(0);
    count > 0 && looked[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.end();
    }
}
