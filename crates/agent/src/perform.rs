//! Performs wants: asks the model, runs tools and checks. Each returns the facts that came of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ox_client::Update;
use ox_context::{checks_output, transcript};
use ox_model::{Model, Piece, RawCall, Reply, Request};
use ox_protocol::{
    BoxFuture, Call, CallId, CheckReport, Delta, DeltaKind, Event, Finish, Frame, MessageId, ModelFacts, Money,
    Outcome, Tokens, ToolChoice, ToolFormat, ToolSpec, Usage, WantId,
};
use ox_tools::{Cx, Surroundings};
use tokio::sync::mpsc::UnboundedSender;

use crate::desk::Desk;
use crate::keeping::Keeping;
use crate::{Journal, losses};

/// Asks the model for one reply.
pub(crate) fn model(
    desk: &Desk,
    journal: &Journal,
    want: WantId,
    choice: ToolChoice,
) -> BoxFuture<'static, Vec<Event>> {
    let model: Arc<dyn Model> = match desk.world.model.facts() {
        facts if facts.tools == ToolFormat::Native && journal.turn().lacks(&facts.name, "native_tools") => {
            ox_model::as_xml(desk.world.model.clone())
        }
        _ => desk.world.model.clone(),
    };
    let request = request(journal.frames(), choice, model.facts());
    let stream = Stream::new(journal.updates().clone(), MessageId::of(want));
    let jitter = (desk.world.clock.jitter)();
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

/// The command lines of the project's checks, as they were discovered; none where the project is not trusted.
pub(crate) fn check_lines(journal: &Journal) -> Arc<[String]> {
    if journal.turn().is_untrusted() {
        return Arc::default();
    }
    journal.turn().checks().iter().map(|it| it.command.clone()).collect()
}

/// The request that the log amounts to.
fn request(frames: &[Frame], tool_choice: ToolChoice, facts: &ModelFacts) -> Request {
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
    let usage = reply.usage.unwrap_or_else(|| estimate(request, &reply));
    let call = |(i, raw): (usize, &RawCall)| ox_tools::call(around, CallId::of(want, i), &raw.name, &raw.args);
    let calls: Vec<Call> = reply.calls.iter().enumerate().map(call).collect();
    let finish = if calls.is_empty() || reply.finish != Finish::Stop { reply.finish } else { Finish::Calls };
    Event::StreamComplete {
        want,
        message_id: MessageId::of(want),
        total_length: reply.text.len() as u64,
        text: reply.text,
        reasoning: reply.reasoning,
        calls,
        finish,
        usage,
        cost: cost(usage, facts),
        duration_ms: began.elapsed().as_millis() as u64,
    }
}

/// Usage where the provider gives none.
fn estimate(request: &Request, reply: &Reply) -> Usage {
    let tools = serde_json::to_string(&request.tools).unwrap_or_default();
    let messages = serde_json::to_string(&request.messages).unwrap_or_default();
    let input = [request.system.as_str(), &tools, &messages].iter().map(|it| ox_context::estimate(it).0).sum();
    let calls: u64 = reply.calls.iter().map(|it| ox_context::estimate(&it.args).0).sum();
    Usage { input: Tokens(input), output: Tokens(ox_context::estimate(&reply.text).0 + calls), ..Usage::default() }
}

/// Prices are per million tokens, so a count times a price in millionths of a dollar is a cost in their millionths.
fn cost(usage: Usage, facts: &ModelFacts) -> Option<Money> {
    let (input, output) = (facts.input_price?.0, facts.output_price?.0);
    let cached = facts.cached_price.map_or(input, |it| it.0);
    let fresh = usage.input.0.saturating_sub(usage.cache_read.0);
    Some(Money((fresh * input + usage.cache_read.0 * cached + usage.output.0 * output) / 1_000_000))
}

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
    cx.walls = desk.world.walls.clone();
    cx.checks = check_lines(journal);
    cx.mode = turn.mode();
    cx.scope = turn.scope().to_vec();
    cx.cancel = desk.cancel.clone();
    cx.live = Arc::new(live);
    let call = call.clone();
    let keeping = Keeping::around(desk.world.checkpoints.as_ref(), journal, &call, (desk.world.clock.now)());
    cx.past = keeping.as_ref().map(Keeping::past);
    Box::pin(async move {
        let settled = |outcome| Event::ToolComplete { call: call.id.clone(), tool: call.tool.clone(), outcome };
        let Some(keeping) = keeping else {
            let ran = ox_tools::run(&cx, &call).await;
            return ran.events.into_iter().chain([settled(ran.outcome)]).collect();
        };
        let mut events = match keeping.before().await {
            Ok(events) => events,
            Err(words) => return vec![settled(Outcome::failed(words))],
        };
        let ran = ox_tools::run(&cx, &call).await;
        events.extend(ran.events);
        events.extend(keeping.after(&ran.outcome).await);
        events.push(settled(ran.outcome));
        events
    })
}

/// What a run of checks is for.
pub(crate) struct ChecksJob {
    pub want: WantId,
    pub call: Option<CallId>,
    pub baseline: bool,
    pub only: Option<usize>,
    pub round: u32,
    pub total: u32,
}

/// Runs the project's checks.
pub(crate) fn checks(desk: &Desk, journal: &Journal, job: ChecksJob) -> BoxFuture<'static, Vec<Event>> {
    let all = journal.turn().checks();
    let which = job.only.and_then(|index| all.get(index)).map_or_else(|| all.to_vec(), |it| vec![it.clone()]);
    let running = (desk.world.run_checks)(which);
    let before = journal.turn().baseline_so_far().filter(|_| job.baseline).cloned();
    let baseline = journal.turn().baseline().cloned();
    Box::pin(async move {
        let began = Instant::now();
        let mut report = running.await;
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
