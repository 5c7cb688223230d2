//! Which rules speak about a call, and which of them is heard.
//!
//! A deny or ask rule applies when any part of a call matches it, an allow rule only to exactly what it names.

use globset::GlobBuilder;
use ox_protocol::{Call, Effect, EffectKind, Level, MCP_PREFIX, NETWORK_RULE, Rule, RuleAction, mcp_word};

/// All rules that may speak.
pub(super) struct Set<'a> {
    rules: Vec<&'a Rule>,
}

impl<'a> Set<'a> {
    pub(super) fn new(configured: &'a [Rule], granted: &'a [Rule]) -> Set<'a> {
        Set { rules: configured.iter().chain(granted).collect() }
    }

    fn of(&self, action: RuleAction) -> impl Iterator<Item = &'a Rule> {
        self.rules.iter().copied().filter(move |it| it.action == action)
    }

    /// A rule that forbids the call, or any part of it.
    pub(super) fn denying(&self, call: &Call) -> Option<&'a Rule> {
        self.of(RuleAction::Deny).find(|rule| touches(rule, call))
    }

    /// The most specific rule about one text of a call, its line or a part of it; about its paths where it has no line.
    pub(super) fn speaking(&self, call: &Call, text: Option<&str>) -> Option<RuleAction> {
        let ask = self.of(RuleAction::Ask).filter(|it| applies(it, call, text)).map(specificity).max();
        let allow = self.of(RuleAction::Allow).filter(|it| applies(it, call, text)).map(specificity).max();
        match (ask, allow) {
            (Some(ask), Some(allow)) if allow > ask => Some(RuleAction::Allow),
            (Some(_), _) => Some(RuleAction::Ask),
            (None, allow) => allow.map(|_| RuleAction::Allow),
        }
    }

    /// True when no rule asks about a part of the line, or the line's own rule is more specific than it.
    pub(super) fn asks_about_no_part(&self, call: &Call) -> bool {
        let line = call.facts.command.as_deref();
        let allowed = self.of(RuleAction::Allow).filter(|it| applies(it, call, line)).map(specificity).max();
        let about = |rule: &&Rule| call.facts.commands.iter().any(|it| applies(rule, call, Some(&it.text)));
        self.of(RuleAction::Ask).filter(about).map(specificity).max() < allowed
    }
}

/// What the call reaches outside for; where commands are isolated, without what the sandbox contains.
pub(super) fn far_effects(isolated: bool, call: &Call) -> impl Iterator<Item = &Effect> {
    let held = move |it: &&Effect| isolated && call.facts.command.is_some() && it.kind.is_contained_by_sandbox();
    call.facts.effects.iter().filter(|it| it.level == Level::System).filter(move |it| !held(it))
}

/// True when the network is all that the call reaches outside for and a rule allows it: each host by name, or the tool
/// by its own name where it speaks to one host that it knows itself.
pub(super) fn network_allowed(set: &Set<'_>, isolated: bool, call: &Call) -> bool {
    let facts = &call.facts;
    let allowed = |about: &dyn Fn(&&Rule) -> bool| {
        let allow = set.of(RuleAction::Allow).filter(about).map(specificity).max();
        allow.is_some() && set.of(RuleAction::Ask).filter(about).map(specificity).max() < allow
    };
    let host_allowed =
        |host: &String| allowed(&|rule| names_host(rule, call, host) && rule.pattern.as_deref() != Some("*"));
    let mut far = far_effects(isolated, call).peekable();
    far.peek().is_some()
        && far.all(|it| it.kind == EffectKind::Network)
        && match facts.hosts.as_slice() {
            [] => facts.command.is_none() && allowed(&|rule| names_itself(rule, call) && rule.pattern.is_none()),
            hosts => hosts.iter().all(|it| it != "*" && host_allowed(it)),
        }
}

/// A rule for a tool by its name; for one of an MCP server also by its server's, `mcp__server` or `mcp__server__*`.
fn names_itself(rule: &Rule, call: &Call) -> bool {
    let server = |it: &str| it.strip_prefix(MCP_PREFIX).is_some_and(|it| !it.starts_with('*'));
    rule.tool == call.tool || server(&rule.tool) && tool_matches(&rule.tool, &call.tool)
}

/// True when the tool of a rule covers a tool. Of MCP servers and their tools a rule may write the names as the server does,
/// and may name the server alone.
fn tool_matches(pattern: &str, tool: &str) -> bool {
    let Some(rest) = pattern.strip_prefix(MCP_PREFIX).filter(|_| tool.starts_with(MCP_PREFIX)) else {
        return text_matches(pattern, tool, |_| true);
    };
    let pattern = format!("{MCP_PREFIX}{}", mcp_word(rest));
    let whole_server = !rest.contains("__") && tool.strip_prefix(&pattern).is_some_and(|it| it.starts_with("__"));
    whole_server || text_matches(&pattern, tool, |_| true)
}

fn names_host(rule: &Rule, call: &Call, host: &str) -> bool {
    let about =
        rule.tool == NETWORK_RULE || (call.facts.command.is_none() && text_matches(&rule.tool, &call.tool, |_| true));
    about && rule.pattern.as_deref().is_some_and(|it| host_matches(it, host))
}

/// `*.example.com` covers every host below, and not the host itself; `*` covers every host.
fn host_matches(pattern: &str, host: &str) -> bool {
    let (pattern, host) = (pattern.to_ascii_lowercase(), host.to_ascii_lowercase());
    match pattern.strip_prefix("*.") {
        Some(parent) => host.strip_suffix(parent).is_some_and(|it| it.len() > 1 && it.ends_with('.')),
        None => pattern == "*" || pattern == host,
    }
}

/// True when a deny rule is about the call or anything in it.
fn touches(rule: &Rule, call: &Call) -> bool {
    let facts = &call.facts;
    if facts.hosts.iter().any(|it| names_host(rule, call, it)) {
        return true;
    }
    applies(rule, call, facts.command.as_deref())
        || facts.commands.iter().any(|it| applies(rule, call, Some(&it.text)))
        || rule.pattern.is_some() && facts.command.is_some() && paths_match(rule, call)
}

/// A rule with a command pattern is held against `text`, with a path pattern against the paths of a call without a line.
fn applies(rule: &Rule, call: &Call, text: Option<&str>) -> bool {
    if !tool_matches(&rule.tool, &call.tool) {
        return false;
    }
    let Some(pattern) = &rule.pattern else { return true };
    match text {
        Some(text) => {
            let strict = rule.action == RuleAction::Allow;
            // What may be followed by any words may be followed by none.
            pattern.strip_suffix(" *").is_some_and(|it| text_matches(it, text, |c| !strict || !is_shell_control(c)))
                || text_matches(pattern, text, |c| !strict || !is_shell_control(c))
        }
        None => paths_match(rule, call),
    }
}

/// A deny or ask rule is about the call when any of its paths matches, an allow rule when all do.
fn paths_match(rule: &Rule, call: &Call) -> bool {
    let pattern = rule.pattern.as_deref().unwrap_or_default();
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
pub(super) fn path_matches(glob: &str, path: &str) -> bool {
    let glob = GlobBuilder::new(glob).literal_separator(true).build();
    glob.is_ok_and(|it| it.compile_matcher().is_match(path))
}

/// True when `name` matches a tool pattern, in which `*` stands for any text.
pub fn names_tool(pattern: &str, name: &str) -> bool {
    text_matches(pattern, name, |_| true)
}

/// Exact tool before wildcard tool, pattern before none, longer pattern before shorter.
fn specificity(rule: &Rule) -> (bool, usize) {
    (!rule.tool.contains('*'), rule.pattern.as_ref().map_or(0, |it| 1 + it.chars().filter(|c| *c != '*').count()))
}
