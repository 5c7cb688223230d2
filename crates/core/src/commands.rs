//! Commands become events here, or are rejected with a reason. Pure; what it returns is appended and folded.

use ox_protocol::{CallId, CallKind, Command, Decision, Delivery, Event, Outcome, QueuedPrompt, Submission};

use crate::{Conversation, words};

/// Why a command has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// No turn runs; a prompt begins a task, which is not decided here.
    Idle,
    /// A turn runs and this has to wait for its end.
    Busy,
    /// No such request is open: it was answered or withdrawn, or there never was one.
    NotAsked,
    /// No such prompt waits.
    NotQueued,
    /// The plan has no such step or question.
    NotPlanned,
    /// Earlier turns come before the first prompt.
    Begun,
    /// The shell has to compute the facts of the amended call, open the model or look at the files first.
    NeedsFacts,
}

impl Rejected {
    /// The catalogue's key of the reason.
    pub fn code(self) -> &'static str {
        match self {
            Rejected::Idle => "rejected.idle",
            Rejected::Busy => "rejected.busy",
            Rejected::NotAsked | Rejected::NeedsFacts => "rejected.not_asked",
            Rejected::NotQueued => "rejected.not_queued",
            Rejected::NotPlanned => "rejected.not_planned",
            Rejected::Begun => "rejected.begun",
        }
    }
}

/// What a command means in this state.
pub fn decide(conversation: &Conversation, submission: &Submission) -> Result<Vec<Event>, Rejected> {
    let Submission { id, command } = submission;
    match command {
        Command::Prompt { text, images, delivery: Delivery::Steer, .. } if conversation.is_running() => {
            Ok(vec![Event::Steered { text: text.clone(), images: images.clone() }])
        }
        Command::Prompt { text, images, mode, delivery: Delivery::Queue } if conversation.is_running() => {
            let (id, text, images, mode) = (id.clone(), text.clone(), images.clone(), *mode);
            Ok(vec![Event::PromptQueued { prompt: QueuedPrompt { id, text, images, mode } }])
        }
        Command::SetQueue { prompts } => {
            let waits = |id: &ox_protocol::CommandId| conversation.queue().iter().any(|it| it.id == *id);
            match prompts.iter().all(waits) {
                true => Ok(vec![Event::QueueSet { prompts: prompts.clone() }]),
                false => Err(Rejected::NotQueued),
            }
        }
        Command::TakeBack { count } => take_back(conversation, *count).ok_or(Rejected::NotQueued),
        Command::Prompt { .. } | Command::Continue => {
            Err(if conversation.is_running() { Rejected::Busy } else { Rejected::Idle })
        }
        Command::Interrupt | Command::Close if conversation.is_running() => Ok(vec![Event::Interrupted]),
        Command::Interrupt | Command::Close => Err(Rejected::Idle),
        Command::Retry => match conversation.waits_until() {
            Some(at) => Ok(vec![Event::Woken { at }]),
            None => Err(Rejected::Idle),
        },
        Command::Decide { call, .. } if !conversation.is_asking(call) => Err(Rejected::NotAsked),
        Command::Decide { decision: Decision::Amend { .. }, .. } => Err(Rejected::NeedsFacts),
        Command::Decide { call, decision } => Ok(decided(conversation, call, decision)),
        Command::Answer { call, .. } if !conversation.is_questioning(call) => Err(Rejected::NotAsked),
        Command::Answer { call, text } => {
            let answer = Event::Answer { call: call.clone(), text: text.clone() };
            let outcome = Outcome::ok(text.clone());
            // What a call that runs is told is no result of it.
            let asked = conversation.call(call).filter(|it| it.facts.kind == CallKind::Question);
            let complete = asked.map(|it| Event::ToolComplete { call: it.id.clone(), tool: it.tool.clone(), outcome });
            Ok(std::iter::once(answer).chain(complete).collect())
        }
        Command::Undo { .. }
        | Command::Redo
        | Command::Rewind { .. }
        | Command::Compact
        | Command::Clear
        | Command::RunCommand { .. } => Err(if conversation.is_running() { Rejected::Busy } else { Rejected::Idle }),
        Command::SetPlan { .. } if conversation.is_running() => Err(Rejected::Busy),
        Command::SetPlan { plan } => Ok(vec![Event::Plan { plan: plan.clone() }]),
        Command::CommentPlan { step, text } => comment(conversation, *step, text).ok_or(Rejected::NotPlanned),
        Command::AnswerPlan { question, text } => {
            answer_plan(conversation, *question, text).ok_or(Rejected::NotPlanned)
        }
        Command::SetApproval { policy } => Ok(vec![Event::ApprovalSet { policy: *policy }]),
        Command::SetMode { mode } => Ok(vec![Event::ModeSet { mode: *mode }]),
        Command::SetEffort { effort } => Ok(vec![Event::EffortSet { effort: *effort }]),
        Command::AddEarlierTurns { .. } if conversation.turns() > 0 => Err(Rejected::Begun),
        Command::AddEarlierTurns { turns } => Ok(vec![Event::EarlierTurns { turns: turns.clone() }]),
        // Whether there is such a model, file or command in the background is known outside.
        Command::SetModel { .. }
        | Command::StopJob { .. }
        | Command::AddFiles { .. }
        | Command::DropFiles { .. }
        | Command::SetEditorFiles { .. }
        | Command::Exclude { .. }
        | Command::Include { .. } => Err(Rejected::NeedsFacts),
    }
}

/// The user's answer, and the end of the turn where it says so.
fn decided(conversation: &Conversation, call: &CallId, decision: &Decision) -> Vec<Event> {
    let stops = matches!(decision, Decision::Deny { stop: true, .. }) && *call != conversation.checks_id();
    let answer = Event::Approval { call: call.clone(), decision: decision.clone(), by: "user".to_string() };
    std::iter::once(answer).chain(stops.then_some(Event::Interrupted)).collect()
}

/// What was said before a turn ended waits for the next one, and can be taken back all the same.
fn take_back(conversation: &Conversation, count: u32) -> Option<Vec<Event>> {
    (1..=conversation.unread()).contains(&count).then(|| vec![Event::TakenBack { count }])
}

/// The plan with what the user says about a step; a running turn reads it at once.
fn comment(conversation: &Conversation, id: u32, text: &str) -> Option<Vec<Event>> {
    let mut plan = conversation.plan()?.clone();
    let step = plan.steps.iter_mut().find(|it| it.id == id)?;
    let said = words::on_step(step, text.trim());
    step.comments.push(text.trim().to_owned());
    Some(changed_plan(conversation, plan, said))
}

/// The plan with the answer to one of its questions.
fn answer_plan(conversation: &Conversation, number: u32, text: &str) -> Option<Vec<Event>> {
    let mut plan = conversation.plan()?.clone();
    let question = plan.questions.get_mut(usize::try_from(number).ok()?.checked_sub(1)?)?;
    text.trim().clone_into(&mut question.answer);
    let said = words::on_question(question);
    Some(changed_plan(conversation, plan, said))
}

fn changed_plan(conversation: &Conversation, plan: ox_protocol::Plan, said: String) -> Vec<Event> {
    let steered = conversation.is_running().then(|| Event::Steered { text: said, images: Vec::new() });
    std::iter::once(Event::Plan { plan }).chain(steered).collect()
}
