//! Everything outside the fold that a session works with, so that a test can pin each part of it.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ox_extensions::Extensions;
use ox_protocol::{BoxFuture, Call, Check, Command, ConversationId, Fixer, Outcome, Problem, Rule, Time};
use ox_repo::{Checkpoints, Tree};
use ox_store::Log;
use ox_tools::{CallContext, ToolEnv, ToolResult, Toolbox};

pub use ox_checks::fix::RunFixers;
pub use ox_checks::red_green::RunWithout;
pub use ox_checks::rounds::RunChecks;
pub use ox_config::roles::OpenModel;

use crate::editor::OpenFiles;
use crate::project_index::ProjectIndex;
use crate::subagents::kinds::AgentKinds;

/// Finds the project's checks, cheap ones first, and which of them cannot run here.
pub type FindChecks = Arc<dyn Fn(Tree) -> BoxFuture<'static, Vec<Check>> + Send + Sync>;

/// Finds the fixers that the project requires.
pub type FindFixers = Arc<dyn Fn(&Tree) -> Vec<Fixer> + Send + Sync>;

/// Keeps a rule for the project, beyond the conversation; whether it may be granted is decided before.
pub type Remember = Arc<dyn Fn(&Rule) -> Result<(), Problem> + Send + Sync>;

/// Runs one tool call; [`Toolbox::run`] but where a test plays what tools do.
pub type RunTool = Arc<dyn Fn(Arc<Toolbox>, CallContext, Call) -> BoxFuture<'static, ToolResult> + Send + Sync>;

/// What an edit would come to; [`Toolbox::preview`] but where a test plays what tools do.
pub type PreviewCall = fn(&Toolbox, &CallContext, &Call) -> Option<Outcome>;

/// The tools themselves.
pub fn real_tools() -> RunTool {
    Arc::new(|toolbox, cx, call| Box::pin(async move { toolbox.run(&cx, &call).await }))
}

/// The environment of a session: set up once, shared by all its turns.
#[derive(Clone)]
pub struct SessionEnv {
    /// The working tree.
    pub tree: Tree,
    /// What the calls of all tools use.
    pub tools: Arc<ToolEnv>,
    /// Where logs are kept.
    pub store: Arc<dyn Log>,
    /// Opens another model.
    pub open_model: OpenModel,
    /// The models that take over, by name, where one cannot be asked.
    pub fallback: Vec<String>,
    /// Iterations that a pruning leaves whole.
    pub keep_iterations: u32,
    /// The index of the code; none where nothing is indexed.
    pub index: Option<ProjectIndex>,
    /// Runs tools.
    pub run_tool: RunTool,
    /// Works out what an edit would change.
    pub preview: PreviewCall,
    /// Finds checks.
    pub find_checks: FindChecks,
    /// Runs checks.
    pub run_checks: RunChecks,
    /// Finds the fixers that the project requires.
    pub find_fixers: FindFixers,
    /// Runs fixers.
    pub run_fixers: RunFixers,
    /// Runs a check without a part of the change; none where the changed tests are not tried so.
    pub run_without: Option<RunWithout>,
    /// Where it is kept that checks passed; none where nothing is.
    pub kept_checks: Option<Arc<ox_checks::Kept>>,
    /// True when nobody has trusted the project as it is: its checks are then commands like any other.
    pub untrusted: bool,
    /// Keeps and restores states of the tree; none where nothing is kept.
    pub checkpoints: Option<Checkpoints>,
    /// Keeps rules beyond the conversation.
    pub remember: Remember,
    /// Time and chance.
    pub clock: Clock,
    /// The files that an editor has open; none where there is no editor that can be asked.
    pub open_files: Option<OpenFiles>,
    /// The tools; they may come and go while the session runs.
    pub toolbox: Arc<Toolbox>,
    /// The kinds of sub-agents.
    pub agents: Arc<AgentKinds>,
    /// The commands and skills of users, plugins and projects.
    pub extensions: Arc<Extensions>,
}

impl SessionEnv {
    /// The same with the prompts of MCP servers, which are asked for theirs. The error says why there is none.
    pub(crate) async fn expand_all(&self, command: &mut Command) -> Result<(), Problem> {
        self.expand(command);
        if let Command::Prompt { text, .. } = command
            && let Some(said) = self.tools.mcp.called(text).await
        {
            *text = said.map_err(|why| Problem::new("mcp.prompt").with("why", why))?;
        }
        Ok(())
    }

    /// Puts the prompt that is meant in the place of one that is the name of a custom command.
    pub(crate) fn expand(&self, command: &mut Command) {
        if let Command::Prompt { text, .. } = command
            && let Some(prompt) = self.extensions.prompt(text)
        {
            *text = prompt;
        }
    }
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

    /// An id that no conversation has: the day, and six letters.
    pub fn new_id(&self) -> ConversationId {
        const LETTERS: &[u8] = b"23456789abcdefghjkmnpqrstvwxyz";
        let mut number = (self.now)().0.wrapping_mul(1000).wrapping_add(u64::from((self.jitter)()));
        let mut tail = String::new();
        for _ in 0..6 {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            tail.push(char::from(LETTERS[(number >> 33) as usize % LETTERS.len()]));
        }
        ConversationId(format!("{}-{tail}", self.today.replace('-', "")))
    }
}

/// The day of a moment in UTC, as `YYYY-MM-DD`.
fn day(time: Time) -> String {
    humantime::format_rfc3339(UNIX_EPOCH + Duration::from_millis(time.0))
        .to_string()
        .split('T')
        .next()
        .unwrap_or_default()
        .to_owned()
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
