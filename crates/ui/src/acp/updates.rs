//! What happens in a session, as updates of the protocol.
//!
//! Promise: each piece of a reply is sent once, streamed or at its end; and what a person must know at the end of a turn is
//! said in the conversation.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{
    AvailableCommandsUpdate, ConfigOptionUpdate, ContentBlock, ContentChunk, Cost, CurrentModeUpdate, ImageContent,
    MessageId as AcpMessageId, Plan as AcpPlan, PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionInfoUpdate,
    SessionUpdate, ToolCall, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind, UsageUpdate,
};
use ox_client::view::View;
use ox_client::{Control, Update};
use ox_protocol::locale::Language;
use ox_protocol::{
    Call, CallId, CallKind, CommandId, Delta, DeltaKind, Event, Frame, Image, MessageId, Outcome, Plan, StepState,
    Stop, Todo, TodoState, WantId,
};
use serde_json::Value;

use super::options::{Chosen, commands};
use super::tool_calls;
use crate::composer::Item;
use crate::report::{self, Look};
use crate::words;

/// Characters of a running command's output that are shown: each update repeats them.
const TAIL: usize = 4_000;
/// Characters of a title that is made of a prompt.
const TITLE: usize = 80;

/// What is known of a session so far.
pub(super) struct Updates {
    look: Look,
    root: PathBuf,
    pub(super) view: View,
    chosen: Chosen,
    /// Prompts of this client: it shows them itself.
    own: HashSet<CommandId>,
    /// Bytes of each reply that were streamed.
    streamed: HashMap<(MessageId, DeltaKind), usize>,
    /// The calls of this turn.
    calls: HashMap<CallId, Call>,
    /// What was shown of calls that run.
    outputs: HashMap<CallId, String>,
    /// True where the turn has said something: what follows begins a paragraph.
    said: bool,
}

impl Updates {
    pub(super) fn new(language: Language, root: &Path, chosen: Chosen) -> Updates {
        let look = Look { live: true, apart: true, ..Look::new(language, usize::MAX) };
        Updates {
            look,
            root: root.to_path_buf(),
            view: View::default(),
            chosen,
            own: HashSet::new(),
            streamed: HashMap::new(),
            calls: HashMap::new(),
            outputs: HashMap::new(),
            said: false,
        }
    }

    /// The mode and the model that are chosen.
    pub(super) fn chosen(&self) -> &Chosen {
        &self.chosen
    }

    /// The commands that a client may offer.
    pub(super) fn commands(&self, custom: &[Item]) -> SessionUpdate {
        SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(commands(self.look.language, custom)))
    }

    /// A prompt was sent for this client.
    pub(super) fn sent(&mut self, id: CommandId) {
        self.own.insert(id);
    }

    /// Takes in an event from before; nothing is sent of it.
    pub(super) fn before(&mut self, frame: &Frame) {
        let _ = self.frame(frame, true);
    }

    /// What a stored event shows.
    pub(super) fn replayed(&mut self, frame: &Frame) -> Vec<SessionUpdate> {
        let mut all = self.frame(frame, true);
        // What is chosen now is part of the answer to the request.
        all.retain(|it| !matches!(it, SessionUpdate::CurrentModeUpdate(_) | SessionUpdate::ConfigOptionUpdate(_)));
        all
    }

    /// What an update shows.
    pub(super) fn of(&mut self, update: &Update) -> Vec<SessionUpdate> {
        match update {
            Update::Frame(frame) => self.frame(frame, false),
            Update::Delta(delta) => self.delta(delta).into_iter().collect(),
            Update::Control(Control::Snapshot { view }) => {
                self.view = (**view).clone();
                self.choose(self.as_viewed())
            }
            Update::Control(_) => Vec::new(),
        }
    }

    /// A prompt begins; nothing is said yet.
    pub(super) fn begin(&mut self) {
        self.said = false;
    }

    /// True where something was said since the prompt.
    pub(super) fn has_said(&self) -> bool {
        self.said
    }

    /// A paragraph of Ox's own words.
    pub(super) fn say(&mut self, text: &str) -> SessionUpdate {
        let gap = if std::mem::replace(&mut self.said, true) { "\n\n" } else { "" };
        chunk(SessionUpdate::AgentMessageChunk, &format!("{gap}{text}"), None)
    }

    /// What a person must know of the end of a turn; nothing where it did what was asked.
    pub(super) fn verdict(&mut self, stop: Stop) -> Option<SessionUpdate> {
        let is_news = !matches!(stop, Stop::Done | Stop::Answered | Stop::Interrupted);
        is_news.then(|| self.say(&self.verdict_words(stop)))
    }

    /// Why a turn ended, in a sentence.
    pub(super) fn verdict_words(&self, stop: Stop) -> String {
        report::verdict(&self.look, &self.view, stop)
    }

    fn delta(&mut self, delta: &Delta) -> Option<SessionUpdate> {
        if self.view.is_of_agent(&delta.conversation) {
            return None;
        }
        if delta.kind == DeltaKind::ToolOutput {
            return self.printed(delta.call.as_ref()?, &delta.delta);
        }
        let seen = self.streamed.entry((delta.message_id.clone(), delta.kind)).or_default();
        // Who joins late gets the text so far as one piece.
        let new = delta.delta.get(seen.saturating_sub(usize::try_from(delta.offset).unwrap_or(usize::MAX))..)?;
        *seen += new.len();
        self.piece(delta.kind, &delta.message_id, new)
    }

    /// A piece of a reply; a new message begins a paragraph.
    fn piece(&mut self, kind: DeltaKind, id: &MessageId, text: &str) -> Option<SessionUpdate> {
        if text.is_empty() {
            return None;
        }
        let kind = match kind {
            DeltaKind::Thinking => SessionUpdate::AgentThoughtChunk,
            _ => {
                self.said = true;
                SessionUpdate::AgentMessageChunk
            }
        };
        Some(chunk(kind, text, Some(&id.0)))
    }

    /// More of what a running call prints.
    fn printed(&mut self, call: &CallId, text: &str) -> Option<SessionUpdate> {
        if call.job().is_some() || self.calls.get(call).is_some_and(tool_calls::is_hidden) {
            return None;
        }
        let all = self.outputs.entry(call.clone()).or_default();
        all.push_str(text);
        let cut = all.char_indices().rev().nth(TAIL).map_or(0, |(at, _)| at);
        all.drain(..cut);
        let content = vec![tool_calls::text(all)];
        Some(updated(call, ToolCallUpdateFields::new().status(ToolCallStatus::InProgress).content(content)))
    }

    fn frame(&mut self, frame: &Frame, stored: bool) -> Vec<SessionUpdate> {
        if self.view.is_of_agent(&frame.conversation) {
            let of = self.of_agent(frame);
            self.view.apply(frame);
            return of.into_iter().collect();
        }
        // What tells of an event needs the state before it.
        let worded = self.worded(frame, stored);
        self.view.apply(frame);
        match &frame.event {
            Event::TurnStart { prompt, images, mode, model, turn, .. } => {
                self.calls.clear();
                self.outputs.clear();
                self.said = false;
                let mut all = self.user(frame, prompt, images);
                if *turn == 1 && !prompt.is_empty() && self.view.name.is_none() {
                    all.push(titled(&words::short(prompt, TITLE)));
                }
                let (model, effort) = (model.name.clone(), model.effort);
                all.extend(self.choose(Chosen { mode: *mode, model, effort, ..self.chosen.clone() }));
                all
            }
            Event::Steered { text, images } => self.user(frame, text, images),
            Event::StreamComplete { message_id, text, reasoning, images, calls, .. } => {
                let thoughts: Vec<&str> = reasoning.iter().map(|it| it.text.as_str()).collect();
                let thoughts = self.rest(DeltaKind::Thinking, message_id, &thoughts.join("\n\n"));
                let mut all: Vec<SessionUpdate> = thoughts.into_iter().collect();
                all.extend(self.rest(DeltaKind::Text, message_id, text));
                all.extend(images.iter().map(|it| {
                    SessionUpdate::AgentMessageChunk(
                        ContentChunk::new(picture(it)).message_id(AcpMessageId::new(&*message_id.0)),
                    )
                }));
                all.extend(self.proposed(calls));
                all
            }
            Event::ToolStart { call, tool, args, .. } => self.started(call, tool, args),
            Event::ToolComplete { call, outcome, .. } => self.settled(call, outcome, stored),
            Event::Question { text, .. } if stored => vec![self.say(text)],
            Event::Answer { text, .. } if stored => self.user(frame, text, &[]),
            Event::Completion { stop, .. } if stored => self.verdict(*stop).into_iter().collect(),
            Event::Lost { call } => vec![updated(call, ToolCallUpdateFields::new().status(ToolCallStatus::Failed))],
            Event::Amended { call } => self.amended(call),
            Event::Todo { items } => vec![SessionUpdate::Plan(AcpPlan::new(items.iter().map(todo).collect()))],
            Event::Plan { plan } => vec![SessionUpdate::Plan(steps(plan))],
            Event::ChecksStart { want, baseline, .. } if !self.checks_are_called() => {
                vec![self.checks(want, *baseline)]
            }
            Event::CheckResult { want, report, baseline, .. } if !self.checks_are_called() => {
                // What failed before the work is no failure of it.
                let failed = !baseline && report.failures().next().is_some();
                let status = if failed { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
                let fields = ToolCallUpdateFields::new().status(status).content(vec![tool_calls::text(&worded)]);
                vec![SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(checks_id(want), fields))]
            }
            Event::TokenUsage { used, window, .. } => vec![self.usage(*used, *window)],
            Event::ModeSet { mode } => self.choose(Chosen { mode: *mode, ..self.chosen.clone() }),
            Event::ModelSet { model } => self.choose(Chosen { model: model.clone(), ..self.chosen.clone() }),
            Event::EffortSet { effort } => self.choose(Chosen { effort: *effort, ..self.chosen.clone() }),
            Event::Named { name } => vec![titled(name)],
            Event::Summary { summary } if summary.text.trim() != self.view.reply.trim() => {
                let text = summary.text.trim();
                if text.is_empty() { Vec::new() } else { vec![self.say(text)] }
            }
            _ if !worded.is_empty() && self.view.busy => vec![chunk(SessionUpdate::AgentThoughtChunk, &worded, None)],
            _ if !worded.is_empty() => vec![self.say(&worded)],
            _ => Vec::new(),
        }
    }

    /// What people are worded of an event that has no form of its own in the protocol; of old ones what stays true.
    fn worded(&self, frame: &Frame, stored: bool) -> String {
        let tells = match &frame.event {
            Event::CheckResult { .. } => true,
            Event::Retry { .. } | Event::Fallback { .. } | Event::Downgrade { .. } | Event::Refusal { .. } => !stored,
            Event::Repair(_) | Event::Intent { .. } | Event::FilesSet(..) | Event::Hooked(_) => !stored,
            Event::Pruned { .. } | Event::Restored { .. } | Event::Rewound { .. } | Event::Error { .. } => true,
            Event::Background(..) => !stored,
            _ => false,
        };
        if !tells {
            return String::new();
        }
        let lines = report::lines(&self.look, &self.view, frame);
        lines.iter().map(|it| format!("{}\n", it.text())).collect()
    }

    /// What the user said, where this client has not shown it.
    fn user(&self, frame: &Frame, text: &str, images: &[Image]) -> Vec<SessionUpdate> {
        if frame.command.as_ref().is_some_and(|it| self.own.contains(it)) {
            return Vec::new();
        }
        let text = (!text.is_empty()).then(|| chunk(SessionUpdate::UserMessageChunk, text, None));
        let images = images.iter().map(|it| SessionUpdate::UserMessageChunk(ContentChunk::new(picture(it))));
        text.into_iter().chain(images).collect()
    }

    /// What of a reply was not streamed.
    fn rest(&mut self, kind: DeltaKind, id: &MessageId, text: &str) -> Option<SessionUpdate> {
        // Where calls are written as tags, the stream has more than the reply's words.
        let streamed = self.streamed.remove(&(id.clone(), kind)).unwrap_or_default();
        let rest = text.get(streamed..).unwrap_or_default().to_owned();
        self.piece(kind, id, &rest)
    }

    fn proposed(&mut self, calls: &[Call]) -> Vec<SessionUpdate> {
        self.calls.extend(calls.iter().map(|it| (it.id.clone(), it.clone())));
        let shown = calls.iter().filter(|it| !tool_calls::is_hidden(it));
        shown.map(|it| SessionUpdate::ToolCall(tool_calls::proposed(&self.root, it))).collect()
    }

    fn started(&mut self, call: &CallId, tool: &str, args: &Value) -> Vec<SessionUpdate> {
        match self.calls.get(call) {
            Some(known) if tool_calls::is_hidden(known) => Vec::new(),
            Some(_) => vec![updated(call, ToolCallUpdateFields::new().status(ToolCallStatus::InProgress))],
            None => {
                let own = tool_calls::own(&call.0, tool, args).status(ToolCallStatus::InProgress);
                vec![SessionUpdate::ToolCall(own)]
            }
        }
    }

    fn settled(&mut self, call: &CallId, outcome: &Outcome, stored: bool) -> Vec<SessionUpdate> {
        self.outputs.remove(call);
        match self.calls.get(call) {
            // The request for an answer made a line of it.
            Some(known) if !stored && tool_calls::is_choice(known) => {
                vec![updated(call, ToolCallUpdateFields::new().status(ToolCallStatus::Completed))]
            }
            Some(known) if tool_calls::is_hidden(known) => Vec::new(),
            _ => vec![SessionUpdate::ToolCallUpdate(tool_calls::settled(&self.root, &call.0, outcome))],
        }
    }

    fn amended(&mut self, call: &Call) -> Vec<SessionUpdate> {
        self.calls.insert(call.id.clone(), call.clone());
        let fields = ToolCallUpdateFields::new().title(tool_calls::title(&call.tool, &call.args));
        vec![updated(&call.id, fields.raw_input(call.args.clone()))]
    }

    /// What a sub-agent does is a line below the call that it answers.
    fn of_agent(&mut self, frame: &Frame) -> Option<SessionUpdate> {
        let Event::ToolStart { tool, args, .. } = &frame.event else { return None };
        let call = self.view.agent_of(&frame.conversation)?.call.clone();
        self.printed(&call, &format!("{}\n", tool_calls::title(tool, args)))
    }

    /// True where the checks are run by a call that has a line already.
    fn checks_are_called(&self) -> bool {
        let is_checks = |it: &CallId| self.calls.get(it).is_some_and(|it| it.facts.kind == CallKind::Checks);
        self.view.running.iter().any(|(id, _)| is_checks(id))
    }

    fn checks(&self, want: &WantId, baseline: bool) -> SessionUpdate {
        let key = if baseline { "acp.checks.baseline" } else { "acp.checks" };
        let call = ToolCall::new(checks_id(want), self.look.say(key, &[])).kind(ToolKind::Execute);
        SessionUpdate::ToolCall(call.status(ToolCallStatus::InProgress))
    }

    fn usage(&self, used: u64, window: u64) -> SessionUpdate {
        let spent = self.view.account.conversation;
        // A cost that is not known is not said to be nothing.
        let cost = (spent.unpriced == 0 && spent.requests > 0).then(|| Cost::new(spent.cost.0 as f64 / 1e6, "USD"));
        SessionUpdate::UsageUpdate(UsageUpdate::new(used, window).cost(cost))
    }

    /// What is chosen by the view.
    fn as_viewed(&self) -> Chosen {
        let view = &self.view;
        Chosen { mode: view.mode, model: view.model.clone(), effort: view.effort, ..self.chosen.clone() }
    }

    /// Takes what is chosen from now on, and says what of it is news.
    fn choose(&mut self, now: Chosen) -> Vec<SessionUpdate> {
        let before = std::mem::replace(&mut self.chosen, now);
        let mut all = Vec::new();
        if before.mode != self.chosen.mode {
            all.push(SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(self.chosen.mode.name())));
        }
        if before != self.chosen {
            let options = self.chosen.options(self.look.language);
            all.push(SessionUpdate::ConfigOptionUpdate(ConfigOptionUpdate::new(options)));
        }
        all
    }
}

fn checks_id(want: &WantId) -> String {
    format!("checks_{want}")
}

fn chunk(kind: fn(ContentChunk) -> SessionUpdate, text: &str, id: Option<&str>) -> SessionUpdate {
    let chunk = ContentChunk::new(ContentBlock::from(text));
    kind(match id {
        Some(id) => chunk.message_id(AcpMessageId::new(id)),
        None => chunk,
    })
}

fn picture(image: &Image) -> ContentBlock {
    ContentBlock::Image(ImageContent::new(image.data.clone(), image.media_type.clone()))
}

fn updated(call: &CallId, fields: ToolCallUpdateFields) -> SessionUpdate {
    SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call.0.clone(), fields))
}

fn titled(title: &str) -> SessionUpdate {
    SessionUpdate::SessionInfoUpdate(SessionInfoUpdate::new().title(title.to_owned()))
}

fn todo(item: &Todo) -> PlanEntry {
    let status = match item.state {
        TodoState::Pending => PlanEntryStatus::Pending,
        TodoState::InProgress => PlanEntryStatus::InProgress,
        TodoState::Completed => PlanEntryStatus::Completed,
    };
    let priority = match item.priority.as_str() {
        "high" => PlanEntryPriority::High,
        "low" => PlanEntryPriority::Low,
        _ => PlanEntryPriority::Medium,
    };
    PlanEntry::new(item.text.clone(), priority, status)
}

/// The steps of a plan. That the model says so does not make a step done, but there is no word for it between the two.
fn steps(plan: &Plan) -> AcpPlan {
    let one = |it: &ox_protocol::PlanStep| {
        let status = match it.state {
            StepState::Open => PlanEntryStatus::Pending,
            StepState::Said | StepState::Done => PlanEntryStatus::Completed,
        };
        PlanEntry::new(it.text.clone(), PlanEntryPriority::Medium, status)
    };
    AcpPlan::new(plan.steps.iter().map(one).collect())
}
