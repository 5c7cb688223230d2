//! May this call run? Decided from data alone: nothing is parsed here but rules.
//!
//! A rule can only widen what the approval policy leaves open, never what the mode forbids; `deny` always wins; calls
//! of level 3 are never automatic, whatever a rule says.

use crate::words;
use globset::GlobBuilder;
use ox_protocol::{Approval, Call, CallKind, Level, Mode, Problem, Rule, RuleAction, Rules};

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
    let facts = &call.facts;
    if mode != Mode::Build && changes_something(call) {
        return Verdict::Deny(words::only_reads(call, mode));
    }
    if let Some(rule) = matching(rules, granted, RuleAction::Deny, call).next() {
        return Verdict::Deny(words::forbidden(rule));
    }
    if let Some(path) = outside_scope(&rules.scope, call) {
        return Verdict::Deny(words::out_of_scope(path, &rules.scope));
    }
    if facts.level == Level::System {
        return Verdict::Ask(Problem::new("approval.why.system"));
    }
    if matches!(facts.kind, CallKind::Question | CallKind::Conclude) {
        return Verdict::Allow;
    }
    let ask = matching(rules, granted, RuleAction::Ask, call).map(specificity).max();
    let allow = matching(rules, granted, RuleAction::Allow, call).map(specificity).max();
    match (ask, allow) {
        (Some(ask), Some(allow)) if allow > ask => Verdict::Allow,
        (Some(_), _) => Verdict::Ask(Problem::new("approval.why.rule")),
        (None, Some(_)) => Verdict::Allow,
        (None, None) => by_policy(rules, facts.level),
    }
}

/// The rule that "always" adds for this call: the exact command, or the tool.
pub fn always(call: &Call) -> Rule {
    let pattern = call.facts.command.clone();
    Rule { action: RuleAction::Allow, tool: call.tool.clone(), pattern }
}

fn by_policy(rules: &Rules, level: Level) -> Verdict {
    match (rules.approval, level) {
        (_, Level::Read) | (Approval::AcceptEdits | Approval::Auto, Level::Edit) => Verdict::Allow,
        (Approval::Auto, Level::Shell) if rules.isolated => Verdict::Allow,
        (Approval::Ask, Level::Edit) => Verdict::Ask(Problem::new("approval.why.edit")),
        (_, Level::Shell) if !rules.isolated => Verdict::Ask(Problem::new("approval.why.not_isolated")),
        _ => Verdict::Ask(Problem::new("approval.why.shell")),
    }
}

fn changes_something(call: &Call) -> bool {
    matches!(call.facts.kind, CallKind::Mutate | CallKind::Checks) || call.facts.level != Level::Read
}

fn outside_scope<'a>(scope: &[String], call: &'a Call) -> Option<&'a str> {
    if scope.is_empty() {
        return None;
    }
    let written = call.facts.paths.iter().filter(|it| it.write);
    written.map(|it| it.path.as_str()).find(|path| !scope.iter().any(|glob| path_matches(glob, path)))
}

fn matching<'a>(
    rules: &'a Rules,
    granted: &'a [Rule],
    action: RuleAction,
    call: &Call,
) -> impl Iterator<Item = &'a Rule> {
    let call = call.clone();
    rules.rules.iter().chain(granted).filter(move |rule| rule.action == action && applies(rule, &call))
}

/// A deny rule applies when any of the call's paths matches, an allow or ask rule when all do.
fn applies(rule: &Rule, call: &Call) -> bool {
    if !text_matches(&rule.tool, &call.tool, |_| true) {
        return false;
    }
    let Some(pattern) = &rule.pattern else { return true };
    if let Some(command) = &call.facts.command {
        let strict = rule.action == RuleAction::Allow;
        return text_matches(pattern, command, |c| !strict || !is_shell_control(c));
    }
    let mut paths = call.facts.paths.iter().map(|it| path_matches(pattern, &it.path));
    match rule.action {
        RuleAction::Deny | RuleAction::Ask => paths.any(|it| it),
        RuleAction::Allow => !call.facts.paths.is_empty() && paths.all(|it| it),
    }
}

/// Characters with which one command line becomes several; a wildcard of an allow rule never covers them.
fn is_shell_control(c: char) -> bool {
    matches!(c, ';' | '&' | '|' | '`' | '$' | '<' | '>' | '(' | ')' | '{' | '}' | '\n' | '\r' | '\\')
}

/// Matches `*` against any run of characters for which `covers` holds; all else literally. Linear in practice: greedy
/// with one step back.
fn text_matches(pattern: &str, text: &str, covers: impl Fn(char) -> bool) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, t));
            p += 1;
        } else if p < pattern.len() && pattern[p] == text[t] {
            p += 1;
            t += 1;
        } else if let Some((at, from)) = star.filter(|(_, from)| covers(text[*from])) {
            star = Some((at, from + 1));
            p = at + 1;
            t = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// True when the glob matches the path. A glob that cannot be read matches nothing.
fn path_matches(glob: &str, path: &str) -> bool {
    let glob = GlobBuilder::new(glob).literal_separator(true).build();
    glob.is_ok_and(|it| it.compile_matcher().is_match(path))
}

/// Exact tool before wildcard tool, pattern before none, longer pattern before shorter.
fn specificity(rule: &Rule) -> (bool, usize) {
    (!rule.tool.contains('*'), rule.pattern.as_ref().map_or(0, |it| 1 + it.chars().filter(|c| *c != '*').count()))
}
