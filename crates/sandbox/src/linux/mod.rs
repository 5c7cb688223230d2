//! Walls of the Linux kernel, built by a helper process of our own: name spaces first, Landlock second, a filter of system
//! calls third, and no capability left. Each holds alone what it can; none of them trusts the others.

mod asker;
mod bpf;
mod broker;
mod command;
pub(crate) mod door;
mod draft;
mod guard;
pub(crate) mod helper;
mod init;
mod landlock;
pub(crate) mod link;
mod mounts;
mod naming;
mod notify;
mod opening;
mod peers;
pub(crate) mod plan;
mod promises;
pub(crate) mod record;
mod seccomp;
pub(crate) mod sys;
mod usage;

pub(crate) use promises::promises;

use std::os::fd::OwnedFd;

use ox_protocol::{Job, Network, RunError};

use crate::drive::Leash;
use crate::foreground::refused;
use crate::proxy::Proxy;

/// Starts `job` behind the walls, with its ends of the streams.
pub(crate) fn spawn(job: &Job, input: OwnedFd, output: OwnedFd) -> Result<Leash, RunError> {
    let plan = draft::plan(job).map_err(|it| refused(job, it))?;
    let (door, theirs) = match (&job.rights.network, plan.network) {
        (Network::Hosts(hosts), plan::Reach::Proxy) => {
            let proxy = Proxy::new(hosts).map_err(|it| refused(job, it))?;
            let (door, theirs) = door::Door::open(proxy).map_err(|it| refused(job, it))?;
            (Some(door), Some(theirs))
        }
        _ => (None, None),
    };
    link::Link::start(&plan, input, output, theirs, door).map(Leash::Walled).map_err(|it| refused(job, it))
}

/// Builds all walls once, around a program that does nothing.
pub(crate) fn attempt() -> std::io::Result<()> {
    let plan = plan::Plan {
        argv: vec!["true".into()],
        env: vec!["PATH=/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin".into()],
        cwd: "/".into(),
        memory: 1 << 30,
        processes: 64,
        seconds: 10,
        ..plan::Plan::default()
    };
    link::attempt(&plan)
}
