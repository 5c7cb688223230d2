//! One reply of the model and what came of its calls.
//!
//! A call never goes without a result: where the log has none, its result says what is known.

use ox_protocol::{Call, CallId, CallKind, Event, Gate, Image, Message, Outcome, Part, Reasoning, Role, Status, Stop};
use serde_json::{Value, json};

use super::LeftOut;
use crate::words::{self, Note};

/// The longest tool name that every provider takes.
const NAME: usize = 64;

/// The calls of a reply, in order, with what is known of each.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    calls: Vec<Slot>,
    stop: Option<Stop>,
    /// What a concluding call is told when nothing else in the log says why the turn went on.
    pub unsure: Option<String>,
}

#[derive(Clone, Debug, Default)]
struct Slot {
    id: CallId,
    name: String,
    kind: CallKind,
    rejected: Option<String>,
    outcome: Option<Said>,
    answer: Option<String>,
    /// The arguments that the user put in the place of the model's.
    amended: Option<String>,
    began: bool,
    lost: bool,
    /// What stop hooks and failing checks said of a concluding call.
    judged: Vec<String>,
}

/// Whether it went well, and what is known.
type Said = (bool, String, Vec<Image>);

/// The assistant's message; none for a reply that said nothing, which providers reject.
pub(super) fn message(
    (text, images): (&str, &[Image]),
    reasoning: &[Reasoning],
    calls: &[Call],
    left_out: &LeftOut,
) -> Option<Message> {
    let said = !text.trim().is_empty();
    if !said && calls.is_empty() && images.is_empty() {
        return None;
    }
    let mut parts: Vec<Part> = reasoning.iter().map(|it| Part::Reasoning { reasoning: it.clone() }).collect();
    if said {
        parts.push(Part::text(text));
    }
    parts.extend(images.iter().map(|it| Part::Image { image: it.clone() }));
    let part = |call: &Call| {
        let args = left_out.args(&call.id, args(call));
        Part::Call { id: call.id.clone(), name: name(call), args }
    };
    parts.extend(calls.iter().map(part));
    Some(Message { role: Role::Assistant, parts })
}

/// The tool's name as the model wrote it, in letters that providers accept.
fn name(call: &Call) -> String {
    let written = call.as_written.as_ref().map_or(&call.tool, |it| &it.tool);
    let fits = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    let name: String = written.chars().take(NAME).map(|it| if fits(it) { it } else { '_' }).collect();
    if name.is_empty() { "unknown".to_owned() } else { name }
}

/// The arguments as the model wrote them; providers accept objects only.
fn args(call: &Call) -> Value {
    match call.as_written.as_ref().map_or(&call.args, |it| &it.args) {
        object @ Value::Object(_) => object.clone(),
        Value::Null => json!({}),
        Value::String(text) => json!({ "unparsed": text }),
        other => json!({ "unparsed": other.to_string() }),
    }
}

impl Reply {
    pub fn new(calls: &[Call]) -> Reply {
        let slot = |call: &Call| Slot {
            id: call.id.clone(),
            name: name(call),
            kind: call.facts.kind,
            rejected: call.facts.rejected.clone(),
            ..Slot::default()
        };
        Reply { calls: calls.iter().map(slot).collect(), stop: None, unsure: None }
    }

    /// Takes in what happened to one of the calls, or ended the turn.
    pub fn happened(&mut self, event: &Event) {
        match event {
            Event::ToolStart { call, .. } => self.slot(call, |it| it.began = true),
            Event::ToolComplete { call, outcome, .. } => self.slot(call, |it| {
                it.outcome.get_or_insert_with(|| (!outcome.is_failure(), reported(outcome), outcome.images.clone()));
            }),
            Event::Lost { call } => self.slot(call, |it| it.lost = true),
            // What the user answers to somebody else, whom another call asked something, is not its result.
            Event::Answer { call, text } => self.slot(call, |it| {
                it.answer = Some(text.clone()).filter(|_| it.kind == CallKind::Question);
            }),
            Event::Amended { call } => self.slot(&call.id, |it| it.amended = Some(call.args.to_string())),
            Event::Stopped { stop } | Event::Completion { stop, .. } => drop(self.stop.get_or_insert(*stop)),
            _ => {}
        }
    }

    fn slot(&mut self, id: &CallId, change: impl FnOnce(&mut Slot)) {
        self.calls.iter_mut().find(|it| it.id == *id).map(change);
    }

    /// The model's own run of the checks ended.
    pub fn checked(&mut self, output: String) {
        let waits = |it: &&mut Slot| it.kind == CallKind::Checks && it.answer.is_none();
        if let Some(slot) = self.calls.iter_mut().find(waits) {
            slot.answer = Some(output);
        }
    }

    /// Whether a verdict on this call, or on the only concluding one, has a call to answer.
    pub fn concludes(&self, id: Option<&CallId>) -> bool {
        self.calls.iter().any(|it| it.is_meant(id))
    }

    pub fn answer_conclusion(&mut self, id: Option<&CallId>, words: String) {
        if let Some(slot) = self.calls.iter_mut().find(|it| it.is_meant(id)) {
            slot.judged.push(words);
        }
    }

    /// The message with all results; none when there was no call. `queued`: the user has said something meanwhile.
    pub fn results(self, queued: bool, left_out: &LeftOut) -> Option<Message> {
        let is_only = self.calls.iter().filter(|it| it.is_conclusion()).count() == 1;
        let open = match (is_only, self.stop) {
            (false, _) => Verdict::refused(words::refusal_words(Gate::NotAlone)),
            (true, Some(stop)) if is_conclusion(stop) => Verdict::accepted(),
            (true, None) if queued => Verdict::refused(Note::WentOn.words()),
            (true, None) if self.unsure.is_some() => Verdict::refused(self.unsure.as_deref().unwrap_or_default()),
            (true, _) => Verdict::refused(Note::Unjudged.words()),
        };
        let parts: Vec<Part> = self.calls.into_iter().map(|it| it.result(&open, left_out)).collect();
        if parts.is_empty() { None } else { Some(Message { role: Role::Tool, parts }) }
    }
}

/// What a concluding call that nobody judged is told.
struct Verdict {
    ok: bool,
    text: String,
}

impl Verdict {
    fn accepted() -> Verdict {
        Verdict { ok: true, text: Note::Accepted.owned() }
    }

    fn refused(text: &str) -> Verdict {
        Verdict { ok: false, text: text.to_owned() }
    }
}

impl Slot {
    fn is_conclusion(&self) -> bool {
        self.kind == CallKind::Conclude
    }

    fn is_meant(&self, id: Option<&CallId>) -> bool {
        match id {
            Some(id) => self.id == *id,
            None => self.is_conclusion(),
        }
    }

    fn result(mut self, open: &Verdict, left_out: &LeftOut) -> Part {
        let (ok, text, images) = self.said(open);
        let (text, images) = left_out.result(&self.id, text, images);
        let text = match self.amended {
            Some(args) => format!("{} {args}\n{text}", Note::Amended.words()),
            None => text,
        };
        let text = if text.is_empty() && images.is_empty() { Note::Empty.owned() } else { text };
        Part::Result { id: self.id, name: self.name, ok, text, images }
    }

    /// The most telling of what the log has.
    fn said(&mut self, open: &Verdict) -> Said {
        if !self.judged.is_empty() {
            return (false, self.judged.join("\n\n"), Vec::new());
        }
        if let Some(outcome) = self.outcome.take() {
            return outcome;
        }
        let (ok, text) = match (self.answer.take(), self.rejected.take()) {
            (Some(answer), _) => (true, answer),
            (None, Some(rejected)) => (false, rejected),
            (None, None) if self.lost => (false, Note::Lost.owned()),
            (None, None) if self.is_conclusion() => (open.ok, open.text.clone()),
            (None, None) if self.began => (false, Note::Interrupted.owned()),
            (None, None) => (false, Note::Stopped.owned()),
        };
        (ok, text, Vec::new())
    }
}

/// Whether a turn that ended so took its conclusion as given.
fn is_conclusion(stop: Stop) -> bool {
    use Stop::{Answered, ChecksNotRun, Done, DoneUnchecked, PermissionRefused};
    matches!(stop, Done | Answered | DoneUnchecked | ChecksNotRun | PermissionRefused)
}

/// The outcome in words, also where whoever recorded it left them out.
fn reported(outcome: &Outcome) -> String {
    if !outcome.output.trim().is_empty() {
        return outcome.output.clone();
    }
    match outcome.status {
        Status::Ok | Status::Failed => String::new(),
        Status::Denied => Note::Denied.owned(),
        Status::Skipped => Note::Skipped.owned(),
        Status::Lost => Note::Lost.owned(),
        Status::Interrupted => Note::Interrupted.owned(),
    }
}
