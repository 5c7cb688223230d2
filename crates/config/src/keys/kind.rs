//! What may be written for a key: each kind checks a value and says in words what it wants.
//!
//! A kind never changes a value's meaning and never expands a variable in it: `$HOME` stays five letters.

use ox_protocol::{FETCH_RULE, NETWORK_RULE, Problem, Rule, RuleAction};
use toml::Value;

/// What may be written for a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Any text.
    Text,
    /// A text that is never shown.
    Secret,
    /// `provider/model` or a name that stands alone, such as `manual`.
    Model,
    /// A list of models.
    Models,
    /// An `http` or `https` address.
    Url,
    /// One of these words, the strictest first where that means something.
    Choice(&'static [&'static str]),
    /// A whole number of at least this.
    Count(i64),
    /// A number, not negative.
    Amount,
    /// A length of time such as `90s` or `10m`.
    Time,
    /// `true` or `false`.
    Flag,
    /// A list of globs.
    Globs,
    /// A list of permission rules.
    Rules,
    /// A list of tables with a command each, such as checks.
    Commands,
    /// A list of hooks.
    Hooks,
    /// A list of tool names, with `*` for any text.
    Names,
    /// A list of hosts, with a leading `*.` for everything below one.
    Hosts,
    /// A list of folders, each absolute or below `~/`.
    Folders,
    /// One folder, absolute or below `~/`.
    Folder,
    /// A list of folders, each relative to the project, absolute or below `~/`.
    Documents,
}

impl Kind {
    /// True when `value` may stand there.
    pub fn accepts(self, value: &Value) -> bool {
        match self {
            Kind::Text | Kind::Secret => value.as_str().is_some_and(|it| !it.trim().is_empty()),
            Kind::Model => value.as_str().is_some_and(is_model),
            Kind::Models => all(value, is_model),
            Kind::Url => value.as_str().is_some_and(is_url),
            Kind::Choice(words) => value.as_str().is_some_and(|it| words.contains(&it)),
            Kind::Count(least) => value.as_integer().is_some_and(|it| it >= least && it <= i64::from(u32::MAX)),
            Kind::Amount => number(value).is_some_and(|it| it.is_finite() && it >= 0.0),
            Kind::Time => value.as_str().is_some_and(|it| humantime::parse_duration(it).is_ok_and(|it| !it.is_zero())),
            Kind::Flag => value.is_bool(),
            Kind::Globs => all(value, |glob| !glob.trim().is_empty()),
            Kind::Rules => all(value, |rule| Rule::parse(RuleAction::Ask, rule).is_ok_and(|it| names_host(&it))),
            Kind::Names => all(value, |it| Rule::parse(RuleAction::Ask, it).is_ok_and(|it| it.pattern.is_none())),
            Kind::Hosts => all(value, is_host),
            Kind::Folders => all(value, is_folder),
            Kind::Folder => value.as_str().is_some_and(is_folder),
            Kind::Documents => all(value, |it| is_folder(it) || is_relative(it)),
            Kind::Commands | Kind::Hooks => value.as_array().is_some_and(|it| it.iter().all(Value::is_table)),
        }
    }

    /// The value that a text means, from the environment or `ox config set`; none where it means none.
    pub fn parse(self, text: &str) -> Option<Value> {
        let value = match self {
            Kind::Count(_) => Value::Integer(text.trim().replace('_', "").parse().ok()?),
            Kind::Amount => Value::Float(text.trim().parse().ok()?),
            Kind::Flag => Value::Boolean(match text.trim().to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => true,
                "false" | "0" | "no" | "off" => false,
                _ => return None,
            }),
            _ if self.is_list() => list(text)?,
            Kind::Commands | Kind::Hooks => return None,
            _ => Value::String(text.trim().to_string()),
        };
        self.accepts(&value).then_some(value)
    }

    /// What is wrong with `found` as the value of `key` at `place`.
    pub fn problem(self, place: &str, key: &str, found: &str) -> Problem {
        let bad_host = || {
            let rules: Option<Vec<String>> =
                list(found).as_ref().and_then(texts).map(|it| it.iter().map(|it| (*it).to_string()).collect());
            rules?.into_iter().find(|it| Rule::parse(RuleAction::Ask, it).is_ok_and(|it| !names_host(&it)))
        };
        if let Some(rule) = Some(self).filter(|it| *it == Kind::Rules).and_then(|_| bad_host()) {
            return Problem::new("config.wrong.rule_host").with("place", place).with("key", key).with("rule", rule);
        }
        let problem = Problem::new(self.complaint()).with("place", place).with("key", key);
        let found = if self == Kind::Secret { "…" } else { found };
        let problem = problem.with("found", found);
        match self {
            Kind::Choice(words) => problem.with("choices", words.join(", ")),
            Kind::Count(least) => problem.with("least", least),
            _ => problem,
        }
    }

    fn complaint(self) -> &'static str {
        match self {
            Kind::Text | Kind::Secret => "config.wrong.text",
            Kind::Model => "config.wrong.model",
            Kind::Models => "config.wrong.models",
            Kind::Url => "config.wrong.url",
            Kind::Choice(_) => "config.wrong.choice",
            Kind::Count(_) => "config.wrong.count",
            Kind::Amount => "config.wrong.amount",
            Kind::Time => "config.wrong.time",
            Kind::Flag => "config.wrong.flag",
            Kind::Globs => "config.wrong.globs",
            Kind::Rules => "config.wrong.rules",
            Kind::Commands => "config.wrong.commands",
            Kind::Hooks => "config.wrong.hooks",
            Kind::Names => "config.wrong.names",
            Kind::Hosts => "config.wrong.hosts",
            Kind::Folders => "config.wrong.folders",
            Kind::Folder => "config.wrong.folder",
            Kind::Documents => "config.wrong.documents",
        }
    }

    /// The keys that each table of a list of tables must have.
    pub fn needs(self) -> &'static [&'static str] {
        match self {
            Kind::Commands => &["command"],
            Kind::Hooks => &["at", "command"],
            _ => &[],
        }
    }

    /// True for a list of texts.
    pub fn is_list(self) -> bool {
        use Kind::{Documents, Folders, Globs, Hosts, Models, Names, Rules};
        matches!(self, Globs | Rules | Names | Hosts | Folders | Documents | Models)
    }

    /// True where the values of all layers count together.
    pub fn adds_up(self) -> bool {
        matches!(self, Kind::Rules | Kind::Hooks | Kind::Documents)
    }

    /// Where a value stands on the scale from strict to loose; none where there is no scale.
    pub fn looseness(self, value: &Value) -> Option<f64> {
        match self {
            Kind::Choice(words) => words.iter().position(|it| Some(*it) == value.as_str()).map(|it| it as f64),
            Kind::Count(_) | Kind::Amount => number(value),
            Kind::Time => humantime::parse_duration(value.as_str()?).ok().map(|it| it.as_secs_f64()),
            _ => None,
        }
    }
}

/// The texts of a list of texts.
pub fn texts(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

/// True for a list of texts each of which is right.
fn all(value: &Value, right: impl Fn(&str) -> bool) -> bool {
    texts(value).is_some_and(|it| it.into_iter().all(right))
}

/// False for a rule about hosts whose pattern can be no host, so that it would never say anything.
fn names_host(rule: &Rule) -> bool {
    let about_hosts = [NETWORK_RULE, FETCH_RULE].contains(&rule.tool.as_str());
    !about_hosts || rule.pattern.as_deref().is_none_or(|it| it == "*" || is_host(it))
}

/// A host name or address without scheme, port or path; `*.` in front means everything below it.
fn is_host(text: &str) -> bool {
    let name = text.strip_prefix("*.").unwrap_or(text);
    let address = name.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(name);
    if address.parse::<std::net::IpAddr>().is_ok() {
        return name == text;
    }
    let plain = |part: &str| {
        !part.is_empty() && part.len() <= 63 && part.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
    };
    name.len() <= 253 && name.split('.').all(plain)
}

fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|it| it as f64))
}

/// A TOML list, or a single text that is the whole list: a comma may be part of a rule.
fn list(text: &str) -> Option<Value> {
    if text.trim_start().starts_with('[') {
        return toml::from_str::<toml::Table>(&format!("it = {text}")).ok()?.remove("it");
    }
    Some(Value::Array(vec![Value::String(text.trim().to_string())]))
}

/// A bare name such as `manual` may mean a model too; what it means is for the one who opens models to say.
fn is_model(text: &str) -> bool {
    let (text, name) = (text.trim(), text.rsplit('/').next().unwrap_or_default());
    !text.starts_with('/') && !name.trim().is_empty()
}

fn is_folder(text: &str) -> bool {
    text.starts_with('/') || text == "~" || text.starts_with("~/")
}

/// True for a folder below the one that it is read from, without any step upwards.
pub fn is_relative(text: &str) -> bool {
    let steps = || text.split(['/', '\\']);
    !text.trim().is_empty() && !text.starts_with(['/', '\\', '~']) && steps().all(|it| it != ".." && !it.contains(':'))
}

fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let host = rest.and_then(|it| it.split(['/', '?', '#']).next());
    host.is_some_and(|it| !it.is_empty()) && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_takes_what_it_means_and_nothing_else() {
        let cases = [
            (Kind::Model, vec!["openai/gpt-4.1", "scripted/a/b.txt", "manual"], vec!["/x", "x/", "", " "]),
            (
                Kind::Url,
                vec!["http://localhost:8000/v1", "https://x"],
                vec!["localhost", "ftp://x", "http://", "https:///x"],
            ),
            (Kind::Count(1), vec!["1", "1_000"], vec!["0", "-1", "1.5", "many", "5000000000"]),
            (Kind::Amount, vec!["0", "2", "0.5"], vec!["-1", "NaN", "inf", "$2"]),
            (Kind::Time, vec!["90s", "10m", "1h 30m"], vec!["10", "0s", "soon", ""]),
            (Kind::Flag, vec!["true", "false", "1", "off"], vec!["maybe", "2", ""]),
            (Kind::Choice(&["a", "b"]), vec!["a"], vec!["c", "A", ""]),
            (Kind::Rules, vec!["run_command(cargo a,b)", "[\"x\", \"y(z)\"]"], vec!["x(", "a b", "[1]", "[\"a\""]),
            (
                Kind::Rules,
                vec!["network(*.example.com)", "web_fetch(docs.rs)", "network(*)", "network"],
                vec!["network(https://x)", "web_fetch(a b)", "network(x:443)"],
            ),
            (Kind::Names, vec!["edit_file", "[\"mcp_*\", \"run_command\"]"], vec!["run_command(x)", "a b", ""]),
            (
                Kind::Hosts,
                vec!["crates.io", "*.example.com", "::1", "10.0.0.1", "localhost"],
                vec!["http://x", "x:1", "*", "a..b", "*.10.0.0.1"],
            ),
            (Kind::Folders, vec!["/x", "~/.cargo"], vec!["x", "../x", "$HOME/x", "~other/x"]),
            (Kind::Folder, vec!["/x", "~"], vec!["x", "", "~other"]),
            (Kind::Documents, vec!["docs", "[\"/x\", \"~/notes\", \"a/b\"]"], vec!["../x", "a/../b", "", "c:/x"]),
            (Kind::Models, vec!["openai/gpt-4.1", "[\"a/b\", \"manual\"]"], vec!["x/", "[\"a/b\", \"\"]", "[1]"]),
            (Kind::Text, vec!["$HOME"], vec!["", " "]),
        ];
        for (kind, right, wrong) in cases {
            for text in right {
                assert!(kind.parse(text).is_some(), "{kind:?} takes {text}");
            }
            for text in wrong {
                assert!(kind.parse(text).is_none(), "{kind:?} does not take {text}");
            }
        }
    }

    #[test]
    fn a_variable_in_a_value_is_not_expanded() {
        assert_eq!(Kind::Text.parse("$HOME"), Some(Value::String("$HOME".into())));
    }
}
