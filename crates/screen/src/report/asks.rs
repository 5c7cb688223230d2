//! What a request for consent asks about, in one line that can stand alone.

use ox_client::view::{ApprovalRequest, Asked, View};
use ox_protocol::{CHECKS_RULE, ChangeKind, Level, MCP_PREFIX, NETWORK_RULE, Rule};

use super::look::{Look, marked};
use crate::text::{Line, Role, visible};
use crate::words;

/// Characters of a command that name it.
const COMMAND: usize = 60;

/// The question, with what it is about.
pub fn question(look: &Look, request: &ApprovalRequest) -> String {
    let named = |key: &str, what: &str| look.say(key, &[("what", &visible(what).replace('\n', " "))]);
    match (request.changes.as_slice(), request.commands.as_slice()) {
        _ if is_about_checks(request) => look.say("approval.title.run_checks", &[]),
        ([], [command, ..]) => named("approval.ask.command", &words::short(command, COMMAND)),
        ([], []) => named("approval.ask.tool", &request.tool),
        ([one], _) => match one.kind {
            ChangeKind::Created => named("approval.ask.create", &one.path),
            ChangeKind::Modified => named("approval.ask.edit", &one.path),
            ChangeKind::Deleted => named("approval.ask.delete", &one.path),
            ChangeKind::Renamed => {
                let from = one.from.as_deref().unwrap_or_default();
                named("approval.ask.rename", &format!("{from} → {}", one.path))
            }
        },
        (several, _) => look.say("approval.ask.files", &[("count", &several.len().to_string())]),
    }
}

/// What would not be asked about any more, in words.
pub fn covered(look: &Look, request: &ApprovalRequest) -> String {
    let rules = std::iter::once(&request.always).chain(&request.further);
    rules.map(|it| rule(look, it)).collect::<Vec<_>>().join(" + ")
}

/// A rule in words: the beginnings of commands as they are typed, files, the name of a tool.
pub fn rule(look: &Look, rule: &Rule) -> String {
    let say = |key: &str, what: &str| look.say(key, &[("what", what)]);
    let Rule { tool, pattern, .. } = rule;
    let pattern = pattern.as_deref().map(|it| visible(it).replace('\n', " "));
    match (tool.as_str(), pattern) {
        (CHECKS_RULE, _) => say("approval.rule.checks", ""),
        (NETWORK_RULE, Some(host)) => say("approval.rule.host", &host),
        ("run_command", Some(pattern)) => match pattern.strip_suffix('*') {
            Some(begins) => say("approval.rule.commands", &format!("`{begins}…`")),
            None => format!("`{}`", words::short(&pattern, COMMAND)),
        },
        ("edit_file" | "write_file", None) => say("approval.rule.edits", ""),
        ("edit_file" | "write_file", Some(pattern)) => say("approval.rule.edits_of", &pattern),
        (_, None) => tool.clone(),
        (_, Some(pattern)) => format!("{tool} {pattern}"),
    }
}

/// What reaches outside the project is asked every time, whatever rules there are; but hosts, and a tool of an MCP server, may be
/// allowed by their names.
pub fn can_always(request: &ApprovalRequest) -> bool {
    request.level != Level::System || request.tool.starts_with(MCP_PREFIX) || request.always.tool == NETWORK_RULE
}

/// The project's checks are asked about under an id of their own.
pub fn is_about_checks(request: &ApprovalRequest) -> bool {
    request.call.0.contains("checks_") && request.args.as_object().is_none_or(serde_json::Map::is_empty)
}

/// The lines of a turn's end, below the requests that it leaves unanswered.
pub(super) fn ended(look: &Look, view: &View, end: Vec<Line>) -> Vec<Line> {
    let open = view.asked.iter().filter_map(|it| match it {
        Asked::Approval(request) => Some(question(look, request)),
        Asked::Question { .. } => None,
    });
    let lines = open.flat_map(|it| marked("· ", &look.say("approval.withdrawn", &[("what", &it)]), Role::Warn));
    lines.chain(end).collect()
}
