//! What a call would do, as it is shown where consent is asked.
//!
//! Promise: an effect of the highest level is never left out.

use ox_protocol::{Effect, EffectKind, Level};

use crate::report::Look;
use crate::text::{Line, Role, visible};
use ox_client::view::ApprovalRequest;

/// Kinds of effects shown before "and N more".
const SHOWN: usize = 3;
/// Objects of one kind that are named.
const NAMED: usize = 6;

/// The effects in the order of danger, a line for each kind, cut to the most dangerous; all of the highest level are there.
pub(super) fn effects(look: &Look, request: &ApprovalRequest) -> Vec<Line> {
    let (kinds, shown) = listed(request);
    let top = kinds.first().map(|it| it[0].level);
    let mut out: Vec<Line> = Vec::new();
    for kind in kinds.iter().take(shown) {
        let role = if Some(kind[0].level) == top { Role::Warn } else { Role::Plain };
        out.push(Line::of("· ", Role::Dim).with(&said(look, request, kind), role).indented(4, 2));
    }
    let left = kinds.len().saturating_sub(shown);
    if left > 0 {
        let more = look.say("approval.more_effects", &[("count", &left.to_string())]);
        out.push(Line::of("· ", Role::Dim).with(&more, Role::Dim).indented(4, 2));
    }
    out
}

/// All of them, where the question does not say them all.
pub(super) fn further_effects(look: &Look, request: &ApprovalRequest) -> Vec<Line> {
    let (kinds, shown) = listed(request);
    let all = kinds.iter().map(|it| Line::of(&format!("· {}", said(look, request, it)), Role::Plain).indented(4, 2));
    if kinds.len() > shown { all.collect() } else { Vec::new() }
}

/// What is to be listed, by kind, with how many kinds are shown at once. That a command runs stands there as the command itself.
fn listed(request: &ApprovalRequest) -> (Vec<Vec<&Effect>>, usize) {
    let runs = |it: &Effect| it.kind == EffectKind::Execute && it.level < Level::System;
    let mut kinds: Vec<Vec<&Effect>> = Vec::new();
    for effect in sorted(request).into_iter().filter(|it| !(runs(it) && is_command(request, it))) {
        match kinds.iter_mut().find(|it| it[0].kind == effect.kind && it[0].level == effect.level) {
            Some(kind) => kind.push(effect),
            None => kinds.push(vec![effect]),
        }
    }
    for kind in &mut kinds {
        // What it is done to says more than the command that does it.
        if kind.iter().any(|it| !begins_command(request, it)) {
            kind.retain(|it| !begins_command(request, it));
        }
    }
    let top = kinds.first().map(|it| it[0].level);
    let shown = kinds.iter().filter(|it| Some(it[0].level) == top).count().max(SHOWN);
    (kinds, shown)
}

fn is_command(request: &ApprovalRequest, effect: &Effect) -> bool {
    request.commands.iter().any(|it| it.trim() == effect.what.trim())
}

fn begins_command(request: &ApprovalRequest, effect: &Effect) -> bool {
    let what = effect.what.trim();
    what.contains(' ') && request.commands.iter().any(|it| it.trim().starts_with(what))
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
    let outside = request.effects.iter().filter(|it| it.kind == EffectKind::Write && it.level == Level::System);
    let places: Vec<&str> = sandbox_reach.write.iter().chain(outside.map(|it| &it.what)).map(String::as_str).collect();
    let writes = match request.level {
        Level::Read => say("approval.sandbox.reads", ""),
        _ => say("approval.sandbox.write", &visible(&places.join(", "))),
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

/// Effects of one kind as one: what it is, and to what. The command itself, which stands above, is not said again.
fn said(look: &Look, request: &ApprovalRequest, kind: &[&Effect]) -> String {
    let alone = format!("{}.alone", kind[0].kind.key());
    if kind.iter().all(|it| is_command(request, it)) && look.language.has(&alone) {
        return look.say(&alone, &[]);
    }
    let mut named: Vec<String> = kind.iter().take(NAMED).map(|it| visible(&it.what)).collect();
    if kind.len() > NAMED {
        named.push("…".to_owned());
    }
    look.language.effect(kind[0].kind, &named.join(", "))
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
