//! What a call would do, as it is shown where consent is asked.
//!
//! Promise: an effect of the highest level is never left out.

use ox_protocol::{Effect, EffectKind, Level};

use crate::report::Look;
use crate::text::{Line, Role, visible};
use ox_client::view::ApprovalRequest;

/// Effects shown before "and N more".
const SHOWN: usize = 3;

/// The effects in the order of danger, in one line, cut to the most dangerous; all of the highest level are there.
pub(super) fn effects(look: &Look, request: &ApprovalRequest) -> Option<Line> {
    let (sorted, shown) = listed(request);
    let top = sorted.first()?.level;
    let mut line = Line::empty();
    for effect in sorted.iter().take(shown) {
        let role = if effect.level == top { Role::Warn } else { Role::Plain };
        let gap = if line.is_blank() { "· " } else { " · " };
        line = line.with(gap, Role::Dim).with(&said(look, effect), role);
    }
    let left = sorted.len().saturating_sub(shown);
    if left > 0 {
        let more = look.say("approval.more_effects", &[("count", &left.to_string())]);
        line = line.with(" · ", Role::Dim).with(&more, Role::Dim);
    }
    Some(line.indented(4, 2))
}

/// All of them, where the question does not say them all.
pub(super) fn further_effects(look: &Look, request: &ApprovalRequest) -> Vec<Line> {
    let (sorted, shown) = listed(request);
    let all = sorted.iter().map(|it| Line::of(&format!("· {}", said(look, it)), Role::Plain).indented(4, 2));
    if sorted.len() > shown { all.collect() } else { Vec::new() }
}

/// What is to be listed, with how much of it is shown at once. That a command runs stands there as the command itself.
fn listed(request: &ApprovalRequest) -> (Vec<&Effect>, usize) {
    let repeats = |it: &Effect| {
        let runs = it.kind == EffectKind::Execute && it.level < Level::System;
        runs && request.commands.iter().any(|command| command.trim() == it.what.trim())
    };
    let listed: Vec<&Effect> = sorted(request).into_iter().filter(|it| !repeats(it)).collect();
    let top = listed.first().map(|it| it.level);
    let shown = listed.iter().filter(|it| Some(it.level) == top).count().max(SHOWN);
    (listed, shown)
}

/// What is so when it runs, sentence by sentence: where the sandbox holds it, what it leaves open, and what a yes adds to that.
pub(super) fn explained(look: &Look, request: &ApprovalRequest) -> Vec<String> {
    let say = |key: &str, what: &str| look.say(key, &[("what", what)]);
    let Some(mut out) = held(look, request) else {
        if request.level <= Level::Edit && !request.changes.is_empty() {
            let files: Vec<&str> = request.changes.iter().map(|it| it.path.as_str()).collect();
            return vec![look.say("approval.explain.edit", &[("what", &visible(&files.join(", ")))])];
        }
        return vec![look.say(plain_key(request.level), &[])];
    };
    out.push(say("approval.sandbox.secrets", ""));
    // Whom it may speak to is said already.
    let said = |it: &Effect| it.kind == EffectKind::Network || it.kind.is_contained_by_sandbox();
    let far = sorted(request).into_iter().filter(|it| it.level == Level::System && !said(it));
    let (lost, opened): (Vec<&Effect>, Vec<&Effect>) =
        far.partition(|it| matches!(it.kind, EffectKind::Destroy | EffectKind::Rewrite));
    let reported = |of: &[&Effect]| {
        let each = of.iter().map(|it| look.language.effect(it.kind, &visible(&it.what)));
        each.collect::<Vec<_>>().join("; ")
    };
    if !opened.is_empty() {
        out.push(say("approval.sandbox.opened", &reported(&opened)));
    }
    if !lost.is_empty() {
        out.push(say("approval.sandbox.lost", &reported(&lost)));
    }
    out
}

/// What a command can reach, in short: for the question itself.
pub(super) fn reach(look: &Look, request: &ApprovalRequest) -> Vec<String> {
    match held(look, request) {
        Some(held) => vec![held.join(" ")],
        None if request.commands.is_empty() || request.level < Level::Shell => Vec::new(),
        None => vec![look.say("approval.effect.shell", &[])],
    }
}

/// What the sandbox lets it change and whom it lets it speak to once it is allowed; none where no sandbox holds it, or where nothing runs.
fn held(look: &Look, request: &ApprovalRequest) -> Option<Vec<String>> {
    let say = |key: &str, what: &str| look.say(key, &[("what", what)]);
    let runs = !request.commands.is_empty() || request.level == Level::Shell;
    let sandbox_reach = request.sandbox_reach.as_ref().filter(|_| runs)?;
    let writes = match request.level {
        Level::Read => say("approval.sandbox.reads", ""),
        _ => say("approval.sandbox.write", &sandbox_reach.write.join(", ")),
    };
    let open: Vec<&str> = sandbox_reach.hosts.iter().map(String::as_str).collect();
    let opened = request.hosts.iter().map(String::as_str).filter(|it| !open.contains(it));
    let opened: Vec<&str> = opened.collect();
    let speaks = match (open.as_slice(), opened.as_slice()) {
        (["*"], _) => say("approval.sandbox.network", ""),
        ([], []) => say("approval.sandbox.no_network", ""),
        (hosts, []) => say("approval.sandbox.hosts", &hosts.join(", ")),
        (_, new) if new.contains(&"*") => say("approval.sandbox.if_allowed_any", ""),
        (hosts, new) => say("approval.sandbox.if_allowed", &[hosts, new].concat().join(", ")),
    };
    Some(vec![writes, speaks])
}

/// The words where no sandbox holds it, or where it is no command.
fn plain_key(level: Level) -> &'static str {
    match level {
        Level::Read => "approval.effect.read",
        Level::Edit => "approval.effect.edit",
        Level::Shell => "approval.effect.shell",
        Level::System => "approval.effect.system",
    }
}

fn sorted(request: &ApprovalRequest) -> Vec<&Effect> {
    let mut sorted: Vec<&Effect> = request.effects.iter().collect();
    sorted.sort_by_key(|it| (std::cmp::Reverse(it.level), weight(it.kind)));
    sorted
}

fn said(look: &Look, effect: &Effect) -> String {
    look.language.effect(effect.kind, &visible(&effect.what))
}

/// What cannot be brought back comes first, what only looks comes last.
fn weight(kind: EffectKind) -> u8 {
    use EffectKind::*;
    match kind {
        Requested | Destroy | Rewrite | Publish | Privilege => 0,
        Secret | System | Obscure => 1,
        Delete | Install | Network => 2,
        Read => 4,
        _ => 3,
    }
}
