//! What holds on this machine, found by trying it.

use std::sync::OnceLock;

use ox_protocol::Problem;

use crate::container::{self, Daemon};
use crate::options::{Backend, Guarantee, Isolation, SandboxOptions};

/// The backend to use: the one that was asked for where it works.
pub(crate) fn pick(options: &SandboxOptions) -> Backend {
    let order: &[Backend] = match &options.backend {
        Backend::Auto => &[Backend::Linux, Backend::Podman, Backend::Docker],
        wanted => std::slice::from_ref(wanted),
    };
    order.iter().copied().find(|it| attempt(*it, options).is_ok()).unwrap_or(Backend::None)
}

/// Whether `backend` works here, or why it does not.
fn attempt(backend: Backend, options: &SandboxOptions) -> Result<(), String> {
    let container = |daemon| container::attempt(daemon, options.image.as_deref()).map_err(|it| it.to_string());
    match backend {
        Backend::Linux => linux().clone(),
        Backend::Docker => container(Daemon::Docker),
        Backend::Podman => container(Daemon::Podman),
        Backend::External => Ok(()),
        Backend::Auto | Backend::None => Err("it was switched off; commands run with your own rights".to_owned()),
    }
}

/// All promises behind `backend`, or why there is no sandbox.
pub(crate) fn describe(backend: Backend, options: &SandboxOptions) -> Isolation {
    let held = |what, holds, code: &str| Guarantee { what, holds, why: Problem::new(code) };
    let holds = match backend {
        #[cfg(target_os = "linux")]
        Backend::Linux => crate::linux::guarantees(),
        Backend::Docker | Backend::Podman => vec![
            held("files", true, "doctor.container.files"),
            held("processes", true, "doctor.container.processes"),
            held("network", true, "doctor.container.network"),
            held("hosts", false, "doctor.container.hosts"),
            held("privileges", true, "doctor.container.privileges"),
            held("memory", true, "doctor.container.memory"),
            held("number of processes", true, "doctor.container.process_count"),
        ],
        _ => Vec::new(),
    };
    let missing = holds.is_empty().then(|| reason(options));
    Isolation { backend, holds, missing }
}

fn reason(options: &SandboxOptions) -> String {
    match options.backend {
        Backend::Auto => linux().clone().err().unwrap_or_else(|| "no backend works".to_owned()),
        Backend::External => "this machine as a whole is the sandbox; commands run with your own rights".to_owned(),
        wanted => attempt(wanted, options).err().unwrap_or_default(),
    }
}

/// Whether the sandbox of this kernel can be built; tried once.
pub(crate) fn linux() -> &'static Result<(), String> {
    static TRIED: OnceLock<Result<(), String>> = OnceLock::new();
    TRIED.get_or_init(try_linux)
}

#[cfg(target_os = "linux")]
fn try_linux() -> Result<(), String> {
    crate::linux::attempt().map_err(|it| it.to_string())
}

#[cfg(not(target_os = "linux"))]
fn try_linux() -> Result<(), String> {
    Err("this is not Linux".to_owned())
}
