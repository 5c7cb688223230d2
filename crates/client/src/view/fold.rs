//! What each event changes in a view.

use ox_protocol::{
    BackgroundJob, BackgroundState, CallId, CallKind, CheckReport, Event, Frame, Outcome, QueuedPrompt, Stage, Status,
    Time,
};
use serde_json::{Map, Value};

use super::entry::{CallEntry, CallState, Clipped, Entry, EntryKind, arguments, change};
use super::{ApprovalRequest, Asked, Job, PastTurn, View};

impl View {
    /// Takes in one frame.
    pub fn apply(&mut self, frame: &Frame) {
        if self.is_of_agent(&frame.conversation) {
            return self.agent_frame(frame);
        }
        self.seq = frame.seq;
        self.list(frame);
        match &frame.event {
            Event::ConversationId { id, root, .. } => {
                self.conversation.clone_from(id);
                self.root.clone_from(root);
            }
            Event::Named { name } => self.name = Some(name.clone()),
            Event::TurnStart { .. } => self.turn(frame),
            Event::StageEnter { stage } => self.enter(*stage),
            Event::StageExit { stage, duration_ms, success } => {
                self.stage = None;
                self.stages.push((*stage, *duration_ms, *success));
            }
            Event::IterationStart { iteration, total, .. } => self.asks((*iteration, *total)),
            Event::ModelFailed { failure, .. } => self.failure = Some(failure.clone()),
            Event::Retry { until, .. } => self.retry = Some(*until),
            Event::Woken { .. } => self.retry = None,
            Event::TokenUsage { used, window, .. } => self.window = (*used, *window),
            Event::Todo { items } => self.todos.clone_from(items),
            Event::Plan { plan } => self.plan = Some(plan.numbered()).filter(|it| !it.is_empty()),
            Event::Workflow { state, .. } => self.workflow = *state,
            Event::ModeSet { .. } | Event::ApprovalSet { .. } | Event::FilesSet(..) => self.chosen(&frame.event),
            Event::ModelSet { .. } | Event::EffortSet { .. } => self.chosen(&frame.event),
            Event::Summary { summary } => self.summary = Some(summary.clone()),
            Event::PromptQueued { prompt } => self.queue.push(prompt.clone()),
            Event::QueueSet { prompts } => QueuedPrompt::reorder(&mut self.queue, prompts),
            Event::Background(job) => self.job(job, frame.time),
            Event::Rewound { turn } => self.turns.retain(|it| it.number < *turn),
            Event::ApprovalRequest { .. }
            | Event::Approval { .. }
            | Event::Question { .. }
            | Event::Answer { .. }
            | Event::Amended { .. }
            | Event::StreamComplete { .. }
            | Event::ToolStart { .. }
            | Event::ToolComplete { .. }
            | Event::Lost { .. }
            | Event::ChecksStart { .. }
            | Event::CheckResult { .. }
            | Event::Stopped { .. }
            | Event::Completion { .. } => self.work(frame),
            Event::AgentStart(..) | Event::AgentEnd(..) => self.agent(&frame.event),
            Event::Repair(_) => self.stop = None,
            Event::Steered { text, .. } => self.unread.push(text.clone()),
            Event::TakenBack { count } => self.taken_back(*count),
            Event::Prompted { .. }
            | Event::EarlierTurns { .. }
            | Event::Intent { .. }
            | Event::PrefixDropped { .. }
            | Event::Downgrade { .. }
            | Event::Fallback { .. }
            | Event::Pruned { .. }
            | Event::Audited { .. }
            | Event::Refusal { .. }
            | Event::UserCommand(..)
            | Event::Interrupted
            | Event::Checkpoint { .. }
            | Event::Restored(..)
            | Event::Hooked(_)
            | Event::Error { .. } => {}
            Event::Unknown(fields) => self.unknown(fields),
        }
    }

    /// The model is asked, and reads all that was said.
    fn asks(&mut self, iteration: (u32, u32)) {
        self.unread.clear();
        self.iteration = iteration;
        self.retry = None;
    }

    fn taken_back(&mut self, count: u32) {
        let kept = self.unread.len().saturating_sub(count as usize);
        self.unread.truncate(kept);
    }

    /// The user chose how to go on.
    fn chosen(&mut self, event: &Event) {
        match event {
            Event::ModeSet { mode } => self.mode = *mode,
            Event::ModelSet { model } => self.model.clone_from(model),
            Event::EffortSet { effort } => self.effort = *effort,
            Event::ApprovalSet { policy } => self.approval = *policy,
            Event::FilesSet(files) => self.files.clone_from(files),
            _ => {}
        }
    }

    /// An event of a newer version. A known kind with a value that is not known still ends what it ends, so that nobody
    /// waits for ever.
    fn unknown(&mut self, fields: &Map<String, Value>) {
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
        let call = CallId(text("call").to_owned());
        match text("event") {
            "approval" | "answer" => self.asked.retain(|asked| *asked.call() != call),
            "tool_complete" => {
                self.running.retain(|(id, _)| *id != call);
                self.asked.retain(|asked| *asked.call() != call);
                self.entry(&call, |it| it.state = CallState::Settled);
            }
            "check_result" => self.checks = None,
            "completion" => self.end(),
            _ => {}
        }
    }

    /// The turn is over: nothing runs and nothing waits for the user.
    fn end(&mut self) {
        self.busy = false;
        self.asked.clear();
        self.running.clear();
        self.agents.clear();
        self.checks = None;
        self.retry = None;
    }

    /// A command in the background began or ended.
    fn job(&mut self, job: &BackgroundJob, time: Time) {
        let BackgroundJob { id, command, state, .. } = job;
        self.jobs.retain(|it| it.id != *id);
        if *state == BackgroundState::Started {
            self.jobs.push(Job { id: id.clone(), command: command.clone(), state: *state, since: time });
        }
    }

    /// Replies, calls, questions, checks and the end.
    fn work(&mut self, frame: &Frame) {
        match &frame.event {
            Event::StreamComplete { text, calls, usage, cost, .. } => {
                self.account.add(*usage, *cost);
                self.failure = None;
                self.retry = None;
                self.reply.clone_from(text);
                self.calls.clone_from(calls);
            }
            Event::Amended { call } => {
                self.asked.retain(|asked| *asked.call() != call.id);
                self.answered.push(call.id.clone());
                self.calls.iter_mut().filter(|it| it.id == call.id).for_each(|it| it.clone_from(call));
            }
            Event::ApprovalRequest { .. } | Event::Question { .. } => self.ask(&frame.event, None),
            Event::Approval { call, .. } | Event::Answer { call, .. } => self.settled(call),
            Event::ToolStart { call, .. } => self.running.push((call.clone(), frame.time)),
            Event::ToolComplete { call, outcome, .. } => {
                self.running.retain(|(id, _)| id != call);
                self.asked.retain(|asked| asked.call() != call);
                let paths = outcome.changed.iter().map(|it| it.path.clone());
                self.turns.last_mut().into_iter().for_each(|it| it.files.extend(paths.clone()));
                self.changes.extend(outcome.changed.iter().cloned());
            }
            Event::Lost { call } => self.running.retain(|(id, _)| id != call),
            Event::ChecksStart { round, .. } => self.checks = Some((frame.time, *round)),
            Event::CheckResult { .. } => self.checks = None,
            Event::Stopped { stop } => self.stop = Some(*stop),
            Event::Completion { stop, .. } => {
                self.stop = Some(*stop);
                self.end();
            }
            _ => {}
        }
    }

    /// Something waits for the user; `agent` is the kind of the sub-agent that asks.
    pub(super) fn ask(&mut self, event: &Event, agent: Option<String>) {
        match event {
            Event::ApprovalRequest {
                call,
                tool,
                args,
                level,
                commands,
                effects,
                hosts,
                why,
                always,
                further,
                changes,
            } => {
                self.asked.push_back(Asked::Approval(ApprovalRequest {
                    call: call.clone(),
                    tool: tool.clone(),
                    args: args.clone(),
                    level: *level,
                    commands: commands.clone(),
                    effects: effects.clone(),
                    hosts: hosts.clone(),
                    why: why.clone(),
                    always: always.clone(),
                    further: further.clone(),
                    changes: changes.clone(),
                    sandbox_reach: self.sandbox_reach.clone(),
                    agent,
                }));
            }
            Event::Question { call, text, options } => {
                let (call, text, options) = (call.clone(), text.clone(), options.clone());
                // Of a call that asks anew the question before is withdrawn.
                self.asked.retain(|it| *it.call() != call);
                self.asked.push_back(Asked::Question { call, text, options, agent });
            }
            _ => {}
        }
    }

    /// Something was said about a call.
    pub(super) fn settled(&mut self, call: &CallId) {
        self.asked.retain(|asked| asked.call() != call);
        self.answered.push(call.clone());
    }

    /// A claim begins a turn, also after a crash that left the turn before without its end.
    fn enter(&mut self, stage: Stage) {
        if stage == Stage::Claim {
            self.stages.clear();
        }
        self.stage = Some(stage);
    }

    fn turn(&mut self, frame: &Frame) {
        let Event::TurnStart { turn, prompt, mode, model, limits, rules, .. } = &frame.event else { return };
        let mut before = std::mem::take(self);
        before.account.turn(limits);
        if before.turns.last().is_none_or(|it| it.number != *turn) {
            let past = PastTurn { number: *turn, began: frame.time, prompt: prompt.clone(), files: Vec::new() };
            before.turns.push(past);
        }
        *self = View {
            conversation: before.conversation,
            root: before.root,
            name: before.name,
            seq: before.seq,
            entries: before.entries,
            queue: before.queue,
            jobs: before.jobs,
            stages: before.stages,
            stage: before.stage,
            todos: before.todos,
            plan: before.plan,
            turns: before.turns,
            account: before.account,
            turn: *turn,
            mode: *mode,
            approval: rules.approval,
            sandbox_reach: rules.isolated.then(|| rules.reach.clone()),
            not_isolated: rules.not_isolated.clone(),
            model: model.name.clone(),
            effort: model.effort,
            iteration: (0, limits.iterations),
            busy: true,
            began: frame.time,
            ..View::default()
        };
    }

    /// Keeps the list of entries.
    fn list(&mut self, frame: &Frame) {
        match &frame.event {
            Event::StreamComplete { .. } => self.replied(frame),
            Event::ApprovalRequest { call, .. } => self.entry(call, |it| it.state = CallState::Asking),
            Event::Approval { call, decision, .. } => self.entry(call, |it| it.decision = Some(decision.clone())),
            Event::Amended { call } => self.entry(&call.id, |it| it.args = arguments(&call.args)),
            Event::ToolStart { call, .. } => self.entry(call, |it| it.state = CallState::Running),
            Event::ToolComplete { call, outcome, .. } => self.entry(call, |it| settle(it, outcome)),
            Event::Lost { call } => self.entry(call, |it| settle(it, &Outcome::ended(Status::Lost, ""))),
            Event::Answer { call, text } => self.answered(call, text),
            Event::CheckResult { report, .. } => {
                let checks = self.entries.iter_mut().rev().find_map(|it| match &mut it.kind {
                    EntryKind::Checks { report, .. } => Some(report),
                    _ => None,
                });
                match checks.filter(|it| it.is_none()) {
                    Some(checks) => *checks = Some(report.clone()),
                    None => self.begin(frame),
                }
            }
            _ => self.begin(frame),
        }
    }

    fn begin(&mut self, frame: &Frame) {
        let kind = entry_of(&frame.event);
        self.entries.extend(kind.map(|kind| Entry { seq: frame.seq, time: frame.time, kind }));
    }

    fn replied(&mut self, frame: &Frame) {
        let Event::StreamComplete { message_id, text, reasoning, images, calls, finish, .. } = &frame.event else {
            return;
        };
        let thinking: Vec<&str> = reasoning.iter().map(|it| it.text.as_str()).filter(|it| !it.is_empty()).collect();
        let reply = EntryKind::Reply {
            message: message_id.clone(),
            text: text.clone(),
            thinking: thinking.join("\n\n"),
            images: images.len(),
            finish: finish.clone(),
        };
        let call = |it: &ox_protocol::Call| {
            EntryKind::Call(CallEntry {
                call: it.id.clone(),
                tool: it.tool.clone(),
                args: arguments(&it.args),
                level: it.facts.level,
                state: CallState::Proposed,
                decision: None,
                status: None,
                output: Clipped::default(),
                changed: Vec::new(),
                exit_code: None,
                duration_ms: 0,
            })
        };
        let entry = |kind| Entry { seq: frame.seq, time: frame.time, kind };
        // What a concluding call says is in the summary.
        let calls = calls.iter().filter(|it| it.facts.kind != CallKind::Conclude);
        self.entries.extend(std::iter::once(reply).chain(calls.map(call)).map(entry));
    }

    fn answered(&mut self, call: &CallId, text: &str) {
        let open = self.entries.iter_mut().rev().find_map(|it| match &mut it.kind {
            EntryKind::Question { call: id, answer, .. } if id == call => Some(answer),
            _ => None,
        });
        open.into_iter().for_each(|it| *it = Some(text.to_owned()));
    }

    /// Changes the entry of a call; the project's checks, which are asked about under an id of their own, have none.
    fn entry(&mut self, call: &CallId, change: impl FnOnce(&mut CallEntry)) {
        let found = self.entries.iter_mut().rev().find_map(|it| match &mut it.kind {
            EntryKind::Call(entry) if entry.call == *call => Some(entry),
            _ => None,
        });
        if let Some(entry) = found {
            change(entry);
        }
    }
}

/// The entry that an event begins; none where it changes one that is there, or is nothing that a person would point at.
fn entry_of(event: &Event) -> Option<EntryKind> {
    Some(match event {
        Event::TurnStart { turn, prompt, images, .. } => {
            EntryKind::Prompt { turn: *turn, text: prompt.clone(), images: images.len() }
        }
        Event::Steered { text, images } => EntryKind::Steering { text: text.clone(), images: images.len() },
        Event::Question { call, text, options } => {
            let (call, text, options) = (call.clone(), text.clone(), options.clone());
            EntryKind::Question { call, text, options, answer: None }
        }
        Event::ChecksStart { baseline, round, total, .. } => checks(*baseline, (*round, *total), None),
        Event::CheckResult { baseline, round, total, report, .. } => checks(*baseline, (*round, *total), Some(report)),
        Event::Summary { summary } => EntryKind::Summary { summary: summary.clone() },
        Event::Completion { stop, .. } => EntryKind::End { stop: *stop },
        Event::Unknown(_) => EntryKind::Unknown { kind: event.unknown().unwrap_or_default().to_owned() },
        Event::Checkpoint { skipped, .. } if skipped.is_empty() => return None,
        Event::ModelFailed { .. }
        | Event::Intent { .. }
        | Event::Repair(_)
        | Event::PrefixDropped { .. }
        | Event::Retry { .. }
        | Event::Downgrade { .. }
        | Event::Fallback { .. }
        | Event::Pruned { .. }
        | Event::Todo { .. }
        | Event::Plan { .. }
        | Event::Refusal { .. }
        | Event::TakenBack { .. }
        | Event::Interrupted
        | Event::ModeSet { .. }
        | Event::ApprovalSet { .. }
        | Event::UserCommand(..)
        | Event::ModelSet { .. }
        | Event::EffortSet { .. }
        | Event::FilesSet(..)
        | Event::EarlierTurns { .. }
        | Event::Checkpoint { .. }
        | Event::Restored(..)
        | Event::Rewound { .. }
        | Event::Hooked(_)
        | Event::Background(..)
        | Event::AgentEnd(..)
        | Event::Error { .. } => EntryKind::Notice { event: event.clone() },
        Event::ConversationId { .. }
        | Event::Named { .. }
        | Event::Audited { .. }
        | Event::StageEnter { .. }
        | Event::StageExit { .. }
        | Event::Prompted { .. }
        | Event::IterationStart { .. }
        | Event::Woken { .. }
        | Event::TokenUsage { .. }
        | Event::Workflow { .. }
        | Event::PromptQueued { .. }
        | Event::QueueSet { .. }
        | Event::Stopped { .. }
        | Event::StreamComplete { .. }
        | Event::AgentStart(..)
        | Event::ApprovalRequest { .. }
        | Event::Approval { .. }
        | Event::Amended { .. }
        | Event::ToolStart { .. }
        | Event::ToolComplete { .. }
        | Event::Lost { .. }
        | Event::Answer { .. } => return None,
    })
}

fn checks(baseline: bool, (round, total): (u32, u32), report: Option<&CheckReport>) -> EntryKind {
    EntryKind::Checks { baseline, round, total, report: report.cloned() }
}

fn settle(entry: &mut CallEntry, outcome: &Outcome) {
    entry.state = CallState::Settled;
    entry.status = Some(outcome.status);
    entry.output = Clipped::end_of(&outcome.output);
    entry.changed = outcome.changed.iter().map(change).collect();
    entry.exit_code = outcome.exit_code;
    entry.duration_ms = outcome.duration_ms;
}
