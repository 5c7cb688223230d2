//! Sub-agents of a turn: whether one may begin, what it may spend, and what came back.
//!
//! What a sub-agent may spend is taken from the turn before it begins, so that all together never spend more than the turn
//! may; what it left is the turn's again.

use ox_protocol::{AgentEnd, AgentStart, CallId, Event, Limits, Money, Outcome, Statement, Tokens, WantId};

use super::state::{Conversation, PendingCall, Step};
use crate::want::{AgentRun, Want};
use crate::words;

impl Conversation {
    /// The conversations of the sub-agents that run.
    pub fn running_agents(&self) -> impl Iterator<Item = &ox_protocol::ConversationId> {
        self.turn.agents.running.iter().map(|it| &it.conversation)
    }

    /// The beginning of a sub-agent, its refusal, or nothing while others have to end first.
    pub(super) fn begin_agent(&self, pending: &[PendingCall], pending_call: &PendingCall) -> Option<Event> {
        let limits = &self.turn.limits.agents;
        let call = &pending_call.call;
        let refused = |words: String| {
            let outcome = Outcome::failed(words);
            Some(Event::ToolComplete { call: call.id.clone(), tool: call.tool.clone(), outcome })
        };
        let Some(Statement::Agent { request }) = &call.facts.statement else {
            return refused(words::NO_AGENT_REQUEST.to_string());
        };
        if limits.depth == 0 {
            return refused(words::AGENTS_TOO_DEEP.to_string());
        }
        if self.turn.agents.started >= limits.per_turn {
            return refused(words::too_many_agents(limits.per_turn));
        }
        if self.turn.agents.running.len() >= limits.parallel.max(1) as usize {
            return None;
        }
        let waiting = |it: &&PendingCall| it.call.facts.kind == call.facts.kind && it.step == Step::Waiting;
        let waiting = self.current(pending).iter().filter(waiting).count();
        match self.share(waiting as u64 + 1) {
            Some(limits) => Some(self.agent_start(call.id.clone(), request.clone(), limits)),
            None => refused(words::NOTHING_LEFT_FOR_AGENTS.to_string()),
        }
    }

    pub(super) fn agent_start(&self, call: CallId, request: ox_protocol::AgentRequest, limits: Limits) -> Event {
        let conversation = self.state.id.of_agent(self.state.agents + 1);
        Event::AgentStart(AgentStart { call, conversation, request, limits })
    }

    /// What a sub-agent may spend: of each budget one part of `parts`, the last of which stays with the turn. None where
    /// that pays for nothing.
    pub(super) fn share(&self, parts: u64) -> Option<Limits> {
        let (limits, running) = (&self.turn.limits, &self.turn.agents.running);
        let part = |limit: u64, spent: u64, lent: u64| limit.saturating_sub(spent).saturating_sub(lent) / parts;
        let lent: u64 = running.iter().map(|it| u64::from(it.limits.iterations)).sum();
        let spent = u64::from(self.turn.iteration) + u64::from(self.turn.agents.iterations);
        let iterations = part(limits.iterations.into(), spent, lent).min(limits.agents.iterations.into());
        let tokens = limits.tokens.map(|limit| {
            let lent = running.iter().filter_map(|it| it.limits.tokens).map(|it| it.0).sum();
            let spent = self.turn.usage.total().0.saturating_add(self.prompt_tokens().0);
            Tokens(part(limit.0, spent, lent))
        });
        let cost = limits.cost.map(|limit| {
            let lent = running.iter().filter_map(|it| it.limits.cost).map(|it| it.0).sum();
            Money(part(limit.0, self.turn.cost.unwrap_or_default().0, lent))
        });
        // Time passes for all of them at once.
        let time_ms = limits.time_ms.map(|it| it.saturating_sub(self.time.0.saturating_sub(self.turn.started.0)));
        let agents = ox_protocol::AgentLimits { depth: limits.agents.depth.saturating_sub(1), ..limits.agents };
        let share = Limits {
            iterations: u32::try_from(iterations).unwrap_or(u32::MAX),
            tokens,
            cost,
            time_ms,
            agents,
            // Whether another attempt is worth it is for the turn to decide.
            repair_attempts: 0,
            ..limits.clone()
        };
        let pays = iterations > 0 && tokens != Some(Tokens(0)) && cost != Some(Money(0)) && time_ms != Some(0);
        pays.then_some(share)
    }

    pub(super) fn agent_want(&self, pending_call: &PendingCall) -> Option<Want> {
        let agent = self.turn.agents.running.iter().find(|it| it.call == pending_call.call.id)?;
        Some(Want::Agent { id: pending_call.want, agent: Box::new(agent.clone()) })
    }

    pub(super) fn agent_started(&mut self, start: &AgentStart, here: WantId) {
        let AgentStart { call, conversation, request, limits } = start;
        self.set_step(call, Step::Waiting, Step::Running);
        let tool = self.call(call).map(|it| it.tool.clone()).unwrap_or_default();
        let (call, conversation) = (call.clone(), conversation.clone());
        let (request, limits) = (request.clone(), limits.clone());
        self.state.agents += 1;
        match call.is_review() {
            true => self.review_started(here),
            false => self.turn.agents.started += 1,
        }
        self.turn.agents.running.push(AgentRun { call, tool, conversation, request, limits });
    }

    /// What it used is this turn's; what it left of its share is free again.
    pub(super) fn agent_ended(&mut self, end: &AgentEnd) {
        let AgentEnd { conversation, iterations, usage, cost, .. } = end;
        let agents = &mut self.turn.agents;
        let Some(at) = agents.running.iter().position(|it| it.conversation == *conversation) else { return };
        let review = agents.running.remove(at).call.is_review();
        agents.iterations = agents.iterations.saturating_add(*iterations);
        self.turn.usage += *usage;
        self.state.usage += *usage;
        if let Some(cost) = cost {
            self.turn.cost = Some(Money(self.turn.cost.unwrap_or_default().0.saturating_add(cost.0)));
        }
        if review {
            self.reviewed(end);
        }
    }
}
