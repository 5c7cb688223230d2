//! Asks the model for one reply: the request from the log, the text as it streams, the reply as an event.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ox_client::Hub;
use ox_context::Transcript;
use ox_model::tokens::Counter;
use ox_model::{Model, Piece, RawCall, Reply, Request};
use ox_protocol::locale::Language;
use ox_protocol::{
    BoxFuture, Call, CallId, ConversationId, Delta, DeltaKind, Event, Failure, FailureKind, Finish, MessageId,
    ModelFacts, Problem, Tokens, ToolChoice, ToolFormat, WantId,
};
use ox_tools::{CallContext, Toolbox};

use super::context::TurnContext;
use super::order::order;
use crate::subagents::tool::judge;
use crate::{Journal, uncommitted};

/// Asks the model for one reply.
pub(crate) fn ask(
    cx: &TurnContext,
    journal: &Journal,
    want: WantId,
    choice: ToolChoice,
    max_output: Option<Tokens>,
) -> BoxFuture<'static, Vec<Event>> {
    let jitter = (cx.env.clock.jitter)();
    let model = match asked(cx, journal) {
        Ok(model) => model,
        Err(problem) => return Box::pin(async move { vec![unopened(want, &problem, jitter)] }),
    };
    let mut request = request(journal.transcript(), choice, journal.conversation().model());
    request.max_output = max_output.unwrap_or(request.max_output);
    let stream = Stream::new(journal.hub().clone(), MessageId::of(want));
    let (call_cx, toolbox) = (cx.call_context(journal), cx.env.toolbox.clone());
    let own = journal.conversation().created().clone();
    let (own_id, kinds) = (journal.id().clone(), cx.env.agents.clone());
    Box::pin(async move {
        let began = Instant::now();
        match model.ask(&request, &|piece| stream.show(piece)).await {
            Ok(reply) => {
                let mut replied = complete((&toolbox, &call_cx, &own_id), want, reply, &request, model.facts(), began);
                if let Event::StreamComplete { calls, .. } = &mut replied {
                    calls.iter_mut().for_each(|it| judge(&kinds, it));
                    uncommitted::add_lost_work(call_cx.runner.as_ref(), call_cx.tree.root(), &own, calls).await;
                }
                vec![replied]
            }
            Err(failure) => vec![Event::ModelFailed { want, failure, jitter }],
        }
    })
}

/// The model that the turn asks: the session's own, or the one that took over.
pub(crate) fn asked(cx: &TurnContext, journal: &Journal) -> Result<Arc<dyn Model>, Problem> {
    let name = &journal.conversation().model().name;
    let model = match cx.model.facts().name == *name {
        true => cx.model.clone(),
        false => (cx.env.open_model)(name)?,
    };
    let lacks = model.facts().tools == ToolFormat::Native && journal.conversation().lacks(name, "native_tools");
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

/// The request that asks for what follows the transcript.
pub(crate) fn request(transcript: &Transcript, tool_choice: ToolChoice, facts: &ModelFacts) -> Request {
    Request {
        system: transcript.system.clone(),
        tools: transcript.tools.clone(),
        messages: transcript.messages(),
        tool_choice,
        max_output: facts.max_output,
        temperature: None,
        effort: facts.effort,
    }
}

/// Streams pieces to whoever listens, each with its offset.
struct Stream {
    hub: Arc<Hub>,
    message: MessageId,
    text: AtomicU64,
    thinking: AtomicU64,
}

impl Stream {
    fn new(hub: Arc<Hub>, message: MessageId) -> Stream {
        Stream { hub, message, text: AtomicU64::new(0), thinking: AtomicU64::new(0) }
    }

    fn show(&self, piece: Piece<'_>) {
        let (kind, counter, delta) = match piece {
            Piece::Text(text) => (DeltaKind::Text, &self.text, text),
            Piece::Thinking(text) => (DeltaKind::Thinking, &self.thinking, text),
        };
        let offset = counter.fetch_add(delta.len() as u64, Ordering::Relaxed);
        self.hub.delta(Delta {
            conversation: ConversationId::default(),
            kind,
            message_id: self.message.clone(),
            call: None,
            offset,
            delta: delta.to_string(),
        });
    }
}

fn complete(
    (toolbox, cx, own): (&Toolbox, &CallContext, &ConversationId),
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
    let call = |(i, raw): (usize, &RawCall)| toolbox.read(cx, CallId::of(own, want, i), &raw.name, &raw.args);
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
        order: order(&calls, cx.tree.root()),
        calls,
        finish,
        usage,
        cost: ox_core::price::cost(usage, facts),
        duration_ms: began.elapsed().as_millis() as u64,
    }
}

/// The most calls of one reply that are carried out.
const CALLS: usize = 64;

#[cfg(test)]
mod tests {
    use ox_tools::ToolEnv;

    use super::*;

    #[test]
    fn of_a_reply_with_very_many_calls_some_are_left_out_and_it_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let tree = ox_repo::Tree::open(folder.path(), &[]).unwrap();
        let cx = CallContext::new(tree, Arc::new(ToolEnv::new(Arc::new(ox_sandbox::Plain))));
        let rejected = |count: usize| -> Vec<(usize, String)> {
            let call = |it| RawCall { name: "read_file".into(), args: format!("{{\"path\": \"{it}.txt\"}}") };
            let reply = Reply { calls: (0..count).map(call).collect(), ..Reply::default() };
            let want = WantId { seq: ox_protocol::Seq(1), index: 0 };
            let (request, facts) = (Request::default(), ModelFacts::default());
            let event = complete(
                (&Toolbox::default(), &cx, &ConversationId::default()),
                want,
                reply,
                &request,
                &facts,
                Instant::now(),
            );
            let Event::StreamComplete { calls, .. } = event else { panic!("{event:?}") };
            assert_eq!(calls.len(), count.min(CALLS + 1));
            calls.into_iter().enumerate().filter_map(|(at, it)| Some((at, it.facts.rejected?))).collect()
        };
        assert_eq!(rejected(CALLS), []);
        let words = "not run, and no call behind it: a reply makes 64 calls at most, 2 were left out";
        assert_eq!(rejected(CALLS + 2), [(CALLS, words.to_owned())]);
    }
}
