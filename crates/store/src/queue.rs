//! What a queue of tasks can do; every implementation passes the same contract tests.
//!
//! A task is claimed by one worker at a time, for as long as it says in time that it is still there. Nothing that is said of a
//! task counts unless its owner says it, and no clock counts but the database's.

use std::time::Duration;

use ox_protocol::{ConversationId, Seq};

use crate::StoreError;
use crate::log::Owner;

/// How often a task is taken over from workers that went silent; it fails when it would be once more.
pub(crate) const TAKE_OVERS: u32 = 3;
/// Why a task failed that went with each worker that ran it.
pub const POISONED: &str = "poisoned";

/// A queue of tasks.
pub trait Queue: Send + Sync {
    /// Sets what a project may have at a time. `BadWeight` where its share is not a number above zero.
    fn set_limits(&self, project: &str, limits: &ProjectLimits) -> Result<(), StoreError>;

    /// Queues a task for a conversation, which is the project's from then on.
    ///
    /// `QueueFull` where the project has as many as it may, `TaskOpen` where the conversation has one that has not ended.
    fn submit(&self, task: &NewTask) -> Result<Submitted, StoreError>;

    /// Gives the worker the task that comes next, if there is one: of the highest priority, of the project that has the least
    /// of its share and was served longest ago, the oldest. The worker owns its conversation from then on.
    ///
    /// A task whose worker went silent comes first, but only for who has watched for one whole lease: after an outage of the
    /// database everybody was silent.
    fn claim(&self, worker: &str, lease: Duration) -> Result<Option<Claim>, StoreError>;

    /// Says that the worker still has these tasks, and gives those that are still its own.
    fn beat(&self, worker: &str, held: &[(TaskId, Owner)], lease: Duration) -> Result<Vec<Kept>, StoreError>;

    /// Ends a task; said twice it is as good as once. `Lost` where it has another owner.
    fn finish(&self, id: TaskId, owner: Owner, outcome: &Outcome) -> Result<(), StoreError>;

    /// Hands a task back to the queue. `Lost` where it has another owner.
    fn release(&self, id: TaskId, owner: Owner) -> Result<(), StoreError>;

    /// Ends a task that waits at once, and asks the worker of one that runs to end it. Gives the state after that.
    fn cancel(&self, id: TaskId) -> Result<TaskState, StoreError>;

    /// The tasks that have not ended, and the last ones that have, the newest first.
    fn tasks(&self, ended: usize) -> Result<Vec<Task>, StoreError>;

    /// A task as it is.
    fn task(&self, id: TaskId) -> Result<Task, StoreError>;
}

/// The number of a task; an older one has a smaller number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u64);

/// What a project may have at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectLimits {
    /// Tasks that run.
    pub running: u32,
    /// Tasks that wait.
    pub queued: u32,
    /// Its share beside other projects.
    pub weight: f64,
}

impl Default for ProjectLimits {
    fn default() -> ProjectLimits {
        ProjectLimits { running: 4, queued: 1_000, weight: 1.0 }
    }
}

impl ProjectLimits {
    /// A share of nothing would never be served, and one below nothing would come before everybody.
    pub(crate) fn checked(&self) -> Result<(), StoreError> {
        let fits = self.weight.is_finite() && self.weight > 0.0;
        if fits { Ok(()) } else { Err(StoreError::BadWeight { weight: self.weight.to_string() }) }
    }
}

/// A task to queue.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTask {
    /// The conversation that it goes on with.
    pub conversation: ConversationId,
    /// The project that it counts for.
    pub project: String,
    /// A task of a higher priority comes first.
    pub priority: i32,
    /// How long it waits at least.
    pub delay: Duration,
    /// What is to be done, for the worker alone.
    pub request: String,
}

/// A task that was queued.
#[derive(Clone, Debug, PartialEq)]
pub struct Submitted {
    /// Its number.
    pub id: TaskId,
    /// Tasks of its project that waited when it came.
    pub ahead: u32,
}

/// A task that is a worker's now.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The task.
    pub id: TaskId,
    /// Its project.
    pub project: String,
    /// Its conversation.
    pub conversation: ConversationId,
    /// What the worker shows with whatever it stores.
    pub owner: Owner,
    /// The last event of the conversation.
    pub last: Seq,
    /// How often it was taken over.
    pub attempts: u32,
    /// What is to be done.
    pub request: String,
}

/// A task that a worker still has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// The task.
    pub id: TaskId,
    /// It is to be ended.
    pub cancel: bool,
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It is done.
    Done,
    /// It cannot be done.
    Failed {
        /// Why.
        why: String,
    },
    /// It was cancelled.
    Cancelled,
}

impl Outcome {
    /// The state that it leaves, and why.
    pub(crate) fn state(&self) -> (TaskState, Option<&str>) {
        match self {
            Outcome::Done => (TaskState::Done, None),
            Outcome::Failed { why } => (TaskState::Failed, Some(why)),
            Outcome::Cancelled => (TaskState::Cancelled, None),
        }
    }
}

/// What a task is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// It waits.
    Queued,
    /// A worker has it.
    Running,
    /// It ended well.
    Done,
    /// It ended because it cannot be done.
    Failed,
    /// It ended because somebody wanted it.
    Cancelled,
}

impl TaskState {
    const ALL: [TaskState; 5] =
        [TaskState::Queued, TaskState::Running, TaskState::Done, TaskState::Failed, TaskState::Cancelled];

    /// As it is stored.
    pub(crate) fn name(self) -> &'static str {
        match self {
            TaskState::Queued => "queued",
            TaskState::Running => "running",
            TaskState::Done => "done",
            TaskState::Failed => "failed",
            TaskState::Cancelled => "cancelled",
        }
    }

    /// From what is stored. A state that a newer Ox knows is no state in which this one may do anything: it counts as ended.
    pub(crate) fn of(name: &str) -> TaskState {
        TaskState::ALL.into_iter().find(|it| it.name() == name).unwrap_or(TaskState::Failed)
    }
}

/// A task as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Its number.
    pub id: TaskId,
    /// Its project.
    pub project: String,
    /// Its conversation.
    pub conversation: ConversationId,
    /// Its priority.
    pub priority: i32,
    /// What it is at.
    pub state: TaskState,
    /// The worker that has it or had it last.
    pub worker: Option<String>,
    /// The owner that it has or had last; of generation 0 where it never had one.
    pub owner: Owner,
    /// Somebody wants it to end.
    pub cancel: bool,
    /// How often it was taken over.
    pub attempts: u32,
    /// Why it failed.
    pub why: Option<String>,
}

/// What becomes of a task whose worker went silent: an end, or another attempt where there is none.
pub(crate) fn after_silence(cancel: bool, attempts: u32) -> Option<Outcome> {
    if cancel {
        return Some(Outcome::Cancelled);
    }
    (attempts >= TAKE_OVERS).then(|| Outcome::Failed { why: POISONED.to_string() })
}

/// What was said of a task by one who is not its owner, or is so no more: nothing to say where it is so already.
pub(crate) fn said_again(task: &Task, owner: Owner, wanted: TaskState) -> Result<(), StoreError> {
    if task.owner == owner && task.state == wanted {
        return Ok(());
    }
    Err(StoreError::Lost { id: task.conversation.clone() })
}

/// Thousandths of a second, as the databases count time.
pub(crate) fn milliseconds(time: Duration) -> i64 {
    // A hundred years are as good as for ever, and no sum of them with a time overflows.
    const MOST: u128 = 100 * 366 * 24 * 3_600_000;
    i64::try_from(time.as_millis().min(MOST)).unwrap_or(i64::MAX)
}
