//! Commands in containers of Docker or Podman, through the daemon's API over its unix socket.
//!
//! The same rights as behind the walls of the kernel, with what a container can give: memory, processes, no network, a
//! read-only image, an own /tmp, no capability, no new privileges, and of the file system only the paths that the rights
//! name. Where `Rights::read` is empty the rest of what is read is the image's, not this machine's. Lists of hosts are refused:
//! a container without a network cannot reach our proxy. Never privileged, never with a daemon's socket inside.

mod api;
mod calls;
mod folder;
mod placeholders;
mod policy;
mod task;

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hyper::Method;
use ox_protocol::{Job, RunError};

use api::Api;
use policy::Facts;
pub(crate) use task::Task;

use crate::foreground::refused;

/// How long a daemon may take to say what it is.
const LOOK: Duration = Duration::from_secs(2);

/// Whose API is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Daemon {
    /// Docker.
    Docker,
    /// Podman.
    Podman,
}

/// Why a container cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContainerError {
    /// No daemon has a socket in any of the usual places.
    #[error("no {0} daemon was found; start it, or say where its socket is in {1}", daemon.name(), daemon.variable())]
    Nowhere {
        /// Which was looked for.
        daemon: Daemon,
    },
    /// The address in the environment is none that can be used.
    #[error("`{0}` in the environment is `{value}`; only `unix:///path` can be used", daemon.variable())]
    Address {
        /// Which was looked for.
        daemon: Daemon,
        /// The address.
        value: String,
    },
    /// Nobody listens on the socket.
    #[error("nobody listens on `{}`; start the daemon (`systemctl start docker`, `podman system service`)", socket.display())]
    Absent {
        /// The socket.
        socket: PathBuf,
    },
    /// This user may not speak to the daemon.
    #[error("this user may not use `{}`; a member of its group may, or a daemon of the user's own", socket.display())]
    Forbidden {
        /// The socket.
        socket: PathBuf,
    },
    /// The daemon does not answer as one.
    #[error("the daemon at `{}` does not answer: {reason}", socket.display())]
    Silent {
        /// The socket.
        socket: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// The daemon said no.
    #[error("the container daemon refused ({status}): {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The daemon's words.
        message: String,
    },
    /// No image is configured.
    #[error("no image is set for containers; name one that holds the project's tools in `sandbox.image`")]
    NoImage,
    /// The image is not on this machine. It is never fetched by itself.
    #[error("the image `{image}` is not on this machine; get it with `{0} pull {image}`", daemon.name())]
    Image {
        /// Which daemon does not have it.
        daemon: Daemon,
        /// The image.
        image: String,
    },
    /// A path cannot be given to a container.
    #[error("`{}` cannot be given to a container: {reason}", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// What a container needs beside it could not be written.
    #[error("a container's own folder could not be made: {0}")]
    Folder(String),
    /// Lists of hosts need a proxy that a container cannot reach.
    #[error("a container has no network or all of it; lists of hosts need the Linux backend")]
    Hosts,
}

impl Daemon {
    fn name(self) -> &'static str {
        match self {
            Daemon::Docker => "docker",
            Daemon::Podman => "podman",
        }
    }

    fn variable(self) -> &'static str {
        match self {
            Daemon::Docker => "DOCKER_HOST",
            Daemon::Podman => "CONTAINER_HOST",
        }
    }

    /// Where its socket may be, the user's own first.
    fn places(self) -> Vec<PathBuf> {
        let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let own = own.unwrap_or_else(|| PathBuf::from(format!("/run/user/{}", rustix::process::geteuid().as_raw())));
        let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        match self {
            Daemon::Docker => {
                vec![own.join("docker.sock"), home.join(".docker/run/docker.sock"), "/var/run/docker.sock".into()]
            }
            Daemon::Podman => vec![own.join("podman/podman.sock"), "/run/podman/podman.sock".into()],
        }
    }
}

impl ContainerError {
    /// Whether the image lacks the program: runtimes say so in words alone.
    fn is_about_program(&self) -> bool {
        let ContainerError::Refused { message, .. } = self else { return false };
        message.contains("exec: ") && ["no such file or directory", "not found"].iter().any(|it| message.contains(it))
    }

    /// A container that cannot be made for want of its image, said so.
    fn about_image(self, daemon: Daemon, image: &str) -> ContainerError {
        match self {
            ContainerError::Refused { status: 404, .. } => ContainerError::Image { daemon, image: image.to_owned() },
            other => other,
        }
    }
}

/// Starts `job` in a container, with its ends of the streams. What the daemon refuses is the job's error when it ends.
pub(crate) fn spawn(
    job: &Job,
    image: Option<&str>,
    daemon: Daemon,
    input: OwnedFd,
    output: OwnedFd,
) -> Result<Task, RunError> {
    let wanted = Wanted::new(daemon, image).map_err(|it| refused(job, it))?;
    Ok(Task::start(wanted, job.clone(), input, output))
}

/// Whether containers of `image` can be had; asks the daemon, and takes away what an Ox that was killed left there.
pub(crate) fn attempt(daemon: Daemon, image: Option<&str>) -> Result<(), ContainerError> {
    let wanted = Wanted::new(daemon, image)?;
    block(&wanted.api, async {
        let path = format!("/images/{}/json", wanted.image);
        let answer = wanted.api.ask(Method::GET, &path, None).await;
        answer.map_err(|it| it.about_image(daemon, &wanted.image))?;
        task::sweep(&wanted.api, policy::LABEL, is_alive).await;
        Ok(())
    })
}

/// Where containers are to be made, and of what.
struct Wanted {
    daemon: Daemon,
    image: String,
    socket: PathBuf,
    api: Api,
}

impl Wanted {
    fn new(daemon: Daemon, image: Option<&str>) -> Result<Wanted, ContainerError> {
        let image = image.filter(|it| !it.is_empty()).ok_or(ContainerError::NoImage)?.to_owned();
        let socket = socket(daemon)?;
        Ok(Wanted { daemon, image, api: Api::new(socket.clone()), socket })
    }

    /// What the daemon is. Asked anew each time: daemons are restarted.
    async fn facts(&self, folder: &Path) -> Result<Facts, ContainerError> {
        let info = self.api.ask(Method::GET, "/info", None).await?;
        let options = info["SecurityOptions"].as_array();
        let rootless = options.into_iter().flatten().any(|it| it.as_str().is_some_and(|it| it.contains("rootless")));
        // Podman also stands behind sockets that are given for Docker's.
        let podman = self.daemon == Daemon::Podman || info["BuildahVersion"].is_string();
        let user = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        let most = |it| rustix::process::getrlimit(it).maximum;
        let files = most(rustix::process::Resource::Nofile).unwrap_or(u64::MAX);
        let user_processes = most(rustix::process::Resource::Nproc).unwrap_or(u64::MAX);
        let sockets = [Daemon::Docker, Daemon::Podman].iter().flat_map(|it| it.places()).chain([self.socket.clone()]);
        let sockets = sockets.filter_map(|it| it.canonicalize().ok()).collect();
        let (image, owner, folder) = (self.image.clone(), owner(), folder.to_owned());
        Ok(Facts { image, user, rootless, podman, sockets, files, user_processes, owner, folder })
    }
}

fn socket(daemon: Daemon) -> Result<PathBuf, ContainerError> {
    if let Ok(value) = std::env::var(daemon.variable()) {
        let path = value.strip_prefix("unix://").map(PathBuf::from);
        return path.ok_or(ContainerError::Address { daemon, value });
    }
    daemon.places().into_iter().find(|it| it.exists()).ok_or(ContainerError::Nowhere { daemon })
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

/// This process, told from an earlier one with the same number.
fn owner() -> String {
    let id = std::process::id();
    format!("{id} {}", started(Path::new(&format!("/proc/{id}"))).unwrap_or_default())
}

fn is_alive(owner: &str) -> bool {
    let Some((id, start)) = owner.split_once(' ') else { return true };
    // Where there is no /proc nobody can tell, and nothing is taken away.
    !Path::new("/proc/self").exists() || started(&Path::new("/proc").join(id)).is_some_and(|it| it == start)
}

/// When a process was started, in the kernel's own counting.
fn started(process: &Path) -> Option<String> {
    let line = std::fs::read_to_string(process.join("stat")).ok()?;
    line.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

#[cfg(test)]
mod tests;
