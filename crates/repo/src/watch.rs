//! Hearing that something in the tree has changed, without saying what.
//!
//! Events of file systems come late, doubled, out of order, or not at all for what was written into a folder before it was
//! watched. So none is believed beyond "look again": whoever is woken lists the tree, and folders that are new by then are
//! watched too. Folders that the rules leave out are never watched.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::Tree;

/// The tree counts as quiet when nothing happened for this long.
const QUIET: Duration = Duration::from_millis(100);
/// Somebody who writes all the time is not waited for longer than this.
const RESTLESS: Duration = Duration::from_secs(2);

/// A watch over a tree, until it is dropped.
#[derive(Debug)]
pub struct Watch {
    tree: Tree,
    watcher: RecommendedWatcher,
    folders: HashSet<PathBuf>,
    events: Receiver<()>,
    waker: Waker,
    complete: bool,
}

/// Ends a wait as if something had changed.
#[derive(Clone, Debug)]
pub struct Waker(Sender<()>);

impl Waker {
    /// Wakes whatever waits; nothing happens where the watch has gone.
    pub fn wake(&self) {
        let _ = self.0.send(());
    }
}

impl Tree {
    /// Watches the folders of the root. None where the system offers no way to.
    pub fn watch(&self) -> Option<Watch> {
        let (sender, events) = channel();
        let waker = Waker(sender.clone());
        let on_event = move |event: notify::Result<notify::Event>| {
            // Reading changes nothing. An error may be an overflow: then all the more reason to look.
            if !matches!(event, Ok(notify::Event { kind: EventKind::Access(_), .. })) {
                let _ = sender.send(());
            }
        };
        let watcher = notify::recommended_watcher(on_event).ok()?;
        let tree = self.clone();
        let mut watch = Watch { tree, watcher, folders: HashSet::new(), events, waker, complete: true };
        watch.renew();
        Some(watch)
    }
}

impl Watch {
    /// Watches folders that have come and forgets those that have gone. True where there was a new one: what was written
    /// into it before was not on_event.
    pub fn renew(&mut self) -> bool {
        let root = self.tree.root().to_owned();
        let entries = self.tree.walker(&root, true).build().flatten();
        let now: HashSet<PathBuf> =
            entries.filter(|it| it.file_type().is_some_and(|it| it.is_dir())).map(|it| it.into_path()).collect();
        let mut new = false;
        self.complete = true;
        for folder in now.difference(&self.folders) {
            new = true;
            // The system allows so many watches and no more.
            self.complete &= self.watcher.watch(folder, RecursiveMode::NonRecursive).is_ok();
        }
        for gone in self.folders.difference(&now) {
            let _ = self.watcher.unwatch(gone);
        }
        self.folders = now;
        new
    }

    /// False where not every folder could be watched: then changes may go unheard.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// What ends a wait from another thread.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Waits for a change and then until the tree is quiet. False when nothing happened in `time`.
    pub fn wait(&mut self, time: Duration) -> bool {
        match self.events.recv_timeout(time) {
            Ok(()) => {}
            // A dead watcher is as silent as a quiet tree.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return false,
        }
        let end = Instant::now() + RESTLESS;
        while Instant::now() < end && self.events.recv_timeout(QUIET).is_ok() {}
        true
    }
}
