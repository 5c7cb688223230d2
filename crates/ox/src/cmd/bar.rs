//! A progress bar on a terminal.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use ox_index::Progress;
use ox_protocol::locale::Language;

/// Width of the bar, in columns.
const BAR: usize = 24;

/// How far it is, on a terminal alone.
pub(in crate::cmd) struct Bar {
    language: Language,
    shown: bool,
    last: AtomicUsize,
}

impl Bar {
    pub(in crate::cmd) fn new(language: Language) -> Bar {
        Bar { language, shown: std::io::stderr().is_terminal(), last: AtomicUsize::new(0) }
    }

    /// Shows how far an update of the index is.
    pub(in crate::cmd) fn show(&self, it: Progress) {
        let words = |done: &str, total: &str| self.language.say("index.progress", &[("done", done), ("count", total)]);
        self.show_words(it.done, it.total, &words);
    }

    /// The same with words of the caller's, who is told both numbers as texts.
    pub(in crate::cmd) fn show_words(&self, done: usize, total: usize, words: &dyn Fn(&str, &str) -> String) {
        let filled = done * BAR / total.max(1);
        // Threads report at once; only who gets further draws.
        if !self.shown || self.last.fetch_max(filled, Ordering::Relaxed) >= filled {
            return;
        }
        let bar: String = (0..BAR).map(|at| if at < filled { '█' } else { '░' }).collect();
        let text = words(&done.to_string(), &total.to_string());
        let _ = write!(std::io::stderr().lock(), "\r{bar} {text}");
    }

    pub(in crate::cmd) fn clear(&self) {
        if self.shown && self.last.load(Ordering::Relaxed) > 0 {
            let _ = write!(std::io::stderr().lock(), "\r{:80}\r", "");
        }
    }
}
