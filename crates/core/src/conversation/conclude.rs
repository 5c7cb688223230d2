//! May the turn end? The built-in stop hooks, pure and in this order.

use ox_protocol::{Call, CallKind, Event, Gate, Level, Mode, Plan, Seq, Statement, Stop, Workflow};

use super::plan::todos_of;
use super::state::{ChecksConsent, Concluding, Conversation, Hooks, PendingCall};

/// What comes of a reply that claims to be the last.
pub(super) enum Conclusion {
    /// A fact has to be recorded first, or a gate refused.
    Event(Box<Event>),
    /// Someone has to answer first.
    Wait,
    /// The turn ends, unless a hook objects.
    Stop(Stop),
}

impl Conversation {
    /// Whether a conclusion may end a reply with other calls: it says that a change is done, and the model awaits nothing of the
    /// others that it has to read or decide on.
    pub(super) fn may_follow(pending: &[PendingCall], last: &PendingCall) -> bool {
        let beside = |it: &PendingCall| {
            let facts = &it.call.facts;
            match facts.kind {
                CallKind::Mutate | CallKind::Checks => true,
                // Such as the todo list.
                CallKind::Read => !facts.explores && facts.level == Level::Read && facts.paths.is_empty(),
                CallKind::Question | CallKind::Agent | CallKind::Conclude => false,
            }
        };
        let is_done = matches!(last.call.facts.statement, Some(Statement::Completion { .. }));
        let Some((end, before)) = pending.split_last() else { return false };
        is_done && end.call.id == last.call.id && before.iter().all(beside)
    }

    /// The conclusion that alone is left of a reply whose other calls succeeded.
    pub(super) fn last_of_reply(pending: &[PendingCall]) -> Option<(Call, Seq)> {
        let (last, before) = pending.split_last()?;
        let is_conclusion = last.call.facts.kind == CallKind::Conclude && last.call.facts.rejected.is_none();
        let succeeded = |it: &PendingCall| it.is_settled() && !it.unfinished;
        let ends = is_conclusion && before.iter().all(succeeded) && Conversation::may_follow(pending, last);
        ends.then(|| (last.call.clone(), last.want.seq))
    }

    pub(super) fn conclude(&self, it: &Concluding) -> Conclusion {
        match self.verdict_on_end(it) {
            Conclusion::Stop(stop) if is_an_end(stop) => self.heed_hooks(it, stop),
            other => other,
        }
    }

    /// True when only the hooks before the end are still to be heard.
    pub(super) fn stop_hooks_wait(&self, it: &Concluding) -> bool {
        it.hooks == Hooks::Pending && matches!(self.verdict_on_end(it), Conclusion::Stop(stop) if is_an_end(stop))
    }

    /// The user's hooks come after the built-in ones.
    fn heed_hooks(&self, it: &Concluding, stop: Stop) -> Conclusion {
        if it.hooks == Hooks::Pending {
            return Conclusion::Wait;
        }
        match self.hook_refusal(it) {
            Some(_) if self.turn.refusals >= self.turn.limits.stop_hook_retries => {
                Conclusion::Stop(Stop::StopHookRetries)
            }
            Some(refusal) => event(refusal),
            None => Conclusion::Stop(stop),
        }
    }

    fn verdict_on_end(&self, it: &Concluding) -> Conclusion {
        if self.turn.queued > 0 {
            return event(self.next_iteration());
        }
        if let Some(gate) = self.refusing_gate(it) {
            return self.refuse(gate, it);
        }
        match self.mode() {
            Mode::Chat => Conclusion::Stop(Stop::Answered),
            Mode::Plan => self.record_plan(it).unwrap_or(Conclusion::Stop(Stop::Answered)),
            Mode::Auto | Mode::Build => {
                let first = self.fixers_conclusion().or_else(|| self.audit_conclusion(it));
                first.unwrap_or_else(|| self.verify(it))
            }
        }
    }

    pub(super) fn refusing_gate(&self, it: &Concluding) -> Option<Gate> {
        // Where somebody is there, a reply that stands after it was refused once is an answer to them.
        let asked = self.mode() == Mode::Build && (self.is_headless() || self.turn.refusals == 0);
        // A turn in build mode has to change something and pass its checks; any other may just answer, until it changed
        // something.
        let strict = asked || self.turn.changes > 0;
        if it.call.is_none() && it.text.trim().is_empty() {
            Some(Gate::Unfinished)
        } else if asked && !self.state.explored && !self.turn.no_change && !self.turn.was_denied {
            Some(Gate::NothingExplored)
        } else if asked && self.turn.changes == 0 && !self.turn.no_change && !self.turn.was_denied {
            Some(Gate::NothingEdited)
        } else if self.turn.mode == Mode::Plan && it.call.is_none() && self.turn.looked && self.turn.refusals == 0 {
            Some(Gate::NoPlan)
        } else if strict && self.turn.refusals == 0 && self.state.todos.iter().any(|it| self.is_left(it)) {
            // Asked once: what is left open then stands beside the result, and costs no further requests.
            Some(Gate::OpenTodos)
        } else if self.needs_checks() && self.checks_stand_failing() && self.is_worse() {
            Some(Gate::ChecksFail)
        } else {
            None
        }
    }

    /// Checks ran over this very tree and failed anew: running them again would tell nothing.
    fn checks_stand_failing(&self) -> bool {
        (self.turn.changes > 0 || self.has_goal())
            && self.turn.checked_at == Some(self.turn.changes)
            && self.turn.verified_at != Some(self.turn.changes)
    }

    /// Whether the last report shows a failure that is certainly new. One that may be older than the turn is reported and keeps
    /// nothing from ending.
    fn is_worse(&self) -> bool {
        self.turn.last_report.as_ref().is_some_and(|it| crate::verify::is_worse(self.baseline(), it))
    }

    pub(super) fn refuse(&self, gate: Gate, it: &Concluding) -> Conclusion {
        if gate == Gate::Unfinished && self.turn.empty_replies >= self.turn.limits.failed_replies {
            return Conclusion::Stop(Stop::EmptyReplies);
        }
        if self.turn.refusals >= self.turn.limits.stop_hook_retries {
            let stop = if gate == Gate::ChecksFail { Stop::ChecksFailing } else { Stop::StopHookRetries };
            return Conclusion::Stop(stop);
        }
        event(self.refusal(gate, it.call.as_ref().map(|call| call.id.clone())))
    }

    /// The user named a command that has to pass, also where nothing is changed.
    fn has_goal(&self) -> bool {
        self.turn.checks.iter().any(ox_protocol::Check::is_goal)
    }

    /// Only a turn that edited, or that has a goal, has something to verify.
    fn verify(&self, it: &Concluding) -> Conclusion {
        if self.turn.changes == 0 && !self.has_goal() {
            let stop =
                if self.turn.was_denied && !self.turn.no_change { Stop::PermissionRefused } else { Stop::Answered };
            return Conclusion::Stop(stop);
        }
        if self.turn.checks.is_empty() {
            return self.summarize(it, Stop::DoneUnchecked);
        }
        if self.turn.verified_at == Some(self.turn.changes) {
            let proof = self.turn.last_report.as_ref().is_some_and(|it| crate::verify::is_proof(self.baseline(), it));
            let proof = proof && !self.evidence_is_weakened();
            return self.summarize(it, if proof { Stop::Done } else { Stop::ChecksNotRun });
        }
        if self.checks_stand_failing() {
            return self.summarize(it, Stop::ChecksNotRun);
        }
        match self.turn.consent {
            ChecksConsent::Given => event(Event::ChecksStart {
                want: ox_protocol::WantId { seq: self.seq.next(), index: 0 },
                baseline: false,
                round: self.turn.check_round + 1,
                total: self.turn.limits.check_rounds,
            }),
            ChecksConsent::Refused => self.summarize(it, Stop::ChecksNotRun),
            ChecksConsent::Unknown => event(self.consent_for_checks()),
            ChecksConsent::Asked => Conclusion::Wait,
        }
    }

    /// A reviewer is heard, and the workflow's last step is recorded, before the end.
    fn summarize(&self, it: &Concluding, stop: Stop) -> Conclusion {
        if let Some(first) = self.review_conclusion(it) {
            return first;
        }
        if self.turn.workflow == Workflow::Summarize {
            return Conclusion::Stop(stop);
        }
        event(Event::Workflow { state: Workflow::Summarize, next: "next.summarize".to_string() })
    }

    /// The plan that a reply gives; words without a look at the project are an answer.
    fn plan_of(&self, it: &Concluding) -> Option<Plan> {
        let Some(call) = &it.call else {
            return self.turn.looked.then(|| Plan { text: it.text.clone(), ..Plan::default() });
        };
        match &call.facts.statement {
            Some(Statement::Plan { plan }) => Some(plan.clone()),
            _ => None,
        }
    }

    /// A plan given is recorded, with its steps as the todo list of the build to come.
    fn record_plan(&self, it: &Concluding) -> Option<Conclusion> {
        let plan = self.named_plan(&self.plan_of(it)?);
        if self.plan() != Some(&plan) {
            return Some(event(Event::Plan { plan }));
        }
        let todos = todos_of(plan.steps.iter());
        (!todos.is_empty() && self.state.todos != todos).then(|| event(Event::Todo { items: todos }))
    }
}

/// True for the ends that a model chose; those that a limit forced are nobody's to refuse.
fn is_an_end(stop: Stop) -> bool {
    !matches!(stop, Stop::EmptyReplies | Stop::StopHookRetries | Stop::ChecksFailing)
}

pub(super) fn event(event: Event) -> Conclusion {
    Conclusion::Event(Box::new(event))
}
