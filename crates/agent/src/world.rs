//! Everything outside the fold that a session works with, so that a test can pin each part of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ox_model::Model;
use ox_protocol::{BoxFuture, Check, CheckReport, Level, Problem, Rule, Runner, Time};
use ox_repo::{Checkpoints, Tree};
use ox_store::Log;
use ox_tools::{Jobs, Paint, Reads, Servers, Walls};

use crate::knowledge::Knowledge;

/// Runs a set of checks over the working tree and reports.
pub type RunChecks = Arc<dyn Fn(Vec<Check>) -> BoxFuture<'static, CheckReport> + Send + Sync>;

/// Finds the project's checks, cheap ones first, and which of them cannot run here.
pub type FindChecks = Arc<dyn Fn(Tree) -> BoxFuture<'static, Vec<Check>> + Send + Sync>;

/// Opens a model by its name, `provider/model`.
pub type OpenModel = Arc<dyn Fn(&str) -> Result<Arc<dyn Model>, Problem> + Send + Sync>;

/// The same that opens each model once: what it learnt of its endpoint, and its connection, last as long as the session.
pub(crate) fn once(open: OpenModel) -> OpenModel {
    let opened: Mutex<BTreeMap<String, Arc<dyn Model>>> = Mutex::default();
    Arc::new(move |name| {
        let lock = || opened.lock().expect("invariant: no holder of this lock panics");
        if let Some(model) = lock().get(name) {
            return Ok(model.clone());
        }
        let model = open(name)?;
        lock().insert(name.to_string(), model.clone());
        Ok(model)
    })
}

/// Keeps a rule that was granted to a call of this level for the project, beyond the conversation.
pub type Remember = Arc<dyn Fn(&Rule, Level) -> Result<(), Problem> + Send + Sync>;

/// The outside of a session.
#[derive(Clone)]
pub struct World {
    /// The working tree.
    pub tree: Tree,
    /// Starts processes.
    pub runner: Arc<dyn Runner>,
    /// Where logs are kept.
    pub store: Arc<dyn Log>,
    /// The model of the next turn.
    pub model: Arc<dyn Model>,
    /// The model that sums up what leaves the window, where one is configured.
    pub summary: Option<Arc<dyn Model>>,
    /// Opens another model.
    pub open_model: OpenModel,
    /// The models that take over, by name, where one cannot be asked.
    pub fallback: Vec<String>,
    /// Opens the model that draws; none where no model is known that does.
    pub paint: Option<Paint>,
    /// Iterations that a pruning leaves whole.
    pub keep_turns: u32,
    /// The index of the code; none where nothing is indexed.
    pub knowledge: Option<Knowledge>,
    /// Finds checks.
    pub find_checks: FindChecks,
    /// Runs checks.
    pub run_checks: RunChecks,
    /// True when nobody has trusted the project as it is: its checks are then commands like any other.
    pub untrusted: bool,
    /// Keeps and restores states of the tree; none where nothing is kept.
    pub checkpoints: Option<Checkpoints>,
    /// Keeps rules beyond the conversation.
    pub remember: Remember,
    /// Time and chance.
    pub clock: Clock,
    /// What the model has read.
    pub reads: Arc<Reads>,
    /// Commands that run beside the turns; they end with the session.
    pub jobs: Arc<Jobs>,
    /// Language servers; they end with the session.
    pub servers: Arc<Servers>,
    /// What commands may reach.
    pub walls: Arc<Walls>,
}

/// Time and chance, the only source of either.
#[derive(Clone)]
pub struct Clock {
    /// The present moment.
    pub now: Arc<dyn Fn() -> Time + Send + Sync>,
    /// Waits until a moment.
    pub sleep: Arc<dyn Fn(Time) -> BoxFuture<'static, ()> + Send + Sync>,
    /// A random number below 1000, for back-off.
    pub jitter: Arc<dyn Fn() -> u16 + Send + Sync>,
    /// Today as `YYYY-MM-DD`, for the prompt.
    pub today: String,
}

impl Clock {
    /// The real one.
    pub fn real() -> Clock {
        let now = || Time(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_millis() as u64));
        Clock {
            now: Arc::new(now),
            sleep: Arc::new(move |until| {
                let wait = Duration::from_millis(until.0.saturating_sub(now().0));
                Box::pin(tokio::time::sleep(wait))
            }),
            jitter: Arc::new(|| fastrand::u16(0..1000)),
            today: day(now()),
        }
    }
}

/// The day of a moment in UTC, as `YYYY-MM-DD`; by the civil-from-days method of Howard Hinnant's date algorithms.
fn day(time: Time) -> String {
    let days = i64::try_from(time.0 / 86_400_000).unwrap_or(0) + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{:02}", of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let cases = [(0, "1970-01-01"), (951_782_400_000, "2000-02-29"), (1_795_132_800_000, "2026-11-20")];
        for (ms, expected) in cases {
            assert_eq!(day(Time(ms)), expected);
        }
    }
}
