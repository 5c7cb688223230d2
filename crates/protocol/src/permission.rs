//! Modes, approval policies, rules and decisions: the data that permission is decided from.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Hook;

/// What a turn may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The turn's own course decides: what changed nothing is an answer, what changed something has to be verified.
    #[default]
    Auto,
    /// Questions about the code; read-only.
    Chat,
    /// Requirements and a plan; read-only.
    Plan,
    /// A change is asked for.
    Build,
}

impl Mode {
    /// All of them, the default first.
    pub const ALL: [Mode; 4] = [Mode::Auto, Mode::Chat, Mode::Plan, Mode::Build];

    /// The mode of that name.
    pub fn named(name: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The word for it in flags, keys and logs.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Auto => "auto",
            Mode::Chat => "chat",
            Mode::Plan => "plan",
            Mode::Build => "build",
        }
    }

    /// True where the turn may change the project.
    pub fn may_change(self) -> bool {
        matches!(self, Mode::Auto | Mode::Build)
    }
}

/// How much is done unasked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalPolicy {
    /// Everything above level read is asked.
    #[default]
    Ask,
    /// Level edit is done unasked.
    AcceptEdits,
    /// Whatever the sandbox makes harmless is done unasked.
    Auto,
}

impl ApprovalPolicy {
    /// The word for it in flags, keys and logs.
    pub fn name(self) -> &'static str {
        match self {
            ApprovalPolicy::Ask => "ask",
            ApprovalPolicy::AcceptEdits => "accept-edits",
            ApprovalPolicy::Auto => "auto",
        }
    }
}

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    /// Do it unasked.
    Allow,
    /// Ask.
    Ask,
    /// Never.
    Deny,
}

/// What rules that allow the project's checks name; the tool that runs them has the same name.
pub const CHECKS_RULE: &str = "run_checks";

/// What rules about hosts that pages are fetched from name; the tool that fetches them has the same name.
pub const FETCH_RULE: &str = "web_fetch";

/// What rules about hosts that commands speak to name.
pub const NETWORK_RULE: &str = "network";

/// A permission rule, written `tool` or `tool(pattern)`: `run_command(cargo test*)`, `edit_file(src/**)`, `run_checks`, `*`.
///
/// `*` in a tool name or a command pattern matches any text; a command pattern without `*` matches the whole command
/// line exactly, and one that ends in ` *` also the line without further words: `cargo test *` covers `cargo test`. Path patterns are globs over paths relative to the project root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rule {
    /// What it does.
    pub action: RuleAction,
    /// Tool name or `*`.
    pub tool: String,
    /// Command or path pattern; none matches every call of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

/// What commands in the sandbox can change and whom they can speak to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandReach {
    /// Folders that they may change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<String>,
    /// Hosts; `*` for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
}

impl CommandReach {
    fn is_empty(&self) -> bool {
        *self == CommandReach::default()
    }
}

/// The permission policy of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rules {
    /// The policy where no rule speaks.
    pub approval: ApprovalPolicy,
    /// The rules, in no particular order: deny wins, then the most specific.
    #[serde(default)]
    pub rules: Vec<Rule>,
    /// Globs that edits must stay within; empty means the whole project.
    #[serde(default)]
    pub scope: Vec<String>,
    /// Further scopes, each of which holds too: those of the conversation that a sub-agent works for, and of its kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<Vec<String>>,
    /// True when nobody can be asked: what would need a question is refused.
    #[serde(default)]
    pub headless: bool,
    /// True when commands run isolated; only then may `auto` run them unasked.
    #[serde(default)]
    pub isolated: bool,
    /// What isolated commands can reach unless more is consented to; for whoever asks about them.
    #[serde(default, skip_serializing_if = "CommandReach::is_empty")]
    pub reach: CommandReach,
    /// Why commands do not run isolated, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_isolated: Option<String>,
    /// True where the whole machine is there to be thrown away: `auto` then asks about nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub external: bool,
    /// True when nobody has trusted the project as it is: its checks count as any other command then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untrusted: bool,
    /// The user's hooks, in the order in which they run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<Hook>,
}

/// The answer to an approval request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Decision {
    /// Do it.
    Allow,
    /// Do it, and whatever this rule covers from now on.
    AllowAlways {
        /// The rule that is added.
        rule: Rule,
        /// Further rules that are added with it, where the parts of a command line have one each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        further: Vec<Rule>,
        /// For how long.
        #[serde(default)]
        keep: Keep,
    },
    /// Do it with these arguments instead.
    Amend {
        /// The new arguments.
        args: Value,
    },
    /// Do not.
    Deny {
        /// Why, for the model; may be empty.
        #[serde(default)]
        reason: String,
        /// The turn ends with it, unpaid for what would have come next. Of the project's checks it means nothing: without them
        /// a turn goes on.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        stop: bool,
    },
}

/// How long a rule that a user granted is remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// For the rest of the conversation.
    #[default]
    Conversation,
    /// For the project, in every conversation; kept among the user's own files.
    Project,
}

impl Rule {
    /// Parses the text form. Anything between the first `(` and a closing `)` at the end is the pattern.
    pub fn parse(action: RuleAction, text: &str) -> Result<Rule, String> {
        let text = text.trim();
        let (tool, pattern) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => match rest.strip_suffix(')') {
                Some(pattern) => (tool.trim(), Some(pattern.to_string())),
                None => return Err(format!("the rule `{text}` opens a parenthesis and does not close it")),
            },
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '*' || c == '-';
        if tool.is_empty() || !tool.chars().all(plain) {
            return Err(format!(
                "`{text}` is not a rule; write `tool` or `tool(pattern)`, as in `run_command(cargo test*)`"
            ));
        }
        Ok(Rule { action, tool: tool.to_string(), pattern })
    }
}

/// What the names of tools of MCP servers begin with: `mcp__server__tool`.
pub const MCP_PREFIX: &str = "mcp__";

/// The name of an MCP server or of its tool as it stands in such a name, in rules and where a model calls it: in snake case,
/// with `_` in the place of everything that is neither letter nor digit. `*`, which only rules have, stays.
pub fn mcp_word(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    let mut before_was_lower = false;
    for c in text.chars() {
        if c.is_ascii_uppercase() && before_was_lower {
            out.push('_');
        }
        before_was_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(if c.is_ascii_alphanumeric() || c == '*' { c.to_ascii_lowercase() } else { '_' });
    }
    out
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            Some(pattern) => write!(f, "{}({pattern})", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}
