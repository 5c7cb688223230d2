//! A plan as the model reads it: what the user said about it stands beside what it is about.

use std::fmt::Write;

use ox_protocol::{Plan, PlanStep, StepState};

use crate::section::first_lines;

/// The plan in at most `room` bytes. Its own words are cut first; steps, comments and answers never are.
pub(crate) fn words(plan: &Plan, room: usize) -> String {
    let mut rest: String = plan.steps.iter().map(step).collect();
    if !plan.options.is_empty() {
        line(&mut rest, &format!("The user may choose between: {}", plan.options.join(" / ")));
    }
    for risk in &plan.risks {
        line(&mut rest, &format!("Risk: {risk}"));
    }
    for question in &plan.questions {
        let answer = if question.answer.is_empty() { "not answered by the user" } else { &question.answer };
        line(&mut rest, &format!("Question: {}\n  Answer: {answer}", question.text));
    }
    let goal = if plan.goal.is_empty() { String::new() } else { format!("Goal: {}\n", plan.goal) };
    let (text, left_out) = first_lines(plan.text.trim(), room.saturating_sub(rest.len() + goal.len()));
    let mark = if left_out > 0 { format!("\n[{left_out} more lines of the plan left out]") } else { String::new() };
    format!("{goal}{text}{mark}\n{rest}").trim().to_owned()
}

fn step(it: &PlanStep) -> String {
    let tick = if it.is_open() { ' ' } else { 'x' };
    let files = if it.files.is_empty() { String::new() } else { format!(" ({})", it.files.join(", ")) };
    let seen = if it.state == StepState::Open && it.is_changed() { " [changed, not yet verified]" } else { "" };
    let mut out = format!("- [{tick}] {}{files}{seen}\n", it.text);
    it.comments.iter().for_each(|it| line(&mut out, &format!("  The user: {it}")));
    out
}

fn line(out: &mut String, text: &str) {
    writeln!(out, "{text}").expect("invariant: a text takes every line");
}
