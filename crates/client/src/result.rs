//! What a run amounts to, as one object for scripts: the answer, how it ended, what it cost and what shows that it is right.
//!
//! Promise: folded from the updates of a turn alone, and pure. The names of the fields that Claude Code's closing object has
//! too mean the same here; a cost that is not known is `null` and never zero.

use std::collections::BTreeMap;

use ox_protocol::locale::Language;
use ox_protocol::{
    AuditFinding, CallId, CheckLine, CheckReport, CheckStatus, Claim, ConversationId, Event, Evidence, FileChange,
    Frame, Mode, Money, Problem, RedGreenLine, ReviewSummary, Status, Stop, Summary, Time, Usage,
};
use serde::Serialize;
use serde_json::Value;

use crate::view::{Spent, View};

/// The exit code of a run whose answer does not match the schema that was asked for.
pub const ANSWER_MISMATCH: u8 = 7;

/// The closing object, as far as a turn has come.
#[derive(Clone, Debug, Default)]
pub struct RunResult {
    view: View,
    summary: Option<Summary>,
    report: CheckReport,
    denials: Vec<Denial>,
    /// The arguments of the calls that were made.
    calls: BTreeMap<CallId, Value>,
    problems: Vec<Problem>,
    /// The provider's words about the last request that failed.
    failure: String,
    /// What was spent by the conversation and its sub-agents.
    spent: Spent,
    /// The same by model, as far as a reply says which.
    models: BTreeMap<String, Spent>,
    /// The model that each conversation asks now.
    asks: BTreeMap<ConversationId, String>,
    windows: BTreeMap<String, u64>,
    replies: u32,
    model_ms: u64,
    began: Option<Time>,
    ended: Time,
    stop: Option<Stop>,
    verdict: String,
    /// The turn before has done the work; this one only puts its answer right.
    corrects: bool,
    /// The mode of the turn that did the work.
    worked_in: Mode,
    structured: Option<Value>,
    mismatch: Vec<String>,
}

/// A call that was refused.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Denial {
    /// The tool.
    pub tool_name: String,
    /// The call.
    pub tool_use_id: String,
    /// Its arguments.
    pub tool_input: Value,
}

/// Tokens under the field's names: `input_tokens` are those that no cache had a part in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tokens {
    /// Tokens that were neither read from the provider's cache nor written to it.
    pub input_tokens: u64,
    /// Tokens written to the provider's cache.
    pub cache_creation_input_tokens: u64,
    /// Tokens read from the provider's cache.
    pub cache_read_input_tokens: u64,
    /// Tokens of replies, reasoning included.
    pub output_tokens: u64,
    /// Tokens of reasoning among them.
    pub reasoning_tokens: u64,
}

impl From<Usage> for Tokens {
    fn from(usage: Usage) -> Tokens {
        Tokens {
            input_tokens: usage.input.0.saturating_sub(usage.cache_read.0).saturating_sub(usage.cache_write.0),
            cache_creation_input_tokens: usage.cache_write.0,
            cache_read_input_tokens: usage.cache_read.0,
            output_tokens: usage.output.0,
            reasoning_tokens: usage.reasoning.0,
        }
    }
}

/// A cost with its unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Cost {
    /// What those requests cost whose price is known.
    amount: f64,
    unit: &'static str,
    /// Requests without a known price; the amount lacks theirs.
    unpriced_requests: u64,
}

/// What one model was used for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct ModelUsage {
    input_tokens: u64,
    output_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
    #[serde(rename = "costUSD")]
    cost_usd: Option<f64>,
    context_window: Option<u64>,
}

/// The command that was the goal.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Goal<'a> {
    command: &'a str,
    passed: bool,
    status: CheckStatus,
    exit_code: Option<i32>,
}

/// The object itself, in the order in which it is written.
#[derive(Serialize)]
struct Closing<'a> {
    r#type: &'static str,
    subtype: &'static str,
    is_error: bool,
    result: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_output: Option<&'a Value>,
    exit_code: u8,
    reason: &'static str,
    verdict: String,
    session_id: &'a str,
    num_turns: u32,
    iterations: u32,
    duration_ms: u64,
    duration_api_ms: u64,
    total_cost_usd: Option<f64>,
    cost: Cost,
    usage: Tokens,
    #[serde(rename = "modelUsage")]
    model_usage: BTreeMap<&'a str, ModelUsage>,
    permission_denials: &'a [Denial],
    errors: Vec<String>,
    checks: &'a [CheckLine],
    seen: &'a [Evidence],
    red_green: &'a [RedGreenLine],
    until: Option<Goal<'a>>,
    files: &'a [FileChange],
    claims: &'a [Claim],
    findings: &'a [AuditFinding],
    review: Option<&'a ReviewSummary>,
    verify: &'a str,
    undone: &'a [String],
    uuid: String,
}

impl RunResult {
    /// The object of the next turn of the same conversation.
    pub fn next(&self) -> RunResult {
        RunResult {
            view: self.view.clone(),
            asks: self.asks.clone(),
            windows: self.windows.clone(),
            ..RunResult::default()
        }
    }

    /// The turn that follows only puts the answer right: what the one before did still stands.
    pub fn corrects(&mut self) {
        self.corrects = true;
    }

    /// Takes in an event from before the turn: nothing of it counts.
    pub fn before(&mut self, frame: &Frame) {
        self.view.apply(frame);
    }

    /// Takes in an event of the conversation or of a sub-agent.
    pub fn apply(&mut self, frame: &Frame) {
        let is_agent = self.view.is_of_agent(&frame.conversation);
        match &frame.event {
            Event::TurnStart { model, .. } | Event::Fallback { to: model, .. } => {
                self.asks.insert(frame.conversation.clone(), model.name.clone());
                self.windows.insert(model.name.clone(), model.window.0);
            }
            Event::StreamComplete { usage, cost, calls, .. } => {
                self.calls.extend(calls.iter().map(|it| (it.id.clone(), it.args.clone())));
                let model = self.asks.get(&frame.conversation).cloned().unwrap_or_default();
                self.models.entry(model).or_default().add(*usage, *cost);
            }
            _ => {}
        }
        self.note_denial(&frame.event);
        self.view.apply(frame);
        if !is_agent {
            self.own(frame);
        }
    }

    /// An event of the conversation itself.
    fn own(&mut self, frame: &Frame) {
        self.ended = frame.time;
        match &frame.event {
            Event::TurnStart { mode, .. } => {
                self.began.get_or_insert(frame.time);
                self.worked_in = if self.corrects { self.worked_in } else { *mode };
            }
            Event::StreamComplete { usage, cost, duration_ms, .. } => {
                self.spent.add(*usage, *cost);
                self.replies += 1;
                self.model_ms += duration_ms;
            }
            Event::AgentEnd(end) => self.spent.add_agent(end.usage, end.cost, end.iterations),
            Event::CheckResult { baseline: false, report, .. } if !self.corrects => self.report = report.clone(),
            Event::ModelFailed { failure, .. } => self.failure.clone_from(&failure.message),
            Event::Error { problem } => self.problems.push(problem.clone()),
            Event::Summary { summary } => self.sum_up(summary),
            // The turn that did the work decides, unless the one behind it ended badly.
            Event::Completion { stop, .. } if !self.corrects || stop.exit_code() != 0 => self.stop = Some(*stop),
            _ => {}
        }
    }

    fn note_denial(&mut self, event: &Event) {
        let Event::ToolComplete { call, tool, outcome } = event else { return };
        if outcome.status == Status::Denied {
            let input = self.calls.get(call).cloned().unwrap_or_default();
            self.denials.push(Denial { tool_name: tool.clone(), tool_use_id: call.0.clone(), tool_input: input });
        }
    }

    fn sum_up(&mut self, new: &Summary) {
        self.summary = Some(match self.summary.take().filter(|_| self.corrects) {
            Some(done) => Summary { text: new.text.clone(), ..done },
            None => new.clone(),
        });
    }

    /// The conversation so far.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The last words of the turn: of its summary, or of its last reply where it has none.
    pub fn text(&self) -> &str {
        let said = self.summary.as_ref().map_or("", |it| it.text.trim());
        if said.is_empty() { self.view.reply.trim() } else { said }
    }

    /// The answer matches its schema.
    pub fn answered(&mut self, value: Value) {
        self.structured = Some(value);
        self.mismatch.clear();
    }

    /// The answer does not match its schema, for these reasons.
    pub fn mismatched(&mut self, why: Vec<String>) {
        self.mismatch = why;
    }

    /// Why the answer does not match its schema; nothing where it does or need not.
    pub fn mismatch(&self) -> &[String] {
        &self.mismatch
    }

    /// The mode of the turn that did the work.
    pub fn mode_before(&self) -> Mode {
        self.worked_in
    }

    /// The verdict in a sentence that says more than the reason alone.
    pub fn judged(&mut self, verdict: String) {
        self.verdict = verdict;
    }

    /// How the turn ended; none while it runs.
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// The exit code of the run.
    pub fn exit_code(&self) -> u8 {
        let code = self.stop.unwrap_or(Stop::Internal).exit_code();
        if code == 0 && !self.mismatch.is_empty() { ANSWER_MISMATCH } else { code }
    }

    /// The object as a line of JSON.
    pub fn line(&self, language: Language) -> serde_json::Result<String> {
        let nothing = Summary::default();
        let summary = self.summary.as_ref().unwrap_or(&nothing);
        let stop = self.stop.unwrap_or(Stop::Internal);
        let code = self.exit_code();
        let changed = if summary.files.is_empty() { &self.view.changes } else { &summary.files };
        let closing = Closing {
            r#type: "result",
            subtype: self.subtype(stop),
            is_error: code != 0,
            result: self.text(),
            structured_output: self.structured.as_ref(),
            exit_code: code,
            reason: if code == ANSWER_MISMATCH { "answer_mismatch" } else { stop.code().trim_start_matches("stop.") },
            verdict: self.worded(language, stop),
            session_id: &self.view.conversation.0,
            num_turns: self.replies,
            iterations: self.replies,
            duration_ms: self.ended.0.saturating_sub(self.began.unwrap_or(self.ended).0),
            duration_api_ms: self.model_ms,
            total_cost_usd: dollars(&self.spent),
            cost: Cost { amount: usd(self.spent.cost), unit: "USD", unpriced_requests: self.spent.unpriced },
            usage: self.spent.usage.into(),
            model_usage: self.models.iter().map(|(name, spent)| (name.as_str(), self.model(name, spent))).collect(),
            permission_denials: &self.denials,
            errors: self.errors(language, code),
            checks: &summary.checks,
            seen: &summary.seen,
            red_green: &summary.red_green,
            until: self.goal(),
            files: changed,
            claims: &summary.claims,
            findings: &summary.findings,
            review: summary.review.as_ref(),
            verify: &summary.verify,
            undone: &summary.undone,
            uuid: uuid(&self.view.conversation, self.view.seq.0, u16::MAX),
        };
        serde_json::to_string(&closing)
    }

    fn subtype(&self, stop: Stop) -> &'static str {
        match stop {
            _ if self.exit_code() == ANSWER_MISMATCH => "error_max_structured_output_retries",
            _ if stop.exit_code() == 0 => "success",
            Stop::IterationLimit => "error_max_turns",
            Stop::CostBudget => "error_max_budget_usd",
            _ => "error_during_execution",
        }
    }

    fn worded(&self, language: Language, stop: Stop) -> String {
        if self.verdict.is_empty() { language.say(stop.code(), &[]) } else { self.verdict.clone() }
    }

    /// Why the run did not end well, in sentences; nothing where it did.
    fn errors(&self, language: Language, code: u8) -> Vec<String> {
        if code == 0 {
            return Vec::new();
        }
        let stop = (code != ANSWER_MISMATCH).then(|| self.worded(language, self.stop.unwrap_or(Stop::Internal)));
        let problems = self.problems.iter().map(|it| language.problem(it));
        let failed = matches!(self.stop, Some(Stop::ModelFailed { .. })) && !self.failure.is_empty();
        let failure = failed.then(|| self.failure.clone());
        stop.into_iter().chain(failure).chain(problems).chain(self.mismatch.iter().cloned()).collect()
    }

    fn goal(&self) -> Option<Goal<'_>> {
        let result = self.report.results.iter().find(|it| it.check.is_goal())?;
        Some(Goal {
            command: &result.check.command,
            passed: result.status == CheckStatus::Passed,
            status: result.status,
            exit_code: result.exit_code,
        })
    }

    fn model(&self, name: &str, spent: &Spent) -> ModelUsage {
        let tokens = Tokens::from(spent.usage);
        ModelUsage {
            input_tokens: tokens.input_tokens,
            output_tokens: tokens.output_tokens,
            cache_read_input_tokens: tokens.cache_read_input_tokens,
            cache_creation_input_tokens: tokens.cache_creation_input_tokens,
            cost_usd: dollars(spent),
            context_window: self.windows.get(name).copied(),
        }
    }
}

/// What it cost in dollars; none where the price of a request is not known.
fn dollars(spent: &Spent) -> Option<f64> {
    (spent.unpriced == 0).then(|| usd(spent.cost))
}

/// Millionths of a dollar as dollars.
#[allow(clippy::cast_precision_loss)] // Exact up to nine thousand million dollars.
fn usd(money: Money) -> f64 {
    money.0 as f64 / 1e6
}

/// A name for a message that is the same whenever the log is read: a UUID of version 8, made of the conversation, the event
/// and the message's place among those of the event.
pub(crate) fn uuid(conversation: &ConversationId, seq: u64, part: u16) -> String {
    // FNV-1a: stable between versions.
    let of = conversation.0.bytes();
    let name = of.fold(0xcbf2_9ce4_8422_2325_u64, |sum, it| (sum ^ u64::from(it)).wrapping_mul(0x100_0000_01b3));
    let (high, low) = (name >> 16, name & 0xfff);
    format!("{:08x}-{:04x}-8{low:03x}-8{:03x}-{:012x}", high >> 16, high & 0xffff, part & 0xfff, seq & 0xffff_ffff_ffff)
}
