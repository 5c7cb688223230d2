//! The user's settings of another agent, as far as Ox has the same.
//!
//! No key, token or password comes out: where a server needs one, a variable of the environment stands in its place. What has no
//! equal in Ox is named, and nothing is made looser than it was.

mod claude;
mod codex;
mod opencode;
mod rules;
mod servers;

use std::fs;
use std::path::Path;

use ox_mcp::ServerConfig;
use ox_protocol::{Problem, Rule};
use serde_json::Value;

use crate::{Agent, Home, ImportError};

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

/// Reads what the agent's files say; `clean` takes secrets out of a text.
///
/// # Errors
/// A file is there and cannot be read.
pub fn read(home: &Home, clean: &dyn Fn(String) -> String) -> Result<Settings, ImportError> {
    let mut settings = Settings::default();
    for file in &home.settings {
        let Some(text) = text_of(file)? else { continue };
        let parsed = match home.agent {
            Agent::Claude => serde_json::from_str::<Value>(&text).map_err(|it| it.to_string()),
            Agent::Codex => toml::from_str::<Value>(&text).map_err(|it| it.message().to_owned()),
            Agent::Opencode => opencode::parse(&text),
        };
        match parsed {
            Ok(value) => match home.agent {
                Agent::Claude => claude::take(&mut settings, file, &value, clean),
                Agent::Codex => codex::take(&mut settings, file, &value, clean),
                Agent::Opencode => opencode::take(&mut settings, file, &value, clean),
            },
            Err(why) => settings.left.push(left("file", &file.display().to_string()).with("why", why)),
        }
    }
    for (name, provider) in [("auth.json", ""), (".credentials.json", "anthropic")] {
        if home.folder.join(name).is_file() {
            let provider = if home.agent == Agent::Codex { "openai" } else { provider };
            settings.left.push(left("key", &home.folder.join(name).display().to_string()).with("provider", provider));
        }
    }
    Ok(settings)
}

fn text_of(file: &Path) -> Result<Option<String>, ImportError> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ImportError::io(file, error)),
    }
}

/// Why something is not taken over.
fn left(why: &str, what: &str) -> Problem {
    Problem::new(&format!("import.left.{why}")).with("what", what)
}

impl Settings {
    /// Adds the servers of a table of them, each read by `entry`.
    fn servers(
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

    /// Names the settings of a file that Ox does not look at.
    fn others(&mut self, file: &Path, value: &Value, known: &[&str]) {
        let names = value.as_object().into_iter().flatten().map(|it| it.0.as_str());
        let names: Vec<&str> = names.filter(|it| !known.contains(it)).collect();
        if !names.is_empty() {
            self.left.push(left("settings", &names.join(", ")).with("file", file.display()));
        }
    }
}

#[cfg(test)]
mod tests;
