//! Where a story meets a session: its log, its clock and its checks all tell the story what happens.
//!
//! Nothing here waits for real time. An event is told to the story after it was stored and before it is folded.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ox_agent::Clock;
use ox_protocol::{BoxFuture, Check, CheckReport, Command, ConversationId, Event, Frame, Seq, Time};
use ox_store::{Found, History, Info, Log, Outline, Owner, StoreError};
use tokio::sync::{Notify, oneshot, watch};

use crate::story::{Halt, Story, TODAY};

/// Hands a command to a session.
type Submit = Box<dyn Fn(Command) + Send + Sync>;

/// A story on the stage of a session.
pub struct Stage {
    story: Mutex<Story>,
    store: Arc<dyn Log>,
    commands: Mutex<Option<Submit>>,
    sleepers: Mutex<Vec<(Time, oneshot::Sender<()>)>>,
    recorded: watch::Sender<usize>,
    halted: Notify,
    last_run: Mutex<Option<LastRun>>,
}

/// A run of checks as it ended.
struct LastRun {
    /// Frames that there were then.
    moment: usize,
    checks: Vec<Check>,
    report: CheckReport,
}

impl Stage {
    /// Puts a story on stage; its log goes to `store`.
    pub(crate) fn new(story: Story, store: Arc<dyn Log>) -> Arc<Stage> {
        Arc::new(Stage {
            story: Mutex::new(story),
            store,
            commands: Mutex::new(None),
            sleepers: Mutex::new(Vec::new()),
            recorded: watch::Sender::new(0),
            halted: Notify::new(),
            last_run: Mutex::new(None),
        })
    }

    /// From now on the user's commands go to this session.
    pub(crate) fn connect(&self, send: impl Fn(Command) + Send + Sync + 'static) {
        *self.commands.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(send));
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Goes on with the story, then does what it asks for. Answers how many prompts went out beside it.
    pub(crate) fn play<T>(&self, act: impl FnOnce(&mut Story) -> T) -> (T, usize) {
        let mut story = self.lock();
        let result = act(&mut story);
        let commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        let mut prompts = 0;
        for command in story.outbox.drain(..) {
            prompts += usize::from(matches!(command, Command::Prompt { .. }));
            // A session that ended is noticed by whoever drives it.
            commands.iter().for_each(|send| send(command.clone()));
        }
        if story.halt.is_some() {
            self.halted.notify_one();
        }
        (result, prompts)
    }

    /// The story itself.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Story> {
        self.story.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why the session is to end now, if it is.
    pub(crate) async fn halted(&self) -> Halt {
        loop {
            if let Some(halt) = self.lock().halt.clone() {
                return halt;
            }
            self.halted.notified().await;
        }
    }

    /// Wakes whoever slept until now. True when somebody did.
    pub(crate) fn wake(&self) -> bool {
        let now = self.lock().now;
        let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        let due: Vec<_> = sleepers.extract_if(.., |it| it.0 <= now).collect();
        // A sleeper that was aborted meanwhile is woken in vain.
        due.into_iter().fold(false, |woken, (_, sleeper)| sleeper.send(()).is_ok() || woken)
    }

    /// Waits until `enough` holds of all events so far.
    pub(crate) async fn until(&self, enough: impl Fn(&[Frame]) -> bool) {
        let mut recorded = self.recorded.subscribe();
        while !enough(&self.lock().frames) {
            if recorded.changed().await.is_err() {
                return;
            }
        }
    }

    /// The clock of the story.
    pub(crate) fn clock(self: &Arc<Stage>) -> Clock {
        let (now, sleep) = (self.clone(), self.clone());
        Clock {
            now: Arc::new(move || now.lock().now),
            sleep: Arc::new(move |until| sleep.sleep(until)),
            jitter: Arc::new(|| 0),
            today: TODAY.to_string(),
        }
    }

    fn sleep(&self, until: Time) -> BoxFuture<'static, ()> {
        let (sender, receiver) = oneshot::channel();
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).push((until, sender));
        self.wake();
        Box::pin(async move {
            if receiver.await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }

    fn checks(&self) -> BoxFuture<'static, CheckReport> {
        match self.play(Story::checks_run).0 {
            Some(report) => Box::pin(std::future::ready(report)),
            None => Box::pin(std::future::pending()),
        }
    }

    /// The checks as a session runs them.
    pub(crate) fn run_checks(self: &Arc<Stage>) -> ox_agent::RunChecks {
        let stage = self.clone();
        Arc::new(move |checks: Vec<Check>| {
            if checks.is_empty() {
                return Box::pin(std::future::ready(CheckReport::default()));
            }
            // The same checks at the same moment say the same: a failure of a story is never by chance.
            let moment = stage.lock().frames.len();
            let again = |it: &&LastRun| it.moment == moment && it.checks == checks;
            if let Some(last) = stage.last_run().as_ref().filter(again) {
                return Box::pin(std::future::ready(last.report.clone()));
            }
            let (running, stage) = (stage.checks(), stage.clone());
            Box::pin(async move {
                let report = named(running.await, &checks);
                let moment = stage.lock().frames.len();
                *stage.last_run() = Some(LastRun { moment, checks, report: report.clone() });
                report
            })
        })
    }

    fn last_run(&self) -> MutexGuard<'_, Option<LastRun>> {
        self.last_run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, frame: &Frame) {
        self.play(|story| story.recorded(frame));
        self.wake();
        let count = self.lock().frames.len();
        self.recorded.send_replace(count);
    }
}

/// A scripted report of one check as that of the check that was run.
fn named(mut report: CheckReport, ran: &[Check]) -> CheckReport {
    if let ([result], [check]) = (report.results.as_mut_slice(), ran) {
        result.check = check.clone();
    }
    report
}

/// The log of a session on stage.
impl Log for Stage {
    fn create(&self, first: &Frame) -> Result<ConversationId, StoreError> {
        let id = self.store.create(first)?;
        self.tell(first);
        Ok(id)
    }

    fn own(&self, id: &ConversationId) -> Result<Owner, StoreError> {
        self.store.own(id)
    }

    fn append(
        &self,
        id: &ConversationId,
        owner: Owner,
        expected_last: Seq,
        frames: &[Frame],
    ) -> Result<(), StoreError> {
        let dies = |event: &Event| self.play(|story| story.dies_before(event)).0;
        if frames.iter().any(|it| dies(&it.event)) {
            return Err(StoreError::NotFound { id: "(the process was killed)".into() });
        }
        self.store.append(id, owner, expected_last, frames)?;
        frames.iter().for_each(|it| self.tell(it));
        Ok(())
    }

    fn read_from(&self, id: &ConversationId, from: Seq) -> Result<History, StoreError> {
        self.store.read_from(id, from)
    }

    fn list(&self, root: Option<&str>, limit: usize) -> Result<Vec<Info>, StoreError> {
        self.store.list(root, limit)
    }

    fn info(&self, id: &ConversationId) -> Result<Info, StoreError> {
        self.store.info(id)
    }

    fn find(&self, prefix: &str) -> Result<Info, StoreError> {
        self.store.find(prefix)
    }

    fn rename(&self, id: &ConversationId, name: &str) -> Result<(), StoreError> {
        self.store.rename(id, name)
    }

    fn delete(&self, id: &ConversationId) -> Result<(), StoreError> {
        self.store.delete(id)
    }

    fn search(&self, text: &str, root: Option<&str>, limit: usize) -> Result<Vec<Found>, StoreError> {
        self.store.search(text, root, limit)
    }

    fn recent_turns(&self, id: &ConversationId, turns: usize) -> Result<Outline, StoreError> {
        self.store.recent_turns(id, turns)
    }

    fn forget(&self, id: &ConversationId, begun: &[Seq]) -> Result<(), StoreError> {
        self.store.forget(id, begun)
    }
}
