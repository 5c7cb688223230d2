//! What Ox knows of the project's code: the index, fed by the tree and by git.
//!
//! Opening costs a moment and nothing ever waits for a refresh: a snapshot is what is known so far. The tree is looked at
//! by its stamps on start, and again whenever something in it changes. Nothing here writes to the project, and git is asked
//! hardened, through the runner.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use ox_config::{Paths, Settings};
use ox_context::Freshness;
use ox_index::embed::{Embedder, Filled, Similar};
use ox_index::{Change, Commit, FileState, Index, IndexError, Progress, Report, Snapshot};
use ox_protocol::Runner;
use ox_repo::{State, Tree, Waker, history};

use crate::embedding::Meaning;
use crate::freshness::{AFTER_START, Refreshing, Staleness, TINY};

/// How often a background that nothing can wake looks whether it is still wanted.
const TICK: Duration = Duration::from_secs(1);
/// How often the tree is looked at where not all of it can be watched.
const BLIND: Duration = Duration::from_secs(30);
/// How often missing vectors are looked for.
const FILL: Duration = Duration::from_secs(10);
/// How long a run that ends by itself is left alone before vectors are made beside it.
const LATER: Duration = Duration::from_secs(3);
/// How often git is asked for new commits, at most.
const COMMITS: Duration = Duration::from_secs(60);

/// The folder for the indices of all projects: the configured one, or one below the cache folder.
pub fn folder(settings: &Settings, paths: &Paths) -> PathBuf {
    settings.index.cache.clone().unwrap_or_else(|| paths.cache_dir.join("index"))
}

/// The index of one project and what it is fed from. Cheap to clone.
#[derive(Clone)]
pub struct ProjectIndex {
    inner: Arc<Inner>,
}

struct Inner {
    tree: Tree,
    index: Index,
    runner: Arc<dyn Runner>,
    /// One refresh at a time; a second would find nothing to do.
    refreshing: Mutex<()>,
    /// What makes vectors, where something does.
    meaning: OnceLock<Meaning>,
    /// A refresh that the next turn need not begin.
    ahead: Mutex<Option<Refreshing>>,
}

/// What a refresh found.
#[derive(Clone, Debug, Default)]
pub struct Refreshed {
    /// What the index did, and what there is.
    pub report: Report,
    /// Files and folders that the ignore rules leave out, where they were counted.
    pub ignored: Option<u64>,
    /// How long listing the tree took.
    pub listing: Duration,
}

/// A refresh in the background and whenever the tree changes, until it is dropped.
#[derive(Debug)]
pub struct Background {
    stop: Arc<AtomicBool>,
    /// Wakes the thread that watches the tree, once it does.
    waker: Arc<OnceLock<Waker>>,
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        self.waker.get().into_iter().for_each(Waker::wake);
    }
}

impl ProjectIndex {
    /// Opens what is known of `tree` in the cache folder `cache`; see [`folder`]. Nothing is refreshed.
    pub fn open(tree: &Tree, cache: &Path, runner: Arc<dyn Runner>) -> Result<ProjectIndex, IndexError> {
        let index = Index::open(cache, &tree.root().to_string_lossy())?;
        let inner = Inner {
            tree: tree.clone(),
            index,
            runner,
            refreshing: Mutex::new(()),
            meaning: OnceLock::new(),
            ahead: Mutex::default(),
        };
        Ok(ProjectIndex { inner: Arc::new(inner) })
    }

    /// Begins the refresh that the first turn would begin, so that it runs beside whatever comes before the turn.
    /// A tiny tree is looked at only if it is `wanted` all the same.
    pub fn begin_ahead(&self, wanted: bool) {
        *self.inner.ahead.lock().unwrap_or_else(PoisonError::into_inner) = self.begin_refresh(wanted);
    }

    /// As fresh as a short wait makes it; a refresh that takes longer goes on. A tiny tree is looked at only if it is
    /// `wanted` all the same.
    pub(crate) fn freshen(&self, wanted: bool) -> Freshness {
        let ahead = self.inner.ahead.lock().unwrap_or_else(PoisonError::into_inner).take();
        let refreshing = ahead.filter(Refreshing::is_recent).or_else(|| self.begin_refresh(wanted));
        refreshing.map_or(Freshness::Behind, |it| it.wait(self.snapshot().is_empty()))
    }

    /// Begins a refresh on a thread of its own; none where no thread is to be had.
    fn begin_refresh(&self, wanted: bool) -> Option<Refreshing> {
        let index = self.clone();
        Refreshing::begin(move |behind| {
            let is_shown_whole = !wanted && index.snapshot().is_empty() && index.is_tiny(TINY);
            is_shown_whole || index.refresh_telling(false, behind, &|_| {}).is_ok()
        })
    }

    /// True where the tree has no more than `most` files.
    pub(crate) fn is_tiny(&self, most: usize) -> bool {
        self.inner.tree.states(false).files.len() <= most
    }

    /// What is known now; it stays so, whatever happens to the tree.
    pub fn snapshot(&self) -> Snapshot {
        self.inner.index.snapshot()
    }

    /// Lets `embedder` make vectors in the background, and questions be asked by meaning. The first one stays.
    pub fn embed_with(&self, embedder: Arc<dyn Embedder>) {
        self.inner.meaning.get_or_init(|| Meaning::new(&self.inner.index, embedder));
    }

    /// What makes vectors, where something does.
    pub fn embedder(&self) -> Option<&dyn Embedder> {
        self.inner.meaning.get().map(Meaning::embedder)
    }

    /// The pieces of code that mean what `text` means, as far as they have vectors; none where nothing makes any. The model takes
    /// its time, up to `patience`: not for a thread of an async runtime. Errors: those of the model, or that it took too long.
    pub fn similar(&self, text: &str, limit: usize, patience: Duration) -> Result<Vec<Similar>, IndexError> {
        let alike = |it: &Meaning| it.similar(&self.snapshot(), (text, limit), patience);
        self.inner.meaning.get().map_or_else(|| Ok(Vec::new()), alike)
    }

    /// Makes the vectors that are missing; `on` is told after each batch and ends it by false. None where nothing makes any.
    pub fn fill(&self, on: &dyn Fn(Filled) -> bool) -> Option<Result<Filled, IndexError>> {
        let meaning = self.inner.meaning.get()?;
        Some(meaning.fill(&self.inner.index, &|path| self.read(path), on))
    }

    /// The bytes of a file as it is now.
    pub fn read(&self, path: &str) -> std::io::Result<Vec<u8>> {
        self.inner.tree.listed(path)
    }

    /// Lists the tree and takes in what has changed. It reads files and uses all cores: not for a thread of an async runtime.
    pub fn refresh(&self, count_ignored: bool, progress: &(dyn Fn(Progress) + Sync)) -> Result<Refreshed, IndexError> {
        self.refresh_telling(count_ignored, &|_| {}, progress)
    }

    /// The same; `behind` is told how far the index is behind before any file is read, and holds the refresh up while it runs.
    fn refresh_telling(
        &self,
        count_ignored: bool,
        behind: &dyn Fn(Staleness),
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Refreshed, IndexError> {
        let _one = self.inner.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        let start = Instant::now();
        let states = self.inner.tree.states(count_ignored);
        let listing = start.elapsed();
        let files: Vec<FileState> = states.files.into_iter().map(file).collect();
        behind(self.staleness(&files));
        let report = self.inner.index.update(&files, &|path| self.read(path), progress)?;
        Ok(Refreshed { report, ignored: states.ignored, listing })
    }

    /// How far `files` differ by their stamps from what is known of them.
    fn staleness(&self, files: &[FileState]) -> Staleness {
        let known = self.snapshot();
        let is_same = |it: &FileState| {
            known.state(&it.path).is_some_and(|known| known.size == it.size && known.mtime == it.mtime)
        };
        let bytes = files.iter().filter(|it| !is_same(it)).map(|it| it.size).sum();
        Staleness { bytes, is_new: known.is_empty() }
    }

    /// Takes in single edits at once, without looking at the rest of the tree.
    pub fn changed(&self, changes: &[Change]) -> Result<Report, IndexError> {
        self.inner.index.change(changes, &|path| self.read(path))
    }

    /// Writes what is in memory alone; none where all is on disk then. Nothing is written beside a refresh, whose end may be
    /// minutes away: what it has not written is found again by its stamps.
    pub fn save(&self) -> Option<ox_index::Unsaved> {
        let _one = match self.inner.refreshing.try_lock() {
            Ok(one) => one,
            Err(TryLockError::Poisoned(one)) => one.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        self.inner.index.save()
    }

    /// Asks git which files changed when and together. Where there is no repository, or git fails, nothing is learnt.
    pub async fn learn_history(&self) {
        let root = self.inner.tree.root();
        if !ox_repo::git::is_repo(root) {
            return;
        }
        let runner = self.inner.runner.as_ref();
        let Some(head) = answer(runner, history::head_job(root)).await else { return };
        if self.inner.index.knows_history(head.trim()) {
            return;
        }
        let Some(log) = answer(runner, history::job(root)).await else { return };
        let commit =
            |it: history::PastCommit| Commit { id: it.id, time: it.time, message: it.message, files: it.files };
        let commits: Vec<Commit> = history::commits(log.as_bytes()).into_iter().map(commit).collect();
        self.inner.index.history(head.trim(), &commits);
    }

    /// Refreshes in the background, now and whenever the tree changes, and learns the history with `runtime`. Failures
    /// leave what was known before.
    pub fn background(&self, runtime: tokio::runtime::Handle) -> Background {
        let stop = Arc::new(AtomicBool::new(false));
        let waker = Arc::new(OnceLock::new());
        let (index, stopped, wakes) = (self.clone(), stop.clone(), waker.clone());
        let follow = move || index.follow(&runtime, &stopped, &wakes);
        // Without the thread the index is only as fresh as it was on start.
        let _ = std::thread::Builder::new().name("index".to_owned()).spawn(follow);
        self.embed_beside(&stop, Duration::ZERO);
        Background { stop, waker }
    }

    /// Makes vectors beside a run that ends by itself, as far as it gets: it begins when the run's own beginning is over, and
    /// nobody waits for it. None where nothing makes any.
    pub fn background_vectors(&self) -> Option<Background> {
        self.inner.meaning.get()?;
        let stop = Arc::new(AtomicBool::new(false));
        self.embed_beside(&stop, LATER);
        Some(Background { stop, waker: Arc::default() })
    }

    fn embed_beside(&self, stop: &Arc<AtomicBool>, later: Duration) {
        if self.inner.meaning.get().is_some() {
            let (index, stopped) = (self.clone(), stop.clone());
            let work = move || index.embed(&stopped, later);
            let _ = std::thread::Builder::new().name("vectors".to_owned()).spawn(work);
        }
    }

    /// Learns the history beside everything else, and a little later. As a task it ends with the runtime, whenever that is.
    pub fn ask_history(&self, runtime: &tokio::runtime::Handle) {
        let index = self.clone();
        runtime.spawn(async move {
            tokio::time::sleep(AFTER_START).await;
            index.learn_history().await;
        });
    }

    /// Makes vectors whenever some are missing, until it is stopped or fails: a model that fails once is left alone.
    fn embed(&self, stop: &AtomicBool, later: Duration) {
        let going = || !stop.load(Ordering::Acquire);
        let mut wait = later;
        while going() {
            std::thread::sleep(TICK.min(wait));
            wait = wait.saturating_sub(TICK);
            if wait.is_zero() && !matches!(self.fill(&|_| going()), Some(Ok(_))) {
                return;
            }
            wait = if wait.is_zero() { FILL } else { wait };
        }
    }

    fn follow(&self, runtime: &tokio::runtime::Handle, stop: &AtomicBool, waker: &OnceLock<Waker>) {
        // Watched first: what changes during the first look wakes the second.
        let mut watch = self.inner.tree.watch();
        watch.iter().for_each(|it| drop(waker.set(it.waker())));
        let _ = self.refresh(false, &|_| {});
        self.ask_history(runtime);
        let (mut looked, mut asked) = (Instant::now(), Instant::now());
        while !stop.load(Ordering::Acquire) {
            let blind = watch.as_ref().is_none_or(|it| !it.is_complete());
            let woken = match &mut watch {
                // A tree that is quiet wakes nothing.
                Some(watch) => watch.wait(if blind { BLIND } else { Duration::MAX }),
                None => {
                    std::thread::sleep(TICK);
                    false
                }
            };
            let due = blind && looked.elapsed() >= BLIND;
            if stop.load(Ordering::Acquire) || !woken && !due {
                continue;
            }
            if let Some(watch) = &mut watch {
                watch.renew();
            }
            let _ = self.refresh(false, &|_| {});
            looked = Instant::now();
            if asked.elapsed() > COMMITS {
                self.ask_history(runtime);
                asked = Instant::now();
            }
        }
        self.save();
    }
}

/// What a job printed, where it succeeded.
async fn answer(runner: &dyn Runner, job: ox_protocol::Job) -> Option<String> {
    let exit = runner.run(job, None).await.ok()?;
    (exit.code == Some(0) && !exit.timed_out).then(|| exit.output.text(|_| String::new()))
}

fn file(it: State) -> FileState {
    let State { path, size, mtime, ctime, inode, mode } = it;
    FileState { path, size, mtime, ctime, inode, mode }
}
