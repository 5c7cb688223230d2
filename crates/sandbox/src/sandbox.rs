//! The isolating runner: picks what holds on this machine, at the first command and not before.
//!
//! It never pretends: where no backend works, [`Runner::isolated`] is false, and whoever starts commands must ask first.

use std::fmt;
use std::os::fd::OwnedFd;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use ox_protocol::{BoxFuture, Exit, Job, Live, RunError, Runner, Running};
use tokio::sync::Semaphore;

use crate::container::{self, Daemon};
use crate::drive::Leash;
use crate::isolation::{self, Isolation};
use crate::plain::Plain;
use crate::{foreground, running};

/// Commands at once; a further one waits, and one for the background is refused.
pub const AT_ONCE: usize = 16;

/// Which isolation is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// The first that works: Linux, then Podman, then Docker.
    #[default]
    Auto,
    /// Walls of this machine's own kernel.
    Linux,
    /// Docker's API.
    Docker,
    /// Podman's API.
    Podman,
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
            Backend::None => "none",
        })
    }
}

/// What the user chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Which isolation.
    pub backend: Backend,
    /// Image that a container is made from.
    pub image: Option<String>,
}

/// Why a sandbox cannot be had as it was chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    /// No backend has this name.
    #[error("there is no sandbox backend `{0}`; there is auto, linux, docker, podman and none")]
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

/// Runs commands isolated from everything that their rights do not name.
#[derive(Clone, Debug)]
pub struct Sandbox {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    choice: Choice,
    picked: OnceLock<Backend>,
    room: Arc<Semaphore>,
}

impl Sandbox {
    /// Prepares what was chosen. Cheap: whether it works is tried at the first command, or by [`Sandbox::describe`].
    pub fn open(choice: &Choice) -> Result<Sandbox, SandboxError> {
        let room = Arc::new(Semaphore::new(AT_ONCE));
        Ok(Sandbox { shared: Arc::new(Shared { choice: choice.clone(), picked: OnceLock::new(), room }) })
    }

    /// What holds on this machine and what does not, by trying. Tried once per process.
    pub fn describe(&self) -> Isolation {
        isolation::describe(self.backend(), &self.shared.choice)
    }

    /// The backend that commands run behind; [`Backend::None`] where none works.
    pub fn backend(&self) -> Backend {
        *self.shared.picked.get_or_init(|| isolation::pick(&self.shared.choice))
    }

    fn spawn(&self, job: &Job, input: OwnedFd, output: OwnedFd) -> Result<Leash, RunError> {
        match self.backend() {
            #[cfg(target_os = "linux")]
            Backend::Linux => crate::linux::spawn(job, input, output),
            Backend::Docker => self.contained(Daemon::Docker, job, input, output),
            Backend::Podman => self.contained(Daemon::Podman, job, input, output),
            _ => Plain::spawn(job, input, output),
        }
    }
}

impl Sandbox {
    fn contained(&self, daemon: Daemon, job: &Job, input: OwnedFd, output: OwnedFd) -> Result<Leash, RunError> {
        container::spawn(job, self.shared.choice.image.as_deref(), daemon, input, output).map(Leash::Contained)
    }
}

impl Runner for Sandbox {
    fn isolated(&self) -> bool {
        self.backend() != Backend::None
    }

    fn not_isolated(&self) -> Option<String> {
        let broken = self.describe().holds.into_iter().find(|it| !it.holds);
        broken.filter(|_| !self.isolated()).map(|it| it.why)
    }

    fn start<'a>(&'a self, job: Job) -> BoxFuture<'a, Result<Arc<dyn Running>, RunError>> {
        Box::pin(async move {
            let Ok(permit) = self.shared.room.clone().try_acquire_owned() else {
                let reason = format!("{AT_ONCE} commands run already; stop one of them first");
                return Err(foreground::refused(&job, reason));
            };
            running::start(job, &|job, input, output| self.spawn(job, input, output), Some(permit))
        })
    }

    fn run<'a>(&'a self, job: Job, live: Option<Live<'a>>) -> BoxFuture<'a, Result<Exit, RunError>> {
        Box::pin(async move {
            let _permit = self.shared.room.acquire().await.expect("the semaphore is never closed");
            foreground::run(job, live, &|job, input, output| self.spawn(job, input, output)).await
        })
    }
}
