//! Reads the keyboard on a thread of its own.
//!
//! Promise: the thread has ended when `Keys` is dropped, so that another reader may have the keyboard.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crossterm::event::{self, Event};
use tokio::sync::mpsc;

/// How long the thread may take to notice that it is to end.
const BEAT: Duration = Duration::from_millis(25);

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
            while !stopped.load(Ordering::Relaxed) {
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
        if let Some(thread) = self.thread.take() {
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
