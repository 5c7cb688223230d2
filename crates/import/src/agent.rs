//! The agents that can be read, and where each of them keeps what it knows.

use std::fmt;
use std::path::PathBuf;

use crate::listing::{Listing, Stored};
use crate::{Foreign, ImportError, claude, codex, opencode};

/// Another agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// opencode.
    Opencode,
}

impl Agent {
    /// The word for it in commands and ids.
    pub fn name(self) -> &'static str {
        match self {
            Agent::Claude => "claude",
            Agent::Codex => "codex",
            Agent::Opencode => "opencode",
        }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Agent::Claude => "Claude Code",
            Agent::Codex => "Codex",
            Agent::Opencode => "opencode",
        })
    }
}

/// The folders of an agent. They are read and never written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// Whose.
    pub agent: Agent,
    /// The folder with its conversations.
    pub folder: PathBuf,
    /// The files that may hold its settings, of which not all need to be there.
    pub settings: Vec<PathBuf>,
}

impl Home {
    /// Where the agent keeps its files by its own rules; `variable` reads the environment. None where there is no home folder.
    pub fn usual(agent: Agent, variable: &dyn Fn(&str) -> Option<String>) -> Option<Home> {
        let set = |name: &str| variable(name).filter(|it| !it.is_empty()).map(PathBuf::from);
        let home = set("HOME");
        let below = |name: &str| home.as_ref().map(|it| it.join(name));
        Some(match agent {
            Agent::Claude => match set("CLAUDE_CONFIG_DIR") {
                Some(folder) => Home::at(agent, folder),
                None => Home::at(agent, below(".claude")?),
            },
            Agent::Codex => Home::at(agent, set("CODEX_HOME").or_else(|| below(".codex"))?),
            Agent::Opencode => {
                let data = set("XDG_DATA_HOME").or_else(|| below(".local/share"))?;
                let config = set("XDG_CONFIG_HOME").or_else(|| below(".config"))?.join("opencode");
                let settings = [config.join("opencode.json"), config.join("opencode.jsonc")].to_vec();
                Home { agent, folder: data.join("opencode"), settings }
            }
        })
    }

    /// The same where its folder is somewhere else.
    pub fn at(agent: Agent, folder: PathBuf) -> Home {
        let settings = match agent {
            Agent::Claude => {
                let beside = folder.parent().filter(|_| folder.ends_with(".claude")).map(|it| it.join(".claude.json"));
                [folder.join("settings.json"), folder.join(".claude.json")].into_iter().chain(beside).collect()
            }
            Agent::Codex => vec![folder.join("config.toml")],
            Agent::Opencode => vec![folder.join("opencode.json"), folder.join("opencode.jsonc")],
        };
        Home { agent, folder, settings }
    }

    /// The conversations that are there, without what was said in them.
    ///
    /// # Errors
    /// A folder or the database cannot be read.
    pub fn list(&self) -> Result<Listing, ImportError> {
        match self.agent {
            Agent::Claude => claude::list(&self.folder),
            Agent::Codex => codex::list(&self.folder),
            Agent::Opencode => opencode::list(&self.folder),
        }
    }

    /// One of those in a listing of this home.
    ///
    /// # Errors
    /// Its file or the database cannot be read.
    pub fn read(&self, listing: &Listing, stored: &Stored) -> Result<Foreign, ImportError> {
        let mut foreign = match self.agent {
            Agent::Claude => claude::read(&stored.place)?,
            Agent::Codex => codex::read(&stored.place)?,
            Agent::Opencode => opencode::read(&self.folder, listing, &stored.id)?,
        };
        foreign.id.clone_from(&stored.id);
        foreign.folder.clone_from(&stored.folder);
        foreign.title = foreign.title.or_else(|| stored.title.clone()).filter(|it| !it.trim().is_empty());
        Ok(foreign)
    }
}
