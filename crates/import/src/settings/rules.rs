//! Permission rules of other agents as rules of Ox that mean the same.
//!
//! Where the two differ at the edges, what is allowed becomes narrower and what is denied becomes wider.

use ox_protocol::{MCP_PREFIX, Rule, RuleAction, mcp_word};

/// The tools of Ox that change files which a call names.
const EDITING: &[&str] = &[
    "apply_patch",
    "delete_file",
    "edit_file",
    "edit_lines",
    "edit_symbol",
    "module_doc_write",
    "move_file",
    "rename_symbol",
    "replace_in_file",
    "revert_file",
    "write_file",
];

/// A rule of Claude Code, `Tool` or `Tool(pattern)`; none where Ox has no equal.
pub(super) fn of_claude(action: RuleAction, text: &str) -> Option<Vec<Rule>> {
    let (tool, pattern) = match text.split_once('(') {
        Some((tool, rest)) => (tool, Some(rest.strip_suffix(')')?)),
        None => (text, None),
    };
    let pattern = pattern.filter(|it| !matches!(*it, "*" | ":*" | "**"));
    match tool {
        "Bash" => Some(vec![rule(action, "run_command", pattern.map(|it| command(action, it)))]),
        "Read" | "Grep" | "Glob" => reading(action, pattern),
        "Edit" | "Write" | "MultiEdit" => editing(action, pattern),
        "WebFetch" => {
            let host =
                pattern.map(|it| it.strip_prefix("domain:").filter(|it| is_host(it)).ok_or(())).transpose().ok()?;
            Some(vec![rule(action, "web_fetch", host.map(str::to_owned))])
        }
        tool if tool.starts_with(MCP_PREFIX) && pattern.is_none() => {
            let parts: Vec<String> = tool[MCP_PREFIX.len()..].split("__").map(mcp_word).collect();
            // Of all servers at once Ox allows nothing.
            (!parts[0].starts_with('*')).then(|| vec![rule(action, &format!("{MCP_PREFIX}{}", parts.join("__")), None)])
        }
        _ => None,
    }
}

/// A permission of opencode: a tool, a pattern of what it is used on, an action.
pub(super) fn of_opencode(action: RuleAction, tool: &str, pattern: &str) -> Option<Vec<Rule>> {
    let pattern = Some(pattern).filter(|it| !matches!(*it, "*" | "**"));
    match tool {
        "bash" if pattern.is_some_and(|it| it.contains('?')) => None,
        "bash" => Some(vec![rule(action, "run_command", pattern.map(str::to_owned))]),
        "edit" | "write" => editing(action, pattern),
        "read" | "grep" | "glob" => reading(action, pattern),
        "webfetch" if pattern.is_none() => Some(vec![rule(action, "web_fetch", None)]),
        _ => None,
    }
}

fn rule(action: RuleAction, tool: &str, pattern: Option<String>) -> Rule {
    Rule { action, tool: tool.to_owned(), pattern }
}

/// `cargo test:*` covers the command and whatever words follow it.
fn command(action: RuleAction, pattern: &str) -> String {
    match pattern.strip_suffix(":*") {
        Some(begin) if action == RuleAction::Allow => format!("{begin} *"),
        Some(begin) => format!("{begin}*"),
        None => pattern.to_owned(),
    }
}

/// Reading in the project needs no rule. What must not be read must not be touched by any tool.
fn reading(action: RuleAction, pattern: Option<&str>) -> Option<Vec<Rule>> {
    let pattern = path(pattern?)?;
    match action {
        RuleAction::Allow => Some(Vec::new()),
        RuleAction::Ask | RuleAction::Deny => {
            Some(with_below(action, pattern).into_iter().map(|it| rule(action, "*", Some(it))).collect())
        }
    }
}

fn editing(action: RuleAction, pattern: Option<&str>) -> Option<Vec<Rule>> {
    let pattern = pattern.map(|it| path(it).ok_or(())).transpose().ok()?;
    let patterns: Vec<Option<String>> = match pattern {
        None => vec![None],
        Some(pattern) => with_below(action, pattern).into_iter().map(Some).collect(),
    };
    let of_tool = |tool: &&str| patterns.iter().map(|it| rule(action, tool, it.clone())).collect::<Vec<Rule>>();
    Some(EDITING.iter().flat_map(of_tool).collect())
}

/// A pattern, and what lies below where it names a folder: a folder that must not be touched is not allowed by half.
fn with_below(action: RuleAction, pattern: String) -> Vec<String> {
    let below = (action != RuleAction::Allow && !pattern.ends_with("**")).then(|| format!("{pattern}/**"));
    std::iter::once(pattern).chain(below).collect()
}

fn is_host(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '.' | '-' | '*' | ':'))
}

/// A pattern of paths in the project, written as in `.gitignore`; none where it is about what is outside.
fn path(pattern: &str) -> Option<String> {
    if pattern.starts_with(['/', '~', '!']) || pattern.contains("..") {
        return None;
    }
    let inside = pattern.strip_prefix("./").unwrap_or(pattern);
    let anywhere = inside == pattern && !inside.trim_end_matches('/').contains('/');
    let inside = if inside.ends_with('/') { format!("{inside}**") } else { inside.to_owned() };
    Some(if anywhere && !inside.starts_with("**") { format!("**/{inside}") } else { inside })
}
