//! The daemon and the image that containers are made with.

use std::path::{Path, PathBuf};

use hyper::Method;

use super::api::Api;
use super::error::{ContainerError, Daemon};
use super::spec::DaemonInfo;

/// Where containers are to be made, and of what.
pub(super) struct ContainerTarget {
    pub(super) daemon: Daemon,
    pub(super) image: String,
    pub(super) socket: PathBuf,
    pub(super) api: Api,
}

impl ContainerTarget {
    pub(super) fn new(daemon: Daemon, image: Option<&str>) -> Result<ContainerTarget, ContainerError> {
        let image = image.filter(|it| !it.is_empty()).ok_or(ContainerError::NoImage)?.to_owned();
        let socket = socket(daemon)?;
        Ok(ContainerTarget { daemon, image, api: Api::new(socket.clone()), socket })
    }

    /// What the daemon is. Asked anew each time: daemons are restarted.
    pub(super) async fn daemon(&self, folder: &Path) -> Result<DaemonInfo, ContainerError> {
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
        Ok(DaemonInfo { image, user, rootless, podman, sockets, files, user_processes, owner, folder })
    }
}

fn socket(daemon: Daemon) -> Result<PathBuf, ContainerError> {
    if let Ok(value) = std::env::var(daemon.variable()) {
        let path = value.strip_prefix("unix://").map(PathBuf::from);
        return path.ok_or(ContainerError::Address { daemon, value });
    }
    daemon.places().into_iter().find(|it| it.exists()).ok_or(ContainerError::Nowhere { daemon })
}

/// This process, told from an earlier one with the same number.
pub(super) fn owner() -> String {
    let id = std::process::id();
    format!("{id} {}", started(Path::new(&format!("/proc/{id}"))).unwrap_or_default())
}

pub(super) fn is_alive(owner: &str) -> bool {
    let Some((id, start)) = owner.split_once(' ') else { return true };
    // Where there is no /proc nobody can tell, and nothing is taken away.
    !Path::new("/proc/self").exists() || started(&Path::new("/proc").join(id)).is_some_and(|it| it == start)
}

/// When a process was started, in the kernel's own counting.
fn started(process: &Path) -> Option<String> {
    let line = std::fs::read_to_string(process.join("stat")).ok()?;
    line.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}
