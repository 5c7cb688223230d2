//! May the turn end? The built-in stop hooks (T6), pure and in this order.

use ox_protocol::{Event, Gate, Mode, Plan, PlanStep, Stop, TodoState, Verification, Workflow};

use super::hooks::Hooks;
use super::state::{Concluding, Consent, Turn};

/// What comes of a reply that claims to be the last.
pub(super) enum Conclusion {
    /// A fact has to be recorded first, or a gate refused.
    Event(Box<Event>),
    /// Someone has to answer first.
    Wait,
    /// The turn ends, unless a hook objects.
    Stop(Stop),
}

impl Turn {
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
            Some(_) if self.now.refusals >= self.now.limits.stop_hook_retries => {
                Conclusion::Stop(Stop::StopHookRetries)
            }
            Some(refusal) => event(refusal),
            None => Conclusion::Stop(stop),
        }
    }

    fn verdict_on_end(&self, it: &Concluding) -> Conclusion {
        if self.now.queued > 0 {
            return event(self.next_iteration());
        }
        if let Some(gate) = self.refusing_gate(it) {
            return self.refuse(gate, it);
        }
        match self.now.mode {
            Mode::Chat => Conclusion::Stop(Stop::Answered),
            Mode::Plan => self.record_plan(it).unwrap_or(Conclusion::Stop(Stop::Answered)),
            Mode::Auto | Mode::Build => self.verify(),
        }
    }

    fn refusing_gate(&self, it: &Concluding) -> Option<Gate> {
        let asked = self.now.mode == Mode::Build;
        // A change that was asked for is held to it; in any other turn an answer is one, until something was changed.
        let strict = asked || self.now.changes > 0;
        let open = |todo: &ox_protocol::Todo| todo.state != TodoState::Completed;
        if it.call.is_none() && it.text.trim().is_empty() {
            Some(Gate::Unfinished)
        } else if asked && !self.carried.explored && !self.now.no_change && !self.now.was_denied {
            Some(Gate::NothingExplored)
        } else if asked && self.now.changes == 0 && !self.now.no_change && !self.now.was_denied {
            Some(Gate::NothingEdited)
        } else if self.now.mode == Mode::Plan && it.call.is_none() && self.now.looked && self.now.refusals == 0 {
            Some(Gate::NoPlan)
        } else if strict && self.carried.todos.iter().any(open) {
            Some(Gate::OpenTodos)
        } else if self.needs_checks() && self.checks_stand_failing() && self.is_worse() {
            Some(Gate::ChecksFail)
        } else {
            None
        }
    }

    /// Checks ran over this very tree and failed anew: running them again would tell nothing.
    fn checks_stand_failing(&self) -> bool {
        self.now.changes > 0
            && self.now.checked_at == Some(self.now.changes)
            && self.now.verified_at != Some(self.now.changes)
    }

    /// Whether the last report shows more than failures that may be as old as the project: those are told, and held against
    /// nobody.
    fn is_worse(&self) -> bool {
        self.now.last_report.as_ref().is_some_and(|it| crate::verify::is_worse(self.baseline(), it))
    }

    fn refuse(&self, gate: Gate, it: &Concluding) -> Conclusion {
        if gate == Gate::Unfinished && self.now.empty_replies >= self.now.limits.failed_replies {
            return Conclusion::Stop(Stop::EmptyReplies);
        }
        if self.now.refusals >= self.now.limits.stop_hook_retries {
            let stop = if gate == Gate::ChecksFail { Stop::ChecksFailing } else { Stop::StopHookRetries };
            return Conclusion::Stop(stop);
        }
        event(self.refusal(gate, it.call.as_ref().map(|call| call.id.clone())))
    }

    /// Only a turn that edited has something to verify.
    fn verify(&self) -> Conclusion {
        if self.now.changes == 0 {
            let stop =
                if self.now.was_denied && !self.now.no_change { Stop::PermissionRefused } else { Stop::Answered };
            return Conclusion::Stop(stop);
        }
        if self.now.verification == Verification::Off || self.now.checks.is_empty() {
            return self.summarize(Stop::DoneUnchecked);
        }
        if self.now.verified_at == Some(self.now.changes) {
            let proof = self.now.last_report.as_ref().is_some_and(|it| crate::verify::is_proof(self.baseline(), it));
            return self.summarize(if proof { Stop::Done } else { Stop::ChecksNotRun });
        }
        if self.checks_stand_failing() {
            return self.summarize(Stop::ChecksNotRun);
        }
        match self.now.consent {
            Consent::Given => event(Event::ChecksStart {
                want: ox_protocol::WantId { seq: self.seq.next(), index: 0 },
                baseline: false,
                round: self.now.check_round + 1,
                total: self.now.limits.check_rounds,
            }),
            Consent::Refused => self.summarize(Stop::ChecksNotRun),
            Consent::Unknown => event(self.consent_for_checks()),
            Consent::Asked => Conclusion::Wait,
        }
    }

    /// The workflow's last step is recorded before the end.
    fn summarize(&self, stop: Stop) -> Conclusion {
        if self.now.workflow == Workflow::Summarize {
            return Conclusion::Stop(stop);
        }
        event(Event::Workflow { state: Workflow::Summarize, next: "next.summarize".to_string() })
    }

    /// The plan that a reply gives; words without a look at the project are an answer.
    fn plan_of(&self, it: &Concluding) -> Option<Plan> {
        let Some(call) = &it.call else {
            return self.now.looked.then(|| Plan { text: it.text.clone(), ..Plan::default() });
        };
        if call.tool != "plan_respond" {
            return None;
        }
        let texts = |key: &str| {
            let all = call.args[key].as_array().into_iter().flatten();
            all.filter_map(|it| it.as_str().map(str::to_string)).collect::<Vec<_>>()
        };
        let steps = texts("steps").into_iter().map(|text| PlanStep { text, done: false }).collect();
        let text = call.args["response"].as_str().unwrap_or(&it.text).to_string();
        Some(Plan { text, steps, options: texts("options") })
    }

    /// A plan given is recorded, with its steps as the todo list of the build to come.
    fn record_plan(&self, it: &Concluding) -> Option<Conclusion> {
        let plan = self.plan_of(it)?;
        if self.carried.plan.as_ref() != Some(&plan) {
            return Some(event(Event::Plan { plan }));
        }
        let todos = Turn::todos_of(&plan.steps);
        (!todos.is_empty() && self.carried.todos != todos).then(|| event(Event::Todo { items: todos }))
    }
}

/// True for the ends that a model chose; those that a limit forced are nobody's to refuse.
fn is_an_end(stop: Stop) -> bool {
    !matches!(stop, Stop::EmptyReplies | Stop::StopHookRetries | Stop::ChecksFailing)
}

fn event(event: Event) -> Conclusion {
    Conclusion::Event(Box::new(event))
}
