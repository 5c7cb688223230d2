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
pub(crate) mod room;
mod seccomp;
pub(crate) mod sys;
mod usage;

pub(crate) use promises::promises;

use std::os::fd::OwnedFd;

use ox_protocol::{Job, Network, RunError};

use crate::drive::Leash;
use crate::foreground::refused;
use crate::proxy::{Proxy, local_port};

/// Starts `job` behind the walls, with its ends of the streams.
pub(crate) fn spawn(job: &Job, input: OwnedFd, output: OwnedFd) -> Result<Leash, RunError> {
    let network = &job.rights.network;
    let scratch = job.rights.scratch.as_deref().filter(|_| *network != Network::All);
    let room = scratch.and_then(room::of);
    let doors = match network {
        Network::Hosts(hosts) if !hosts.is_empty() => {
            let ports: Vec<u16> = hosts.iter().filter_map(|it| local_port(it)).collect();
            let hosts: Vec<_> = hosts.iter().filter(|it| local_port(it).is_none()).cloned().collect();
            let proxy = Proxy::new(&hosts).map_err(|it| refused(job, it))?;
            Some(door::Doors::open(&ports, room.clone(), proxy).map_err(|it| refused(job, it))?)
        }
        _ => None,
    };
    let gates = doors.as_ref().map(|it| it.0.gates().to_vec()).unwrap_or_default();
    let plan = draft::plan(job, gates, room.is_some()).map_err(|it| refused(job, it))?;
    link::Link::start(plan, input, output, doors, room).map(Leash::Walled).map_err(|it| refused(job, it))
}

/// Builds all walls once, around a program that does nothing.
pub(crate) fn attempt() -> std::io::Result<()> {
    let plan = plan::Plan {
        argv: vec!["true".into()],
        env: vec!["PATH=/usr/local/bin:/usr/bin:/bin:/run/current-system/sw/bin".into()],
        cwd: "/".into(),
        memory: 1 << 30,
        disk: 1 << 30,
        processes: 64,
        seconds: 10,
        ..plan::Plan::default()
    };
    link::attempt(&plan)
}
