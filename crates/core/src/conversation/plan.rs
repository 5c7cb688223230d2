//! What happened to the plan: which of its files were changed, which of its steps are done, and what a todo list makes of it.

use ox_protocol::{CheckStatus, Event, FileChange, Mode, PLAN_STEPS, Plan, PlanStep, StepState, Todo, TodoState};

use super::state::Conversation;
use crate::verify;

impl Conversation {
    /// The plan, if one was made.
    pub fn plan(&self) -> Option<&Plan> {
        self.state.plan.plan.as_ref()
    }

    /// The plan that the last turn worked by: it made it, took it up, or comes right after the turn that did.
    pub fn plan_at_hand(&self) -> Option<&Plan> {
        let state = &self.state.plan;
        self.plan().filter(|it| !it.steps.is_empty() && self.state.turns.saturating_sub(state.turn) <= 1)
    }

    /// A turn of this mode begins: one that may change something takes up the plan that waits, and only then the todo list
    /// of the turn before still holds.
    pub(super) fn take_up_plan(&mut self, mode: Mode) {
        if !mode.may_change() {
            return;
        }
        let plan = &mut self.state.plan;
        plan.taken_up = false;
        if !std::mem::take(&mut plan.waits) {
            return self.state.todos.clear();
        }
        plan.turn = self.state.turns;
        let steps = plan.plan.iter().flat_map(|it| &it.steps);
        plan.taken_up = !steps.map(|it| &it.text).eq(self.state.todos.iter().map(|it| &it.text));
    }

    pub(super) fn plan_recorded(&mut self, plan: &Plan) {
        let plan = plan.numbered();
        let waits = !self.is_running() || self.mode() == Mode::Plan;
        let turn = self.state.turns;
        let state = &mut self.state.plan;
        if !state.plan.as_ref().is_some_and(|it| it.has_steps_of(&plan)) {
            state.touched.clear();
        }
        state.waits |= waits && plan.is_open();
        state.turn = turn;
        state.plan = Some(plan);
        self.planned();
    }

    pub(super) fn todos_recorded(&mut self, items: &[Todo]) {
        self.state.todos = items.to_vec();
        self.state.plan.taken_up = false;
        self.planned();
    }

    pub(super) fn plan_touched(&mut self, changed: &[FileChange]) {
        if self.state.plan.plan.is_some() {
            let names = changed.iter().flat_map(|it| it.from.iter().chain([&it.path]));
            self.state.plan.touched.extend(names.cloned());
        }
    }

    /// What follows for the todo list and the plan from what happened to either.
    pub(super) fn plan_news(&self) -> Option<Event> {
        if !self.mode().may_change() {
            return None;
        }
        let state = &self.state.plan;
        let steps = || state.plan.iter().flat_map(|it| &it.steps);
        if state.taken_up && steps().next().is_some() {
            return Some(Event::Todo { items: todos_of(steps()) });
        }
        let mut plan = self.plan_of_todos().or_else(|| state.plan.clone())?;
        plan.follow(&self.state.todos);
        let touched = |planned: &str| state.touched.iter().any(|path| PlanStep::covers(planned, path));
        plan.tick(&touched, &self.passed_checks());
        if state.plan.as_ref() != Some(&plan) {
            return Some(Event::Plan { plan });
        }
        // What was seen to be done needs nobody's word.
        let done = |todo: &Todo| steps().any(|it| it.state == StepState::Done && it.text == todo.text);
        let mut items = self.state.todos.clone();
        items.iter_mut().filter(|it| done(it)).for_each(|it| it.state = TodoState::Completed);
        (items != self.state.todos).then_some(Event::Todo { items })
    }

    /// A short todo list is the plan, unless one that was given as such still stands.
    fn plan_of_todos(&self) -> Option<Plan> {
        let stands = |it: &Plan| it.is_open() && !(it.id.is_empty() && it.text.is_empty());
        let todos = &self.state.todos;
        if todos.is_empty() || todos.len() > PLAN_STEPS || self.plan().is_some_and(stands) {
            return None;
        }
        let mut plan = Plan { steps: todos.iter().map(|it| PlanStep::new(&it.text)).collect(), ..Plan::default() };
        plan.number();
        (!self.plan().is_some_and(|it| it.has_steps_of(&plan))).then_some(plan)
    }

    /// The checks that passed over the tree as it is, where that proves something.
    fn passed_checks(&self) -> Vec<String> {
        let report = self
            .turn
            .last_report
            .as_ref()
            .filter(|it| self.turn.verified_at == Some(self.turn.changes) && verify::is_proof(self.baseline(), it));
        let passed = report.into_iter().flat_map(|it| &it.results).filter(|it| it.status == CheckStatus::Passed);
        passed.map(|it| it.check.name.clone()).collect()
    }

    /// True for an item that is not done; one whose step has all its files changed only waits for the checks.
    pub(super) fn is_left(&self, todo: &Todo) -> bool {
        let changed = |it: &PlanStep| it.text == todo.text && it.is_changed();
        todo.state != TodoState::Completed && !self.plan().is_some_and(|it| it.steps.iter().any(changed))
    }

    /// The plan under its name: of this conversation and turn.
    pub(super) fn named_plan(&self, plan: &Plan) -> Plan {
        let mut plan = Plan { id: format!("{}-{}", self.state.id, self.state.turns), ..plan.clone() };
        plan.number();
        plan
    }
}

/// The todo list that a plan's steps make.
pub(super) fn todos_of<'a>(steps: impl Iterator<Item = &'a PlanStep>) -> Vec<Todo> {
    let item = |(i, step): (usize, &PlanStep)| Todo {
        id: u32::try_from(i + 1).unwrap_or(u32::MAX),
        text: step.text.clone(),
        state: if step.is_open() { TodoState::Pending } else { TodoState::Completed },
        priority: String::new(),
        notes: String::new(),
    };
    steps.enumerate().map(item).collect()
}
