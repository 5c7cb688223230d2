//! A conversation's log as the messages that a model reads.
//!
//! The transcript grows by appending only: what was once sent is sent again unchanged, so that providers' caches hit.
//! Every provider accepts it: each call is followed by exactly one result, in the order of the calls, and no message
//! is empty. Nothing is read but the log, so a resumed conversation sends what the live one would have sent.

mod asked;
mod between;
mod findings;
mod left_out;
mod reply;
mod rounds;

use std::sync::Arc;

use ox_protocol::{CheckReport, Event, Fixer, Frame, Gate, Message, Part, Role, Section, Todo, TodoState, ToolSpec};

use crate::words::{self, Note};
use asked::Asked;
pub(crate) use asked::sections;
pub use between::remembered;
use findings::Findings;
pub(crate) use left_out::{LeftOut, SHORT};
use reply::Reply;
use rounds::Rounds;

/// What the model reads of a conversation: the messages so far, and what has happened since the last of them.
///
/// The messages right after an `iteration_start` are a prefix of all later ones. Two messages of the user may
/// follow one another (an empty reply is never sent), and results may be followed by the user's words; a wire format
/// that wants strict alternation joins them.
#[derive(Debug, Default)]
pub struct Transcript {
    /// The system prompt.
    pub system: String,
    /// The tools on offer.
    pub tools: Vec<ToolSpec>,
    messages: Vec<Arc<Message>>,
    left_out: LeftOut,
    /// The model that reads this.
    model: Option<String>,
    /// Another one writes what comes.
    foreign: bool,
    /// The last reply, until its results are placed.
    reply: Option<Reply>,
    /// Instructions of Ox that answer no call.
    notes: Vec<String>,
    /// What the user asked, until the first iteration of its turn.
    asked: Option<Asked>,
    /// What the user said while the turn ran.
    queued: Vec<Message>,
    rounds: Rounds,
    user_stopped: bool,
    /// The list as it stands, for a refusal that names what is open.
    todos: Vec<Todo>,
    findings: Findings,
}

/// The model that reads the transcript: another one's reasoning means nothing to it.
fn last_model(frames: &[Frame]) -> Option<&str> {
    remembered(frames).filter_map(|it| model_of(&it.event)).last()
}

fn model_of(event: &Event) -> Option<&str> {
    match event {
        Event::TurnStart { model, .. } | Event::Fallback { to: model, .. } => Some(&model.name),
        _ => None,
    }
}

/// The sections that the log has not sent yet in exactly these words; what the model has read needs no repeating.
pub fn unsent(frames: &[Frame], sections: Vec<Section>) -> Vec<Section> {
    let frames: Vec<&Frame> = remembered(frames).collect();
    let sent = |section: &Section| {
        let of_name = frames.iter().rev().find_map(|frame| match &frame.event {
            Event::Prompted { context, .. } => context.iter().find(|it| it.name == section.name),
            _ => None,
        });
        of_name.is_some_and(|it| it.text == section.text)
    };
    sections.into_iter().filter(|section| !sent(section)).collect()
}

/// The items that stand open, where these are what `gate` refuses for.
fn open(gate: Gate, todos: &[Todo]) -> String {
    let open = todos.iter().filter(|it| it.state != TodoState::Completed);
    let named: String = open.map(|it| format!("\n{}. {}", it.id, it.text)).collect();
    if gate == Gate::OpenTodos { named } else { String::new() }
}

/// A hook's own words, on lines of their own.
fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!("\n{message}") }
}

impl Transcript {
    /// The transcript of a whole log.
    pub fn of(frames: &[Frame]) -> Transcript {
        Transcript::without(frames, LeftOut::of(frames))
    }

    /// The transcript where this much is left out of it.
    pub(crate) fn without(frames: &[Frame], left_out: LeftOut) -> Transcript {
        let model = last_model(frames).map(str::to_owned);
        let mut it = Transcript { left_out, model, ..Transcript::default() };
        // What a turn was offered stands even where the turn was taken back.
        frames.iter().for_each(|frame| it.offered(&frame.event));
        for frame in remembered(frames) {
            it.take(&frame.event);
            if it.left_out.until == Some(frame.seq) {
                it.fold();
            }
        }
        it
    }

    /// Takes in the last of these frames; those before it were taken in already. Only where it changes what was said
    /// before is the log read again.
    pub fn follow(&mut self, frames: &[Frame]) {
        let Some(Frame { event, .. }) = frames.last() else { return };
        let other_model = model_of(event).is_some_and(|it| self.model.as_deref() != Some(it));
        if other_model || matches!(event, Event::Rewound { .. } | Event::Pruned { .. } | Event::Repair(_)) {
            *self = Transcript::of(frames);
        } else {
            self.offered(event);
            self.take(event);
        }
    }

    /// All messages of the conversation so far. What was once sent is shared, not copied.
    pub fn messages(&self) -> Vec<Arc<Message>> {
        let pending = self.results().into_iter().chain(self.asked.clone().map(Asked::message));
        self.messages.iter().cloned().chain(pending.map(Arc::new)).collect()
    }

    fn say(&mut self, messages: impl IntoIterator<Item = Message>) {
        self.messages.extend(messages.into_iter().map(Arc::new));
    }

    fn offered(&mut self, event: &Event) {
        if let Event::Prompted { system, tools, .. } = event {
            system.iter().for_each(|it| self.system.clone_from(it));
            tools.iter().for_each(|it| self.tools.clone_from(it));
        }
    }

    /// Everything so far is told by the digest.
    fn fold(&mut self) {
        self.settle();
        self.ask();
        self.say_queued();
        self.messages.clear();
        self.say([Message::text(Role::User, self.left_out.digest.clone())]);
    }

    fn take(&mut self, event: &Event) {
        if let Some(writes) = model_of(event) {
            self.foreign = self.model.as_deref() != Some(writes);
        }
        match event {
            Event::TurnStart { prompt, images, continues, .. } => {
                self.settle();
                self.say_queued();
                self.ask();
                if !continues {
                    self.rounds = Rounds::default();
                    self.findings = Findings::default();
                }
                let user_stopped = std::mem::take(&mut self.user_stopped);
                self.asked = Some(Asked::new(prompt, images, *continues, user_stopped));
            }
            Event::Prompted { context, .. } => self.prompted(context),
            Event::IterationStart { .. } => {
                self.settle();
                self.ask();
                self.say_queued();
                self.give_turn();
            }
            Event::StreamComplete { .. } => self.replied(event),
            Event::Steered { text, images } => {
                let images = images.iter().map(|it| Part::Image { image: it.clone() });
                let text = (!text.trim().is_empty()).then(|| Part::text(text));
                self.queued.push(Message { role: Role::User, parts: images.chain(text).collect() });
            }
            Event::TakenBack { count } => {
                let kept = self.queued.len().saturating_sub(*count as usize);
                self.queued.truncate(kept);
            }
            Event::Interrupted => self.user_stopped = true,
            Event::CheckResult { baseline: true, report, .. } => {
                // Each report holds the results before it.
                let known = self.rounds.baseline.as_ref().map_or(0, |it| it.results.len());
                let from = if known < report.results.len() { known } else { 0 };
                self.notes.extend(crate::checks::before_edits(report, from));
                self.rounds.baseline = Some(report.clone());
            }
            Event::CheckResult { round, total, report, .. } => {
                self.findings.unproven = report.unproven();
                self.checked(*round, *total, report);
            }
            Event::Refusal { gate, call, retry, total, message } => {
                let found = self.findings.of(*gate);
                let words = words::refusal(*gate, *retry, *total) + &open(*gate, &self.todos) + &found + &said(message);
                self.answer_conclusion(call.as_ref(), words);
            }
            Event::Audited { findings, .. } => self.findings.last.clone_from(findings),
            Event::AgentEnd(end) if end.call.is_review() => self.findings.review.clone_from(&end.findings),
            Event::Todo { items } => self.todos.clone_from(items),
            Event::Hooked(_) | Event::Restored(..) | Event::Background(..) | Event::UserCommand(..) => {
                self.notes.extend(between::note(event));
            }
            other => {
                if let Event::ToolComplete { call, outcome, .. } = other {
                    self.rounds.changed(outcome);
                    let fixed = Fixer::is_call(call) && outcome.mutated();
                    self.notes.extend(fixed.then(|| outcome.output.clone()));
                    if outcome.mutated() {
                        self.findings.unproven.clear();
                    }
                }
                self.reply.iter_mut().for_each(|it| it.happened(other));
            }
        }
    }

    fn prompted(&mut self, context: &[Section]) {
        let context: Vec<&Section> = context.iter().filter(|it| self.left_out.keeps(it)).collect();
        let words = (!context.is_empty()).then(|| asked::sections(&context));
        self.asked.as_mut().map_or(&mut self.notes, |it| &mut it.context).extend(words);
    }

    fn replied(&mut self, event: &Event) {
        let Event::StreamComplete { text, reasoning, images, calls, .. } = event else { return };
        self.settle();
        self.ask();
        let reasoning: &[_] = if self.foreign { &[] } else { reasoning };
        self.say(reply::message((text.as_str(), images.as_slice()), reasoning, calls, &self.left_out));
        self.reply = Some(Reply::new(calls));
    }

    fn checked(&mut self, round: u32, total: u32, report: &CheckReport) {
        if round == 0 {
            if let Some(reply) = &mut self.reply {
                reply.checked(crate::checks_output(report, self.rounds.baseline.as_ref()));
            }
        } else if let Some(feedback) = self.rounds.feedback(round, total, report) {
            self.answer_conclusion(None, feedback);
        } else if let Some(reply) = &mut self.reply {
            reply.unsure = self.rounds.without_baseline(round, total, report);
        }
    }

    /// Answers the concluding call; where there is none, the user's side says it.
    fn answer_conclusion(&mut self, call: Option<&ox_protocol::CallId>, words: String) {
        match &mut self.reply {
            Some(reply) if reply.concludes(call) => reply.answer_conclusion(call, words),
            _ => self.notes.push(words),
        }
    }

    /// The results of the last reply, then what Ox has to say beside them.
    fn results(&self) -> Vec<Message> {
        let results = self.reply.clone().and_then(|it| it.results(!self.queued.is_empty(), &self.left_out));
        results.into_iter().chain(self.notes.iter().map(|it| Message::text(Role::User, it))).collect()
    }

    fn settle(&mut self) {
        let results = self.results();
        self.say(results);
        (self.reply, self.notes) = (None, Vec::new());
    }

    /// Places what the user asked.
    fn ask(&mut self) {
        let asked = self.asked.take();
        self.say(asked.map(Asked::message));
    }

    fn say_queued(&mut self) {
        let queued = std::mem::take(&mut self.queued);
        self.say(queued.into_iter().filter(|it| !it.parts.is_empty()));
    }

    /// A request must not end with the model's own words: providers reject it or go on in mid-sentence.
    fn give_turn(&mut self) {
        if self.messages.last().is_some_and(|it| it.role == Role::Assistant) {
            self.say([Message::text(Role::User, Note::Continue.words())]);
        }
    }
}

impl Note {
    fn owned(self) -> String {
        self.words().to_owned()
    }
}
