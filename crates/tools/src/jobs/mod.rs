//! Commands that run beside the conversation. A turn's end does not end them, the session's end does.
//!
//! Only so many run at once, what they print is held in bounded memory, and nothing of them outlives the table: when it
//! is dropped every one of them is killed with all that it started.

mod job;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ox_protocol::{BackgroundJob, BackgroundState, Event, Network};
use ox_sandbox::{Inward, Scratch};
use tokio::task::AbortHandle;

use crate::call::error::ToolError;
use crate::text::count;

pub(crate) use job::Job;

/// Commands that may run at once.
pub(crate) const AT_ONCE: usize = 8;
/// Ended commands that are remembered.
const REMEMBERED: usize = 32;
/// How long a file of kept output stays.
const STAYS: Duration = Duration::from_secs(7 * 24 * 3600);

/// The background commands of a conversation.
#[derive(Default)]
pub struct Jobs {
    table: Mutex<Table>,
    scratch: OnceLock<Option<Scratch>>,
    watcher: OnceLock<Watcher>,
    /// How the user reaches what the commands serve; held by those that run.
    inward: Mutex<Weak<Inward>>,
}

/// Sees what a command prints while it runs: its name and the new text.
pub type Watcher = Arc<dyn Fn(&str, &str) + Send + Sync>;

#[derive(Default)]
struct Table {
    rows: Vec<Row>,
    /// Of the last row.
    number: u32,
    /// Of the last file of kept output.
    file: u32,
}

struct Row {
    id: String,
    job: Arc<Job>,
    pump: AbortHandle,
    /// Somebody has been told that it ended.
    reported: bool,
    stopped: bool,
}

impl std::fmt::Debug for Jobs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.lock().rows.iter().map(|it| (&it.id, &it.job.command))).finish()
    }
}

impl Jobs {
    /// A table whose first command is called `job_N` with N one more than `last`: an earlier session of the conversation
    /// used the names up to it.
    pub fn after(last: u32) -> Jobs {
        let jobs = Jobs::default();
        jobs.lock().number = last;
        jobs
    }

    /// The folder that all commands of the conversation find at `/tmp`; it ends with the conversation. None where none can
    /// be made: each command then has its own.
    pub(crate) fn scratch(&self) -> Option<&Path> {
        self.scratch.get_or_init(|| Scratch::new().ok()).as_ref().map(Scratch::path)
    }

    /// Shows `watcher` what each command prints that is started from now on. The first watcher stays.
    pub fn watched_by(&self, watcher: Watcher) {
        drop(self.watcher.set(watcher));
    }

    /// Ends a command and all that it started: what does so is to be awaited. None where no command of that name runs.
    pub fn stop(&self, id: &str) -> Option<impl Future<Output = ()> + Send + use<>> {
        let (id, job) = self.find(Some(id)).ok().filter(|(_, job)| job.ended().is_none())?;
        self.stopping(&id);
        Some(async move { job.stop().await })
    }

    /// The ends that nobody has been told of, as facts to record.
    pub fn news(&self) -> Vec<Event> {
        let mut table = self.lock();
        let rows = table.rows.iter_mut().filter(|it| !it.reported);
        rows.filter_map(|row| {
            let ended = row.job.ended()?;
            row.reported = true;
            let state = if row.stopped { BackgroundState::Stopped } else { BackgroundState::Ended };
            Some(event(&row.id, &row.job.command, state, ended.exit.code.filter(|_| !row.stopped)))
        })
        .collect()
    }

    /// Ends all commands and waits until nothing is left of them. Answers with the facts to record.
    pub async fn close(&self) -> Vec<Event> {
        let running: Vec<Arc<Job>> = self
            .lock()
            .rows
            .iter_mut()
            .filter(|it| it.job.ended().is_none())
            .map(|it| {
                it.stopped = true;
                it.job.clone()
            })
            .collect();
        for job in running {
            job.stop().await;
        }
        self.news()
    }

    /// Refuses another command while as many run as may.
    pub(crate) fn room(&self) -> Result<(), ToolError> {
        let table = self.lock();
        let running: Vec<&str> =
            table.rows.iter().filter(|it| it.job.ended().is_none()).map(|it| it.id.as_str()).collect();
        if running.len() < AT_ONCE {
            return Ok(());
        }
        let running = running.join(", ");
        Err(ToolError::Wrong(format!(
            "{AT_ONCE} commands run in the background already ({running}); nothing was started. End one first: use_tool stop_command {{\"id\": …}}."
        )))
    }

    /// Keeps a running command under a new name and goes on reading what it prints. Answers with the name and the event.
    pub(crate) fn keep(&self, job: Arc<Job>) -> (String, Event) {
        let mut table = self.lock();
        table.number += 1;
        let id = format!("job_{}", table.number);
        let (followed, name, watcher) = (job.clone(), id.clone(), self.watcher.get().cloned());
        let inward = self.inward(&job);
        let pump = tokio::spawn(async move {
            let _inward = inward;
            loop {
                let goes_on = followed.step().await;
                let printed = followed.live();
                watcher
                    .iter()
                    .filter(|_| !printed.is_empty())
                    .for_each(|it| it(&name, &String::from_utf8_lossy(&printed)));
                if !goes_on {
                    break;
                }
            }
        })
        .abort_handle();
        let started = event(&id, &job.command, BackgroundState::Started, None);
        table.rows.push(Row { id: id.clone(), job, pump, reported: false, stopped: false });
        let over = table.rows.len().saturating_sub(REMEMBERED + AT_ONCE);
        let old: Vec<String> = table.rows.iter().filter(|it| it.reported).take(over).map(|it| it.id.clone()).collect();
        table.rows.retain(|it| !old.contains(&it.id));
        (id, started)
    }

    /// The way to what the command serves, where it runs in the network that the conversation's commands share.
    fn inward(&self, job: &Job) -> Option<Arc<Inward>> {
        let scratch = job.rights.as_ref().filter(|it| it.network != Network::All)?.scratch.as_deref()?;
        let mut inward = self.inward.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = inward.upgrade() {
            return Some(open);
        }
        let open = Arc::new(Inward::open(scratch).ok()?);
        *inward = Arc::downgrade(&open);
        Some(open)
    }

    /// The ports that commands listen at, each with the port of this machine that reaches it.
    pub fn served(&self) -> BTreeMap<u16, u16> {
        let inward = self.inward.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        inward.map(|it| it.ports().borrow().clone()).unwrap_or_default()
    }

    /// The command of that name; the only one where none is named. The error names those there are.
    pub(crate) fn find(&self, id: Option<&str>) -> Result<(String, Arc<Job>), ToolError> {
        let table = self.lock();
        let known = |id: &str| {
            let plain = id.trim().trim_start_matches("job").trim_matches(['_', '-', ' ', '#']);
            table.rows.iter().find(|it| it.id == id || it.id.trim_start_matches("job_") == plain)
        };
        let row = match id {
            Some(id) => known(id),
            None => match table.rows.as_slice() {
                [one] => Some(one),
                _ => None,
            },
        };
        row.map(|it| (it.id.clone(), it.job.clone())).ok_or_else(|| {
            let asked =
                id.map_or_else(|| "`id` is missing".into(), |id| format!("no background command is called `{id}`"));
            ToolError::Wrong(format!("{asked}; {}", table.listed()))
        })
    }

    /// Notes that somebody stops the command.
    pub(crate) fn stopping(&self, id: &str) {
        if let Some(row) = self.lock().rows.iter_mut().find(|it| it.id == id && it.job.ended().is_none()) {
            row.stopped = true;
        }
    }

    /// A path in `folder` for a new file of kept output. Old files there are removed the first time.
    pub(crate) fn file(&self, folder: &Path) -> PathBuf {
        let mut table = self.lock();
        if table.file == 0 {
            purge(folder);
        }
        table.file += 1;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_millis());
        // Milliseconds and process tell the files of all sessions apart.
        folder.join(format!("{since:x}-{:x}-{}.txt", std::process::id(), table.file))
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn listed(&self) -> String {
        let one = |row: &Row| {
            let state = match row.job.ended() {
                None => "running",
                Some(_) if row.stopped => "stopped",
                Some(_) => "ended",
            };
            let line: String = row.job.command.chars().take(60).collect();
            format!("{} ({state}: {line})", row.id)
        };
        match self.rows.len() {
            0 => "there are none. run_command with `background` starts one.".into(),
            all => format!(
                "there {} {}: {}",
                if all == 1 { "is" } else { "are" },
                count(all, "command"),
                self.rows.iter().map(one).collect::<Vec<_>>().join(", ")
            ),
        }
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        // The last handle of a command goes with whoever reads its output.
        self.lock().rows.iter().for_each(|it| it.pump.abort());
    }
}

fn event(id: &str, command: &str, state: BackgroundState, exit_code: Option<i32>) -> Event {
    Event::Background(BackgroundJob { id: id.to_string(), command: command.to_string(), state, exit_code })
}

/// Removes what was kept long ago. What cannot be removed stays: it costs room and nothing else.
fn purge(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let modified = entry.metadata().and_then(|it| it.modified()).ok();
        if modified.and_then(|it| it.elapsed().ok()).is_some_and(|age| age > STAYS) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
