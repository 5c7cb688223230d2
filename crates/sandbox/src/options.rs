//! Which isolation is wanted, and what it comes to on this machine.

use std::fmt;
use std::str::FromStr;

use ox_protocol::Problem;

/// Which isolation is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The first that works: Linux, then Podman, then Docker.
    #[default]
    Auto,
    /// This machine's own kernel.
    Linux,
    /// Docker's API.
    Docker,
    /// Podman's API.
    Podman,
    /// None, since the machine as a whole is there to be thrown away: a container or a virtual machine of the task's own.
    External,
    /// None at all.
    None,
}

impl FromStr for Backend {
    type Err = SandboxError;

    fn from_str(name: &str) -> Result<Backend, SandboxError> {
        Ok(match name {
            "auto" => Backend::Auto,
            "linux" => Backend::Linux,
            "docker" => Backend::Docker,
            "podman" => Backend::Podman,
            "external" => Backend::External,
            "none" => Backend::None,
            name => return Err(SandboxError::Unknown(name.to_owned())),
        })
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Backend::Auto => "auto",
            Backend::Linux => "linux",
            Backend::Docker => "docker",
            Backend::Podman => "podman",
            Backend::External => "external",
            Backend::None => "none",
        })
    }
}

/// What the user chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxOptions {
    /// Which isolation.
    pub backend: Backend,
    /// Image that a container is made from.
    pub image: Option<String>,
}

/// Why a sandbox cannot be had as it was chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    /// No backend has this name.
    #[error("there is no sandbox backend `{0}`; there is auto, linux, docker, podman, external and none")]
    Unknown(String),
    /// The backend that was asked for by name does not work here.
    #[error("the sandbox backend `{backend}` does not work here: {why}")]
    Unavailable {
        /// Which.
        backend: Backend,
        /// What failed.
        why: String,
    },
}

/// What a sandbox holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isolation {
    /// Behind what commands run.
    pub backend: Backend,
    /// Every promise, kept or not; none where there is no sandbox.
    pub holds: Vec<Guarantee>,
    /// Why there is no sandbox, where there is none.
    pub missing: Option<String>,
}

/// A promise of the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guarantee {
    /// What is promised, as a short noun.
    pub what: &'static str,
    /// Whether it is kept here.
    pub holds: bool,
    /// What keeps it, or why it is not kept; a sentence of the catalogue.
    pub why: Problem,
}
