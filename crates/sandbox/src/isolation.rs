//! What holds on this machine, found by trying it.

use std::sync::OnceLock;

use crate::container::{self, Daemon};
use crate::sandbox::{Backend, Choice};

/// What a sandbox holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isolation {
    /// Behind what commands run.
    pub backend: Backend,
    /// Every promise, kept or not.
    pub holds: Vec<Held>,
}

/// A promise of the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// What is promised, as a short noun.
    pub what: &'static str,
    /// Whether it is kept here.
    pub holds: bool,
    /// What keeps it, or why it is not kept.
    pub why: String,
}

/// The backend to use: the wanted one where it works.
pub(crate) fn pick(choice: &Choice) -> Backend {
    let order: &[Backend] = match &choice.backend {
        Backend::Auto => &[Backend::Linux, Backend::Podman, Backend::Docker],
        wanted => std::slice::from_ref(wanted),
    };
    order.iter().copied().find(|it| attempt(*it, choice).is_ok()).unwrap_or(Backend::None)
}

/// Whether `backend` works here, or why it does not.
fn attempt(backend: Backend, choice: &Choice) -> Result<(), String> {
    let container = |daemon| container::attempt(daemon, choice.image.as_deref()).map_err(|it| it.to_string());
    match backend {
        Backend::Linux => linux().clone(),
        Backend::Docker => container(Daemon::Docker),
        Backend::Podman => container(Daemon::Podman),
        Backend::Auto | Backend::None => Err("it was switched off; commands run with your own rights".to_owned()),
    }
}

/// All promises behind `backend`. Where nothing that was wanted works, the one promise says why.
pub(crate) fn describe(backend: Backend, choice: &Choice) -> Isolation {
    let held = |what, holds, why: &str| Held { what, holds, why: why.to_owned() };
    let holds = match backend {
        #[cfg(target_os = "linux")]
        Backend::Linux => crate::linux::promises(),
        Backend::Docker | Backend::Podman => vec![
            held("files", true, "only the project is mounted; the rest is the image's"),
            held("processes", true, "a container of its own, taken away at the end"),
            held("network", true, "no network at all"),
            held("hosts", false, "a container without a network cannot reach the proxy: lists of hosts are refused"),
            held("privileges", true, "no capability, no new privileges, never privileged"),
            held("memory", true, "the container's limit"),
            held("number of processes", true, "the container's limit"),
        ],
        _ => vec![Held { what: "isolation", holds: false, why: reason(choice) }],
    };
    Isolation { backend, holds }
}

fn reason(choice: &Choice) -> String {
    match choice.backend {
        Backend::Auto => linux().clone().err().unwrap_or_else(|| "no backend works".to_owned()),
        wanted => attempt(wanted, choice).err().unwrap_or_default(),
    }
}

/// Whether the walls of this kernel can be built; tried once.
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
