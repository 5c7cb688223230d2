//! The `set` section of a conversation: what its first turn was begun with, as far as it is not the default.

use ox_protocol::{CHECKS_RULE, Event, Frame, Limits, ModelFacts, RuleAction, Rules, ToolFormat, Verification};

use crate::scribe::code;
use crate::text::Section;

/// The section, if something was set.
pub(crate) fn of(frames: &[Frame]) -> Option<Section> {
    let start = frames.iter().find_map(|it| match &it.event {
        Event::TurnStart { rules, limits, model, fallbacks, verification, checks, .. } => {
            Some((rules, limits, (model, fallbacks), *verification, !checks.is_empty()))
        }
        _ => None,
    })?;
    let (rules, limits, (model, fallbacks), verification, has_checks) = start;
    let mut lines: Vec<String> = Vec::new();
    permission(&mut lines, rules);
    limited(&mut lines, limits);
    facts(&mut lines, model);
    lines.extend(fallbacks.iter().map(|it| format!("fallback: {}", it.name)));
    if verification != Verification::Full {
        lines.push(format!("verification: {}", code(&verification)));
    }
    let checks_allowed = rules.rules.iter().any(|it| it.action == RuleAction::Allow && it.tool == CHECKS_RULE);
    match (has_checks, checks_allowed) {
        (true, false) => lines.push("checks: ask".to_string()),
        (true, true) => lines.push("checks: yes".to_string()),
        (false, _) => {}
    }
    (!lines.is_empty()).then(|| Section::text("set", &lines.join("\n")))
}

fn permission(lines: &mut Vec<String>, rules: &Rules) {
    lines.push(format!("approval: {}", code(&rules.approval)));
    if rules.headless {
        lines.push("headless: true".to_string());
    }
    for rule in rules.rules.iter().filter(|it| !(it.action == RuleAction::Allow && it.tool == CHECKS_RULE)) {
        lines.push(format!("{}: {rule}", code(&rule.action)));
    }
    lines.extend(rules.scope.iter().map(|it| format!("scope: {it}")));
}

fn limited(lines: &mut Vec<String>, limits: &Limits) {
    let default = Limits::default();
    let mut number = |name: &str, value: u32, default: u32| {
        if value != default {
            lines.push(format!("{name}: {value}"));
        }
    };
    number("max_iterations", limits.iterations, default.iterations);
    number("check_rounds", limits.check_rounds, default.check_rounds);
    number("stop_hook_retries", limits.stop_hook_retries, default.stop_hook_retries);
    number("model_attempts", limits.model_attempts, default.model_attempts);
    lines.extend(limits.tokens.map(|it| format!("max_tokens: {it}")));
    lines.extend(limits.cost.map(|it| format!("max_cost: {}", it.0 as f64 / 1e6)));
    lines.extend(limits.time_ms.map(|it| format!("max_time: {it}ms")));
}

fn facts(lines: &mut Vec<String>, model: &ModelFacts) {
    let default = ModelFacts::default();
    if model.reasons {
        lines.push("reasons: true".to_string());
    }
    if !model.can_require {
        lines.push("can_require: false".to_string());
    }
    if model.tools == ToolFormat::Xml {
        lines.push("tools: xml".to_string());
    }
    if model.window != default.window {
        lines.push(format!("window: {}", model.window));
    }
    if model.max_output != default.max_output {
        lines.push(format!("max_output: {}", model.max_output));
    }
    if let (Some(input), Some(output)) = (model.input_price, model.output_price) {
        lines.push(format!("price: {} {}", input.0 as f64 / 1e6, output.0 as f64 / 1e6));
    }
}
