//! The moments of a turn at which the user's hooks are heard.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ox_protocol::{
    BoxFuture, Call, ConversationId, Event, Frame, HookPoint, Hooked, Mode, Outcome, Rules, Stop, WantId,
};

use crate::hooks::{self, HookEnv, HookInput};
use crate::{Journal, SessionEnv};

/// Longer than any hook may take: each has its own limit.
const LONGEST: Duration = Duration::from_secs(3600);

/// What a hook is told of, taken along so that it can run beside the fold.
pub(crate) struct HookTrigger {
    pub want: WantId,
    pub at: HookPoint,
    pub call: Option<Call>,
    outcome: Option<Outcome>,
    stop: Option<Stop>,
    /// Before a stop: true where a hook has sent the model back to work in this turn already.
    stop_hook_active: Option<bool>,
    prompt: Option<String>,
    conversation: ConversationId,
    turn: u32,
    mode: Mode,
    rules: Rules,
}

impl HookTrigger {
    /// The moment of a want, with what the log says about it.
    pub fn of(journal: &Journal, want: WantId, at: HookPoint, call: Option<&Call>) -> HookTrigger {
        let frames = journal.frames();
        let outcome = call.filter(|_| at == HookPoint::AfterTool).and_then(|call| {
            frames.iter().rev().find_map(|it| match &it.event {
                Event::ToolComplete { call: id, outcome, .. } if *id == call.id => Some(outcome.clone()),
                _ => None,
            })
        });
        let start = frames.iter().rev().find_map(|it| match &it.event {
            Event::TurnStart { turn, mode, prompt, rules, .. } => Some((*turn, *mode, prompt.clone(), rules.clone())),
            _ => None,
        });
        let stop_hook_active = (at == HookPoint::BeforeStop).then(|| sent_back(frames));
        let (turn, mode, prompt, rules) = start.unwrap_or_default();
        let prompt = (at == HookPoint::RunStart).then_some(prompt);
        let conversation = journal.id().clone();
        let (call, stop) = (call.cloned(), None);
        HookTrigger { want, at, call, outcome, stop, stop_hook_active, prompt, conversation, turn, mode, rules }
    }

    /// The moment after a turn.
    pub fn after(journal: &Journal, stop: Stop) -> HookTrigger {
        let want = WantId { seq: journal.conversation().seq(), index: 0 };
        HookTrigger { stop: Some(stop), ..HookTrigger::of(journal, want, HookPoint::AfterRun, None) }
    }

    /// True when a hook is about it.
    pub fn is_due(&self) -> bool {
        !hooks::due(&self.rules.hooks, self.at, self.call.as_ref().map(|it| it.tool.as_str())).is_empty()
    }

    /// Runs the hooks and tells what they said.
    pub fn run(self, env: &SessionEnv, cancel: Arc<AtomicBool>) -> BoxFuture<'static, Vec<Event>> {
        let (runner, root) = (env.tools.runner.clone(), env.tree.root().to_path_buf());
        let mut rights = env.tools.sandbox_policy.rights(&root, &[], LONGEST);
        rights.discard = !self.mode.may_change();
        Box::pin(async move {
            let input = HookInput {
                event: self.at,
                conversation: &self.conversation,
                turn: self.turn,
                mode: self.mode,
                root: &root,
                prompt: self.prompt.as_deref(),
                tool: self.call.as_ref().map(|it| it.tool.as_str()),
                args: self.call.as_ref().map(|it| &it.args),
                facts: self.call.as_ref().map(|it| &it.facts),
                outcome: self.outcome.as_ref(),
                stop_hook_active: self.stop_hook_active,
                stop: self.stop.as_ref(),
            };
            let env = HookEnv { runner: runner.as_ref(), root: &root, rights: &rights, cancel: &cancel };
            let runs = hooks::run(&self.rules.hooks, self.at, &input.json(), env).await;
            vec![Event::Hooked(Hooked { want: self.want, at: self.at, call: self.call.map(|it| it.id), runs })]
        })
    }
}

/// True where a hook has kept the turn that runs from ending.
fn sent_back(frames: &[Frame]) -> bool {
    let this_turn = frames.iter().rev().take_while(|it| !matches!(it.event, Event::TurnStart { .. }));
    let mut hooked = this_turn.filter_map(|it| match &it.event {
        Event::Hooked(it) if it.at == HookPoint::BeforeStop => Some(it),
        _ => None,
    });
    hooked.any(|it| it.runs.iter().any(|it| it.blocked))
}
