//! What the sandbox promises on this kernel, each with what keeps it. Asked only where the sandbox could be built at all.

use std::fs;

use ox_protocol::Problem;

use super::{landlock, usage};
use crate::options::Guarantee;

/// Oldest version of Landlock that sees every change to a file's content.
const WHOLE: u32 = 3;
/// First version that keeps signals and sockets without a path inside.
const SCOPES: u32 = 6;

/// All promises. What building needs without exception has been tried by now and so holds.
pub(crate) fn guarantees() -> Vec<Guarantee> {
    let guarantee = |what, code: &str| Guarantee { what, holds: true, why: Problem::new(code) };
    let version = landlock::version();
    let root = rustix::process::geteuid().is_root();
    vec![
        guarantee("files", "doctor.sandbox.files"),
        guarantee("protected names", "doctor.sandbox.protected_names"),
        guarantee("processes", "doctor.sandbox.processes"),
        guarantee("network", "doctor.sandbox.network"),
        guarantee("privileges", "doctor.sandbox.privileges"),
        guarantee("system calls", "doctor.sandbox.system_calls"),
        landlocked(version),
        either("shared network", version >= SCOPES, ["doctor.sandbox.sockets", "doctor.sandbox.sockets_none"]),
        guarantee("memory", "doctor.sandbox.memory"),
        guarantee("number of processes", counted(root)),
        overlays(),
    ]
}

/// A promise that this kernel may or may not keep, with the sentence for each.
fn either(what: &'static str, holds: bool, [kept, broken]: [&str; 2]) -> Guarantee {
    Guarantee { what, holds, why: Problem::new(if holds { kept } else { broken }) }
}

fn landlocked(version: u32) -> Guarantee {
    let why = match version {
        0 => Problem::new("doctor.sandbox.landlock_none"),
        version if version < WHOLE => Problem::new("doctor.sandbox.landlock_partial").with("version", version),
        version => Problem::new("doctor.sandbox.landlock").with("version", version),
    };
    Guarantee { what: "landlock", holds: version >= WHOLE, why }
}

fn counted(root: bool) -> &'static str {
    match (root, usage::has_own_numbers()) {
        (true, true) => "doctor.sandbox.process_numbers",
        (true, false) => "doctor.sandbox.process_count",
        (false, _) => "doctor.sandbox.process_limit",
    }
}

/// Whether tools can write into private copies of their caches.
fn overlays() -> Guarantee {
    let known = fs::read_to_string("/proc/filesystems").unwrap_or_default();
    let holds = known.lines().any(|it| it.split_whitespace().last() == Some("overlay"));
    either("private caches", holds, ["doctor.sandbox.caches", "doctor.sandbox.caches_none"])
}
