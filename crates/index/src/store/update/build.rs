//! Reads files that have changed and makes segments of those contents that are not known yet, on all cores.
//!
//! A content is parsed once, however many files have it. What was made is published piece by piece, so that a large
//! tree can be asked about while it is being read.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::report::{Progress, Spent};
use crate::IndexError;
use crate::store::builder::Builder;
use crate::store::files::Key;
use crate::store::files::{self, Entry, FileState, Rule, Stamp};
use crate::store::segment::Segment;

/// Text that goes into one segment, in bytes, where memory allows. The first is small, so that something can be asked for
/// soon.
const BATCH: u64 = 16 << 20;
const FIRST: u64 = 1 << 20;
/// Bytes that a segment takes at most in memory for each byte of its text, while it is made.
const WEIGHT: u64 = 8;
/// Fewer files than this are not worth a second thread.
const ALONE: usize = 8;
/// Nor is less text, in bytes: each thread has buffers of its own, which stay in memory, and makes a segment of its own.
const SHARE: u64 = 256 << 10;
/// Files that a thread takes at once, at most.
const TAKE: usize = 8;

/// Reads the bytes of a file of the project.
pub type Read<'a> = dyn Fn(&str) -> std::io::Result<Vec<u8>> + Sync + 'a;

/// What is to be done.
pub(crate) struct Build<'a> {
    pub(crate) todo: Vec<&'a FileState>,
    pub(crate) read: &'a Read<'a>,
    pub(crate) progress: &'a (dyn Fn(Progress) + Sync),
    /// True for contents that a segment has.
    pub(crate) known: &'a (dyn Fn(&Key) -> bool + Sync),
    /// Takes a segment when it is made, with those files that were read meanwhile, without their places.
    pub(crate) publish: &'a (dyn Fn(Option<Segment>, Vec<Entry>) + Sync),
    /// Bytes that all threads together may keep.
    pub(crate) memory: u64,
}

/// What was done.
#[derive(Debug, Default)]
pub(crate) struct Built {
    /// Files that were not there any more.
    pub(crate) vanished: Vec<Arc<str>>,
    pub(crate) parsed: u64,
    pub(crate) spent: Spent,
}

/// What the threads share.
struct Shared<'a> {
    build: &'a Build<'a>,
    /// Files that a thread takes at once, and text of a segment.
    take: usize,
    batch: u64,
    next: AtomicUsize,
    done: AtomicUsize,
    claimed: Mutex<HashSet<Key>>,
    built: Mutex<Built>,
}

impl Build<'_> {
    /// Reads all files. A vanished file has no entry. Fails only when the full text engine does.
    pub(crate) fn run(&self) -> Result<Built, IndexError> {
        let cores = std::thread::available_parallelism().map_or(1, |it| it.get());
        let text: u64 = self.todo.iter().map(|it| it.size).sum();
        let threads = cores.min(self.todo.len() / ALONE).min((text / SHARE) as usize).max(1);
        let shared = Shared {
            build: self,
            take: (self.todo.len() / (threads * TAKE)).clamp(1, TAKE),
            batch: (self.memory / (threads as u64 * WEIGHT)).clamp(FIRST, BATCH),
            next: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            claimed: Mutex::default(),
            built: Mutex::default(),
        };
        match threads {
            1 => shared.work()?,
            _ => std::thread::scope(|scope| {
                let all: Vec<_> = (0..threads).map(|_| scope.spawn(|| shared.work())).collect();
                let results =
                    all.into_iter().map(|it| it.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
                results.collect::<Result<Vec<()>, IndexError>>().map(drop)
            })?,
        }
        Ok(shared.built.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Shared<'_> {
    fn work(&self) -> Result<(), IndexError> {
        let todo = &self.build.todo;
        let mut bench = Bench { batch: FIRST, ..Bench::default() };
        loop {
            let from = self.next.fetch_add(self.take, Ordering::Relaxed);
            let to = todo.len().min(from + self.take);
            let Some(files) = todo.get(from..to).filter(|it| !it.is_empty()) else { break };
            for file in files {
                self.one(file, &mut bench)?;
                let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
                (self.build.progress)(Progress { done, total: todo.len() });
                if bench.builder.as_ref().is_some_and(|it| it.source >= bench.batch) {
                    self.seal(&mut bench)?;
                    bench.batch = (bench.batch * 4).min(self.batch);
                }
            }
        }
        self.seal(&mut bench)
    }

    fn one(&self, state: &FileState, bench: &mut Bench) -> Result<(), IndexError> {
        let start = Instant::now();
        let now = now();
        let stamp = Stamp::from(state);
        let mut entry = Entry {
            path: Arc::from(state.path.as_str()),
            stamp,
            young: files::is_young(&stamp, now),
            hash: Key::default(),
            key: Key::default(),
            rule: None,
            at: None,
        };
        if state.size > files::HUGE {
            entry.rule = Some(Rule::Huge);
            bench.entries.push(entry);
            return Ok(());
        }
        let bytes = match (self.build.read)(&state.path) {
            Ok(bytes) => bytes,
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => {
                bench.vanished.push(entry.path);
                return Ok(());
            }
            Err(_) => {
                entry.rule = Some(Rule::Unreadable);
                bench.entries.push(entry);
                return Ok(());
            }
        };
        if stamp.mtime == files::UNKNOWN {
            entry.stamp.size = bytes.len() as u64;
        }
        entry.hash = files::hash(&bytes);
        let key = files::key(&entry.hash, &state.path);
        entry.key = key;
        // A name may be reason enough not to index what is known under another.
        let judged = files::indexable_text(&state.path, &bytes);
        entry.rule = judged.as_ref().err().copied();
        bench.entries.push(entry);
        let wanted = judged.is_ok() && !(self.build.known)(&key) && lock(&self.claimed).insert(key);
        let text = judged.ok().filter(|_| wanted);
        bench.spent.files += start.elapsed();
        match text {
            Some(text) => bench.add(key, &state.path, &text),
            None => Ok(()),
        }
    }

    /// Hands over what was made so far.
    fn seal(&self, bench: &mut Bench) -> Result<(), IndexError> {
        let start = Instant::now();
        let segment = match bench.builder.take() {
            Some(builder) => Some(builder.seal()?),
            None => None,
        };
        bench.spent.meaning += start.elapsed();
        let entries = std::mem::take(&mut bench.entries);
        let start = Instant::now();
        if segment.is_some() || !entries.is_empty() {
            (self.build.publish)(segment, entries);
        }
        bench.spent.writing += start.elapsed();
        let mut built = lock(&self.built);
        built.vanished.append(&mut bench.vanished);
        built.parsed += std::mem::take(&mut bench.parsed);
        built.spent += std::mem::take(&mut bench.spent);
        Ok(())
    }
}

/// What a thread is working at.
#[derive(Default)]
struct Bench {
    spent: Spent,
    entries: Vec<Entry>,
    vanished: Vec<Arc<str>>,
    builder: Option<Builder>,
    parsed: u64,
    /// Text after which the segment is ended.
    batch: u64,
}

impl Bench {
    fn add(&mut self, key: Key, path: &str, text: &str) -> Result<(), IndexError> {
        let start = Instant::now();
        let (facts, given_up) = ox_syntax::facts_or_given_up(path, text);
        let read = Instant::now();
        let builder = match &mut self.builder {
            Some(builder) => builder,
            None => self.builder.insert(Builder::new(text.len() as u64)?),
        };
        builder.add(key, text, facts, (files::is_manifest(path), given_up))?;
        self.parsed += 1;
        self.spent.symbols += read - start;
        self.spent.meaning += read.elapsed();
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Nanoseconds since 1970.
fn now() -> i64 {
    std::time::UNIX_EPOCH.elapsed().map_or(0, |it: Duration| i64::try_from(it.as_nanos()).unwrap_or(i64::MAX))
}
