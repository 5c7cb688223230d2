//! From events to spans and metrics.
//!
//! A turn is `invoke_agent`; within it stand its requests (`chat`), calls (`execute_tool`), requests for consent (`ox.approval`),
//! checks (`ox.checks`), and the turns of its sub-agents. Times are those of the events.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use opentelemetry::metrics::MeterProvider;
use opentelemetry::trace::{SpanBuilder, SpanKind, Status as SpanStatus, TraceContextExt, Tracer, TracerProvider};
use opentelemetry::{Array, Context, KeyValue, StringValue, Value};
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use ox_protocol::{
    CallId, CheckReport, ConversationId, Decision, Event, Failure, Finish, Frame, Outcome, Status, Stop, Time, Usage,
    WantId,
};
use serde::Serialize;

use crate::instruments::{Instruments, dollars};

/// The conversations of one session: its own and those of its sub-agents.
pub(crate) struct Recorder {
    tracer: SdkTracer,
    instruments: Instruments,
    turns: HashMap<ConversationId, Turn>,
    /// Sub-agents that were begun.
    agents: HashMap<ConversationId, Agent>,
}

/// A sub-agent, and the call of which conversation it answers.
struct Agent {
    kind: String,
    above: ConversationId,
    call: CallId,
}

/// A turn that runs.
struct Turn {
    context: Context,
    /// `provider/model` that is asked.
    model: String,
    /// When the model was last asked.
    asked: Time,
    usage: Usage,
    cost: f64,
    calls: HashMap<CallId, Context>,
    consents: HashMap<CallId, Context>,
    checks: HashMap<WantId, Context>,
}

impl Recorder {
    pub fn new(traces: &SdkTracerProvider, metrics: &SdkMeterProvider) -> Recorder {
        Recorder {
            tracer: traces.tracer("ox"),
            instruments: Instruments::new(&metrics.meter("ox")),
            turns: HashMap::new(),
            agents: HashMap::new(),
        }
    }

    /// Takes in an event of the conversation or of a sub-agent.
    pub fn take(&mut self, frame: &Frame) {
        let id = &frame.conversation;
        match &frame.event {
            Event::TurnStart { turn, mode, model, .. } => self.begin(id, frame.time, *turn, mode.name(), &model.name),
            Event::Completion { stop, exit_code } => self.end(id, frame.time, *stop, *exit_code),
            event => {
                let Some(turn) = self.turns.get_mut(id) else { return };
                match event {
                    Event::AgentStart(agent) => {
                        let of =
                            Agent { kind: agent.request.kind.clone(), above: id.clone(), call: agent.call.clone() };
                        self.agents.insert(agent.conversation.clone(), of);
                    }
                    Event::AgentEnd(agent) => drop(self.agents.remove(&agent.conversation)),
                    _ => turn.take(event, frame.time, &self.tracer, &self.instruments),
                }
            }
        }
    }

    fn begin(&mut self, id: &ConversationId, time: Time, number: u32, mode: &'static str, model: &str) {
        let agent = self.agents.get(id);
        let name = agent.map_or("ox", |it| &it.kind).to_owned();
        let above = agent.and_then(|it| self.turns.get(&it.above).map(|turn| (it, turn)));
        // The reviewer answers no call of the model's.
        let within = above.map(|(it, turn)| turn.calls.get(&it.call).unwrap_or(&turn.context).clone());
        let within = within.unwrap_or_default();
        let span = self.tracer.span_builder(format!("invoke_agent {name}")).with_kind(SpanKind::Internal);
        let mut attributes = vec![
            KeyValue::new("gen_ai.operation.name", "invoke_agent"),
            KeyValue::new("gen_ai.agent.name", name),
            KeyValue::new("gen_ai.conversation.id", id.0.clone()),
            KeyValue::new("ox.turn", i64::from(number)),
            KeyValue::new("ox.mode", mode),
        ];
        attributes.extend(named(model));
        let context = started(&self.tracer, span.with_attributes(attributes), time, &within);
        let (model, asked, usage) = (model.to_owned(), time, Usage::default());
        let (calls, consents, checks) = (HashMap::new(), HashMap::new(), HashMap::new());
        self.turns.insert(id.clone(), Turn { context, model, asked, usage, cost: 0.0, calls, consents, checks });
    }

    fn end(&mut self, id: &ConversationId, time: Time, stop: Stop, exit_code: u8) {
        let Some(turn) = self.turns.remove(id) else { return };
        // What was not answered or did not end before the turn did.
        for open in turn.calls.values().chain(turn.consents.values()).chain(turn.checks.values()) {
            open.span().end_with_timestamp(at(time));
        }
        let span = turn.context.span();
        let reason = stop.code().trim_start_matches("stop.");
        span.set_attributes(spent(&turn.usage));
        span.set_attribute(KeyValue::new("ox.stop", reason));
        span.set_attribute(KeyValue::new("ox.cost", turn.cost));
        if exit_code != 0 {
            fail(&turn.context, reason.to_owned());
        }
        span.end_with_timestamp(at(time));
    }
}

impl Turn {
    fn take(&mut self, event: &Event, time: Time, tracer: &SdkTracer, instruments: &Instruments) {
        match event {
            Event::IterationStart { .. } | Event::Pruned { .. } => self.asked = time,
            Event::Retry { until, .. } => self.asked = *until,
            Event::Fallback { to, .. } => self.model.clone_from(&to.name),
            Event::StreamComplete { finish, usage, cost, duration_ms, .. } => {
                self.usage += *usage;
                self.cost += cost.map_or(0.0, dollars);
                instruments.used(usage, *cost, &self.operation("chat"));
                let began = Time(time.0.saturating_sub(*duration_ms));
                let mut attributes = spent(usage);
                let reasons = Array::String(vec![StringValue::from(finish_reason(finish))]);
                attributes.push(KeyValue::new("gen_ai.response.finish_reasons", Value::Array(reasons)));
                self.request((began, time), attributes, None, tracer, instruments);
            }
            Event::ModelFailed { failure, .. } => {
                self.request((self.asked, time), Vec::new(), Some(failure), tracer, instruments);
            }
            Event::ApprovalRequest { call, tool, .. } => {
                let span = tracer.span_builder("ox.approval").with_kind(SpanKind::Internal);
                let span = span.with_attributes([KeyValue::new("gen_ai.tool.name", tool.clone())]);
                self.consents.insert(call.clone(), started(tracer, span, time, &self.context));
            }
            Event::Approval { call, decision, by } => {
                let Some(open) = self.consents.remove(call) else { return };
                let allowed = !matches!(decision, Decision::Deny { .. });
                open.span().set_attribute(KeyValue::new("ox.allowed", allowed));
                open.span().set_attribute(KeyValue::new("ox.by", by.clone()));
                open.span().end_with_timestamp(at(time));
            }
            Event::ToolStart { call, tool, .. } => {
                let span = tracer.span_builder(format!("execute_tool {tool}")).with_kind(SpanKind::Internal);
                let span = span.with_attributes([
                    KeyValue::new("gen_ai.operation.name", "execute_tool"),
                    KeyValue::new("gen_ai.tool.name", tool.clone()),
                    KeyValue::new("gen_ai.tool.type", "function"),
                    KeyValue::new("gen_ai.tool.call.id", call.0.clone()),
                ]);
                self.calls.insert(call.clone(), started(tracer, span, time, &self.context));
            }
            Event::ToolComplete { call, outcome, .. } => self.called(call, outcome, time),
            Event::ChecksStart { want, round, baseline, .. } => {
                let span = tracer.span_builder("ox.checks").with_kind(SpanKind::Internal).with_attributes([
                    KeyValue::new("ox.checks.round", i64::from(*round)),
                    KeyValue::new("ox.checks.baseline", *baseline),
                ]);
                self.checks.insert(*want, started(tracer, span, time, &self.context));
            }
            Event::CheckResult { want, report, .. } => self.checked(want, report, time),
            _ => {}
        }
    }

    /// The attributes of measurements of the model.
    fn operation(&self, operation: &'static str) -> Vec<KeyValue> {
        [&[KeyValue::new("gen_ai.operation.name", operation)][..], &named(&self.model)].concat()
    }

    /// A request to the model that is over.
    fn request(
        &self,
        (began, ended): (Time, Time),
        attributes: Vec<KeyValue>,
        failure: Option<&Failure>,
        tracer: &SdkTracer,
        instruments: &Instruments,
    ) {
        let mut of = self.operation("chat");
        let (_, model) = self.model.split_once('/').unwrap_or(("", &self.model));
        let span = tracer.span_builder(format!("chat {model}")).with_kind(SpanKind::Client);
        let span = started(tracer, span.with_attributes([of.clone(), attributes].concat()), began, &self.context);
        if let Some(failure) = failure {
            let kind = word(&failure.kind);
            of.push(KeyValue::new("error.type", kind.clone()));
            fail(&span, kind);
        }
        span.span().end_with_timestamp(at(ended));
        instruments.took(ended.0.saturating_sub(began.0) as f64 / 1e3, &of);
    }

    fn called(&mut self, call: &CallId, outcome: &Outcome, time: Time) {
        // A call that was denied or skipped never began.
        let Some(open) = self.calls.remove(call) else { return };
        if outcome.status != Status::Ok {
            fail(&open, word(&outcome.status));
        }
        open.span().end_with_timestamp(at(time));
    }

    fn checked(&mut self, want: &WantId, report: &CheckReport, time: Time) {
        let Some(open) = self.checks.remove(want) else { return };
        let failed = report.failures().count();
        open.span().set_attribute(KeyValue::new("ox.checks.total", report.results.len() as i64));
        open.span().set_attribute(KeyValue::new("ox.checks.failed", failed as i64));
        if failed > 0 {
            fail(&open, "checks_failed".to_owned());
        }
        open.span().end_with_timestamp(at(time));
    }
}

fn started(tracer: &SdkTracer, span: SpanBuilder, time: Time, within: &Context) -> Context {
    Context::new().with_span(tracer.build_with_context(span.with_start_time(at(time)), within))
}

fn fail(open: &Context, kind: String) {
    open.span().set_attribute(KeyValue::new("error.type", kind.clone()));
    open.span().set_status(SpanStatus::error(kind));
}

/// As events write it.
fn word(kind: &impl Serialize) -> String {
    serde_json::to_value(kind).ok().and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default()
}

fn at(time: Time) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(time.0)
}

/// Provider and model, by the names that the conventions give to providers.
fn named(model: &str) -> [KeyValue; 2] {
    let (provider, model) = model.split_once('/').unwrap_or(("", model));
    let provider = match provider {
        "gemini" | "google" => "gcp.gemini",
        "mistral" => "mistral_ai",
        "xai" => "x_ai",
        "bedrock" => "aws.bedrock",
        "azure" => "azure.ai.openai",
        other => other,
    };
    [
        KeyValue::new("gen_ai.provider.name", provider.to_owned()),
        KeyValue::new("gen_ai.request.model", model.to_owned()),
    ]
}

fn spent(usage: &Usage) -> Vec<KeyValue> {
    [
        ("gen_ai.usage.input_tokens", usage.input),
        ("gen_ai.usage.output_tokens", usage.output),
        ("gen_ai.usage.cache_read.input_tokens", usage.cache_read),
        ("gen_ai.usage.cache_creation.input_tokens", usage.cache_write),
        ("gen_ai.usage.reasoning.output_tokens", usage.reasoning),
    ]
    .into_iter()
    .map(|(name, tokens)| KeyValue::new(name, tokens.0 as i64))
    .collect()
}

/// The words of the conventions' messages.
fn finish_reason(finish: &Finish) -> String {
    match finish {
        Finish::Stop => "stop".to_owned(),
        Finish::Calls => "tool_call".to_owned(),
        Finish::Length => "length".to_owned(),
        Finish::Filter => "content_filter".to_owned(),
        Finish::Other(word) => word.clone(),
    }
}
