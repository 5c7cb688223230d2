//! What a request for consent is about, and what is said of it on demand.
//!
//! Promise: what is said is true of this call; what the question shows is not said again.

use ox_client::view::ApprovalRequest;
use ox_protocol::{Effect, EffectKind, Level};
use serde_json::Value;

use super::effects::{explained, further_effects};
use crate::report::{Look, asks};
use crate::text::{Line, Role, Span, each, each_visible};

/// What would be done: the exact commands, or the arguments where there are none.
pub(super) fn what(request: &ApprovalRequest) -> Vec<Line> {
    if request.commands.is_empty() {
        return arguments(&request.args, SHOWN);
    }
    let commands = request.commands.iter().flat_map(|command| {
        let mut lines = each_visible(command, Role::Code);
        if let Some(first) = lines.first_mut() {
            first.lead.push(Span::new("$ ", Role::Dim));
            first.follow.push(Span::new("  ", Role::Plain));
        }
        lines
    });
    commands.map(|line| line.indented(4, 0)).collect()
}

/// Lines of an argument that are shown with the question.
const SHOWN: usize = 12;

/// Arguments one by one, long ones cut to their beginning.
fn arguments(args: &Value, shown: usize) -> Vec<Line> {
    let mut out = Vec::new();
    for (name, value) in args.as_object().into_iter().flatten() {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        let lines = each_visible(&text, Role::Code);
        let Some(first) = lines.first() else { continue };
        let mut line = Line::of(&format!("{name}: "), Role::Dim);
        if lines.len() == 1 {
            line.spans.extend(first.spans.clone());
            out.push(line.indented(4, 2));
            continue;
        }
        out.push(line.indented(4, 0));
        let left = lines.len().saturating_sub(shown);
        out.extend(lines.into_iter().take(shown).map(|it| it.indented(6, 0)));
        if left > 0 {
            out.push(Line::of(&format!("… +{left}"), Role::Dim).indented(6, 0));
        }
    }
    out
}

/// What there is to know beyond what the question itself says.
pub(super) fn explain(look: &Look, request: &ApprovalRequest) -> Vec<Line> {
    let mut out = Vec::new();
    let mut part = |key: &str, lines: Vec<Line>| {
        if !lines.is_empty() {
            out.push(Line::of(&look.say(key, &[]), Role::Dim).indented(2, 2));
            out.extend(lines);
        }
    };
    if request.commands.is_empty() && request.changes.is_empty() {
        part("approval.explain.args", arguments(&request.args, usize::MAX));
    }
    let effect = explained(look, request).into_iter().map(|it| Line::of(&it, Role::Plain).indented(4, 0));
    part("approval.explain.effect", effect.collect());
    part("approval.explain.effects", further_effects(look, request));
    let why = look.language.problem(&request.why);
    part("approval.explain.why", each(&why, Role::Plain).into_iter().map(|it| it.indented(4, 0)).collect());
    if asks::can_always(request) {
        let rule = look.say("approval.explain.rule", &[("rule", &asks::covered(look, request))]);
        part("approval.explain.always", vec![Line::of(&rule, Role::Plain).indented(4, 0)]);
    }
    out
}

/// The same request with the project named as such where commands may write to all of it.
pub(super) fn within(look: &Look, request: &ApprovalRequest, root: &str) -> ApprovalRequest {
    let mut request = request.clone();
    let folders = request.sandbox_reach.iter_mut().flat_map(|it| &mut it.write);
    folders.filter(|it| it.as_str() == root).for_each(|it| *it = look.say("approval.this_project", &[]));
    request
}

/// False where the reason is what the footer, the title or an effect says already.
pub(super) fn tells_why(request: &ApprovalRequest) -> bool {
    let connects = request.effects.iter().any(|it| it.kind == EffectKind::Network);
    match request.why.code.as_str() {
        "approval.why.edit" | "approval.why.shell" | "approval.why.checks" => false,
        "approval.why.system" | "approval.why.loses" => false,
        "approval.why.not_isolated" => false,
        "approval.why.unknown_host" => !connects,
        _ => true,
    }
}

pub(super) fn level_key(request: &ApprovalRequest) -> &'static str {
    let mut far = request.effects.iter().filter(|it| it.level == Level::System).peekable();
    let loses = |it: &Effect| matches!(it.kind, EffectKind::Destroy | EffectKind::Rewrite);
    match request.level {
        Level::System if far.peek().is_some() && far.all(loses) => "approval.level.loses",
        Level::Read => "approval.level.read",
        Level::Edit => "approval.level.edit",
        Level::Shell => "approval.level.shell",
        Level::System => "approval.level.system",
    }
}
