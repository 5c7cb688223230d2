//! The plan: its steps with ticks that tell what was seen from what was only said, and all that was said about it.

use ox_client::view::View;
use ox_protocol::{Plan, PlanQuestion, PlanStep, StepState, Summary, Todo, TodoState};

use super::look::Look;
use crate::markdown;
use crate::text::{Line, Role};

/// The plan, or only the steps that changed where it is the same plan as before; nothing of it stands on the screen twice.
pub(super) fn plan_changes(look: &Look, view: &View, now: &Plan) -> Vec<Line> {
    let before = view.plan.as_ref();
    if now.is_empty() {
        let dropped = Line::of(&look.say("ui.plan.dropped", &[]), Role::Dim);
        return before.map(|_| dropped).into_iter().collect();
    }
    let words = |it: &Plan| {
        let mut it = it.clone();
        it.steps.iter_mut().for_each(|step| {
            step.state = StepState::Open;
            step.evidence = None;
        });
        it
    };
    match before.filter(|old| words(old) == words(now)) {
        Some(old) => {
            let pairs = old.steps.iter().zip(&now.steps);
            pairs.filter(|(a, b)| a != b && !just_ticked(view, b)).map(|(_, it)| step(look, it)).collect()
        }
        None => match unsaid(view, now) {
            it if it.is_empty() => Vec::new(),
            it => plan_lines(look, &it),
        },
    }
}

/// True for a step that is only said to be done where the list has just said so.
fn just_ticked(view: &View, step: &PlanStep) -> bool {
    let ticked = |it: &Todo| it.text == step.text && it.state == TodoState::Completed;
    step.state == StepState::Said && view.todos.iter().any(ticked)
}

/// The plan without its words where they are the reply that was just shown, and without its steps where the words list
/// them.
fn unsaid(view: &View, plan: &Plan) -> Plan {
    let mut it = plan.clone();
    let plain = |text: &str| text.replace(['`', '*'], "");
    let words = plain(&it.text);
    if it.steps.iter().all(|step| step.comments.is_empty() && words.contains(&plain(&step.text))) {
        it.steps.clear();
    }
    if view.reply.trim() == it.text.trim() {
        it.text.clear();
    }
    it
}

/// True when the list is the one that the plan's steps have just made.
pub(super) fn repeats_plan(view: &View, items: &[Todo]) -> bool {
    let steps = view.plan.iter().flat_map(|it| &it.steps);
    let fresh = items.iter().all(|it| it.state == TodoState::Pending);
    fresh && !items.is_empty() && view.todos.is_empty() && steps.map(|it| &it.text).eq(items.iter().map(|it| &it.text))
}

/// True when a list only takes over the ticks that the plan's steps were seen to deserve.
pub(super) fn follows_plan(view: &View, items: &[Todo]) -> bool {
    let seen = |todo: &Todo| {
        let steps = || view.plan.iter().flat_map(|it| &it.steps);
        steps().any(|it| it.text == todo.text && it.state == StepState::Done)
    };
    let same = view.todos.len() == items.len() && view.todos.iter().zip(items).all(|(a, b)| a.text == b.text);
    same && view.todos.iter().zip(items).all(|(a, b)| a == b || seen(b))
}

/// True when the plan only says what the todo list says already.
pub(super) fn repeats_todos(view: &View, plan: &Plan) -> bool {
    plan.text.trim().is_empty()
        && plan.id.is_empty()
        && plan.steps.iter().all(|it| !it.is_changed())
        && plan.steps.iter().map(|it| &it.text).eq(view.todos.iter().map(|it| &it.text))
}

/// All of the plan.
pub fn plan_lines(look: &Look, plan: &Plan) -> Vec<Line> {
    let mut head = Line::of(&look.say("ui.plan.title", &[]), Role::Strong);
    if !plan.goal.is_empty() {
        head = head.with(&format!("  {}", plan.goal), Role::Plain).hanging(2);
    }
    let mut out = vec![head];
    if !plan.text.trim().is_empty() {
        out.extend(markdown::lines(&plan.text, look.width.saturating_sub(2)).into_iter().map(|it| it.indented(2, 0)));
    }
    for it in &plan.steps {
        out.push(step(look, it));
        let said = |text: &String| Line::of("› ", Role::Accent).with(text, Role::Plain).indented(7, 2);
        out.extend(it.comments.iter().map(said));
    }
    list(&mut out, look, "ui.plan.risks", &plan.risks);
    if !plan.questions.is_empty() {
        out.push(Line::of(&look.say("ui.plan.questions", &[]), Role::Strong));
        out.extend(plan.questions.iter().enumerate().map(|(at, it)| question(look, at + 1, it)));
    }
    list(&mut out, look, "ui.plan.options", &plan.options);
    out
}

fn list(out: &mut Vec<Line>, look: &Look, title: &str, items: &[String]) {
    if !items.is_empty() {
        out.push(Line::of(&look.say(title, &[]), Role::Strong));
        out.extend(items.iter().map(|it| Line::of("• ", Role::Dim).with(it, Role::Plain).indented(2, 2)));
    }
}

fn question(look: &Look, number: usize, it: &PlanQuestion) -> Line {
    let line = Line::of(&format!("{number}. "), Role::Dim).with(&it.text, Role::Plain);
    let line = match it.answer.as_str() {
        "" => line.with(&format!("  {}", look.say("ui.plan.unanswered", &[])), Role::Warn),
        answer => line.with("  › ", Role::Accent).with(answer, Role::Plain),
    };
    line.indented(2, 3)
}

fn step(look: &Look, it: &PlanStep) -> Line {
    let (mark, role, words) = match it.state {
        StepState::Open if it.is_changed() => ("◐", Role::Warn, Role::Plain),
        StepState::Open => ("☐", Role::Dim, Role::Plain),
        StepState::Said => ("✓", Role::Dim, Role::Dim),
        StepState::Done => ("✓", Role::Good, Role::Dim),
    };
    let mut line = Line::of(&format!("{mark} "), role).with(&format!("{}. ", it.id), Role::Dim).with(&it.text, words);
    let files: Vec<&str> = it.files.iter().filter(|file| !it.text.contains(*file)).map(String::as_str).collect();
    if !files.is_empty() {
        line = line.with(&format!("  {}", files.join(" ")), Role::Dim);
    }
    if let Some(why) = seen(look, it) {
        line = line.with(&format!("  {why}"), Role::Dim);
    }
    line.indented(2, 5)
}

/// What a tick rests on.
fn seen(look: &Look, it: &PlanStep) -> Option<String> {
    let checks = it.evidence.as_ref().map(|it| it.checks.join(", ")).unwrap_or_default();
    match it.state {
        StepState::Done => Some(look.say("ui.plan.verified", &[("checks", &checks)])),
        StepState::Said => Some(look.say("ui.plan.said", &[])),
        StepState::Open => it.is_changed().then(|| look.say("ui.plan.changed", &[])),
    }
}

/// The steps at the end of a turn.
pub(super) fn summary(look: &Look, it: &Summary) -> Vec<Line> {
    if it.steps.is_empty() {
        return Vec::new();
    }
    let done = it.steps.iter().filter(|it| !it.is_open()).count().to_string();
    let total = it.steps.len().to_string();
    let head = look.say("ui.summary.plan", &[("done", &done), ("total", &total)]);
    let head = [Line::empty(), Line::of(&head, Role::Strong)];
    head.into_iter().chain(it.steps.iter().map(|it| step(look, it))).collect()
}
