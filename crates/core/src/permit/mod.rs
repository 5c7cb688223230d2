//! May this call run? Decided from data alone: nothing is parsed here but rules.
//!
//! A rule can only widen what the approval policy leaves open, never what the mode forbids; `deny` always wins. Calls of
//! level system are never automatic, whatever a rule says, with one exception: where a call reaches outside for the network
//! alone, a rule that names its hosts is the user's consent to them, and so is a rule for a tool that has one known host.
//! What the sandbox contains is not level system where commands are isolated. Where the machine as a whole is the sandbox,
//! `auto` asks about nothing.
//!
//! A mode that changes nothing denies whatever does; a command runs there all the same, where the sandbox shows it the project
//! read-only or as a private copy.
//!
//! Before it is asked, `Toolbox::read` has found the call's facts, and `uncommitted::add_lost_work` (both in the agent's way)
//! has raised the level of what would throw work away. `Conversation::decide_call` asks it once the hooks before the call
//! have run, and refuses by itself what cannot run, what follows a failed change, and what a hook objects to. An allowed
//! call leaves no event: the answer is computed again until its `ToolStart`. At its start `Toolbox::run` finds the facts
//! anew, and refuses what has grown since or lies outside the turn's scope; a checkpoint that cannot be made refuses too.

mod rules;

use std::collections::BTreeSet;

use ox_protocol::{
    ApprovalPolicy, Call, CallKind, EffectKind, Level, MCP_PREFIX, Mode, NETWORK_RULE, Problem, Rule, RuleAction,
    Rules, SimpleCommand,
};

use crate::words;
pub use rules::names_tool;
use rules::{Set, network_allowed};

/// What permission says about a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It may run.
    Allow,
    /// Someone has to be asked; why.
    Ask(Problem),
    /// It may not run; the words for the model.
    Deny(String),
}

/// Decides about a call. `granted` holds the rules that the user added during the conversation.
pub fn permit(mode: Mode, rules: &Rules, granted: &[Rule], call: &Call) -> Verdict {
    let set = Set::new(&rules.rules, granted);
    let looks = !mode.may_change();
    let on_a_copy = looks && rules.isolated && call.facts.command.is_some();
    if looks && !on_a_copy && changes_something(call) {
        return Verdict::Deny(words::only_reads(call, mode));
    }
    if let Some(rule) = set.denying(call) {
        return Verdict::Deny(words::forbidden(rule));
    }
    for scope in std::iter::once(&rules.scope).chain(&rules.within) {
        if let Some(path) = outside_scope(scope, call) {
            return Verdict::Deny(words::out_of_scope(path, scope));
        }
    }
    let level = match reach(rules, call) {
        _ if on_a_copy && !reaches_people(call) => Level::Read,
        Level::System if on_a_copy && network_allowed(&set, rules.isolated, call) => Level::Read,
        Level::System if network_allowed(&set, rules.isolated, call) => below_the_network(call),
        Level::System if rules.external && rules.approval == ApprovalPolicy::Auto => Level::Shell,
        Level::System => return Verdict::Ask(reaching(rules, call)),
        level => level,
    };
    if matches!(call.facts.kind, CallKind::Question | CallKind::Conclude) {
        return Verdict::Allow;
    }
    // A line of several commands may run when each of them may; a rule about the whole line speaks for all of them.
    let whole = set.speaking(call, call.facts.command.as_deref());
    if whole == Some(RuleAction::Allow) && set.asks_about_no_part(call) {
        return Verdict::Allow;
    }
    if call.facts.commands.is_empty() || whole == Some(RuleAction::Ask) {
        return verdict_of(whole, rules, call, level);
    }
    let part = |it: &SimpleCommand| verdict_of(set.speaking(call, Some(&it.text)), rules, call, it.level.min(level));
    let mut verdicts = call.facts.commands.iter().map(part);
    let first_question = verdicts.find(|it| *it != Verdict::Allow);
    match first_question {
        Some(question) => question,
        // What no part accounts for still counts: a level that only the line as a whole has.
        None if parts_level(call) < level => verdict_of(whole, rules, call, level),
        None => Verdict::Allow,
    }
}

/// The rule that covers this call and no other command: the exact line, or the tool.
pub fn exactly(call: &Call) -> Rule {
    let pattern = call.facts.command.clone();
    Rule { action: RuleAction::Allow, tool: call.tool.clone(), pattern }
}

/// The rules that "always" adds for this call: its hosts where they are all that it reaches outside for, and the beginning of
/// each part of its line that is asked about, where every such part has one that is safe to allow whatever follows; else the
/// exact line, or the tool.
pub fn always(rules: &Rules, granted: &[Rule], call: &Call) -> Vec<Rule> {
    let set = Set::new(&rules.rules, granted);
    let hosts = hosts(rules, call);
    let level = if hosts.is_empty() { reach(rules, call) } else { below_the_network(call) };
    let asked = |it: &&SimpleCommand| {
        verdict_of(set.speaking(call, Some(&it.text)), rules, call, it.level.min(level)) != Verdict::Allow
    };
    let begins = |it: &SimpleCommand| {
        let pattern = Some(format!("{} *", it.prefix.as_ref()?));
        Some(Rule { pattern, ..exactly(call) })
    };
    let found: Option<Vec<Rule>> = call.facts.commands.iter().filter(asked).map(begins).collect();
    let mut seen = BTreeSet::new();
    let found = found.map(|it| it.into_iter().filter(|it| seen.insert(it.to_string())).collect::<Vec<_>>());
    if hosts.is_empty() {
        // What else reaches outside the project is asked about every time, whatever rules there are.
        let found = found.filter(|it| !it.is_empty() && call.facts.level < Level::System);
        return found.unwrap_or_else(|| vec![exactly(call)]);
    }
    let whole =
        call.facts.commands.is_empty() && by_policy(rules, level, call.facts.command.is_some()) != Verdict::Allow;
    let found = found.filter(|_| !whole).unwrap_or_else(|| vec![exactly(call)]);
    hosts.into_iter().chain(found).collect()
}

/// True where "always" adds this rule for the call: of what reaches outside the project, only for its hosts, or for a tool of an
/// MCP server by its name.
pub fn can_grant(rules: &Rules, call: &Call, rule: &Rule) -> bool {
    let of_server = || call.tool.starts_with(MCP_PREFIX) && *rule == exactly(call);
    let of_hosts = || !hosts(rules, call).is_empty() && always(rules, &[], call).contains(rule);
    call.facts.level < Level::System || of_server() || of_hosts()
}

/// The rules for the hosts of a call that reaches outside for named hosts alone.
fn hosts(rules: &Rules, call: &Call) -> Vec<Rule> {
    if reach(rules, call) < Level::System || !is_only_about_hosts(rules, call) {
        return Vec::new();
    }
    let rule =
        |it: &String| Rule { action: RuleAction::Allow, tool: NETWORK_RULE.to_string(), pattern: Some(it.clone()) };
    call.facts.hosts.iter().map(rule).collect()
}

/// How far a call reaches; where commands are isolated, past the sandbox.
fn reach(rules: &Rules, call: &Call) -> Level {
    if rules.isolated { call.facts.level_in_sandbox() } else { call.facts.level }
}

/// True where a call does what no private copy of the project contains: it speaks to hosts, reads secrets, or is to be asked
/// about by the model's own word.
fn reaches_people(call: &Call) -> bool {
    use EffectKind::{Network, Publish, Requested, Secret};
    let kind = |it: &ox_protocol::Effect| matches!(it.kind, Network | Publish | Requested | Secret);
    call.facts.effects.iter().any(|it| it.level == Level::System && kind(it))
}

/// Why a call of level system is asked about: the hosts or the work that would be lost, where that is all of it.
fn reaching(rules: &Rules, call: &Call) -> Problem {
    let mut kinds = rules::far_effects(rules.isolated, call).map(|it| it.kind).peekable();
    let only_loses = kinds.peek().is_some() && kinds.all(|it| matches!(it, EffectKind::Destroy | EffectKind::Rewrite));
    match is_only_about_hosts(rules, call) {
        true => Problem::new("approval.why.unknown_host").with("hosts", call.facts.hosts.join(", ")),
        false if only_loses => Problem::new("approval.why.loses"),
        false => Problem::new("approval.why.system"),
    }
}

/// True where named hosts are all that a call reaches outside for.
fn is_only_about_hosts(rules: &Rules, call: &Call) -> bool {
    let hosts = &call.facts.hosts;
    let named = !hosts.is_empty() && !hosts.iter().any(|it| it.contains('*'));
    named && rules::far_effects(rules.isolated, call).all(|it| it.kind == EffectKind::Network)
}

/// How far a call reaches whose hosts are allowed.
fn below_the_network(call: &Call) -> Level {
    match call.facts.command {
        // The command itself is a command like any other.
        Some(_) => Level::Shell,
        None => Level::Read,
    }
}

fn parts_level(call: &Call) -> Level {
    call.facts.commands.iter().map(|it| it.level).max().unwrap_or_default()
}

fn verdict_of(rule: Option<RuleAction>, rules: &Rules, call: &Call, level: Level) -> Verdict {
    match rule {
        Some(RuleAction::Allow) => Verdict::Allow,
        Some(_) => Verdict::Ask(Problem::new("approval.why.rule")),
        None => by_policy(rules, level, call.facts.command.is_some()),
    }
}

fn by_policy(rules: &Rules, level: Level, is_command: bool) -> Verdict {
    if is_command && !rules.isolated && !rules.external {
        return Verdict::Ask(not_isolated(rules));
    }
    match (rules.approval, level) {
        (_, Level::Read) | (ApprovalPolicy::AcceptEdits | ApprovalPolicy::Auto, Level::Edit) => Verdict::Allow,
        (ApprovalPolicy::Auto, Level::Shell) if rules.isolated || rules.external => Verdict::Allow,
        (ApprovalPolicy::Ask, Level::Edit) => Verdict::Ask(Problem::new("approval.why.edit")),
        (_, Level::Shell) if !rules.isolated => Verdict::Ask(not_isolated(rules)),
        _ => Verdict::Ask(Problem::new("approval.why.shell")),
    }
}

/// Why a command is asked about that runs outside a sandbox.
fn not_isolated(rules: &Rules) -> Problem {
    match &rules.not_isolated {
        Some(why) => Problem::new("approval.why.no_walls").with("why", why),
        None => Problem::new("approval.why.not_isolated"),
    }
}

/// Reading, even outside, changes nothing: it is asked about in every mode.
fn changes_something(call: &Call) -> bool {
    let facts = &call.facts;
    matches!(facts.kind, CallKind::Mutate | CallKind::Checks) || matches!(facts.level, Level::Edit | Level::Shell)
}

fn outside_scope<'a>(scope: &[String], call: &'a Call) -> Option<&'a str> {
    if scope.is_empty() {
        return None;
    }
    let written = call.facts.paths.iter().filter(|it| it.write);
    written.map(|it| it.path.as_str()).find(|path| !scope.iter().any(|glob| rules::path_matches(glob, path)))
}
