//! What is going on right now, folded from the frames of a session.
//!
//! Promise: `apply` is pure and total; every frame of every session folds. Nothing here is decided or shown.

use std::collections::VecDeque;

use ox_protocol::{
    Call, CallId, CommandReach, Effect, Event, Failure, FileChange, Frame, Level, Mode, Plan, Problem, Rule, Stage,
    Stop, Summary, Time, Todo, Workflow,
};
use serde_json::Value;

use crate::spent::Account;

/// The state of a session as an interface needs it.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The conversation's id.
    pub conversation: String,
    /// The mode of the last turn, or the one set for the next.
    pub mode: Mode,
    /// `provider/model`, likewise.
    pub model: String,
    /// What commands of the last turn can reach, where walls hold them.
    pub walls: Option<CommandReach>,
    /// Why no walls hold them although there were to be some.
    pub no_walls: Option<String>,
    /// Number of the last turn.
    pub turn: u32,
    /// True between the start and the completion of a turn.
    pub busy: bool,
    /// When the turn began.
    pub began: Time,
    /// Iteration and limit.
    pub iteration: (u32, u32),
    /// The stage that is entered.
    pub stage: Option<Stage>,
    /// Stages that ended in this turn, with milliseconds and success, since they were last told of.
    pub stages: Vec<(Stage, u64, bool)>,
    /// Calls of the last reply.
    pub calls: Vec<Call>,
    /// Calls that run, with the moment they began.
    pub running: Vec<(CallId, Time)>,
    /// Checks that run: the moment they began and the round (0 for a baseline or the model's own run).
    pub checks: Option<(Time, u32)>,
    /// When a failed request is made again.
    pub retry: Option<Time>,
    /// What waits for the user, oldest first.
    pub asked: VecDeque<Asked>,
    /// Calls of this turn about whose consent something was said already.
    pub answered: Vec<CallId>,
    /// The todo list.
    pub todos: Vec<Todo>,
    /// The plan.
    pub plan: Option<Plan>,
    /// Files changed by this turn, edit by edit.
    pub changes: Vec<FileChange>,
    /// The turns that one can go back to.
    pub turns: Vec<Turned>,
    /// Tokens and cost.
    pub account: Account,
    /// Tokens of the window that the last request filled, and the window.
    pub window: (u64, u64),
    /// The last failure of the model.
    pub failure: Option<Failure>,
    /// The text of the last reply.
    pub reply: String,
    /// The summary of the turn.
    pub summary: Option<Summary>,
    /// Where the workflow is.
    pub workflow: Workflow,
    /// Why the last turn ended.
    pub stop: Option<Stop>,
}

/// A turn, for those who may want to go back to before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turned {
    /// Its number.
    pub number: u32,
    /// When it began.
    pub began: Time,
    /// What was asked.
    pub prompt: String,
    /// The files that it changed, as far as it is known.
    pub files: Vec<String>,
}

/// Something that waits for the user.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // A handful at most wait at a time.
pub enum Asked {
    /// Consent.
    Approval(Request),
    /// An answer.
    Question {
        /// The call.
        call: CallId,
        /// The question.
        text: String,
        /// Answers to choose from.
        options: Vec<String>,
    },
}

/// A request for consent.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The call.
    pub call: CallId,
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
    /// How far it reaches.
    pub level: Level,
    /// The exact command lines.
    pub commands: Vec<String>,
    /// What the call does, as far as it is known.
    pub effects: Vec<Effect>,
    /// Why it is asked.
    pub why: Problem,
    /// The rule that "always" adds.
    pub always: Rule,
    /// What commands can reach, where walls hold them.
    pub walls: Option<CommandReach>,
}

impl Asked {
    /// The call that waits.
    pub fn call(&self) -> &CallId {
        match self {
            Asked::Approval(request) => &request.call,
            Asked::Question { call, .. } => call,
        }
    }
}

impl State {
    /// The call with this id, as the last reply made it.
    pub fn call(&self, id: &CallId) -> Option<&Call> {
        self.calls.iter().find(|call| call.id == *id)
    }

    /// The open request for consent to this call.
    pub fn request(&self, id: &CallId) -> Option<&Request> {
        self.asked.iter().find_map(|asked| match asked {
            Asked::Approval(request) if request.call == *id => Some(request),
            _ => None,
        })
    }

    /// Takes in one frame.
    pub fn apply(&mut self, frame: &Frame) {
        match &frame.event {
            Event::ConversationId { id, .. } => self.conversation.clone_from(&id.0),
            Event::TurnStart { .. } => self.turn(frame),
            Event::StageEnter { stage } => self.stage = Some(*stage),
            Event::StageExit { stage, duration_ms, success } => {
                self.stage = None;
                self.stages.push((*stage, *duration_ms, *success));
            }
            Event::IterationStart { iteration, total, .. } => {
                // Stages that ended before the first iteration have been told of by then.
                self.stages.clear();
                self.iteration = (*iteration, *total);
                self.retry = None;
            }
            Event::ModelFailed { failure, .. } => self.failure = Some(failure.clone()),
            Event::Retry { until, .. } => self.retry = Some(*until),
            Event::Woken { .. } => self.retry = None,
            Event::StreamComplete { text, calls, usage, cost, .. } => {
                self.account.add(*usage, *cost);
                self.failure = None;
                self.retry = None;
                self.reply.clone_from(text);
                self.calls.clone_from(calls);
            }
            Event::TokenUsage { used, window, .. } => self.window = (*used, *window),
            Event::Todo { items } => self.todos.clone_from(items),
            Event::Plan { plan } => self.plan = Some(plan.clone()),
            Event::Workflow { state, .. } => self.workflow = *state,
            Event::ModeSet { mode } => self.mode = *mode,
            Event::ModelSet { model } => self.model.clone_from(model),
            Event::Summary { summary } => self.summary = Some(summary.clone()),
            _ => self.apply_work(frame),
        }
    }

    /// Calls, questions, checks and the end.
    fn apply_work(&mut self, frame: &Frame) {
        match &frame.event {
            Event::ApprovalRequest { call, tool, args, level, commands, effects, why, always } => {
                self.asked.push_back(Asked::Approval(Request {
                    call: call.clone(),
                    tool: tool.clone(),
                    args: args.clone(),
                    level: *level,
                    commands: commands.clone(),
                    effects: effects.clone(),
                    why: why.clone(),
                    always: always.clone(),
                    walls: self.walls.clone(),
                }));
            }
            Event::Question { call, text, options } => {
                let question = Asked::Question { call: call.clone(), text: text.clone(), options: options.clone() };
                self.asked.push_back(question);
            }
            Event::Approval { call, .. } | Event::Answer { call, .. } => {
                self.settle_asked(call);
                self.answered.push(call.clone());
            }
            Event::ToolStart { call, .. } => self.running.push((call.clone(), frame.time)),
            Event::ToolComplete { call, outcome, .. } => {
                self.running.retain(|(id, _)| id != call);
                self.settle_asked(call);
                let paths = outcome.changed.iter().map(|it| it.path.clone());
                self.turns.last_mut().into_iter().for_each(|it| it.files.extend(paths.clone()));
                self.changes.extend(outcome.changed.iter().cloned());
            }
            Event::Rewound { turn } => self.turns.retain(|it| it.number < *turn),
            Event::Lost { call } => self.running.retain(|(id, _)| id != call),
            Event::ChecksStart { round, .. } => self.checks = Some((frame.time, *round)),
            Event::CheckResult { .. } => self.checks = None,
            Event::Stopped { stop } => self.stop = Some(*stop),
            Event::Completion { stop, .. } => {
                self.stop = Some(*stop);
                self.busy = false;
                self.asked.clear();
                self.running.clear();
                self.checks = None;
                self.retry = None;
            }
            _ => {}
        }
    }

    fn settle_asked(&mut self, call: &CallId) {
        self.asked.retain(|asked| asked.call() != call);
    }

    fn turn(&mut self, frame: &Frame) {
        let Event::TurnStart { turn, prompt, mode, model, limits, rules, .. } = &frame.event else { return };
        let mut before = std::mem::take(self);
        before.account.turn(limits);
        if before.turns.last().is_none_or(|it| it.number != *turn) {
            let turned = Turned { number: *turn, began: frame.time, prompt: prompt.clone(), files: Vec::new() };
            before.turns.push(turned);
        }
        *self = State {
            conversation: before.conversation,
            stages: before.stages,
            stage: before.stage,
            todos: before.todos,
            plan: before.plan,
            turns: before.turns,
            account: before.account,
            turn: *turn,
            mode: *mode,
            walls: rules.isolated.then(|| rules.reach.clone()),
            no_walls: rules.not_isolated.clone(),
            model: model.name.clone(),
            iteration: (0, limits.iterations),
            busy: true,
            began: frame.time,
            ..State::default()
        };
    }
}
