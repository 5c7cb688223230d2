//! What these walls promise on this kernel, each with what keeps it. Asked only where the walls could be built at all.

use std::fs;

use super::{landlock, usage};
use crate::isolation::Held;

/// Oldest version of Landlock that sees every change to a file's content.
const WHOLE: u32 = 3;
/// First version that keeps signals and sockets without a path inside.
const SCOPES: u32 = 6;

/// All promises. What building needs without exception has been tried by now and so holds.
pub(crate) fn promises() -> Vec<Held> {
    let held = |what, why: &str| Held { what, holds: true, why: why.to_owned() };
    let version = landlock::version();
    let root = rustix::process::geteuid().is_root();
    vec![
        held("files", "a mount name space of its own: everything is read-only but the project and private folders"),
        held("protected names", "mounts over what exists; what does not exist cannot be made"),
        held("processes", "a PID name space of its own: nothing outlives the command, and it sees nobody else"),
        held("network", "a network name space of its own; allowed hosts go through a proxy"),
        held("privileges", "no capability, no new privileges, and no new name space"),
        held("system calls", "a filter; calls that name paths are judged on a copy and made on the command's behalf"),
        landlocked(version),
        Held {
            what: "shared network",
            holds: version >= SCOPES,
            why: match version >= SCOPES {
                true => {
                    "Landlock keeps sockets without a path apart even where a command gets the machine's network".into()
                }
                false => "with the machine's network, sockets without a path are refused rather than kept apart".into(),
            },
        },
        held("memory", "counted together every 20 to 100 ms; all is ended when it is too much"),
        held("number of processes", counted(root)),
        overlays(),
    ]
}

fn landlocked(version: u32) -> Held {
    let why = match version {
        0 => "this kernel has no Landlock: files are held by mounts alone".to_owned(),
        version if version < WHOLE => {
            format!("version {version} of Landlock does not see every change: mounts hold alone there")
        }
        version => format!("Landlock, version {version}, holds the rights on files once more"),
    };
    Held { what: "second wall", holds: version >= WHOLE, why }
}

fn counted(root: bool) -> &'static str {
    match (root, usage::has_own_numbers()) {
        (true, true) => "there are only so many process numbers inside",
        (true, false) => "counted every 20 ms, all is ended when it is too much; the kernel's own limit spares root",
        (false, _) => "the kernel's limit, counted inside alone",
    }
}

/// Whether tools can write into private copies of their caches.
fn overlays() -> Held {
    let known = fs::read_to_string("/proc/filesystems").unwrap_or_default();
    let holds = known.lines().any(|it| it.split_whitespace().last() == Some("overlay"));
    let why = match holds {
        true => "tools write into copies of their caches that end with the command",
        false => "this kernel has no overlays: package caches can only be read",
    };
    Held { what: "private caches", holds, why: why.to_owned() }
}
