//! Commands in containers of Docker or Podman, through the daemon's API over its unix socket.
//!
//! The same rights as in the kernel's sandbox, with what a container can give: memory, processes, no network, a
//! read-only image, an own /tmp, no capability, no new privileges, and of the file system only the paths that the rights
//! name. Where `Rights::read` is empty the rest of what is read is the image's, not this machine's. Lists of hosts are refused:
//! a container without a network cannot reach our proxy. Never privileged, never with a daemon's socket inside.

mod api;
mod error;
mod folder;
mod placeholders;
mod seccomp;
mod spec;
mod target;
mod task;

use std::os::fd::OwnedFd;
use std::time::Duration;

use hyper::Method;
use ox_protocol::{Job, RunError};

use api::Api;
pub use error::{ContainerError, Daemon};
use target::{ContainerTarget, is_alive};
use task::Task;

use crate::foreground::refused;
use crate::running_job::ProcessTree;

/// How long a daemon may take to say what it is.
const LOOK: Duration = Duration::from_secs(2);

/// Starts `job` in a container, with its ends of the streams. What the daemon refuses is the job's error when it ends.
pub(crate) fn spawn(
    job: &Job,
    image: Option<&str>,
    daemon: Daemon,
    input: OwnedFd,
    output: OwnedFd,
) -> Result<Box<dyn ProcessTree>, RunError> {
    let target = ContainerTarget::new(daemon, image).map_err(|it| refused(job, it))?;
    Ok(Box::new(Task::start(target, job.clone(), input, output)))
}

/// Whether containers of `image` can be had; asks the daemon, and takes away what an Ox that was killed left there.
pub(crate) fn attempt(daemon: Daemon, image: Option<&str>) -> Result<(), ContainerError> {
    let target = ContainerTarget::new(daemon, image)?;
    block(&target.api, async {
        let path = format!("/images/{}/json", target.image);
        let answer = target.api.ask(Method::GET, &path, None).await;
        answer.map_err(|it| it.about_image(daemon, &target.image))?;
        task::sweep(&target.api, spec::LABEL, is_alive).await;
        Ok(())
    })
}

/// Waits for the daemon from where nothing can be awaited.
fn block<T: Send>(
    api: &Api,
    work: impl Future<Output = Result<T, ContainerError>> + Send,
) -> Result<T, ContainerError> {
    let late = || api.silent(format!("no answer within {} s", LOOK.as_secs()));
    // A thread of its own, for this one may belong to a runtime, which must not be entered twice.
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|it| api.silent(it.to_string()))?;
            runtime.block_on(async { tokio::time::timeout(LOOK, work).await.unwrap_or_else(|_| Err(late())) })
        });
        asked.join().unwrap_or_else(|_| Err(late()))
    })
}

#[cfg(test)]
mod tests;
