//! The isolating runner: picks what holds on this machine, at the first command and not before.
//!
//! It never pretends: where no backend works, [`Runner::isolated`] is false, and whoever starts commands must ask first.

use std::os::fd::OwnedFd;
use std::sync::{Arc, OnceLock};

use ox_protocol::{BoxFuture, Exit, Job, Live, RunError, Runner, Running};
use tokio::sync::Semaphore;

use crate::container::{self, Daemon};
use crate::isolation;
use crate::options::{Backend, Isolation, SandboxError, SandboxOptions};
use crate::plain::Plain;
use crate::running_job::ProcessTree;
use crate::{background, foreground};

/// Commands at once; a further one waits, and one for the background is refused.
pub const MAX_CONCURRENT: usize = 16;

/// Runs commands isolated from everything that their rights do not name.
#[derive(Clone, Debug)]
pub struct Sandbox {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: SandboxOptions,
    picked: OnceLock<Backend>,
    permits: Arc<Semaphore>,
}

impl Sandbox {
    /// Prepares what was chosen. Cheap: whether it works is tried at the first command, or by [`Sandbox::describe`].
    pub fn open(options: &SandboxOptions) -> Result<Sandbox, SandboxError> {
        let permits = Arc::new(Semaphore::new(MAX_CONCURRENT));
        Ok(Sandbox { shared: Arc::new(Shared { options: options.clone(), picked: OnceLock::new(), permits }) })
    }

    /// What holds on this machine and what does not, by trying. Tried once per process.
    pub fn describe(&self) -> Isolation {
        isolation::describe(self.backend(), &self.shared.options)
    }

    /// The backend that commands run behind; [`Backend::None`] where none works.
    pub fn backend(&self) -> Backend {
        *self.shared.picked.get_or_init(|| isolation::pick(&self.shared.options))
    }

    fn spawn(&self, job: &Job, input: OwnedFd, output: OwnedFd) -> Result<Box<dyn ProcessTree>, RunError> {
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
    fn contained(
        &self,
        daemon: Daemon,
        job: &Job,
        input: OwnedFd,
        output: OwnedFd,
    ) -> Result<Box<dyn ProcessTree>, RunError> {
        container::spawn(job, self.shared.options.image.as_deref(), daemon, input, output)
    }
}

impl Runner for Sandbox {
    fn isolated(&self) -> bool {
        !matches!(self.backend(), Backend::External | Backend::None)
    }

    fn external(&self) -> bool {
        self.backend() == Backend::External
    }

    fn not_isolated(&self) -> Option<String> {
        self.describe().missing
    }

    fn start<'a>(&'a self, job: Job) -> BoxFuture<'a, Result<Arc<dyn Running>, RunError>> {
        Box::pin(async move {
            let Ok(permit) = self.shared.permits.clone().try_acquire_owned() else {
                let reason = format!("{MAX_CONCURRENT} commands run already; stop one of them first");
                return Err(foreground::refused(&job, reason));
            };
            background::start(job, &|job, input, output| self.spawn(job, input, output), Some(permit))
        })
    }

    fn run<'a>(&'a self, job: Job, live: Option<Live<'a>>) -> BoxFuture<'a, Result<Exit, RunError>> {
        Box::pin(async move {
            let _permit = self.shared.permits.acquire().await.expect("the semaphore is never closed");
            foreground::run(job, live, &|job, input, output| self.spawn(job, input, output)).await
        })
    }
}
