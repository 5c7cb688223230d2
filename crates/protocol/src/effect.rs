//! What a call would do, found by parsing it: the words that permission is decided from and consent is asked with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far a call reaches. The order is the order of danger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Reads project files and git history.
    #[default]
    Read,
    /// Edits files of the project, runs a discovered check.
    Edit,
    /// Runs shell commands and scripts.
    Shell,
    /// Reaches outside the project or destroys work.
    System,
}

/// One thing that a call does. The effects of the highest level are why a call has its level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// What is done; the catalogue words it as `effect.KIND`.
    pub kind: EffectKind,
    /// To what: a path, a host, a program or a short piece of the command. Cut to 200 characters.
    pub what: String,
    /// How far this alone reaches.
    pub level: Level,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// Reads a path.
    Read,
    /// Creates or changes a path.
    Write,
    /// Removes a path.
    Delete,
    /// Runs code: of the project, of a package, or a program that does as it is told.
    Execute,
    /// Adds packages.
    Install,
    /// Speaks to a host.
    Network,
    /// Gives work to others: a push, a deployment, a publication, a message.
    Publish,
    /// Destroys work that nothing else holds: uncommitted changes, untracked files, stashes.
    Destroy,
    /// Rewrites history, or throws it away.
    Rewrite,
    /// Reads a secret.
    Secret,
    /// Changes the system or the user's own settings.
    System,
    /// Signals or inspects other processes.
    Process,
    /// Takes other rights: another user, more privileges, a container.
    Privilege,
    /// Sets a variable that makes other programs run code.
    Environment,
    /// Runs a program that nothing is known about.
    Unknown,
    /// Has a part that is known only when it runs: a computed word, a substitution, an `eval`.
    Computed,
    /// Writes to the temporary folder, which is a private one in the sandbox.
    Scratch,
    /// The model itself wants the user to look at it first.
    Requested,
    /// Hides what it does: text that does not parse, characters that nobody sees.
    Obscure,
}

impl Effect {
    /// An effect on `what`.
    pub fn new(kind: EffectKind, level: Level, what: impl Into<String>) -> Effect {
        let what: String = what.into();
        let cut = what.char_indices().nth(200).map(|(at, _)| at);
        Effect { kind, level, what: cut.map_or(what.clone(), |at| format!("{}…", &what[..at])) }
    }
}

impl EffectKind {
    /// True where a sandbox that the kernel enforces leaves nothing of it to fear: what it reads holds no secret, what it runs
    /// changes the project at most and speaks to nobody.
    pub fn is_contained_by_sandbox(self) -> bool {
        matches!(
            self,
            EffectKind::Read
                | EffectKind::Execute
                | EffectKind::Process
                | EffectKind::Environment
                | EffectKind::Unknown
                | EffectKind::Computed
                | EffectKind::Scratch
        )
    }

    /// The key under which the catalogue words it, with the argument `what`.
    pub fn key(self) -> &'static str {
        match self {
            EffectKind::Read => "effect.read",
            EffectKind::Write => "effect.write",
            EffectKind::Delete => "effect.delete",
            EffectKind::Execute => "effect.execute",
            EffectKind::Install => "effect.install",
            EffectKind::Network => "effect.network",
            EffectKind::Publish => "effect.publish",
            EffectKind::Destroy => "effect.destroy",
            EffectKind::Rewrite => "effect.rewrite",
            EffectKind::Secret => "effect.secret",
            EffectKind::System => "effect.system",
            EffectKind::Process => "effect.process",
            EffectKind::Privilege => "effect.privilege",
            EffectKind::Environment => "effect.environment",
            EffectKind::Unknown => "effect.unknown",
            EffectKind::Computed => "effect.computed",
            EffectKind::Scratch => "effect.scratch",
            EffectKind::Requested => "effect.requested",
            EffectKind::Obscure => "effect.obscure",
        }
    }
}
