//! The sandbox of the Linux kernel, built by a helper process of our own: namespaces first, Landlock second, a filter of system
//! calls third, and no capability left. Each holds alone what it can; none of them trusts the others.

mod bpf;
mod broker;
mod caller;
mod command;
pub(crate) mod connection;
pub(crate) mod forwards;
mod guarantees;
mod guard;
pub(crate) mod helper;
pub(crate) mod helper_program;
mod init;
pub(crate) mod inward;
mod landlock;
pub(crate) mod message;
mod mounts;
mod names;
mod namespaces;
mod notify;
mod opening;
pub(crate) mod plan;
mod planning;
mod seccomp;
pub(crate) mod shared_network;
mod sockets;
pub(crate) mod sys;
mod usage;

pub(crate) use guarantees::guarantees;

use std::os::fd::OwnedFd;

use ox_protocol::{Job, Network, RunError};

use crate::foreground::refused;
use crate::proxy::{Proxy, local_port};
use crate::running_job::ProcessTree;

/// Starts `job` in the sandbox, with its ends of the streams.
pub(crate) fn spawn(job: &Job, input: OwnedFd, output: OwnedFd) -> Result<Box<dyn ProcessTree>, RunError> {
    let network = &job.rights.network;
    let scratch = job.rights.scratch.as_deref().filter(|_| *network != Network::All);
    let shared_network = scratch.and_then(shared_network::of);
    let forwards = match network {
        Network::Hosts(hosts) if !hosts.is_empty() => {
            let ports: Vec<u16> = hosts.iter().filter_map(|it| local_port(it)).collect();
            let hosts: Vec<_> = hosts.iter().filter(|it| local_port(it).is_none()).cloned().collect();
            let proxy = Proxy::new(&hosts).map_err(|it| refused(job, it))?;
            Some(forwards::Forwards::open(&ports, shared_network.clone(), proxy).map_err(|it| refused(job, it))?)
        }
        _ => None,
    };
    let listed = forwards.as_ref().map(|it| it.0.listed().to_vec()).unwrap_or_default();
    let plan = planning::plan(job, listed, shared_network.is_some()).map_err(|it| refused(job, it))?;
    let started = connection::HelperConnection::start(plan, input, output, forwards, shared_network);
    Ok(Box::new(started.map_err(|it| refused(job, it))?))
}

/// Builds the whole sandbox once, around a program that does nothing.
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
    connection::attempt(&plan)
}
