//! What holds on this machine, found by trying it.

use std::sync::OnceLock;

use crate::sandbox::Backend;

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
pub(crate) fn pick(wanted: Backend) -> Backend {
    match wanted {
        Backend::Auto | Backend::Linux if linux().is_ok() => Backend::Linux,
        _ => Backend::None,
    }
}

/// All promises behind `backend`. Where a backend was wanted that does not work, the first promise says why.
pub(crate) fn describe(backend: Backend, wanted: Backend) -> Isolation {
    let holds = match backend {
        #[cfg(target_os = "linux")]
        Backend::Linux => crate::linux::promises(),
        _ => vec![Held { what: "isolation", holds: false, why: reason(wanted) }],
    };
    Isolation { backend, holds }
}

fn reason(wanted: Backend) -> String {
    match wanted {
        Backend::None => "it was switched off; commands run with your own rights".to_owned(),
        Backend::Docker | Backend::Podman => format!("{wanted} cannot be used here"),
        _ => linux().clone().err().unwrap_or_else(|| "no backend works".to_owned()),
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
