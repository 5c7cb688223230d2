//! Performs wants: asks the model, runs tools and checks. Each returns the facts that came of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ox_client::Update;
use ox_context::{checks_output, transcript};
use ox_model::tokens::Counter;
use ox_model::{Model, Piece, RawCall, Reply, Request};
use ox_protocol::locale::Language;
use ox_protocol::{
    BoxFuture, Call, CallId, CheckReport, Delta, DeltaKind, Event, Failure, FailureKind, Finish, Frame, MessageId,
    ModelFacts, Outcome, Problem, Tokens, ToolChoice, ToolFormat, ToolSpec, WantId,
};
use ox_tools::{Cx, Surroundings};
use tokio::sync::mpsc::UnboundedSender;

use crate::checks::rounds;
use crate::desk::Desk;
use crate::keeping::Keeping;
use crate::knowledge::Knowledge;
use crate::{Journal, losses};

/// Asks the model for one reply.
pub(crate) fn model(
    desk: &Desk,
    journal: &Journal,
    want: WantId,
    choice: ToolChoice,
    max_output: Option<Tokens>,
) -> BoxFuture<'static, Vec<Event>> {
    let jitter = (desk.world.clock.jitter)();
    let model = match asked(desk, journal) {
        Ok(model) => model,
        Err(problem) => return Box::pin(async move { vec![unopened(want, &problem, jitter)] }),
    };
    let mut request = request(journal.frames(), choice, model.facts());
    request.max_output = max_output.unwrap_or(request.max_output);
    let stream = Stream::new(journal.updates().clone(), MessageId::of(want));
    let (tree, walls, jobs) = (desk.world.tree.clone(), desk.world.walls.clone(), desk.world.jobs.clone());
    let checks = check_lines(journal);
    let (runner, own) = (desk.world.runner.clone(), losses::created(journal.frames()));
    Box::pin(async move {
        let began = Instant::now();
        match model.ask(&request, &|piece| stream.show(piece)).await {
            Ok(reply) => {
                let around = Surroundings { tree: &tree, walls: &walls, jobs: &jobs, checks: &checks };
                let mut replied = complete(&around, want, reply, &request, model.facts(), began);
                if let Event::StreamComplete { calls, .. } = &mut replied {
                    losses::tell(runner.as_ref(), tree.root(), &own, calls).await;
                }
                vec![replied]
            }
            Err(failure) => vec![Event::ModelFailed { want, failure, jitter }],
        }
    })
}

/// The model that the turn asks: the session's own, or the one that took over.
fn asked(desk: &Desk, journal: &Journal) -> Result<Arc<dyn Model>, Problem> {
    let name = &journal.turn().model().name;
    let model = match desk.world.model.facts().name == *name {
        true => desk.world.model.clone(),
        false => (desk.world.open_model)(name)?,
    };
    let lacks = model.facts().tools == ToolFormat::Native && journal.turn().lacks(name, "native_tools");
    Ok(if lacks { ox_model::as_xml(model) } else { model })
}

/// A model that took over and cannot be opened after all: the next one is tried.
fn unopened(want: WantId, problem: &Problem, jitter: u16) -> Event {
    // Like the providers' own words, which stand in such a place, it is English.
    let message = Language::En.problem(problem);
    let failure = Failure {
        kind: FailureKind::UnknownModel,
        status: None,
        message,
        retry_after_ms: None,
        partial: String::new(),
    };
    Event::ModelFailed { want, failure, jitter }
}

/// The command lines of the project's checks, as they were discovered; none where the project is not trusted.
pub(crate) fn check_lines(journal: &Journal) -> Arc<[String]> {
    if journal.turn().is_untrusted() {
        return Arc::default();
    }
    journal.turn().checks().iter().map(|it| it.command.clone()).collect()
}

/// The request that the log amounts to.
pub(crate) fn request(frames: &[Frame], tool_choice: ToolChoice, facts: &ModelFacts) -> Request {
    let mut system = String::new();
    let mut tools: Vec<ToolSpec> = Vec::new();
    for frame in frames {
        if let Event::Prompted { system: new_system, tools: new_tools, .. } = &frame.event {
            system = new_system.clone().unwrap_or(system);
            tools = new_tools.clone().unwrap_or(tools);
        }
    }
    Request {
        system,
        tools,
        messages: transcript(frames),
        tool_choice,
        max_output: facts.max_output,
        temperature: None,
        schema: None,
    }
}

/// Streams pieces to whoever listens, each with its offset.
struct Stream {
    updates: UnboundedSender<Update>,
    message: MessageId,
    text: AtomicU64,
    thinking: AtomicU64,
}

impl Stream {
    fn new(updates: UnboundedSender<Update>, message: MessageId) -> Stream {
        Stream { updates, message, text: AtomicU64::new(0), thinking: AtomicU64::new(0) }
    }

    fn show(&self, piece: Piece<'_>) {
        let (kind, counter, delta) = match piece {
            Piece::Text(text) => (DeltaKind::Text, &self.text, text),
            Piece::Thinking(text) => (DeltaKind::Thinking, &self.thinking, text),
        };
        let offset = counter.fetch_add(delta.len() as u64, Ordering::Relaxed);
        let delta = Delta { kind, message_id: self.message.clone(), call: None, offset, delta: delta.to_string() };
        // Nobody may be listening; the reply itself is recorded in any case.
        let _ = self.updates.send(Update::Delta(delta));
    }
}

fn complete(
    around: &Surroundings<'_>,
    want: WantId,
    reply: Reply,
    request: &Request,
    facts: &ModelFacts,
    began: Instant,
) -> Event {
    // Where the provider gives no usage, what is counted here stands in for it; the vocabulary is loaded for none else.
    let counted = || {
        let counter = Counter::for_model(&facts.name);
        counter.warm();
        counter.usage(request, &reply)
    };
    let usage = reply.usage.unwrap_or_else(counted);
    let call = |(i, raw): (usize, &RawCall)| ox_tools::call(around, CallId::of(want, i), &raw.name, &raw.args);
    let mut calls: Vec<Call> = reply.calls.iter().take(CALLS + 1).enumerate().map(call).collect();
    if let Some(last) = calls.get_mut(CALLS) {
        let left = reply.calls.len() - CALLS;
        last.facts.rejected =
            Some(format!("not run, and no call behind it: a reply makes {CALLS} calls at most, {left} were left out"));
    }
    let finish = if calls.is_empty() || reply.finish != Finish::Stop { reply.finish } else { Finish::Calls };
    Event::StreamComplete {
        want,
        message_id: MessageId::of(want),
        total_length: reply.text.len() as u64,
        text: reply.text,
        reasoning: reply.reasoning,
        images: reply.images,
        calls,
        finish,
        usage,
        cost: ox_core::price::cost(usage, facts),
        duration_ms: began.elapsed().as_millis() as u64,
    }
}

/// The most calls of one reply that are carried out.
const CALLS: usize = 64;

/// Runs one tool call.
pub(crate) fn tool(desk: &Desk, journal: &Journal, call: &Call) -> BoxFuture<'static, Vec<Event>> {
    let turn = journal.turn();
    let updates = journal.updates().clone();
    let (id, offset) = (call.id.clone(), AtomicU64::new(0));
    let live = move |text: &str| {
        let offset = offset.fetch_add(text.len() as u64, Ordering::Relaxed);
        let message_id = MessageId(String::new());
        let _ = updates.send(Update::Delta(Delta {
            kind: DeltaKind::ToolOutput,
            message_id,
            call: Some(id.clone()),
            offset,
            delta: text.to_string(),
        }));
    };
    let mut cx = Cx::new(desk.world.tree.clone(), desk.world.runner.clone());
    cx.reads = desk.world.reads.clone();
    cx.board = desk.board.clone();
    cx.jobs = desk.world.jobs.clone();
    cx.servers = desk.world.servers.clone();
    cx.walls = desk.world.walls.clone();
    cx.paint = desk.world.paint.clone();
    cx.code = desk.world.knowledge.as_ref().map(crate::code::of);
    cx.checks = check_lines(journal);
    cx.mode = turn.mode();
    cx.scope = turn.scope().to_vec();
    cx.cancel = desk.cancel.clone();
    cx.live = Arc::new(live);
    cx.asked = journal.turn().has_consent(&call.id);
    let call = call.clone();
    let knowledge = desk.world.knowledge.clone();
    let trees = trees(journal.frames());
    let keeping = Keeping::around(desk.world.checkpoints.as_ref(), journal, &call, (desk.world.clock.now)());
    cx.past = keeping.as_ref().map(Keeping::past);
    if call.tool == "recall" {
        cx.results = results(journal);
    }
    Box::pin(async move {
        let settled = |outcome| Event::ToolComplete { call: call.id.clone(), tool: call.tool.clone(), outcome };
        let Some(keeping) = keeping else {
            let ran = ox_tools::run(&cx, &call).await;
            tell(knowledge, &ran.outcome).await;
            return ran.events.into_iter().chain([settled(ran.outcome)]).collect();
        };
        let mut events = match keeping.before().await {
            Ok(events) => events,
            Err(words) => return vec![settled(Outcome::failed(words))],
        };
        let mut ran = ox_tools::run(&cx, &call).await;
        tell(knowledge, &ran.outcome).await;
        let after = keeping.after().await;
        if ran.outcome.mutated() && returned(&trees, &events, &after) {
            ran.outcome.output = format!("{}\n{RETURNED}", ran.outcome.output.trim_end());
        }
        events.extend(ran.events);
        events.extend(after);
        events.push(settled(ran.outcome));
        events
    })
}

/// Tells the index of an edit before anybody can ask about it.
async fn tell(knowledge: Option<Knowledge>, outcome: &Outcome) {
    if let Some(knowledge) = knowledge.filter(|_| !outcome.changed.is_empty()) {
        let outcome = Outcome { changed: outcome.changed.clone(), ..Outcome::default() };
        // Should this panic, the next look at the tree finds the edit.
        drop(tokio::task::spawn_blocking(move || crate::code::tell(&knowledge, &outcome)).await);
    }
}

/// What every call of the conversation returned, whole.
fn results(journal: &Journal) -> Arc<BTreeMap<String, String>> {
    let whole = |it: &Frame| match &it.event {
        Event::ToolComplete { call, outcome, .. } => Some((call.0.clone(), outcome.output.clone())),
        _ => None,
    };
    Arc::new(ox_context::remembered(journal.frames()).filter_map(whole).collect())
}

/// The recorded trees of this turn, oldest first.
fn trees(frames: &[Frame]) -> Vec<String> {
    let begin = frames.iter().rposition(|it| matches!(it.event, Event::TurnStart { .. })).unwrap_or(0);
    let mut trees: Vec<String> = frames[begin..].iter().filter_map(|it| tree_of(&it.event)).collect();
    trees.dedup();
    trees
}

fn tree_of(event: &Event) -> Option<String> {
    match event {
        Event::Checkpoint { tree, .. } if !tree.is_empty() => Some(tree.clone()),
        _ => None,
    }
}

/// True where the tree stands again where it stood earlier in the turn, for more than the one off and on that shows a
/// test to fail without its fix.
fn returned(trees: &[String], before: &[Event], after: &[Event]) -> bool {
    let mut all: Vec<String> = trees.to_vec();
    all.extend(before.iter().chain(after).filter_map(tree_of));
    all.dedup();
    let new = all.len() > trees.len();
    let returns = (0..all.len()).filter(|at| all[..*at].contains(&all[*at])).count();
    new && returns > 2 && all.pop().is_some_and(|last| all.contains(&last))
}

const RETURNED: &str = "[The tree is again in a state that it was in earlier in this turn: changes are being \
made and taken back again and again. Say what the two states are each good for, and decide, or look for another cause.]";

/// What a run of checks is for.
pub(crate) struct ChecksJob {
    pub want: WantId,
    pub call: Option<CallId>,
    pub baseline: bool,
    pub only: Option<usize>,
    pub round: u32,
    pub total: u32,
}

/// Runs the project's checks: narrower forms first where something was changed whose reach is known.
pub(crate) fn checks(desk: &Desk, journal: &Journal, job: ChecksJob) -> BoxFuture<'static, Vec<Event>> {
    let all = journal.turn().checks();
    let which = job.only.and_then(|index| all.get(index)).map_or_else(|| all.to_vec(), |it| vec![it.clone()]);
    let before = journal.turn().baseline_so_far().filter(|_| job.baseline).cloned();
    let baseline = journal.turn().baseline().cloned();
    let changed = if job.baseline { journal.turn().files_at_hand() } else { rounds::changed(journal.frames()) };
    let world = &desk.world;
    let round = rounds::Round {
        run: world.run_checks.clone(),
        knowledge: world.knowledge.clone(),
        tree: world.tree.clone(),
        checks: which,
        changed,
        baseline: baseline.clone(),
        endless: rounds::endless(journal.frames()),
    };
    Box::pin(async move {
        let began = Instant::now();
        let mut report = if job.baseline { round.before().await } else { round.run().await };
        // A baseline grows check by check; each report of it holds all that came before.
        if let Some(before) = before.filter(|it| !it.results.is_empty()) {
            report =
                CheckReport { results: before.results.into_iter().chain(report.results).collect(), tree: before.tree };
        }
        let ChecksJob { want, call, baseline: is_baseline, round, total, .. } = job;
        let settled = call.map(|call| {
            let output = checks_output(&report, baseline.as_ref());
            let outcome = Outcome { output, duration_ms: began.elapsed().as_millis() as u64, ..Outcome::default() };
            Event::ToolComplete { call, tool: "run_checks".to_string(), outcome }
        });
        let result = Event::CheckResult { want, baseline: is_baseline, round, total, report };
        std::iter::once(result).chain(settled).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_reply_with_very_many_calls_some_are_left_out_and_it_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let tree = ox_repo::Tree::open(folder.path(), &[]).unwrap();
        let cx = Cx::new(tree, Arc::new(ox_sandbox::Plain));
        let rejected = |count: usize| -> Vec<(usize, String)> {
            let call = |it| RawCall { name: "read_file".into(), args: format!("{{\"path\": \"{it}.txt\"}}") };
            let reply = Reply { calls: (0..count).map(call).collect(), ..Reply::default() };
            let want = WantId { seq: ox_protocol::Seq(1), index: 0 };
            let (request, facts) = (Request::default(), ModelFacts::default());
            let event = complete(&cx.surroundings(), want, reply, &request, &facts, Instant::now());
            let Event::StreamComplete { calls, .. } = event else { panic!("{event:?}") };
            assert_eq!(calls.len(), count.min(CALLS + 1));
            calls.into_iter().enumerate().filter_map(|(at, it)| Some((at, it.facts.rejected?))).collect()
        };
        assert_eq!(rejected(CALLS), []);
        let words = "not run, and no call behind it: a reply makes 64 calls at most, 2 were left out";
        assert_eq!(rejected(CALLS + 2), [(CALLS, words.to_owned())]);
    }
}
