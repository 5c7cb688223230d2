//! What is taken of an agent's settings, whatever they are called there.

use std::path::Path;

use ox_mcp::ServerConfig;
use ox_protocol::{Problem, Rule, RuleAction};
use serde_json::Value;

use super::servers;

/// What Ox can take over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The model: `provider/model`, or a short name that Ox may know.
    pub model: Option<String>,
    /// MCP servers.
    pub servers: Vec<ServerConfig>,
    /// Variables that the servers need, since their values were not taken.
    pub variables: Vec<String>,
    /// Permission rules.
    pub rules: Vec<Rule>,
    /// What is not taken over, each with the reason.
    pub left: Vec<Problem>,
}

/// Why something is not taken over.
pub(super) fn left(why: &str, what: &str) -> Problem {
    Problem::new(&format!("import.left.{why}")).with("what", what)
}

impl Settings {
    /// Adds the servers of a table of them, each read by `entry`.
    pub(super) fn servers(
        &mut self,
        table: &Value,
        clean: &dyn Fn(String) -> String,
        entry: fn(&Value) -> Result<servers::Entry, String>,
    ) {
        for (name, value) in table.as_object().into_iter().flatten() {
            match entry(value).and_then(|it| servers::server(name, it, clean)) {
                Ok((server, variables)) => {
                    self.servers.push(server);
                    self.variables.extend(variables);
                }
                Err(why) => self.left.push(left("server", name).with("why", why)),
            }
        }
    }

    /// Leaves out what is allowed where a later rule that is no narrower asks about it: there the one that asks wins, and here the
    /// more specific one.
    pub(super) fn ask_rather(&mut self) {
        let rules = std::mem::take(&mut self.rules);
        for (at, rule) in rules.iter().enumerate() {
            let asks = |it: &Rule| {
                it.action == RuleAction::Ask && it.tool == rule.tool && beginning(rule).starts_with(beginning(it))
            };
            if rule.action == RuleAction::Allow && rules[at..].iter().any(asks) {
                self.left.push(left("rule", &format!("allow: {rule}")));
            } else {
                self.rules.push(rule.clone());
            }
        }
    }

    /// Names the settings of a file that Ox does not look at.
    pub(super) fn others(&mut self, file: &Path, value: &Value, known: &[&str]) {
        let names = value.as_object().into_iter().flatten().map(|it| it.0.as_str());
        let names: Vec<&str> = names.filter(|it| !known.contains(it)).collect();
        if !names.is_empty() {
            self.left.push(left("settings", &names.join(", ")).with("file", file.display()));
        }
    }
}

/// What a pattern says before its first placeholder.
fn beginning(rule: &Rule) -> &str {
    rule.pattern.as_deref().and_then(|it| it.split('*').next()).unwrap_or_default()
}
