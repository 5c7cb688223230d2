//! What others may know of a conversation. Reads the state, changes nothing.

use std::collections::BTreeSet;

use ox_protocol::{
    Call, CallId, Check, CheckReport, ContextFiles, ConversationId, Intent, IntentClass, IntentScope, Mode, ModelFacts,
    Money, QueuedPrompt, Rule, Seq, Stop, Time, Todo, Tokens, Usage, WantId,
};

use super::state::{Baseline, ChecksConsent, Conversation, LoopState, Step};
use crate::permit;

impl Conversation {
    /// The last event folded.
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// When the last event was recorded.
    pub fn time(&self) -> Time {
        self.time
    }

    /// The conversation.
    pub fn conversation(&self) -> &ConversationId {
        &self.state.id
    }

    /// True from `TurnStart` to `Stopped`.
    pub fn is_running(&self) -> bool {
        !matches!(self.phase, LoopState::Idle | LoopState::Over { .. })
    }

    /// The way the agent loop ended, once it has.
    pub fn stopped(&self) -> Option<Stop> {
        match self.phase {
            LoopState::Over { stop } => Some(stop),
            _ => None,
        }
    }

    /// True when the turn was begun where nobody can be asked.
    pub fn is_headless(&self) -> bool {
        self.turn.rules.headless
    }

    /// Until when the turn waits before it asks the model again, where it does.
    pub fn waits_until(&self) -> Option<Time> {
        match self.phase {
            LoopState::Waiting { until, .. } => Some(until),
            _ => None,
        }
    }

    /// True from `TurnStart` to `Prompted`.
    pub fn is_preparing(&self) -> bool {
        self.phase == LoopState::Preparing
    }

    /// The files that are kept in view, and those that are left out.
    pub fn files(&self) -> &ContextFiles {
        &self.state.files
    }

    /// Globs that edits must stay within.
    pub fn scope(&self) -> &[String] {
        &self.turn.rules.scope
    }

    /// What the running turn may do: its rules, with those that the user granted meanwhile.
    pub fn rules(&self) -> ox_protocol::Rules {
        let mut rules = self.turn.rules.clone();
        rules.rules.extend(self.state.granted.iter().cloned());
        rules
    }

    /// Further scopes, each of which holds too.
    pub fn within(&self) -> &[Vec<String>] {
        &self.turn.rules.within
    }

    /// True when the project brings settings that nobody has trusted.
    pub fn is_untrusted(&self) -> bool {
        self.turn.rules.untrusted
    }

    /// True when nothing new may begin and what runs is to be drained.
    pub fn is_stopping(&self) -> bool {
        matches!(self.phase, LoopState::Stopping { .. })
    }

    /// How the last finished or running turn ended, if any ended.
    pub fn last_stop(&self) -> Option<Stop> {
        self.state.last_stop
    }

    /// Prompts that wait for the end of the turn, the next one first.
    pub fn queue(&self) -> &[QueuedPrompt] {
        &self.state.queue
    }

    /// Messages that the user sent to a running turn and no request has carried yet.
    pub fn unread(&self) -> u32 {
        self.turn.queued
    }

    /// Number of turns so far.
    pub fn turns(&self) -> u32 {
        self.state.turns
    }

    /// Number of the current iteration.
    pub fn iteration(&self) -> u32 {
        self.turn.iteration
    }

    /// The model that is asked, as `provider/model`.
    pub fn model(&self) -> &ModelFacts {
        &self.turn.model
    }

    /// Tokens that the next prompt will have, as far as it is known.
    pub fn prompt_tokens(&self) -> Tokens {
        self.turn.window.next()
    }

    /// The mode whose rules hold for the running turn: its own, or in mode `auto` what was decided about its prompt.
    pub fn mode(&self) -> Mode {
        if self.turn.mode != Mode::Auto {
            return self.turn.mode;
        }
        let decided = self.turn.intent.as_ref().map(|it| it.class.mode());
        self.turn.overruled.or(decided).unwrap_or_default()
    }

    /// The mode that the running turn began in.
    pub fn own_mode(&self) -> Mode {
        self.turn.mode
    }

    /// What the running turn's prompt asks for, where that was decided.
    pub fn intent(&self) -> Option<&Intent> {
        self.turn.intent.as_ref()
    }

    /// What the last prompt asked for, where that was decided.
    pub fn last_intent(&self) -> Option<&Intent> {
        self.state.intent.as_ref()
    }

    /// The want under which the router is asked about this turn's prompt, until it has answered.
    pub fn routing(&self) -> Option<WantId> {
        self.turn.routing
    }

    /// True where the steps of the work are written down.
    pub(super) fn has_plan(&self) -> bool {
        !self.state.todos.is_empty() || self.plan().is_some()
    }

    /// True where a change was decided on that reaches so far, and the user has not chosen a mode since.
    pub(super) fn is_of_scope(&self, scope: IntentScope) -> bool {
        let fits = |it: &Intent| it.class == IntentClass::CodeChange && it.scope == scope;
        self.turn.overruled.is_none() && self.turn.intent.as_ref().is_some_and(fits)
    }

    /// The mode that was set for the next turns.
    pub fn next_mode(&self) -> Option<Mode> {
        self.state.mode
    }

    /// The todo list.
    pub fn todos(&self) -> &[Todo] {
        &self.state.todos
    }

    /// The state before the first edit, when it is known.
    pub fn baseline(&self) -> Option<&CheckReport> {
        match &self.turn.baseline {
            Baseline::Known(report) => Some(report),
            _ => None,
        }
    }

    /// The checks before the first edit that are over while others still run.
    pub fn baseline_so_far(&self) -> Option<&CheckReport> {
        match &self.turn.baseline {
            Baseline::Running { done, .. } => Some(done),
            _ => None,
        }
    }

    /// The last checks that ran in this turn, the baseline apart.
    pub fn last_report(&self) -> Option<&CheckReport> {
        self.turn.last_report.as_ref()
    }

    /// The files that the conversation created, whether by a tool or by a command.
    pub fn created(&self) -> &BTreeSet<String> {
        &self.state.created
    }

    /// The recorded trees of this turn, oldest first, without equal neighbours.
    pub fn trees(&self) -> &[String] {
        self.turn.loops.trees()
    }

    /// How often the command of this call has failed since the tree last changed, in the same or in other words.
    pub fn failures_of(&self, call: &Call) -> u32 {
        self.turn.loops.failures_of(call)
    }

    /// The project's checks that this turn has to pass.
    pub fn checks(&self) -> &[Check] {
        &self.turn.checks
    }

    /// What this turn used and cost.
    pub fn usage(&self) -> (Usage, Option<Money>) {
        (self.turn.usage, self.turn.cost)
    }

    /// What the model is known to lack: `tool_choice`, `native_tools`.
    pub fn lacks(&self, model: &str, what: &str) -> bool {
        self.state.lacking.contains(&(model.to_string(), what.to_string()))
    }

    /// True when consent for this call is awaited.
    pub fn is_asking(&self, id: &CallId) -> bool {
        (self.turn.consent == ChecksConsent::Asked && *id == self.checks_id() && self.is_running())
            || self.pending().iter().any(|it| it.call.id == *id && it.step == Step::Asking)
    }

    /// True when a question of this call awaits its answer: one of the agent, or of somebody whom it asked something.
    pub fn is_questioning(&self, id: &CallId) -> bool {
        self.pending().iter().any(|it| it.call.id == *id && it.step == Step::Running && it.questions)
    }

    /// True while the call under this id runs and has no result.
    pub fn is_at_work(&self, id: &CallId) -> bool {
        self.pending().iter().any(|it| it.call.id == *id && it.step == Step::Running)
    }

    /// The call under this id, while it is under way.
    pub fn call(&self, id: &CallId) -> Option<&Call> {
        self.pending().iter().map(|it| &it.call).find(|it| it.id == *id)
    }

    /// True where the user may allow what such a rule covers when they are asked about this call.
    pub fn can_grant(&self, id: &CallId, rule: &Rule) -> bool {
        self.call(id).is_none_or(|it| permit::can_grant(&self.turn.rules, it, rule))
    }

    /// True when the user has said yes to exactly this call.
    pub fn has_consent(&self, id: &CallId) -> bool {
        self.pending().iter().any(|it| it.call.id == *id && it.consented)
    }

    /// The files that the calls at hand are to write.
    pub fn files_at_hand(&self) -> Vec<String> {
        let written = self.pending().iter().flat_map(|it| it.call.facts.paths.iter().filter(|it| it.write));
        written.map(|it| it.path.clone()).collect()
    }

    /// The id under which consent for this turn's checks is asked.
    pub fn checks_id(&self) -> CallId {
        CallId(format!("{}checks_{}", self.state.id.call_prefix(), self.state.turns))
    }
}
