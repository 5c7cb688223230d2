//! The user's settings of another agent, as far as Ox has the same.
//!
//! No key, token or password comes out: where a server needs one, a variable of the environment stands in its place. What has no
//! equal in Ox is named, and nothing is made looser than it was.

mod claude;
mod codex;
mod opencode;
mod rules;
mod servers;
mod taken;

use std::fs;
use std::path::Path;

use serde_json::Value;

pub use taken::Settings;
use taken::left;

use crate::{Agent, Home, ImportError};

/// Reads what the agent's files say; `clean` takes secrets out of a text.
///
/// # Errors
/// A file is there and cannot be read.
pub fn read(home: &Home, clean: &dyn Fn(String) -> String) -> Result<Settings, ImportError> {
    let mut settings = Settings::default();
    for file in &home.settings {
        let text = match text_of(file) {
            Ok(Some(text)) => text,
            Ok(None) => continue,
            Err(error) => {
                settings.left.push(left("file", &file.display().to_string()).with("why", error));
                continue;
            }
        };
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
    settings.ask_rather();
    Ok(settings)
}

fn text_of(file: &Path) -> Result<Option<String>, ImportError> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ImportError::io(file, error)),
    }
}

#[cfg(test)]
mod tests;
